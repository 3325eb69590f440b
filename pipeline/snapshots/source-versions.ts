import path from 'node:path';
import { openDuckdb } from '../effects/duckdb.ts';
import { findJson } from '../effects/files.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { type FeedManifest, findFeedManifest, listFeedManifests } from '../lake/feed-manifest.ts';
import { readFeedPublications } from '../lake/feed-publications.ts';
import { workFolder } from '../lake/paths.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import { type Instant, localDate } from '../model/service-time.ts';
import { countDatedTrips, findShrinkage } from '../timetable/find-shrinkage.ts';
import type { IngestSettings } from '../timetable/ingest-feed.ts';
import { addVersion, divideDays, dropEnded } from '../timetable/version-days.ts';
import type { TimetableManifest } from './contract.ts';
import { findCurrentTimetableId, timetableManifestFile } from './timetable-files.ts';

/** The feed versions of each source of the published snapshot, in the order in which they were released. */
export async function readPublishedVersions(
  dataDir: string,
): Promise<ReadonlyMap<SourceId, readonly [FeedVersion, ...FeedVersion[]]>> {
  const id = await findCurrentTimetableId(dataDir);
  const snapshot = id === null ? null : await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  return new Map(
    snapshot?.sources?.map(({ sourceId, feedVersion, versions }) => {
      const [first = feedVersion, ...others] = versions?.map((version) => version.feedVersion) ?? [];
      return [sourceId, [first, ...others]];
    }),
  );
}

/** @returns those that the lake still holds */
export async function findManifests(
  dataDir: string,
  source: SourceId,
  versions: readonly FeedVersion[],
): Promise<FeedManifest[]> {
  const manifests = await Promise.all(versions.map((version) => findFeedManifest(dataDir, source, version)));
  return manifests.filter((manifest) => manifest !== null);
}

/**
 * The versions that a source is served by without news of it: those that the lake's record names. Where there is no
 * record, as after a rebuild, all that were ever read, in the order in which they were fetched, up to the published one.
 */
export async function listLastGood(dataDir: string, source: SourceId, now: Instant): Promise<FeedManifest[]> {
  const last = (await readPublishedVersions(dataDir)).get(source)?.at(-1);
  const known = await listReleased(dataDir, source, (versions) => {
    const published = versions.findIndex(({ feedVersion }) => feedVersion === last);
    return published < 0 ? versions : versions.slice(0, published + 1);
  });
  return dropEnded(known.reduce(addVersion, [] as FeedManifest[]), now);
}

export interface ShrinkLimit {
  /** Share of the published trips, and of the days ahead, that a new version must have; 0: any will do. */
  readonly minShareOfPrevious: number;
}

/** A version that was just read: with which others it is served, or why it is kept aside. */
export interface Offer {
  /** In the order in which they were released; the offered one is the last. */
  readonly versions: readonly FeedManifest[];
  /** One sentence; null where nothing speaks against it. */
  readonly shrinkage: string | null;
}

/** Judges a version against those that are published. One that was published before is not judged again. */
export async function judgeOffer(
  dataDir: string,
  offered: FeedManifest,
  settings: IngestSettings & ShrinkLimit,
  now: Instant,
): Promise<Offer> {
  const { sourceId, feedVersion } = offered;
  const released = await listReleased(dataDir, sourceId, (versions) => {
    const known = versions.findIndex((version) => version.feedVersion === feedVersion);
    return known < 0 ? versions : versions.slice(0, known);
  });
  const published = dropEnded(released.reduce(addVersion, [] as FeedManifest[]), now);
  const versions = dropEnded(addVersion(published, offered), now);
  const inSnapshot: readonly FeedVersion[] = (await readPublishedVersions(dataDir)).get(sourceId) ?? [];
  const isKnown = inSnapshot.includes(feedVersion) || released.some((version) => version.feedVersion === feedVersion);
  if (isKnown || published.length === 0) return { versions, shrinkage: null };
  return { versions, shrinkage: await compare(dataDir, published, offered, settings, now) };
}

async function listReleased(
  dataDir: string,
  source: SourceId,
  cut: (known: readonly FeedManifest[]) => readonly FeedManifest[],
): Promise<readonly FeedManifest[]> {
  const { publications } = await readFeedPublications(dataDir, source);
  const recorded = await findManifests(dataDir, source, publications.at(-1)?.versions ?? []);
  return recorded.length > 0 ? recorded : cut(await listFeedManifests(dataDir, source));
}

async function compare(
  dataDir: string,
  published: readonly FeedManifest[],
  offered: FeedManifest,
  { memoryLimit, threads, signal, minShareOfPrevious }: IngestSettings & ShrinkLimit,
  now: Instant,
): Promise<string | null> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({ memoryLimit, threads, signal, temporaryFolder: path.join(folder, 'spill') });
    try {
      const before = await countDatedTrips(db, dataDir, divideDays(published));
      const after = await countDatedTrips(db, dataDir, divideDays([offered]));
      return findShrinkage(before, after, localDate(now, offered.timeZone), minShareOfPrevious);
    } finally {
      db.close();
    }
  });
}
