import type { MeasureOutcome } from '../pipeline/predictions/measured/evaluate-day.ts';
import { chooseSources, engineSettings, isAskedDay, type Job, type JobContext, type JobOutcome } from './job.ts';

/** Evaluates the predictions that the service made. */
export function evaluatePredictionsJob(): Job {
  return {
    name: 'evaluate-predictions',
    summary: 'Compares predictions of completed days with the observed times, next to the forecasts of the sources.',
    accepts: ['source', 'date', 'from', 'to', 'dryRun', 'force'],
    schedule: (config) => config.schedule.evaluatePredictions,
    run: evaluatePredictions,
  };
}

async function evaluatePredictions(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir } = config;
  // Imported on demand, as they load the database engine.
  const { evaluateDay, listPredictedDays } = await import('../pipeline/predictions/measured/evaluate-day.ts');
  const { withEngine } = await import('../pipeline/lake/observations/write-parts.ts');
  const { writeLakeGuide } = await import('../pipeline/guide/write-lake-guide.ts');
  const counts: Record<MeasureOutcome, number> = { measured: 0, unchanged: 0, notOver: 0, due: 0 };
  const predicted = await listPredictedDays(dataDir);
  const sources = chooseSources(
    options,
    predicted.map(({ source }) => source),
  );
  const days = predicted.filter(
    ({ source, serviceDate }) => sources.includes(source) && isAskedDay(serviceDate, options),
  );
  await withEngine(dataDir, engineSettings(context), async (db, folder) => {
    for (const { source, serviceDate } of days) {
      effects.log.progress(`evaluate-predictions: ${source} ${serviceDate}`);
      const { isForced, isDryRun } = options;
      const measuredAt = new Date(effects.clock.nowMilliseconds()).toISOString();
      const request = { dataDir, source, serviceDate, isForced, isDryRun, measuredAt };
      counts[await evaluateDay(db, folder, request)] += 1;
    }
  });
  if (counts.measured > 0) await writeLakeGuide(dataDir);
  return {
    status: counts.measured + counts.due === 0 ? 'unchanged' : 'done',
    summary: describe(counts, options.isDryRun),
    details: { days: { ...counts } },
  };
}

function describe({ measured, unchanged, notOver, due }: Record<MeasureOutcome, number>, isDryRun: boolean): string {
  return [
    isDryRun ? `would measure ${countDays(due)}` : `measured ${countDays(measured)}`,
    ...(unchanged > 0 ? [`${unchanged} as before`] : []),
    ...(notOver > 0 ? [`${notOver} not over yet`] : []),
  ].join(', ');
}

function countDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
