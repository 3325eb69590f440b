import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { findJson, listNames, writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { feedManifestFolder, lakeFolder, tableFolder } from '../../pipeline/lake/paths.ts';
import { listRawAnswers } from '../../pipeline/lake/raw-answers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, type Instant, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { BackfillPlan, DueWork, Job, JobContext, JobOptions, JobOutcome } from '../job/job.ts';
import { divideIntoWeeks } from '../runner/backfill-units.ts';
import { listRecorded } from './realtime-sources.ts';
import type { RebuildRequest, RebuiltObservations } from './rebuild-days.ts';
import { makeReplayFolder } from './replay-folder.ts';

/** Reports on a service date start the day before and end half a day after its last trip. */
const REPORT_DAYS_BEFORE = 1;
const REPORT_DAYS_AFTER = 2;

/** Rebuilds the observations of past days from stored answers. */
export function rebuildObservationsJob(): Job {
  return {
    name: 'rebuild-observations',
    summary:
      'Rebuilds the observations of past days from stored responses, with the same rows, in a separate data folder.',
    accepts: ['date', 'from', 'to', 'into'],
    timeoutMinutes: 24 * 60,
    division: {
      noun: 'weeks',
      plan: planWeeks,
      shards: { noun: 'weeks', plan: planWeeks, runUnit: rebuildWeek },
    },
    run: rebuildAtOnce,
  };
}

/**
 * Weeks, not days: each replays one day before and two days after its range, so that it sees all reports on its days.
 * Each week has a separate engine and state; nothing passes to the next.
 */
async function planWeeks(context: JobContext): Promise<BackfillPlan> {
  const { into } = readOptions(context.options);
  return {
    units: divideIntoWeeks(context.options),
    begin: async ({ config, options }) => {
      if (options.isResumed && (await isBegun(into))) return;
      await prepareFolder(config, into, options.from!);
    },
    runUnit: rebuildWeek,
  };
}

async function rebuildWeek(context: JobContext): Promise<JobOutcome> {
  const requested = readOptions(context.options);
  return toOutcome(await rebuild(requested, context), requested.into);
}

async function rebuildAtOnce(context: JobContext): Promise<JobOutcome> {
  const requested = readOptions(context.options);
  if (context.options.isDryRun) return listDue(requested, context);
  await prepareFolder(context.config, requested.into, requested.from);
  try {
    return toOutcome(await rebuild(requested, context), requested.into);
  } catch (error) {
    // Half of it is of no use, and another attempt needs an empty folder.
    await rm(requested.into, { recursive: true, force: true });
    throw error;
  }
}

type RequestedDays = Pick<RebuildRequest, 'into' | 'from' | 'to'>;

/** @throws UsageError without a folder or a day */
function readOptions({ into, date, from, to }: JobOptions): RequestedDays {
  if (into === null) throw new UsageError('rebuild-observations requires --into with a new data folder');
  const first = date ?? from;
  if (first === null) throw new UsageError('name --date, or --from');
  return { into, from: first, to: date ?? to ?? first };
}

async function listDue(
  { from, to }: { from: ServiceDate; to: ServiceDate },
  { config }: JobContext,
): Promise<JobOutcome> {
  const due: DueWork[] = [];
  for (const { id } of await listRecorded(config)) {
    const answers = await listRawAnswers(config.dataDir, id, ...reportsOf(from, to));
    if (answers.length > 0) due.push({ what: id, reason: `${answers.length} responses of these days are stored` });
  }
  return { status: due.length === 0 ? 'unchanged' : 'done', summary: `would replay ${due.length} sources`, due };
}

function toOutcome({ attempts, days }: RebuiltObservations, into: string): JobOutcome {
  const played = Object.values(attempts).reduce((sum, n) => sum + n, 0);
  return {
    status: 'done',
    summary: `${played} stored responses gave ${days.length} days of observations in ${into}`,
    details: { into, attempts: { ...attempts }, days: days.map((day) => ({ ...day })) },
  };
}

/** When answers with reports on these service dates were fetched. */
function reportsOf(from: ServiceDate, to: ServiceDate): readonly [begin: Instant, end: Instant] {
  return [startOf(addDays(from, -REPORT_DAYS_BEFORE)), startOf(addDays(to, REPORT_DAYS_AFTER + 1))];
}

/** Midnight UTC: answers are selected by fetch time. */
function startOf(date: ServiceDate): Instant {
  return (toEpochDay(date) * 86_400) as Instant;
}

/** The real folder is read, and never written. @throws ExternalError `timetable_unavailable` */
async function rebuild(requested: RequestedDays, context: JobContext): Promise<RebuiltObservations> {
  const { config, effects, stopping = new AbortController().signal } = context;
  // Imported on demand, as it loads the database engine and all formats.
  const { rebuildDays } = await import('./rebuild-days.ts');
  const [begin, end] = reportsOf(requested.from, requested.to);
  const request = { ...requested, timetableAt: startOf(requested.from), begin, end };
  return rebuildDays({ ...request, config, sources: await listRecorded(config) }, effects, stopping);
}

/** In a folder whose rebuild has begun. */
function markFile(into: string): string {
  return path.join(into, 'rebuild.json');
}

async function isBegun(into: string): Promise<boolean> {
  return (await findJson(markFile(into))) !== null;
}

/** Makes the data folder that the days are rebuilt in. @throws UsageError for one that is not empty */
async function prepareFolder({ dataDir }: Config, into: string, from: ServiceDate): Promise<void> {
  if ((await listNames(into)).length > 0) throw new UsageError(`${into} is not empty; name a new folder`);
  await makeReplayFolder(dataDir, startOf(from), into);
  await linkTimetables(dataDir, into);
  await writeJsonAtomically(markFile(into), { from });
}

/** Links the timetables that days are built from; raw answers are not linked, so that no cleaning reaches them. */
async function linkTimetables(dataDir: string, into: string): Promise<void> {
  const manifests = (folder: string) => path.dirname(feedManifestFolder(folder, '' as SourceId));
  await mkdir(path.dirname(manifests(into)), { recursive: true });
  await symlink(path.resolve(manifests(dataDir)), manifests(into), 'junction');
  for (const schema of ['gtfs', 'timetable'] as const) {
    const folder = path.dirname(tableFolder(dataDir, schema, 'x'));
    await symlink(path.resolve(folder), path.join(lakeFolder(into), schema), 'junction');
  }
}
