import type { Clock } from '../effects/clock.ts';
import { findJson, sweepTemporaryFolders, writeJsonAtomically } from '../effects/files.ts';
import type { Http } from '../effects/http.ts';
import type { Log } from '../effects/log.ts';
import { WorldError } from '../effects/world-error.ts';
import { type FeedManifest, findFeedManifest } from '../lake/feed-manifest.ts';
import { workFolder } from '../lake/paths.ts';
import { listRaw } from '../lake/raw-store.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { WalkRouter } from '../streets/walk-router.ts';
import { type FeedSource, type FetchLimits, fetchFeed } from '../timetable/fetch-feed.ts';
import { type IngestSettings, ingestFeed } from '../timetable/ingest-feed.ts';
import type { TimetableManifest } from './contract.ts';
import { type PublishSettings, publishTimetable } from './publish-timetable.ts';
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
  readonly tables: readonly TableReport[];
}

export interface IngestOutcome {
  /** What is published now; null when nothing is. */
  readonly snapshotId: string | null;
  readonly isUnchanged: boolean;
  readonly feeds: readonly FeedOutcome[];
}

/**
 * The main job: every source to the raw store, to Parquet, and all of them to one published snapshot.
 * A source that fails costs its own news alone. Running it again on the same input changes nothing.
 */
export async function ingestTimetable(
  request: IngestRequest,
  effects: { clock: Clock; http: Http; log: Log; walks?: WalkRouter | null },
): Promise<IngestOutcome> {
  await sweepTemporaryFolders(workFolder(request.dataDir), effects.clock.nowMilliseconds());
  const ingested: { outcome: FeedOutcome; manifest: FeedManifest | null }[] = [];
  for (const source of request.sources) {
    const isWanted = request.refresh === undefined || request.refresh.has(source.id);
    ingested.push(
      isWanted ? await ingestSource(source, request, effects) : await keepSource(source.id, request.dataDir),
    );
  }
  const feeds = ingested.map(({ outcome }) => outcome);
  const manifests = ingested.flatMap(({ manifest }) => manifest ?? []);
  const currentId = await findCurrentTimetableId(request.dataDir);
  if (manifests.length === 0 || request.isDryRun) {
    return { snapshotId: currentId, isUnchanged: feeds.every((feed) => feed.isUnchanged), feeds };
  }
  const published = await publishTimetable(manifests, request.dataDir, request.settings, effects);
  await noteChecks(request, feeds, effects.clock);
  return {
    snapshotId: published.id,
    isUnchanged: published.isUnchanged && feeds.every((feed) => feed.isUnchanged),
    feeds,
  };
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
): Promise<{ outcome: FeedOutcome; manifest: FeedManifest | null }> {
  try {
    effects.log.progress(`${source.id}: fetching`);
    const raw = await fetchFeed(source, request.dataDir, request.settings, effects);
    const options = { isForced: request.isForced };
    const { manifest, isUnchanged } = await ingestFeed(
      source.id,
      raw,
      request.dataDir,
      request.settings,
      effects,
      options,
    );
    return { outcome: toOutcome(source.id, manifest, isUnchanged), manifest };
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const kept = await keepSource(source.id, request.dataDir);
    const failure = { failure: error.message, isRetryable: error.isRetryable };
    return { outcome: { ...kept.outcome, ...failure }, manifest: kept.manifest };
  }
}

/** The version of a source that is published, else the newest that was ever usable. */
async function keepSource(
  source: SourceId,
  dataDir: string,
): Promise<{ outcome: FeedOutcome; manifest: FeedManifest | null }> {
  const published = await findPublishedVersion(source, dataDir);
  const fetched = (await listRaw(dataDir, source)).map((raw) => raw.version).reverse();
  // A publisher may have gone back to an older version, so the one fetched last need not be the newest.
  for (const version of published ? [published, ...fetched] : fetched) {
    const manifest = await findFeedManifest(dataDir, source, version);
    if (manifest) return { outcome: toOutcome(source, manifest, true), manifest };
  }
  return { outcome: { sourceId: source, feedVersion: null, isUnchanged: true, tables: [] }, manifest: null };
}

async function findPublishedVersion(source: SourceId, dataDir: string): Promise<FeedVersion | undefined> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) return undefined;
  const snapshot = await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  return snapshot?.sources.find(({ sourceId }) => sourceId === source)?.feedVersion;
}

function toOutcome(sourceId: SourceId, manifest: FeedManifest, isUnchanged: boolean): FeedOutcome {
  return { sourceId, feedVersion: manifest.feedVersion, isUnchanged, tables: manifest.tables };
}
