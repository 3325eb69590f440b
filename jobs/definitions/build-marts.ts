import type { Config } from '../../pipeline/config/load-config.ts';
import { forEachConcurrently } from '../../pipeline/effects/concurrency.ts';
import { ExternalError, isOfTheSystem, mayPass } from '../../pipeline/effects/external-error.ts';
import type { BuiltMonth } from '../../pipeline/history/marts/build-marts.ts';
import { listStopEventSources } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { shareOutEngine } from '../../pipeline/lake/share-out-engine.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { TableKind } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import type { ShareRemoteMarts } from '../../pipeline/scale-out/lakehouse/remote-marts.ts';
import {
  type BackfillPlan,
  type BackfillUnit,
  type DueWork,
  engineSettings,
  type Job,
  type JobContext,
  type JobOutcome,
  type Json,
} from '../job/job.ts';
import { ICEBERG, MARTS, ofSources } from '../job/resources.ts';
import { withJobLocks } from '../locks/locks.ts';
import { divideIntoMonths, hasRange } from '../runner/backfill-units.ts';
import { countMartBytes } from './published-bytes.ts';

const BUILD_MARTS = 'build-marts';

/** Aggregates stop events into the marts and publishes them as the history of the api. */
export function buildMartsJob(): Job {
  return {
    name: BUILD_MARTS,
    summary: 'Aggregates changed days of stop events into the punctuality marts and publishes the history.',
    accepts: ['date', 'from', 'to', 'force'],
    schedule: (config) => config.schedule.buildMarts,
    follows: ['ingest-timetable', 'finalise-stop-events'],
    listWritten: async () => [MARTS],
    // A mart has one file per month.
    division: {
      noun: 'months',
      plan: async ({ options }) => planMonths(divideIntoMonths(options)),
      shards: {
        noun: 'months',
        plan: async (context) => planMonths(await divideForWorkers(context)),
        runUnit: buildByWorker,
      },
    },
    run: countBuildPublish,
  };
}

/** The months of the range, or those that are due. */
async function divideForWorkers(context: JobContext): Promise<BackfillUnit[]> {
  if (hasRange(context.options)) return divideIntoMonths(context.options);
  const due = await build({ ...context, options: { ...context.options, isDryRun: true } }, null);
  return due.map(({ month }) => ({ name: month, options: {} }));
}

async function buildByWorker(context: JobContext, { name }: BackfillUnit): Promise<JobOutcome> {
  return toOutcome(await build(context, await openRemote(context), name), [], context);
}

/** Calls are counted before the first month is built, and the history is published once, after the last. */
function planMonths(units: readonly BackfillUnit[]): BackfillPlan {
  let counted: readonly ServiceDate[] = [];
  // Once for all months: they are built of the same state of the stop events. One that failed may need a newer one.
  let remote: Promise<ShareRemoteMarts | null> | null = null;
  return {
    units,
    begin: async (context, waiting) => {
      counted = await countUnlessLocked(context, waiting);
    },
    runUnit: async (context, { name }) => {
      remote ??= openRemote(context);
      const opened = remote;
      try {
        return await toOutcome(await build(context, await opened, name), [], context);
      } catch (error) {
        if (remote === opened) remote = null;
        throw error;
      }
    },
    end: async (context) => {
      const published = await publish(context);
      return {
        ...endAfter(published, counted.length === 0),
        details: { counted: [...counted], historyId: published.id },
      };
    },
  };
}

async function countBuildPublish(context: JobContext): Promise<JobOutcome> {
  if (context.options.isDryRun) return toOutcome(await build(context, null), [], context);
  const counted = await countUnlessLocked(context, [{ name: '', options: {} }]);
  const months = await build(context, await openRemote(context));
  const built = await toOutcome(months, counted, context);
  // Publishes also what an interrupted run had aggregated.
  const published = await publish(context);
  const end = endAfter(published, built.status === 'unchanged' && counted.length === 0);
  return {
    ...built,
    ...end,
    summary: `${built.summary}; ${end.summary}`,
    details: { ...(built.details as { readonly [key: string]: Json }), historyId: published.id },
  };
}

