import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { noteSourceCredits } from '../../pipeline/lake/source-credits.ts';
import { countRefused, type TableReport } from '../../pipeline/model/feed-report.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { RunCounts } from '../../pipeline/operations/job-run.ts';
import type { FeedOutcome, IngestOutcome } from '../../pipeline/timetable/ingest-timetable.ts';
import {
  type DueWork,
  engineSettings,
  type Feed,
  type Job,
  type JobContext,
  type JobOutcome,
  type Json,
} from '../job/job.ts';
import { SAMPLE, TIMETABLE } from '../job/resources.ts';
import { renderFeedReport } from './feed-report-lines.ts';
import { chooseFeeds } from './feeds.ts';
import { generateSample, writeSample } from './generate-sample.ts';
import { countTimetableBytes } from './published-bytes.ts';
import { sampleCredit } from './sample-sources.ts';

export const INGEST_TIMETABLE = 'ingest-timetable';

/** Ingests the configured feeds, or the sample when there are none, and publishes a snapshot. */
export function ingestTimetableJob(functions: Partial<IngestFunctions> = {}): Job {
  return {
    name: INGEST_TIMETABLE,
    summary: 'Reads the GTFS feeds, stores them as Parquet and publishes a timetable snapshot.',
    accepts: ['source', 'gtfs', 'force'],
    schedule: (config) => config.schedule.ingestTimetable,
    maxAgeHours: (config) => config.timetable.maxAgeHours,
    timeoutMinutes: 120,
    listWritten: async ({ config }) => [TIMETABLE, ...(config.sources.length === 0 ? [SAMPLE] : [])],
    run: (context) => ingest({ ingestTimetable: ingestFeeds, writeSample, ...functions }, context),
  };
}

export interface IngestJobRequest {
  /** All feeds of the timetable. */
  readonly sources: readonly Feed[];
  /** Sources to fetch now; the others stay in the timetable unchanged. */
  readonly refresh: ReadonlySet<SourceId>;
  readonly dataDir: string;
  readonly config: Config;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly stopping?: AbortSignal | undefined;
}

/** Functions that tests replace. */
interface IngestFunctions {
  readonly ingestTimetable: typeof ingestFeeds;
  readonly writeSample: typeof writeSample;
}

/** Imports what reads the feeds on demand, as it loads the database engine. */
export async function ingestFeeds(request: IngestJobRequest, effects: Effects): Promise<IngestOutcome> {
  const { config, sources, refresh, dataDir, isDryRun, isForced, stopping } = request;
  const { ingestTimetable } = await import('../../pipeline/timetable/ingest-timetable.ts');
  const { openWalkRouter } = await import('../../pipeline/streets/open-walk-router.ts');
  const { readMergeRules } = await import('../../pipeline/timetable/merging/read-merge-rules.ts');
  const { minShareOfPrevious, refetchHours } = config.timetable;
  const settings = {
    ...engineSettings({ config, stopping }),
    keepSnapshots: config.snapshots.keep,
    minShareOfPrevious,
    refetchHours,
    maxRejectedBytes: config.raw.maxRejectedBytes,
    merging: await readMergeRules(dataDir, config.merging),
  };
  const walks = await openWalkRouter(dataDir, effects.log);
  const ingest = { sources, refresh, dataDir, settings, mvo: config.mvo, isDryRun, isForced };
  return ingestTimetable(ingest, { ...effects, walks });
}

async function ingest(functions: IngestFunctions, context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const chosen = chooseFeeds(config, options);
  const all = chooseFeeds(config, { ...options, sourceIds: null });
  const sources = all.length > 0 ? all : [await generateSample(context, functions.writeSample)];
  const credited = all.length > 0 ? config.sources : sources.map(({ id }) => ({ id, ...sampleCredit }));
  if (!options.isDryRun) await noteSourceCredits(config.dataDir, credited);
  const outcome = await functions.ingestTimetable(
    {
      sources,
      refresh: new Set((chosen.length > 0 ? chosen : sources).map(({ id }) => id)),
      dataDir: config.dataDir,
      config,
      isDryRun: options.isDryRun,
      isForced: options.isForced,
      stopping: context.stopping,
    },
    effects,
  );
  for (const feed of outcome.feeds.filter(({ isUnchanged, failure }) => !isUnchanged && failure === undefined)) {
    effects.log.info(`${feed.sourceId}, feed version ${feed.feedVersion}:`);
    for (const line of renderFeedReport(feed.tables)) effects.log.info(line);
  }
  if (!options.isDryRun && outcome.snapshotId !== null) await explainLake(config.dataDir);
  const bytesWritten = options.isDryRun ? null : await countTimetableBytes(config.dataDir, outcome);
  return toJobOutcome(outcome, { isDryRun: options.isDryRun, bytesWritten });
}

