import { findTimetables } from '../../pipeline/config/configured-source.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { sizeOf } from '../../pipeline/effects/files.ts';
import type { TimetableVersions } from '../../pipeline/history/stop-events/choose-feeds.ts';
import type { DayFeed } from '../../pipeline/history/stop-events/planned-calls.ts';
import {
  findStopEventManifest,
  type StopEventManifest,
  stopEventFile,
} from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import {
  listObservationFiles,
  listObservedDates,
  listObservedSources,
} from '../../pipeline/lake/observations/partition-files.ts';
import type { FeedVersion, SourceId } from '../../pipeline/model/ids.ts';
import { addDays, type Instant, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { RunCounts } from '../../pipeline/operations/job-run.ts';
import {
  findFeedManifest,
  listFeedManifests,
  listFeedSources,
  readFeedPublications,
} from '../../pipeline/timetable/feed/feed-manifest.ts';
import { readMergeRules } from '../../pipeline/timetable/merging/read-merge-rules.ts';
import {
  type BackfillUnit,
  type DueWork,
  engineSettings,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
} from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { sumCounts } from '../job/sum-counts.ts';
import { divideIntoDays, divideIntoSourceDays, hasRange, toSourceDay } from '../runner/backfill-units.ts';
import { listRecorded } from './realtime-sources.ts';

/** Turns observations of completed days into one row per call and source. */
export function finaliseStopEventsJob(): Job {
  return {
    name: 'finalise-stop-events',
    summary:
      'Writes one row per call of each past day: planned, forecast, observed, cancelled. Late data reopen a day.',
    accepts: ['source', 'date', 'from', 'to', 'force'],
    schedule: (config) => config.schedule.finaliseStopEvents,
    follows: ['ingest-timetable', 'compact-observations'],
    listWritten: async (context) => ofSources('stop-events', await listWantedSources(context)),
    division: {
      noun: 'days',
      plan: async ({ options }) => ({ units: divideIntoDays(options) }),
      shards: { noun: 'days of sources', plan: async (context) => ({ units: await divideForWorkers(context) }) },
    },
    run: finaliseDays,
  };
}

/** The days of the range, or those that are due. */
async function divideForWorkers(context: JobContext): Promise<BackfillUnit[]> {
  if (hasRange(context.options)) return divideIntoSourceDays(context.options, await listWantedSources(context));
  const now = nowInstant(context.effects.clock);
  const timetables = await readTimetables(context.config.dataDir, context);
  const requested = { ...context, options: { ...context.options, isDryRun: true } };
  const units: BackfillUnit[] = [];
  for (const candidate of await listCandidates(requested, now)) {
    const outcome = await finaliseOne(candidate, timetables, now, requested);
    if (typeof outcome === 'object') units.push(toSourceDay(candidate.source, candidate.serviceDate));
  }
  return units;
}

/** A source and a day to be checked. */
interface Candidate {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

/** `imported`: a day imported from an archive under the same source id is not replaced. */
type Verdict = 'done' | 'unchanged' | 'running' | 'noTimetable' | 'imported';

async function finaliseDays(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const now = nowInstant(effects.clock);
  const timetables = await readTimetables(config.dataDir, context);
  const made: StopEventManifest[] = [];
  const due: DueWork[] = [];
  const days: Record<Verdict, number> = { done: 0, unchanged: 0, running: 0, noTimetable: 0, imported: 0 };
  for (const candidate of await listCandidates(context, now)) {
    const outcome = await finaliseOne(candidate, timetables, now, context);
    if (typeof outcome === 'string') days[outcome] += 1;
    else days.done += 1;
    if (typeof outcome === 'object' && 'reason' in outcome) due.push(outcome);
    else if (typeof outcome === 'object') made.push(outcome);
  }
  const rows = made.reduce((sum, manifest) => sum + manifest.rows, 0);
  return {
    status: days.done === 0 ? 'unchanged' : 'done',
    summary: describe(days, rows, options),
    due,
    counts: made.length === 0 ? {} : await countRows(made, config.dataDir),
    details: {
      days: { ...days },
      made: made.map(({ sourceId, serviceDate, rows: n, counts, notes, rowsHash }) => ({
        source: sourceId,
        serviceDate,
        rows: n,
        rowsHash,
        counts: { ...counts },
        notes: { ...notes },
      })),
    },
  };
}

function describe(
  { done, unchanged, running, noTimetable, imported }: Record<Verdict, number>,
  rows: number,
  options: JobOptions,
) {
  const did = options.isDryRun ? `would make ${done} days` : `made ${done} days of ${rows.toLocaleString('en')} rows`;
  return [
    done === 0 ? 'no day is due' : did,
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
    ...(running > 0 ? [`${running} not over yet`] : []),
    ...(imported > 0 ? [`${imported} imported`] : []),
    ...(noTimetable > 0 ? [`${noTimetable} without timetable and observations`] : []),
  ].join(', ');
}

// ---- Days --------------------------------------------------------------------------------------

/**
 * Lists the days of every source that has observations, and of every configured one with a timetable: from its first
 * observed day on, including days without observations. Days named on the command line are checked even if nothing was
 * observed.
 */
async function listCandidates({ config, options }: JobContext, now: Instant): Promise<Candidate[]> {
  const configured = await listRecorded(config);
  const observed = await listObservedSources(config.dataDir);
  const candidates: Candidate[] = [];
  for (const source of await listWantedSources({ config, options })) {
    const binding = configured.find(({ id, timetable }) => id === source && timetable !== null);
    // A source whose licence forbids an archive has no rows in the lake, not even unobserved ones.
    const isBound = binding !== undefined && (observed.includes(source) || binding.archive === 'full');
    const dates = await listObservedDates(config.dataDir, source);
    for (const serviceDate of listDates(dates, isBound, options, now)) candidates.push({ source, serviceDate });
  }
  return candidates;
}

async function listWantedSources({ config, options }: Pick<JobContext, 'config' | 'options'>): Promise<SourceId[]> {
  const configured = await listRecorded(config);
  const observed = await listObservedSources(config.dataDir);
  const sources = [...new Set([...observed, ...configured.map(({ id }) => id)])].sort();
  return sources.filter((source) => options.sourceIds?.includes(source) ?? true);
}

function listDates(
  observed: readonly ServiceDate[],
  isBound: boolean,
  { date, from, to }: JobOptions,
  now: Instant,
): ServiceDate[] {
  const yesterday = addDays(localDate(now, 'UTC'), -1);
  const first = date ?? from ?? observed[0];
  const last = date ?? to ?? yesterday;
  if (first === undefined) return [];
  if (!isBound) return observed.filter((one) => first <= one && one <= last);
  const dates: ServiceDate[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) dates.push(day);
  return dates;
}

// ---- Timetables --------------------------------------------------------------------------------

type Timetables = ReadonlyMap<SourceId, TimetableVersions>;

/** The complete versions of each configured timetable, or of all timetables where none is configured. */
async function readTimetables(dataDir: string, { config }: JobContext): Promise<Timetables> {
  const known = await listFeedSources(dataDir);
  const configured = config.sources.map(({ id }) => id);
  const wanted = configured.length > 0 ? configured : known;
  const timetables = new Map<SourceId, TimetableVersions>();
  for (const id of wanted) {
    const { publications } = await readFeedPublications(dataDir, id);
    timetables.set(id, { versions: await listFeedManifests(dataDir, id), publications });
  }
  return timetables;
}

/**
 * The timetables of a day: those that the source is bound to, and the others, whose trips may be the same. A day that
 * was finalised before keeps its timetables: adding or removing a source does not re-open past days.
 */
async function findFeeds(
  { source, serviceDate }: Candidate,
  before: StopEventManifest | null,
  timetables: Timetables,
  { config }: JobContext,
): Promise<DayFeed[]> {
  const { readFeedInputs } = await import('../../pipeline/history/stop-events/day-inputs.ts');
  const { chooseFeeds } = await import('../../pipeline/history/stop-events/choose-feeds.ts');
  const kept: DayFeed[] = [];
  for (const { source: feed, version, isBound } of readFeedInputs(before?.inputs ?? [])) {
    const manifest = await findFeedManifest(config.dataDir, feed as SourceId, version as FeedVersion);
    if (manifest) kept.push({ manifest, isBound });
  }
  if (kept.some(({ isBound }) => isBound)) return kept;
  const timetable = (await listRecorded(config)).find(({ id }) => id === source)?.timetable ?? null;
  const bound = findTimetables({ id: source, timetable }, [...timetables.keys()]);
  const chosen = chooseFeeds(
    bound.map((id) => timetables.get(id)!),
    serviceDate,
  );
  if (chosen.length === 0) return [];
  const others = [...timetables].filter(([id]) => !bound.includes(id)).map(([, versions]) => versions);
  const all = [...chosen, ...chooseFeeds(others, serviceDate)];
  const order = [...timetables.keys()];
  return all
    .sort((a, b) => order.indexOf(a.sourceId) - order.indexOf(b.sourceId))
    .map((manifest) => ({ manifest, isBound: chosen.includes(manifest) }));
}

async function finaliseOne(
  candidate: Candidate,
  timetables: Timetables,
  now: Instant,
  context: JobContext,
): Promise<StopEventManifest | DueWork | Verdict> {
  const { config, effects, options } = context;
  const { source, serviceDate } = candidate;
  // Imported on demand, as they load the database engine.
  const { finaliseDay } = await import('../../pipeline/history/stop-events/finalise-day.ts');
  const { listInputs } = await import('../../pipeline/history/stop-events/day-inputs.ts');
  const known = await findStopEventManifest(config.dataDir, source, serviceDate);
  if (known?.kind === 'import') return 'imported';
  const feeds = await findFeeds(candidate, options.isForced ? null : known, timetables, context);
  const observationFiles = await listObservationFiles(config.dataDir, source, serviceDate);
  if (feeds.length === 0 && observationFiles.length === 0) return 'noTimetable';
  if (feeds.length === 0)
    effects.log.warn(`${source}: no timetable covers ${serviceDate}; its calls count as unplanned`);
  const inputs = await listInputs(feeds, observationFiles);
  const reason = (await findReason(known, inputs)) ?? (options.isForced ? 'requested with --force' : null);
  if (reason === null) return 'unchanged';
  effects.log.progress(`${source}: finalising ${serviceDate}`);
  if (options.isDryRun) return { what: `${source} ${serviceDate}`, reason };
  const merging = await readMergeRules(config.dataDir, config.merging);
  const day = { source, serviceDate, feeds, merging, observationFiles, inputs, now };
  return (await finaliseDay(config.dataDir, day, engineSettings(context))) ?? 'running';
}

type Inputs = StopEventManifest['inputs'];

/** Why a day is out of date; null: it is not. */
async function findReason(known: StopEventManifest | null, inputs: Inputs): Promise<string | null> {
  const { STOP_EVENT_RULES_VERSION } = await import('../../pipeline/history/stop-events/finalise-day.ts');
  const { readFeedInputs } = await import('../../pipeline/history/stop-events/day-inputs.ts');
  if (known === null) return 'it was never built';
  if (known.rulesVersion !== STOP_EVENT_RULES_VERSION) return 'the rules have changed';
  if (isEqual(known.inputs, inputs)) return null;
  const isSameTimetable = JSON.stringify(readFeedInputs(known.inputs)) === JSON.stringify(readFeedInputs(inputs));
  return isSameTimetable ? 'its observations have changed' : 'its timetable has changed';
}

function isEqual(known: Inputs, inputs: Inputs): boolean {
  const names = (all: Inputs) => all.map(({ name, hash }) => `${name} ${hash}`).sort();
  return JSON.stringify(names(known)) === JSON.stringify(names(inputs));
}

async function countRows(made: readonly StopEventManifest[], dataDir: string): Promise<RunCounts> {
  const counts = made.map(async ({ sourceId, serviceDate, rowsIn, rows, refused }) => ({
    rowsIn,
    rowsOut: rows,
    rowsRefused: rowsIn - rows,
    bytesWritten: await sizeOf(stopEventFile(dataDir, sourceId, serviceDate)),
    problems: refused,
  }));
  return sumCounts(await Promise.all(counts));
}