async function build(
  context: JobContext,
  remote: ShareRemoteMarts | null,
  month?: string,
): Promise<readonly BuiltMonth[]> {
  const { config, effects, options, stopping } = context;
  // Imported on demand, as they load the database engine.
  const { buildMarts } = await import('../../pipeline/history/marts/build-marts.ts');
  const { listDefinitions } = await import('../../pipeline/history/marts/definitions.ts');
  const request = {
    dataDir: config.dataDir,
    settings: engineSettings(context),
    definitions: listDefinitions(
      definitionOf(config),
      config.history.furtherDefinitions,
      config.history.countsLastForecasts,
    ),
    from: options.date ?? options.from,
    to: options.date ?? options.to,
    isForced: options.isForced,
    isDryRun: options.isDryRun,
    remote: remote?.(stopping) ?? null,
    ...(month === undefined ? {} : { month }),
  };
  return buildMarts(request, effects);
}

/**
 * Trino, where that is the engine, over the stop events as they are now: their Iceberg table is brought up to date.
 * @throws ExternalError `iceberg_behind` where that cannot be
 */
async function openRemote(context: JobContext): Promise<ShareRemoteMarts | null> {
  const { config } = context;
  if (config.engine !== 'trino') return null;
  await publishIfEngine(context, 'stopEvents');
  const { openTrino } = await import('../../pipeline/scale-out/trino/open-trino.ts');
  const { locateTables } = await import('../../pipeline/scale-out/lakehouse/locate-tables.ts');
  const { openRemoteMarts } = await import('../../pipeline/scale-out/lakehouse/remote-marts.ts');
  const { url, timeLimitSeconds } = config.trino;
  const trino = await openTrino({ ...config.trino, url: url! });
  const { dataDir, iceberg, store } = config;
  const location = locateTables(iceberg.location, store.url);
  return openRemoteMarts(trino, { dataDir, location, timeLimitSeconds });
}

/** Publishes Iceberg tables that Trino needs now, where it is the engine; `publish-iceberg` publishes the others. */
async function publishIfEngine(context: JobContext, wanted: TableKind): Promise<void> {
  const { config, effects } = context;
  if (config.engine !== 'trino') return;
  const { listLakehouseTables } = await import('../../pipeline/scale-out/lakehouse/lakehouse-tables.ts');
  const { publishTables } = await import('./publish-iceberg.ts');
  const tables = listLakehouseTables().filter(({ kind }) => kind === wanted);
  const holder = { job: BUILD_MARTS, config, effects };
  try {
    await withJobLocks([ICEBERG], holder, () => publishTables(context, tables, { job: BUILD_MARTS, held: [MARTS] }));
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'job_running') throw error;
    effects.log.warn(`${error.message}, so the Iceberg tables are left to it`);
  }
}

interface Published {
  readonly id: string;
  readonly isUnchanged: boolean;
  /** Why the Iceberg tables of the marts are behind; null: they are not. */
  readonly tablesFailure: Error | null;
}

async function publish(context: JobContext): Promise<Published> {
  const { config, effects } = context;
  // Before the history that names them, so that its questions find them at once.
  const tablesFailure = await publishMartTables(context);
  const { publishHistory } = await import('../../pipeline/snapshots/publish-history.ts');
  const { writeLakeGuide } = await import('../../pipeline/guide/write-lake-guide.ts');
  const { assertSettledMonths } = await import('../../pipeline/history/marts/mart-manifest.ts');
  const request = {
    dataDir: config.dataDir,
    definition: definitionOf(config),
    keepSnapshots: config.snapshots.keep,
    duckdb: engineSettings(context),
  };
  await assertSettledMonths(config.dataDir);
  const published = await publishHistory(request, effects);
  await writeLakeGuide(config.dataDir);
  return { ...published, tablesFailure };
}

