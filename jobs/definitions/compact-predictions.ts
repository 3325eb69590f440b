import { nowInstant } from '../../pipeline/effects/clock.ts';
import { addDays, localDate } from '../../pipeline/model/service-time.ts';
import {
  chooseSources,
  type DueWork,
  engineSettings,
  isRequestedDay,
  type Job,
  type JobContext,
  type JobOutcome,
} from '../job/job.ts';
import { PREDICTION_METRICS } from '../job/resources.ts';
import { divideIntoDays } from '../runner/backfill-units.ts';

/** Compacts predictions to one file per source and service date. */
export function compactPredictionsJob(): Job {
  return {
    name: 'compact-predictions',
    summary: 'Compacts the predictions of each past day into one Parquet file with the same rows.',
    accepts: ['source', 'date', 'from', 'to'],
    schedule: (config) => config.schedule.compactPredictions,
    follows: ['evaluate-predictions'],
    // Who evaluates, drops or publishes predictions lists their files under this lock.
    listWritten: async () => [PREDICTION_METRICS],
    division: { noun: 'days', plan: async ({ options }) => ({ units: divideIntoDays(options) }) },
    run: compactDays,
  };
}

/** Days back from today: trips of yesterday may still be under way, and their predictions are added. */
const DAYS_OPEN = 2;

async function compactDays(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir } = config;
  // Imported on demand, as they load the database engine.
  const { compactPredictions, isDue } = await import('../../pipeline/predictions/live/compact-predictions.ts');
  const { listPredictedDays } = await import('../../pipeline/predictions/measured/evaluate-day.ts');
  const files = await import('../../pipeline/lake/predictions/prediction-files.ts');
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const latest = addDays(localDate(nowInstant(effects.clock), 'UTC'), -DAYS_OPEN);
  if (!options.isDryRun) await files.finishPredictionSwaps(dataDir, (date) => isRequestedDay(date, options, latest));
  const predicted = await listPredictedDays(dataDir);
  const sources = chooseSources(
    options,
    predicted.map(({ source }) => source),
  );
  const days = predicted.filter(
    ({ source, serviceDate }) => sources.includes(source) && isRequestedDay(serviceDate, options, latest),
  );
  const due: DueWork[] = [];
  await withEngine(dataDir, engineSettings(context), async (db, folder) => {
    for (const day of days) {
      context.stopping?.throwIfAborted();
      const found = await files.listPredictionFiles(dataDir, day.source, day.serviceDate);
      if (!(await isDue(db, found))) continue;
      effects.log.progress(`${day.source}: making one file of the predictions of ${day.serviceDate}`);
      if (!options.isDryRun) await compactPredictions(db, dataDir, folder, day);
      const reason = found.length > 1 ? `it has ${found.length} files` : 'its file is of a former schema';
      due.push({ what: `${day.source} ${day.serviceDate}`, reason });
    }
  });
  return {
    status: due.length === 0 ? 'unchanged' : 'done',
    summary:
      due.length === 0
        ? 'each past day has one file'
        : `${options.isDryRun ? 'would make' : 'made'} one file of each of ${due.length} days`,
    due,
    details: { days: due.map(({ what }) => what) },
  };
}
