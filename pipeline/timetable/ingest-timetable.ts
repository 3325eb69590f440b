import assert from 'node:assert/strict';
import { type Clock, nowInstant } from '../effects/clock.ts';
import { ExternalError, isOfTheSystem, mayPass } from '../effects/external-error.ts';
import { writeJsonAtomically } from '../effects/files.ts';
import type { Http } from '../effects/http.ts';
import type { Log } from '../effects/log.ts';
import type { RawFile } from '../lake/raw-store.ts';
import { type FeedRepairs, noRepairs } from '../model/feed-fixes.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import { type Instant, localDate, type ServiceDate } from '../model/service-time.ts';
import { findCurrentTimetableId, readSourceChecks, sourceChecksFile } from '../snapshots/timetable-files.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import type { FeedManifest } from './feed/feed-manifest.ts';
import { findFeedManifest, hasService, type KeptAside, writeFeedPublications } from './feed/feed-manifest.ts';
import { fetchDataSet } from './feed/fetch-data-set.ts';
import { type FeedSource, type FetchSettings, fetchFeed, rejectRaw } from './feed/fetch-feed.ts';
import { type IngestSettings, ingestFeed } from './feed/ingest-feed.ts';
import { MvoPlatform, type MvoSettings } from './feed/mvo-platform.ts';
import type { OnDemandService } from './feed/on-demand.ts';
import { findLastDay, isOver, type ServedSource, serveVersions } from './feed/version-days.ts';
import type { PublishSettings } from './publish-timetable.ts';
import { publishUsable, type VersionChoice } from './publish-timetable.ts';
import { findManifests, judgeOffer, listLastGood, readPublishedVersions, type ShrinkLimit } from './source-versions.ts';

/** A source whose feed is at one place, or is a data set of the platform of the Mobilitätsverbünde. */
export interface IngestSource extends FeedSource {
  /** Null or absent: the feed is at its location. */
  readonly dataSet?: number | null;
  /** Its licence forbids serving it after the last day of its validity. */
  readonly stopAfterValidity?: boolean;
  /** Absent: rows are taken as published. */
  readonly repairs?: FeedRepairs;
}

export interface IngestRequest {
  /** All feeds of the snapshot, in the order of sources. */
  readonly sources: readonly IngestSource[];
  /** Sources to fetch now; the others keep their last version. Default: all. */
  readonly refresh?: ReadonlySet<SourceId>;
  readonly dataDir: string;
  readonly settings: IngestSettings & FetchSettings & PublishSettings & ShrinkLimit;
  /** Needed by sources with a data set. */
  readonly mvo?: MvoSettings;
  /** Fetches, checks and reports, but publishes no snapshot. */
  readonly isDryRun: boolean;
  /** Rebuilds the Parquet of known versions, and publishes a version although it shrank. */
  readonly isForced: boolean;
}

export interface FeedOutcome {
  readonly sourceId: SourceId;
  /** The newest published version; null if the source never had a usable one. */
  readonly feedVersion: string | null;
  /** All published versions in order of release, each with its service dates. */
  readonly versions: readonly OutcomeVersion[];
  /** The version that was staged but not published, because the timetable would have shrunk. */
  readonly keptAside?: string;
  readonly isUnchanged: boolean;
  /** One sentence, if the feed could not be fetched or used; its last good version stays in the snapshot. */
  readonly failure?: string;
  /** Stable code of the failure, if any; `bug` for an internal error. */
  readonly failureCode?: string;
  readonly isRetryable?: boolean;
  /** Whether the failure is a bug; the log then has its stack. */
  readonly isBug?: boolean;
  readonly tables: readonly TableReport[];
  /** On-demand service of the reported version. */
  readonly onDemand: readonly OnDemandService[];
}

interface OutcomeVersion {
  readonly feedVersion: string;
  /** Null: without bound. */
  readonly from: ServiceDate | null;
  readonly until: ServiceDate | null;
  readonly isInForce: boolean;
}

export interface IngestOutcome {
  /** Id of the published snapshot; null without one. */
  readonly snapshotId: string | null;
  readonly isUnchanged: boolean;
  readonly feeds: readonly FeedOutcome[];
}

/** A source and its state during the ingest. */
interface IngestedSource {
  readonly outcome: FeedOutcome;
  /** Versions to publish; null without any. */
  readonly served: ServedSource | null;
  /** New record of the source; undefined: the record is unchanged. */
  readonly keptAside?: KeptAside | null;
  /** Whether it is left out of the snapshot because its licence ends with its validity. */
  readonly isWithdrawn?: boolean;
}

