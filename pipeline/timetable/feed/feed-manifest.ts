import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { isSystemError } from '../../effects/world-error.ts';
import { feedManifestFile, feedManifestFolder, versionPartition } from '../../lake/paths.ts';
import type { RawFacts } from '../../lake/raw-store.ts';
import type { TableReport } from '../../model/feed-report.ts';
import { type FeedVersion, isSourceId, type SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';

/** What is known of one published version of a timetable: where it came from, what came of it, by which rules. */
export interface FeedManifest {
  readonly sourceId: SourceId;
  readonly feedVersion: FeedVersion;
  /** Version of the staging rules; a manifest of other rules is stale. */
  readonly rulesVersion: number;
  readonly ingestedAt: string;
  readonly raw: RawFacts;
  readonly publisherName: string | null;
  readonly publishedVersion: string | null;
  /** First and last day on which a trip runs. */
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  /** `feed_end_date` of feed_info: until then the publisher vouches for the feed; null where it does not say. */
  readonly feedEndDate: ServiceDate | null;
  /** IANA name: the zone in which most of its trips run. Its days are days of this zone. */
  readonly timeZone: string;
  /** Service time of the last arrival of any trip: so long after its last day begins, everything has ended. */
  readonly lastCallSeconds: number;
  readonly tables: readonly TableReport[];
  /** Rows of each typed table. */
  readonly typedRows: Readonly<Record<string, number>>;
  /** Files of the archive that are no GTFS table. */
  readonly otherFiles: readonly string[];
}

/** @returns null for a version that was never finished, or of which a part is gone since (a rebuild that was cut off) */
export async function findFeedManifest(
  dataDir: string,
  source: SourceId,
  version: FeedVersion,
): Promise<FeedManifest | null> {
  const manifest = await findJson<FeedManifest>(feedManifestFile(dataDir, source, version));
  const isWhole = Array.isArray(manifest?.tables) && typeof manifest.typedRows === 'object';
  return isWhole && (await isComplete(dataDir, manifest)) ? { ...beforeRules3, ...manifest } : null;
}

/** What manifests of older rules do not say, until their version is read again. */
const beforeRules3 = { feedEndDate: null, timeZone: 'Europe/Vienna', lastCallSeconds: 48 * 3600 } as const;

async function isComplete(
  dataDir: string,
  { sourceId, feedVersion, tables, typedRows }: FeedManifest,
): Promise<boolean> {
  const partitions = [
    ...tables.map(({ table }) => versionPartition(dataDir, 'gtfs', table, sourceId, feedVersion)),
    ...Object.keys(typedRows).map((table) => versionPartition(dataDir, 'timetable', table, sourceId, feedVersion)),
  ];
  return (await Promise.all(partitions.map(isThere))).every(Boolean);
}

async function isThere(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

export async function writeFeedManifest(dataDir: string, manifest: FeedManifest): Promise<void> {
  await writeJsonAtomically(feedManifestFile(dataDir, manifest.sourceId, manifest.feedVersion), manifest);
}

/** Sources of timetables of which the lake has ever finished a version. */
export async function listFeedSources(dataDir: string): Promise<SourceId[]> {
  const names = await listNames(path.dirname(feedManifestFolder(dataDir, '' as SourceId)));
  return names
    .map((name) => name.replace(/^source=/, ''))
    .filter(isSourceId)
    .sort();
}

/** Every finished version of a source's timetable, in the order in which they were fetched. */
export async function listFeedManifests(dataDir: string, source: SourceId): Promise<FeedManifest[]> {
  const manifests: FeedManifest[] = [];
  for (const name of await listNames(feedManifestFolder(dataDir, source))) {
    const version = /^feed_version=([0-9a-f]+)\.json$/.exec(name)?.[1] as FeedVersion | undefined;
    const manifest = version === undefined ? null : await findFeedManifest(dataDir, source, version);
    if (manifest) manifests.push(manifest);
  }
  const order = ({ raw, feedVersion }: FeedManifest) => `${raw.fetchedAt} ${feedVersion}`;
  return manifests.sort((a, b) => order(a).localeCompare(order(b)));
}

/** Versions of a source that were published together: the one in force, and those that wait for their first day. */
export interface Publication {
  /** ISO 8601 UTC. */
  readonly publishedAt: string;
  /** In the order in which their publisher released them; see `divideDays` for the days on which each counts. */
  readonly versions: readonly FeedVersion[];
}

/** A version that was read and not published, because the timetable would have shrunk. */
export interface KeptAside {
  readonly feedVersion: FeedVersion;
  /** ISO 8601 UTC. */
  readonly keptAsideAt: string;
  /** One sentence. */
  readonly reason: string;
}

/** What became of the versions of a source, by the lake's own record. */
interface FeedPublications {
  /** Each differs from the one before; the last is what is published now. */
  readonly publications: readonly Publication[];
  /** The newest version, where it was kept aside. */
  readonly keptAside: KeptAside | null;
}

/** @returns without any publication where the lake has no record, as before the first ingest */
export async function readFeedPublications(dataDir: string, source: SourceId): Promise<FeedPublications> {
  const record = await findJson<FeedPublications>(publicationsFile(dataDir, source));
  return record ?? { publications: [], keptAside: null };
}

/**
 * Notes what is published now, and which version is kept aside; equal facts change no file.
 * @param now without `keptAside`, that stays as it is
 */
export async function writeFeedPublications(
  dataDir: string,
  source: SourceId,
  now: {
    readonly publishedAt: string;
    readonly versions: readonly FeedVersion[];
    readonly keptAside?: KeptAside | null;
  },
): Promise<void> {
  const before = await readFeedPublications(dataDir, source);
  const { publishedAt, versions } = now;
  const isSame = before.publications.at(-1)?.versions.join() === versions.join();
  const isSameAside = now.keptAside === undefined || before.keptAside?.feedVersion === now.keptAside?.feedVersion;
  if (isSame && isSameAside) return;
  await writeJsonAtomically(publicationsFile(dataDir, source), {
    publications: isSame ? before.publications : [...before.publications, { publishedAt, versions }],
    keptAside: isSameAside ? before.keptAside : (now.keptAside ?? null),
  });
}

function publicationsFile(dataDir: string, source: SourceId): string {
  return path.join(feedManifestFolder(dataDir, source), 'publications.json');
}
