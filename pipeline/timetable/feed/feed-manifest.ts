import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { feedManifestFile, feedManifestFolder, versionPartition } from '../../lake/paths.ts';
import type { RawFacts } from '../../lake/raw-store.ts';
import { type FeedRepairs, noRepairs } from '../../model/feed-fixes.ts';
import type { TableReport } from '../../model/feed-report.ts';
import { type FeedVersion, isSourceId, type SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import type { OnDemandService } from './on-demand.ts';

/** Whether a version has usable trips, scheduled or on demand; a version without any is in no snapshot. */
export function hasService({ typedRows }: FeedManifest): boolean {
  return (typedRows.trips ?? 0) + (typedRows.on_demand_trips ?? 0) > 0;
}

/** One published version of a timetable: its origin, the result of staging, and the version of the rules. */
export interface FeedManifest {
  readonly sourceId: SourceId;
  readonly feedVersion: FeedVersion;
  /** Version of the staging rules; a manifest of another version is stale. */
  readonly rulesVersion: number;
  /** Fixes and zone under which it was staged; a manifest of others is stale. */
  readonly repairs: FeedRepairs;
  readonly ingestedAt: string;
  readonly raw: RawFacts;
  readonly publisherName: string | null;
  readonly publishedVersion: string | null;
  /** First and last day on which a trip runs. */
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  /** `feed_end_date` of feed_info, the publisher's end of validity; null if absent. */
  readonly feedEndDate: ServiceDate | null;
  /** IANA name: the zone of most of its trips. Its service dates are days of this zone. */
  readonly timeZone: string;
  /** Latest service time of any arrival: all trips end this long after the start of the last day. */
  readonly lastCallSeconds: number;
  readonly tables: readonly TableReport[];
  /** Rows of each typed table. */
  readonly typedRows: Readonly<Record<string, number>>;
  /** On-demand service by route. */
  readonly onDemand: readonly OnDemandService[];
  /** Folder of the archive that was read, in the form after `#`; null for the top level. */
  readonly feedFolder: string | null;
  /** Files of the archive that are not tables of the feed. */
  readonly otherFiles: readonly string[];
}

/** @returns null for a version that was never completed, or is incomplete after an interrupted rebuild */
export async function findFeedManifest(
  dataDir: string,
  source: SourceId,
  version: FeedVersion,
): Promise<FeedManifest | null> {
  const manifest = await findJson<FeedManifest>(feedManifestFile(dataDir, source, version));
  const isWhole = Array.isArray(manifest?.tables) && typeof manifest.typedRows === 'object';
  return isWhole && (await isComplete(dataDir, manifest)) ? { ...defaults, ...manifest } : null;
}

/** Defaults for manifests of older releases, until their version is staged again. */
const defaults = {
  repairs: noRepairs,
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

/** Versions of a source that were published together: the one in force and future ones. */
export interface Publication {
  /** ISO 8601 UTC. */
  readonly publishedAt: string;
  /** In order of release; `divideDays` assigns the service dates of each. */
  readonly versions: readonly FeedVersion[];
}

/** A version that was staged but not published because it would have shrunk the timetable. */
export interface KeptAside {
  readonly feedVersion: FeedVersion;
  /** ISO 8601 UTC. */
  readonly keptAsideAt: string;
  /** One sentence. */
  readonly reason: string;
}

/** Publication record of a source's versions. */
interface FeedPublications {
  /** Each differs from the previous one; the last is currently published. */
  readonly publications: readonly Publication[];
  /** The newest version, if it was set aside. */
  readonly keptAside: KeptAside | null;
}

/** @returns no publications without a record, as before the first ingest */
export async function readFeedPublications(dataDir: string, source: SourceId): Promise<FeedPublications> {
  const record = await findJson<FeedPublications>(publicationsFile(dataDir, source));
  return record ?? { publications: [], keptAside: null };
}

/**
 * Records the published versions and the version set aside; writes only changes.
 * @param now without `keptAside`, the version set aside stays
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