/**
 * The main job: fetches every source into the raw store, converts it to Parquet, and publishes all of them as one
 * snapshot. A source that fails, for whatever reason, only misses its own update: the others are published together
 * with its last good version. Running it again on the same input changes nothing.
 * @throws errors of publishing that are not caused by a single source
 */
export async function ingestTimetable(
  request: IngestRequest,
  effects: { clock: Clock; http: Http; log: Log; walks?: WalkRouter | null },
): Promise<IngestOutcome> {
  const ingested: IngestedSource[] = [];
  const platform = request.mvo === undefined ? null : new MvoPlatform(request.mvo, effects);
  for (const source of request.sources) {
    const one = isWanted(request, source.id)
      ? await ingestSource(source, request, platform, effects)
      : await keepSource(source, request.dataDir, effects);
    ingested.push(withdrawAfterValidity(one, source, nowInstant(effects.clock)));
  }
  if (request.isDryRun) return summarise(await findCurrentTimetableId(request.dataDir), true, ingested);
  return publishSources(ingested, request, effects);
}

/** The licence of some sources ends with their validity: expired timetables are no longer served. */
function withdrawAfterValidity(
  ingested: IngestedSource,
  { stopAfterValidity = false }: IngestSource,
  now: Instant,
): IngestedSource {
  const { served, outcome } = ingested;
  if (!stopAfterValidity || served === null || !isOver(served, now)) return ingested;
  const ending = `its validity ended on ${findLastDay(served)}, and its licence forbids serving it any longer`;
  const failure = outcome.failure === undefined ? ending : `${outcome.failure}; ${ending}`;
  const failed = { failureCode: 'licence_ended', isRetryable: false, isBug: false, ...outcome, failure };
  return { ...ingested, outcome: failed, isWithdrawn: true };
}

async function publishSources(
  ingested: readonly IngestedSource[],
  request: IngestRequest,
  effects: { clock: Clock; log: Log; walks?: WalkRouter | null },
): Promise<IngestOutcome> {
  const { dataDir, settings } = request;
  const published = await readPublishedVersions(dataDir);
  const isLost = ({ outcome, served }: IngestedSource) => served === null && published.has(outcome.sourceId);
  // A source whose published version is unreadable is served by the published snapshot only.
  if (ingested.some(isLost) || ingested.every(({ served }) => served === null)) {
    return summarise(await findCurrentTimetableId(dataDir), true, ingested);
  }
  const choices: VersionChoice[] = [];
  for (const { served: wanted, isWithdrawn = false } of ingested) {
    // A source that has only unusable on-demand service is accepted, but adds nothing to the snapshot.
    if (wanted === null || isWithdrawn || !hasShownService(wanted)) continue;
    const before = await findServed(dataDir, getSource(request, wanted.sourceId), published, effects.clock);
    const isOther = before !== null && nameVersions(before) !== nameVersions(wanted);
    choices.push({ wanted, before: isOther ? before : null, isPublished: published.has(wanted.sourceId) });
  }
  const { id, isUnchanged, refused } =
    choices.length > 0
      ? await publishUsable(choices, dataDir, settings, effects)
      : { id: await findCurrentTimetableId(dataDir), isUnchanged: true, refused: new Map<SourceId, unknown>() };
  const sources = ingested.map((source) => {
    const { sourceId } = source.outcome;
    if (!refused.has(sourceId)) return source;
    const before = choices.find(({ wanted }) => wanted.sourceId === sourceId)?.before ?? null;
    const failure = describeFailure(sourceId, refused.get(sourceId), effects.log);
    return { outcome: { ...toOutcome(sourceId, before), ...failure }, served: before };
  });
  const outcome = summarise(id, isUnchanged, sources);
  for (const source of sources) await recordPublication(source, dataDir, effects.clock);
  await noteChecks(request, outcome.feeds, effects.clock);
  return outcome;
}

function hasShownService({ versions }: ServedSource): boolean {
  return versions.some(({ manifest }) => hasService(manifest));
}

function getSource({ sources }: IngestRequest, id: SourceId): IngestSource {
  return sources.find((source) => source.id === id)!;
}