/** The history does not wait for these tables: without their states the api answers from the files of the history. */
async function publishMartTables(context: JobContext): Promise<Error | null> {
  try {
    await publishIfEngine(context, 'marts');
    return null;
  } catch (error) {
    // An aborted statement looks like a failure: the reason of the abort counts.
    context.stopping?.throwIfAborted();
    if (!(error instanceof ExternalError || isOfTheSystem(error))) throw error;
    return error;
  }
}

/** The outcome of a run that has published something. @param isUnchanged whether nothing was due before */
function endAfter(published: Published, isUnchanged: boolean) {
  const { id, tablesFailure } = published;
  const history = `history ${id}${published.isUnchanged ? ' as before' : ''}`;
  if (tablesFailure === null) {
    const status = isUnchanged && published.isUnchanged ? ('unchanged' as const) : ('done' as const);
    return { status, summary: history };
  }
  const summary = `${history}; the Iceberg tables of the marts are pending: ${tablesFailure.message}`;
  return { status: 'failed' as const, summary, isRetryable: mayPass(tablesFailure) };
}

function definitionOf({ history }: Config) {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds } = history;
  return { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds };
}

async function toOutcome(
  months: readonly BuiltMonth[],
  counted: readonly ServiceDate[],
  { config: { dataDir }, options: { isDryRun } }: JobContext,
): Promise<JobOutcome> {
  const names = months.map(({ month }) => month);
  return {
    status: months.length === 0 ? 'unchanged' : 'done',
    summary: describe(months, isDryRun ? 'would make' : 'made'),
    details: { counted: [...counted], months: months.map((month) => ({ ...month })) },
    ...(isDryRun
      ? { due: months.flatMap(listDue) }
      : { counts: { bytesWritten: await countMartBytes(dataDir, names) } }),
  };
}

function listDue({ month, made, removed, kept }: BuiltMonth): DueWork[] {
  // A month that was built by other rules is rebuilt, whatever its days contain.
  const reason =
    kept === 0 ? 'the month is new, or was built by other rules' : 'its stop events are new or have changed';
  return [
    ...made.map((day) => ({ what: day, reason })),
    ...removed.map((day) => ({ what: day, reason: 'its stop events were removed' })),
    ...(made.length + removed.length === 0 ? [{ what: month, reason: 'its files are incomplete' }] : []),
  ];
}

/**
 * Computes which calls count for all sources together, once for the marts and all queries of stop events. While a job
 * writes stop events this is left to the next run: marts and views then compute it themselves.
 * @param parts of the range, with their own `from` and `to`; as many at the same time as the options say
 * @returns the days that were counted
 */
async function countUnlessLocked(context: JobContext, parts: readonly BackfillUnit[]): Promise<readonly ServiceDate[]> {
  const { config, effects, options } = context;
  const { countDays } = await import('../../pipeline/history/stop-events/count-days.ts');
  const concurrency = Math.min(options.concurrency, parts.length);
  const settings = { ...engineSettings(context), ...shareOutEngine(config.ingest, Math.max(1, concurrency)) };
  const counted: ServiceDate[] = [];
  const count = async (part: BackfillUnit) => {
    const { date, from, to } = { ...options, ...part.options };
    const range = { from: date ?? from, to: date ?? to };
    counted.push(...(await countDays({ dataDir: config.dataDir, settings, ...range, log: effects.log })));
  };
  const stopEvents = ofSources('stop-events', await listStopEventSources(config.dataDir));
  const holder = { job: BUILD_MARTS, config, effects };
  try {
    await withJobLocks(stopEvents, holder, () => forEachConcurrently(parts, concurrency, count));
    return counted.sort();
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'job_running') throw error;
    effects.log.warn(`${error.message}; the next run of build-marts sets is_counted of new stop events`);
    return [];
  }
}

function describe(months: readonly BuiltMonth[], did: string): string {
  if (months.length === 0) return 'the marts are up to date';
  const made = months.reduce((sum, month) => sum + month.made.length, 0);
  const removed = months.reduce((sum, month) => sum + month.removed.length, 0);
  const gone = removed > 0 ? [`${removed} days removed`] : [];
  return [`${did} ${made} days in ${months.length} months`, ...gone].join(', ');
}
