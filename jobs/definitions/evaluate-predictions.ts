import { touchesMonth } from '../../pipeline/model/month-range.ts';
import type { MeasureOutcome } from '../../pipeline/predictions/measured/evaluate-day.ts';
import {
  chooseSources,
  type DueWork,
  engineSettings,
  isRequestedDay,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
} from '../job/job.ts';
import { PREDICTION_METRICS } from '../job/resources.ts';
import { divideIntoMonths, hasRange } from '../runner/backfill-units.ts';

export const EVALUATE_PREDICTIONS = 'evaluate-predictions';

/** Evaluates the predictions that the service made. */
export function evaluatePredictionsJob(): Job {
  return {
    name: EVALUATE_PREDICTIONS,
    summary:
      'Compares predictions of completed days with the observed times, next to the forecasts of the sources, and publishes the metrics.',
    accepts: ['source', 'date', 'from', 'to', 'force'],
    schedule: (config) => config.schedule.evaluatePredictions,
    follows: ['finalise-stop-events'],
    listWritten: async () => [PREDICTION_METRICS],
    // The metrics of a month are one file.
    division: {
      noun: 'months',
      plan: async ({ options }) => ({ units: divideIntoMonths(options), runUnit: measure, end: publish }),
      shards: {
        noun: 'months',
        plan: async ({ options }) => ({ units: hasRange(options) ? divideIntoMonths(options) : [], end: publish }),
        runUnit: measure,
      },
    },
    run: async (context) => {
      const measured = await measure(context);
      if (context.options.isDryRun) return measured;
      // Publishes also what an interrupted run had measured.
      const { status } = await publish(context);
      return status === 'done' ? { ...measured, status } : measured;
    },
  };
}

async function measure(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir } = config;
  // Imported on demand, as they load the database engine.
  const { evaluateDay, listPredictedDays } = await import('../../pipeline/predictions/measured/evaluate-day.ts');
  const { rewriteMetricTables } = await import('../../pipeline/predictions/measured/store-metric-rows.ts');
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const counts: Record<MeasureOutcome, number> = { measured: 0, unchanged: 0, notOver: 0, due: 0 };
  const due: DueWork[] = [];
  const { finishPredictionSwaps } = await import('../../pipeline/lake/predictions/prediction-files.ts');
  if (!options.isDryRun) await finishPredictionSwaps(dataDir, (date) => isRequestedDay(date, options));
  const predicted = await listPredictedDays(dataDir);
  const sources = chooseSources(
    options,
    predicted.map(({ source }) => source),
  );
  const days = predicted.filter(
    ({ source, serviceDate }) => sources.includes(source) && isRequestedDay(serviceDate, options),
  );
  let renewed = 0;
  await withEngine(dataDir, engineSettings(context), async (db, folder) => {
    if (!options.isDryRun) renewed = await rewriteMetricTables(db, dataDir, folder, isRequestedMonth(options));
    for (const { source, serviceDate } of days) {
      effects.log.progress(`evaluate-predictions: ${source} ${serviceDate}`);
      const { isForced, isDryRun } = options;
      const measuredAt = new Date(effects.clock.nowMilliseconds()).toISOString();
      const request = { dataDir, source, serviceDate, isForced, isDryRun, measuredAt };
      const outcome = await evaluateDay(db, folder, request);
      counts[outcome] += 1;
      const reason = isForced ? 'requested with --force' : 'its predictions or stop events are new or have changed';
      if (outcome === 'due') due.push({ what: `${source} ${serviceDate}`, reason });
    }
  });
  return {
    status: counts.measured + counts.due + renewed === 0 ? 'unchanged' : 'done',
    summary: describe(counts, options.isDryRun),
    details: { days: { ...counts } },
    due,
  };
}

/** Units at the same time have a month each, of which one alone may replace the files. */
function isRequestedMonth({ date, from, to }: JobOptions): (month: string) => boolean {
  const requested = { from: date ?? from, to: date ?? to };
  return (month) => touchesMonth(requested, month);
}

/** @returns `done` if the API gets different metrics */
async function publish(context: JobContext): Promise<Pick<JobOutcome, 'status'>> {
  const { listPredictedDays } = await import('../../pipeline/predictions/measured/evaluate-day.ts');
  const { publishPredictionMetrics } = await import('../../pipeline/snapshots/publish-prediction-metrics.ts');
  const { writeLakeGuide } = await import('../../pipeline/guide/write-lake-guide.ts');
  const { dataDir, snapshots } = context.config;
  if ((await listPredictedDays(dataDir)).length === 0) return { status: 'unchanged' };
  const request = { dataDir, keepSnapshots: snapshots.keep, duckdb: engineSettings(context) };
  const { isUnchanged } = await publishPredictionMetrics(request, context.effects);
  if (!isUnchanged) await writeLakeGuide(dataDir);
  return { status: isUnchanged ? 'unchanged' : 'done' };
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