/** The versions of a source in the published snapshot; null if the lake no longer has any. */
async function findServed(
  dataDir: string,
  source: IngestSource,
  published: ReadonlyMap<SourceId, readonly FeedVersion[]>,
  clock: Clock,
): Promise<ServedSource | null> {
  const manifests = await findManifests(dataDir, source.id, published.get(source.id) ?? []);
  return manifests.length === 0 ? null : serveVersions(manifests, nowInstant(clock), source);
}

function nameVersions({ versions }: ServedSource): string {
  return versions.map(({ manifest }) => manifest.feedVersion).join();
}

async function recordPublication(
  { outcome, served, keptAside }: IngestedSource,
  dataDir: string,
  clock: Clock,
): Promise<void> {
  if (served === null) return;
  await writeFeedPublications(dataDir, outcome.sourceId, {
    publishedAt: new Date(clock.nowMilliseconds()).toISOString(),
    versions: served.versions.map(({ manifest }) => manifest.feedVersion),
    ...(keptAside === undefined ? {} : { keptAside }),
  });
}

function summarise(snapshotId: string | null, isUnchanged: boolean, sources: readonly IngestedSource[]): IngestOutcome {
  const feeds = sources.map(({ outcome }) => outcome);
  return { snapshotId, isUnchanged: isUnchanged && feeds.every((feed) => feed.isUnchanged), feeds };
}

/** Records that the sources were checked: a feed unchanged for weeks is still up to date. */
async function noteChecks(request: IngestRequest, feeds: readonly FeedOutcome[], clock: Clock): Promise<void> {
  const now = new Date(clock.nowMilliseconds()).toISOString();
  const answered = feeds.filter(({ sourceId, failure }) => failure === undefined && isWanted(request, sourceId));
  const checks = { ...(await readSourceChecks(request.dataDir)) };
  for (const { sourceId } of answered) checks[sourceId] = now;
  await writeJsonAtomically(sourceChecksFile(request.dataDir), checks);
}

function isWanted({ refresh }: IngestRequest, source: SourceId): boolean {
  return refresh === undefined || refresh.has(source);
}

async function ingestSource(
  source: IngestSource,
  request: IngestRequest,
  platform: MvoPlatform | null,
  effects: { clock: Clock; http: Http; log: Log },
): Promise<IngestedSource> {
  const { dataDir, settings, isForced } = request;
  const now = nowInstant(effects.clock);
  try {
    effects.log.progress(`${source.id}: fetching`);
    const raws = await fetchVersions(source, request, platform, effects);
    const staged = [];
    for (const raw of raws) staged.push(await stageFeed(source, raw, request, effects));
    const offered = source.dataSet == null ? staged : dropOutdated(source.dataSet, staged, now);
    const [first, ...later] = offered.map(({ manifest }) => manifest);
    const newest = later.at(-1) ?? first!;
    const { versions, shrinkage } = await judgeOffer(dataDir, [first!, ...later], settings, now);
    if (shrinkage !== null && !isForced) return keepAside(source, newest, shrinkage, dataDir, effects);
    const served = serveVersions(versions, now, source);
    const isUnchanged = offered.every((one) => one.isUnchanged);
    return { outcome: toOutcome(source.id, served, newest, isUnchanged), served, keptAside: null };
  } catch (error) {
    // An aborted ingest is not a failure of the current source.
    settings.signal?.throwIfAborted();
    const failure = describeFailure(source.id, error, effects.log);
    const kept = await keepSource(source, dataDir, effects);
    return { ...kept, outcome: { ...kept.outcome, ...failure } };
  }
}

/** @returns at least one raw file, in order of release */
async function fetchVersions(
  source: IngestSource,
  { sources, dataDir, settings, isForced }: IngestRequest,
  platform: MvoPlatform | null,
  effects: { clock: Clock; http: Http; log: Log },
): Promise<readonly RawFile[]> {
  const { id, dataSet } = source;
  if (dataSet == null) return [await fetchFeed(source, dataDir, settings, effects, { isForced })];
  assert(platform !== null, 'a source with a data set needs the settings of the platform');
  const configured = sources.flatMap((one) => one.dataSet ?? []);
  return fetchDataSet({ source: { id, dataSet }, configured, platform, dataDir, settings, isForced }, effects);
}

interface StagedFeed {
  readonly manifest: FeedManifest;
  readonly isUnchanged: boolean;
}

/**
 * Drops the versions of a data set that have ended, as on the first days of a timetable year, while the platform still
 * serves the file of the year before under the address of the new one.
 * @throws ExternalError `mvo_outdated` if none is left
 */
