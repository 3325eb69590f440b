import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { feedManifestFile, feedManifestFolder, versionPartition } from '../../lake/paths.ts';
import type { RawFacts } from '../../lake/raw-store.ts';
import type { TableReport } from '../../model/feed-report.ts';
import { type FeedVersion, isSourceId, type SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import type { OnDemandService } from './on-demand.ts';

/** Whether a version has trips with fixed times: one of on-demand service alone has none, and is in no snapshot. */
export function hasFixedTrips({ typedRows }: FeedManifest): boolean {
  return (typedRows.trips ?? 0) > 0;
}

/** Facts about one published version of a timetable: its origin, the result of staging, and the rules version. */
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
  /** `feed_end_date` of feed_info: the publisher's own end of validity; null where it is absent. */
  readonly feedEndDate: ServiceDate | null;
  /** IANA name: the zone of most of its trips. Its service dates are days of this zone. */
  readonly timeZone: string;
  /** Service time of the last arrival of any trip: this long after its last day begins, all trips have ended. */
  readonly lastCallSeconds: number;
  readonly tables: readonly TableReport[];
  /** Rows of each typed table. */
  readonly typedRows: Readonly<Record<string, number>>;
  /** On-demand service, which is not shown: by route. */
  readonly onDemand: readonly OnDemandService[];
  /** Folder of the archive that was read, as it is selected after `#`; null for the top level. */
  readonly feedFolder: string | null;
  /** Files of the archive that are not tables of the feed. */
  readonly otherFiles: readonly string[];
}

/** @returns null for a version that was never completed, or lost a part since (an interrupted rebuild) */
export async function findFeedManifest(
  dataDir: string,
  source: SourceId,
  version: FeedVersion,
): Promise<FeedManifest | null> {
  const manifest = await findJson<FeedManifest>(feedManifestFile(dataDir, source, version));
  const isWhole = Array.isArray(manifest?.tables) && typeof manifest.typedRows === 'object';
  return isWhole && (await isComplete(dataDir, manifest)) ? { ...defaults, ...manifest } : null;
}

/** Defaults for manifests of older programs, until their version is staged again. */
const defaults = {
  feedFolder: null,
  feedEndDate: null,
  timeZone: 'Europe/Vienna',
  lastCallSeconds: 48 * 3600,
} as const;

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

/** Sources with at least one complete timetable version in the lake. */
export async function listFeedSources(dataDir: string): Promise<SourceId[]> {
  const names = await listNames(path.dirname(feedManifestFolder(dataDir, '' as SourceId)));
  return names
    .map((name) => name.replace(/^source=/, ''))
    .filter(isSourceId)
    .sort();
}

/** Every complete version of a source's timetable, in the order in which they were fetched. */
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

/** Versions of a source that were published together: the one in force, and those whose first day is in the future. */
export interface Publication {
  /** ISO 8601 UTC. */
  readonly publishedAt: string;
  /** In the order in which their publisher released them; see `divideDays` for the days on which each counts. */
  readonly versions: readonly FeedVersion[];
}

/** A version that was staged but not published, because the timetable would have shrunk. */
export interface KeptAside {
  readonly feedVersion: FeedVersion;
  /** ISO 8601 UTC. */
  readonly keptAsideAt: string;
  /** One sentence. */
  readonly reason: string;
}

/** Publication record of a source's versions. */
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
 * Records what is published now, and which version is kept aside; equal facts change no file.
 * @param now without `keptAside`, that remains unchanged
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
