import { WorldError } from '../pipeline/effects/world-error.ts';
import type { BuiltMonth } from '../pipeline/history/marts/build-marts.ts';
import { listStopEventSources } from '../pipeline/history/stop-events/stop-event-manifest.ts';
import type { ServiceDate } from '../pipeline/model/service-time.ts';
import { divideIntoMonths } from './backfill-units.ts';
import { type DueWork, engineSettings, type Job, type JobContext, type JobOutcome } from './job.ts';
import { withLocks } from './job-lock.ts';
import { countMartBytes } from './published-bytes.ts';
import { MARTS, ofSources } from './resources.ts';

const BUILD_MARTS = 'build-marts';

/** Aggregates stop events into the marts and publishes them as the history of the api. */
export function buildMartsJob(): Job {
  return {
    name: BUILD_MARTS,
    summary: 'Sums stop events up into the punctuality marts, only days that changed, and publishes the history.',
    accepts: ['date', 'from', 'to', 'force'],
    schedule: (config) => config.schedule.buildMarts,
    follows: ['ingest-timetable', 'finalise-stop-events'],
    listWritten: async () => [MARTS],
    // All months are in one manifest.
    planBackfill: async ({ options }) => ({ noun: 'months', units: divideIntoMonths(options), isParallel: false }),
    run: buildAndPublish,
  };
}

async function buildAndPublish(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir, history, snapshots } = config;
  const settings = engineSettings(context);
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, furtherDefinitions } = history;
  const definition = { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds };
  const counted = options.isDryRun ? [] : await countUnlessLocked(context);
  // Imported on demand, as they load the database engine.
  const { buildMarts } = await import('../pipeline/history/marts/build-marts.ts');
  const { listDefinitions } = await import('../pipeline/history/marts/definitions.ts');
  const months = await buildMarts(
    {
      dataDir,
      settings,
      definitions: listDefinitions(definition, furtherDefinitions),
      from: options.date ?? options.from,
      to: options.date ?? options.to,
      isForced: options.isForced,
      isDryRun: options.isDryRun,
    },
    effects,
  );
  const details = { counted: [...counted], months: months.map((month) => ({ ...month })) };
  if (options.isDryRun)
    return {
      status: statusOf(months.length),
      summary: describe(months, 'would make'),
      details,
      due: months.flatMap(listDue),
    };
  const { publishHistory } = await import('../pipeline/history/snapshot/publish-history.ts');
  const published = await publishHistory(
    { dataDir, definition, keepSnapshots: snapshots.keep, duckdb: settings },
    effects,
  );
  const { writeLakeGuide } = await import('../pipeline/guide/write-lake-guide.ts');
  await writeLakeGuide(dataDir);
  return {
    // Publishes also what an interrupted run had aggregated.
    status: months.length === 0 && counted.length === 0 && published.isUnchanged ? 'unchanged' : 'done',
    summary: `${describe(months, 'made')}; history ${published.id}${published.isUnchanged ? ' as before' : ''}`,
    details: { ...details, historyId: published.id },
    counts: {
      bytesWritten: await countMartBytes(
        dataDir,
        months.map(({ month }) => month),
      ),
    },
  };
}

function listDue({ month, made, removed, kept }: BuiltMonth): DueWork[] {
  // A month that was built by other rules is made anew, whatever its days hold.
  const why = kept === 0 ? 'the month is new, or was made by other rules' : 'its stop events are new or have changed';
  return [
    ...made.map((day) => ({ what: day, why })),
    ...removed.map((day) => ({ what: day, why: 'its stop events are gone' })),
    ...(made.length + removed.length === 0 ? [{ what: month, why: 'its files are incomplete' }] : []),
  ];
}

/**
 * Computes which calls count for all sources together, once for the marts and all queries of stop events. While a job
 * writes stop events this is left to the next run: marts and views then compute it themselves.
 * @returns the days that were counted
 */
async function countUnlessLocked(context: JobContext): Promise<readonly ServiceDate[]> {
  const { config, effects, options } = context;
  const { countDays } = await import('../pipeline/history/stop-events/count-days.ts');
  const request = {
    dataDir: config.dataDir,
    settings: engineSettings(context),
    from: options.date ?? options.from,
    to: options.date ?? options.to,
    log: effects.log,
  };
  const stopEvents = ofSources('stop-events', await listStopEventSources(config.dataDir));
  const holder = { job: BUILD_MARTS, dataDir: config.dataDir, clock: effects.clock };
  try {
    return await withLocks(stopEvents, holder, () => countDays(request));
  } catch (error) {
    if (!(error instanceof WorldError) || error.code !== 'job_running') throw error;
    effects.log.warn(`${error.message}, so is_counted of new stop events is left to the next run of build-marts`);
    return [];
  }
}

function statusOf(months: number): JobOutcome['status'] {
  return months === 0 ? 'unchanged' : 'done';
}

function describe(months: readonly BuiltMonth[], did: string): string {
  if (months.length === 0) return 'the marts are up to date';
  const made = months.reduce((sum, month) => sum + month.made.length, 0);
  const removed = months.reduce((sum, month) => sum + month.removed.length, 0);
  const gone = removed > 0 ? [`${removed} days removed`] : [];
  return [`${did} ${made} days in ${months.length} months`, ...gone].join(', ');
}