function dropOutdated(dataSet: number, staged: readonly StagedFeed[], now: Instant): readonly StagedFeed[] {
  const current = staged.filter(
    ({ manifest: { endDate, timeZone } }) => endDate === null || endDate >= localDate(now, timeZone),
  );
  if (current.length > 0) return current;
  const { endDate, timeZone } = staged.at(-1)!.manifest;
  const sentence = `the newest file of data set ${dataSet} ends on ${endDate}, before today (${localDate(now, timeZone)}); the MVO platform has not published the new timetable year yet`;
  throw new ExternalError('mvo_outdated', sentence);
}

/** Converts a fetched feed; one that is and always was unusable is removed from the raw store. */
async function stageFeed(
  { id: source, repairs = noRepairs }: IngestSource,
  raw: RawFile,
  { dataDir, settings, isForced }: IngestRequest,
  effects: { clock: Clock; log: Log },
): Promise<StagedFeed> {
  try {
    return await ingestFeed({ source, raw, dataDir, settings, isForced, repairs }, effects);
  } catch (error) {
    const wasUsable = (await findFeedManifest(dataDir, source, raw.version)) !== null;
    if (!wasUsable) await rejectRaw(raw, error, { source, dataDir, settings }, effects);
    throw error;
  }
}

/** A version that shrank too much is not published unless an operator forces it. */
async function keepAside(
  source: IngestSource,
  { feedVersion, tables }: FeedManifest,
  shrinkage: string,
  dataDir: string,
  effects: { clock: Clock; log: Log },
): Promise<IngestedSource> {
  const kept = await keepSource(source, dataDir, effects);
  const failure = `version ${feedVersion} is held back, since ${shrinkage}; publish it with --force`;
  const keptAsideAt = new Date(effects.clock.nowMilliseconds()).toISOString();
  return {
    outcome: {
      ...kept.outcome,
      keptAside: feedVersion,
      failure,
      failureCode: 'feed_shrunk',
      isRetryable: false,
      isBug: false,
      tables,
    },
    served: kept.served,
    keptAside: { feedVersion, keptAsideAt, reason: shrinkage },
  };
}

type Failure = Required<Pick<FeedOutcome, 'failure' | 'failureCode' | 'isRetryable' | 'isBug'>>;

/** Converts an error of one source into its outcome; for a bug, the log has the stack. */
function describeFailure(source: SourceId, error: unknown, log: Log): Failure {
  if (error instanceof ExternalError) {
    const { message, code, isRetryable } = error;
    return { failure: message, failureCode: code, isRetryable, isBug: false };
  }
  if (isOfTheSystem(error)) {
    return {
      failure: error.message,
      failureCode: error.code ?? 'system',
      isRetryable: mayPass(error),
      isBug: false,
    };
  }
  const sentence = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  log.warn(`${source}: this is a bug in taktgeber: ${error instanceof Error ? error.stack : sentence}`);
  const failure = `a bug in taktgeber, see the log (${sentence})`;
  return { failure, failureCode: 'bug', isRetryable: false, isBug: true };
}

/** The published versions of a source, else those that were ever usable. */
async function keepSource(
  source: IngestSource,
  dataDir: string,
  { clock, log }: { clock: Clock; log: Log },
): Promise<IngestedSource> {
  try {
    const versions = await listLastGood(dataDir, source.id, nowInstant(clock));
    const served = versions.length === 0 ? null : serveVersions(versions, nowInstant(clock), source);
    return { outcome: toOutcome(source.id, served), served };
  } catch (error) {
    return { outcome: { ...toOutcome(source.id, null), ...describeFailure(source.id, error, log) }, served: null };
  }
}

/** @param read the reported version; the newest served one if none was read */
function toOutcome(
  sourceId: SourceId,
  served: ServedSource | null,
  read: FeedManifest | undefined = served?.versions.at(-1)?.manifest,
  isUnchanged = true,
): FeedOutcome {
  const versions = (served?.versions ?? []).map((version) => ({
    feedVersion: version.manifest.feedVersion,
    from: version.from,
    until: version.until,
    isInForce: version === served?.inForce,
  }));
  const feedVersion = versions.at(-1)?.feedVersion ?? null;
  return { sourceId, feedVersion, versions, isUnchanged, tables: read?.tables ?? [], onDemand: read?.onDemand ?? [] };
}
