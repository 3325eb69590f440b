import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findJson, listNames, writeJsonAtomically } from '../effects/files.ts';
import { isSystemError } from '../effects/world-error.ts';
import type { TableReport } from '../model/feed-report.ts';
import { type FeedVersion, isSourceId, type SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { feedManifestFile, feedManifestFolder, versionPartition } from './paths.ts';
import type { RawFacts } from './raw-store.ts';

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