/** Writes the guide of the lake once there is a timetable. */
async function explainLake(dataDir: string): Promise<void> {
  const { writeLakeGuide } = await import('../../pipeline/guide/write-lake-guide.ts');
  await writeLakeGuide(dataDir);
}

function toJobOutcome(
  outcome: IngestOutcome,
  { isDryRun, bytesWritten }: { readonly isDryRun: boolean; readonly bytesWritten: number | null },
): JobOutcome {
  const failed = outcome.feeds.filter((feed) => feed.failure !== undefined);
  const details = outcome as unknown as Json;
  const counts = { ...countRows(outcome), bytesWritten };
  if (failed.length > 0) {
    return {
      status: 'failed',
      counts,
      summary: failed.map((feed) => `${feed.sourceId}: ${feed.failure}`).join('; '),
      isRetryable: failed.every((feed) => feed.isRetryable === true),
      isOnlyNeverLoaded: outcome.feeds.some(isLoaded) && failed.every((feed) => !isLoaded(feed)),
      details,
    };
  }
  if (outcome.snapshotId === null && !isDryRun) {
    const summary = `nothing to publish: ${outcome.feeds.map(describeFeed).join('; ')}`;
    return { status: outcome.isUnchanged ? 'unchanged' : 'done', summary, details, counts };
  }
  if (outcome.isUnchanged) {
    return { status: 'unchanged', summary: `nothing changed, snapshot ${outcome.snapshotId} stays`, details, counts };
  }
  const did = isDryRun ? 'dry run: nothing published' : `published snapshot ${outcome.snapshotId}`;
  return {
    status: 'done',
    summary: `${did}; ${outcome.feeds.map(describeFeed).join('; ')}`,
    details,
    counts,
    due: listDue(outcome),
  };
}

/** Rows of the versions that were read now; those of the others were counted when they were. */
function countRows({ feeds }: IngestOutcome): Partial<RunCounts> {
  const tables = feeds.filter(({ isUnchanged }) => !isUnchanged).flatMap((feed) => feed.tables);
  if (tables.length === 0) return {};
  const sum = (count: (table: TableReport) => number) => tables.reduce((total, table) => total + count(table), 0);
  const problems: Record<string, number> = {};
  for (const { refused, repaired } of tables) {
    for (const { code, count } of [...refused, ...repaired]) problems[code] = (problems[code] ?? 0) + count;
  }
  return {
    rowsIn: sum((table) => table.rowsIn),
    rowsOut: sum((table) => table.rowsOut),
    rowsRefused: sum(countRefused),
    problems,
  };
}

function listDue({ feeds }: IngestOutcome): DueWork[] {
  const changed = feeds.filter(({ isUnchanged }) => !isUnchanged);
  if (changed.length === 0) return [{ what: 'snapshot', reason: 'its versions, rules or streets have changed' }];
  return changed.map(({ sourceId, feedVersion }) => ({
    what: sourceId,
    reason: `feed version ${feedVersion ?? 'unknown'} is new or was parsed by other rules`,
  }));
}

/** Whether a feed was ever usable. */
function isLoaded({ feedVersion }: FeedOutcome): boolean {
  return feedVersion !== null;
}

function describeFeed({ sourceId, tables, versions, onDemand }: FeedOutcome): string {
  const sum = (count: (table: TableReport) => number) =>
    tables.reduce((total, table) => total + count(table), 0).toLocaleString('en');
  const refused = sum(countRefused);
  const inForce = versions.findIndex(({ isInForce }) => isInForce);
  const waiting = versions.slice(inForce + 1).map(({ feedVersion, from }) => `, ${feedVersion} starts on ${from}`);
  const rows = `${sum((table) => table.rowsIn)} rows in, ${sum((table) => table.rowsOut)} out, ${refused} refused`;
  const isDivided = versions.length > 1 && inForce >= 0;
  const offered = onDemand.length > 0 ? '; with on-demand service (see taktgeber status)' : '';
  return `${sourceId}: ${rows}${offered}${isDivided ? `; ${versions[inForce]!.feedVersion} is valid${waiting.join('')}` : ''}`;
}
