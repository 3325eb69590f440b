import type { Clock } from '../effects/clock.ts';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import type { Http } from '../effects/http.ts';
import type { Log } from '../effects/log.ts';
import { isOfTheSystem, WorldError } from '../effects/world-error.ts';
import { type FeedManifest, findFeedManifest } from '../lake/feed-manifest.ts';
import { listRaw } from '../lake/raw-store.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import { type FeedSource, type FetchLimits, fetchFeed } from '../timetable/fetch-feed.ts';
import { type IngestSettings, ingestFeed } from '../timetable/ingest-feed.ts';
import type { TimetableManifest } from './contract.ts';
import type { PublishSettings } from './publish-timetable.ts';
import { publishUsable, type VersionChoice } from './publish-usable.ts';
import {
  findCurrentTimetableId,
  readSourceChecks,
  sourceChecksFile,
  timetableManifestFile,
} from './timetable-files.ts';

export interface IngestRequest {
  /** All feeds of the snapshot; their order is the order of sources. */
  readonly sources: readonly FeedSource[];
  /** Those to be fetched now; the others stay as they were last. All when left out. */
  readonly refresh?: ReadonlySet<SourceId>;
  readonly dataDir: string;
  readonly settings: IngestSettings & FetchLimits & PublishSettings;
  /** Fetch, check and report, but publish no snapshot. */
  readonly isDryRun: boolean;
  /** Make the Parquet of known versions anew. */
  readonly isForced: boolean;
}

export interface FeedOutcome {
  readonly sourceId: SourceId;
  /** The version that counts now; null when the source never had a usable one. */
  readonly feedVersion: string | null;
  readonly isUnchanged: boolean;
  /** One sentence, when the feed could not be fetched or used; its last good version stays in the snapshot. */
  readonly failure?: string;
  readonly isRetryable?: boolean;
  /** Whether the failure is ours; the log has its stack then. */
  readonly isBug?: boolean;
  readonly tables: readonly TableReport[];
}

export interface IngestOutcome {
  /** What is published now; null when nothing is. */
  readonly snapshotId: string | null;
  readonly isUnchanged: boolean;
  readonly feeds: readonly FeedOutcome[];
}

/** A source on its way into the snapshot. */
interface IngestedSource {
  readonly outcome: FeedOutcome;
  /** The version that is to be published; null when there is none. */
  readonly manifest: FeedManifest | null;
}

/**
 * The main job: every source to the raw store, to Parquet, and all of them to one published snapshot.
 * A source that fails, for whatever reason, costs its own news alone: the others are published beside its last good
 * version. Running it again on the same input changes nothing.
 * @throws what publishing threw, where that is no single source's doing
 */
export async function ingestTimetable(
  request: IngestRequest,
  effects: { clock: Clock; http: Http; log: Log; walks?: WalkRouter | null },
): Promise<IngestOutcome> {
  const ingested: IngestedSource[] = [];
  for (const source of request.sources) {
    ingested.push(
      isWanted(request, source.id)
        ? await ingestSource(source, request, effects)
        : await keepSource(source.id, request.dataDir, effects.log),
    );
  }
  if (request.isDryRun || ingested.every(({ manifest }) => manifest === null)) {
    return summarise(await findCurrentTimetableId(request.dataDir), true, ingested);
  }
  return publishSources(ingested, request, effects);
}

async function publishSources(
  ingested: readonly IngestedSource[],
  request: IngestRequest,
  effects: { clock: Clock; log: Log; walks?: WalkRouter | null },
): Promise<IngestOutcome> {
  const { dataDir, settings } = request;
  const published = await readPublishedVersions(dataDir);
  const isLost = ({ outcome, manifest }: IngestedSource) => manifest === null && published.has(outcome.sourceId);
  // A source whose published version cannot be read any more is served by the published snapshot alone.
  if (ingested.some(isLost)) return summarise(await findCurrentTimetableId(dataDir), true, ingested);
  const choices: VersionChoice[] = [];
  for (const { manifest: wanted } of ingested) {
    if (wanted === null) continue;
    const version = published.get(wanted.sourceId);
    const isOther = version !== undefined && version !== wanted.feedVersion;
    const before = isOther ? await findFeedManifest(dataDir, wanted.sourceId, version) : null;
    choices.push({ wanted, before, isPublished: version !== undefined });
  }
  const { id, isUnchanged, refused } = await publishUsable(choices, dataDir, settings, effects);
  const sources = ingested.map((source) => {
    const { sourceId } = source.outcome;
    if (!refused.has(sourceId)) return source;
    const before = choices.find(({ wanted }) => wanted.sourceId === sourceId)?.before ?? null;
    const failure = describeFailure(sourceId, refused.get(sourceId), effects.log);
    return { outcome: { ...toOutcome(sourceId, before), ...failure }, manifest: before };
  });
  const outcome = summarise(id, isUnchanged, sources);
  await noteChecks(request, outcome.feeds, effects.clock);
  return outcome;
}

function summarise(snapshotId: string | null, isUnchanged: boolean, sources: readonly IngestedSource[]): IngestOutcome {
  const feeds = sources.map(({ outcome }) => outcome);
  return { snapshotId, isUnchanged: isUnchanged && feeds.every((feed) => feed.isUnchanged), feeds };
}

/** Notes that the sources were asked: a feed that has not changed for weeks is fresh all the same. */
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
  source: FeedSource,
  request: IngestRequest,
  effects: { clock: Clock; http: Http; log: Log },
): Promise<IngestedSource> {
  const { dataDir, settings, isForced } = request;
  try {
    effects.log.progress(`${source.id}: fetching`);
    const raw = await fetchFeed(source, dataDir, settings, effects);
    const { manifest, isUnchanged } = await ingestFeed(source.id, raw, dataDir, settings, effects, { isForced });
    return { outcome: toOutcome(source.id, manifest, isUnchanged), manifest };
  } catch (error) {
    // An ingest that is to end is no failure of the source whose turn it is.
    settings.signal?.throwIfAborted();
    const failure = describeFailure(source.id, error, effects.log);
    const kept = await keepSource(source.id, dataDir, effects.log);
    return { outcome: { ...kept.outcome, ...failure }, manifest: kept.manifest };
  }
}

type Failure = Required<Pick<FeedOutcome, 'failure' | 'isRetryable' | 'isBug'>>;

/** What is thrown over one source becomes its outcome; where the error is ours, the log has its stack. */
function describeFailure(source: SourceId, error: unknown, log: Log): Failure {
  if (error instanceof WorldError) return { failure: error.message, isRetryable: error.isRetryable, isBug: false };
  if (isOfTheSystem(error)) return { failure: error.message, isRetryable: false, isBug: false };
  const sentence = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  log.warn(`${source}: this is a bug in taktgeber: ${error instanceof Error ? error.stack : sentence}`);
  return { failure: `a bug in taktgeber, see the log (${sentence})`, isRetryable: false, isBug: true };
}

/** The version of a source that is published, else the newest that was ever usable. */
async function keepSource(source: SourceId, dataDir: string, log: Log): Promise<IngestedSource> {
  try {
    const manifest = await findLastGood(source, dataDir);
    return { outcome: toOutcome(source, manifest), manifest };
  } catch (error) {
    return { outcome: { ...toOutcome(source, null), ...describeFailure(source, error, log) }, manifest: null };
  }
}

async function findLastGood(source: SourceId, dataDir: string): Promise<FeedManifest | null> {
  const published = (await readPublishedVersions(dataDir)).get(source);
  const fetched = (await listRaw(dataDir, source)).map((raw) => raw.version).reverse();
  // A publisher may have gone back to an older version, so the one fetched last need not be the newest.
  for (const version of published ? [published, ...fetched] : fetched) {
    const manifest = await findFeedManifest(dataDir, source, version);
    if (manifest) return manifest;
  }
  return null;
}

/** The feed version of each source of the published snapshot. */
async function readPublishedVersions(dataDir: string): Promise<ReadonlyMap<SourceId, FeedVersion>> {
  const id = await findCurrentTimetableId(dataDir);
  const snapshot = id === null ? null : await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  return new Map(snapshot?.sources?.map(({ sourceId, feedVersion }) => [sourceId, feedVersion]));
}

function toOutcome(sourceId: SourceId, manifest: FeedManifest | null, isUnchanged = true): FeedOutcome {
  return { sourceId, feedVersion: manifest?.feedVersion ?? null, isUnchanged, tables: manifest?.tables ?? [] };
}
