import path from 'node:path';
import { type Duckdb, openDuckdb, sqlPath } from '../effects/duckdb.ts';
import { findJson } from '../effects/files.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { versionPartition, workFolder } from '../lake/paths.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import { type Instant, localDate, type ServiceDate } from '../model/service-time.ts';
import type { TimetableManifest } from '../snapshots/timetable-contract.ts';
import { findCurrentTimetableId, timetableManifestFile } from '../snapshots/timetable-files.ts';
import { type FeedManifest, findFeedManifest, listFeedManifests, readFeedPublications } from './feed/feed-manifest.ts';
import type { IngestSettings } from './feed/ingest-feed.ts';
import { addVersion, divideDays, dropEnded, type ServedVersion } from './feed/version-days.ts';

/** Dated trips by service date, with frequencies expanded. Dates without any are missing. */
export type TripsByDate = ReadonlyMap<ServiceDate, number>;

/** Counts the dated trips of versions, each on its own days. */
async function countDatedTrips(db: Duckdb, dataDir: string, versions: readonly ServedVersion[]): Promise<TripsByDate> {
  const trips = new Map<ServiceDate, number>();
  for (const { manifest, from, until } of versions) {
    for (const [date, count] of await countTrips(db, dataDir, manifest)) {
      if ((from === null || date >= from) && (until === null || date <= until)) trips.set(date, count);
    }
  }
  return trips;
}

async function countTrips(
  db: Duckdb,
  dataDir: string,
  { sourceId, feedVersion }: FeedManifest,
): Promise<[ServiceDate, number][]> {
  const read = (table: string) =>
    `read_parquet(${sqlPath(`${versionPartition(dataDir, 'timetable', table, sourceId, feedVersion)}/part-0.parquet`)},
      hive_partitioning = false)`;
  const rows = await db.query(`
    with runs as (
      select trip_index, sum(ceil((end_seconds - start_seconds) / headway_seconds)) as runs
      from ${read('frequencies')} group by trip_index
    ), by_service as (
      select service_index, sum(coalesce(runs, 1)) as trips
      from ${read('trips')} left join runs using (trip_index) group by service_index
    )
    select service_date::varchar as date, sum(trips)::double as trips
    from ${read('service_dates')} join by_service using (service_index)
    group by service_date`);
  return rows.map((row) => [String(row.date) as ServiceDate, Number(row.trips)]);
}

/**
 * Reason why a new version seems to have lost most of its content; null if it does not. Days are those with trips from
 * today on, and from the first day of the new version on: past days count on neither side, and a version that begins
 * later is not compared on the days before. Trips are dated trips on the days from then on to the end of whichever ends
 * first; where no such day is left, dated trips per day.
 * @param minShare of the published timetable that the new version must have; 0: any is accepted
 * @param today in the zone of the feed
 */
export function findShrinkage(
  published: TripsByDate,
  offered: TripsByDate,
  today: ServiceDate,
  minShare: number,
): string | null {
  const firstOffered = [...offered.keys()].sort()[0];
  const from = firstOffered !== undefined && firstOffered > today ? firstOffered : today;
  const [ahead, offeredAhead] = [listDates(published, from), listDates(offered, from)];
  if (offeredAhead.length < minShare * ahead.length) {
    return `it has trips on ${offeredAhead.length} days from ${from} on, the published timetable on ${ahead.length}`;
  }
  const until = [ahead.at(-1), offeredAhead.at(-1)].sort()[0];
  if (ahead.length === 0 || offeredAhead.length === 0 || until === undefined) {
    const [mean, offeredMean] = [meanOf(published), meanOf(offered)];
    if (offeredMean >= minShare * mean) return null;
    return `it has ${Math.round(offeredMean)} trips a day, the published timetable ${Math.round(mean)}`;
  }
  const [trips, offeredTrips] = [sumUntil(published, ahead, until), sumUntil(offered, offeredAhead, until)];
  if (offeredTrips >= minShare * trips) return null;
  return `it has ${offeredTrips} trips from ${from} to ${until}, the published timetable ${trips}`;
}

function listDates(trips: TripsByDate, from: ServiceDate): ServiceDate[] {
  return [...trips.keys()].filter((date) => date >= from).sort();
}

function sumUntil(trips: TripsByDate, dates: readonly ServiceDate[], until: ServiceDate): number {
  return dates.reduce((sum, date) => sum + (date <= until ? trips.get(date)! : 0), 0);
}

function meanOf(trips: TripsByDate): number {
  if (trips.size === 0) return 0;
  return [...trips.values()].reduce((sum, count) => sum + count, 0) / trips.size;
}

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

/** @returns those still in the lake */
export async function findManifests(
  dataDir: string,
  source: SourceId,
  versions: readonly FeedVersion[],
): Promise<FeedManifest[]> {
  const manifests = await Promise.all(versions.map((version) => findFeedManifest(dataDir, source, version)));
  return manifests.filter((manifest) => manifest !== null);
}

/**
 * The versions of a source to serve without an update: those in the lake's record. Without a record, as after a
 * rebuild, all versions ever staged, in order of fetch, up to the published one.
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
  /** Minimum share of the published trips and future days in a new version; 0: any is accepted. */
  readonly minShareOfPrevious: number;
}

/** Newly staged versions: the versions to serve, or the reason why they are set aside. */
interface Offer {
  /** In order of release; the newest offered one is the last. */
  readonly versions: readonly FeedManifest[];
  /** One sentence; null if accepted. */
  readonly shrinkage: string | null;
}

/**
 * Compares versions of one source with the published ones. A version that was published before is not checked again.
 * @param offered at least one, in order of release: several where a publisher has a file for each timetable year
 */
export async function judgeOffer(
  dataDir: string,
  offered: readonly [FeedManifest, ...FeedManifest[]],
  settings: IngestSettings & ShrinkLimit,
  now: Instant,
): Promise<Offer> {
  const { sourceId } = offered[0];
  const isOffered = ({ feedVersion }: FeedManifest) => offered.some((one) => one.feedVersion === feedVersion);
  const released = await listReleased(dataDir, sourceId, (versions) => {
    const known = versions.findIndex(isOffered);
    return known < 0 ? versions : versions.slice(0, known);
  });
  const published = dropEnded(released.reduce(addVersion, [] as FeedManifest[]), now);
  const versions = dropEnded(offered.reduce(addVersion, published), now);
  const inSnapshot: readonly FeedVersion[] = (await readPublishedVersions(dataDir)).get(sourceId) ?? [];
  const known = new Set([...inSnapshot, ...released.map(({ feedVersion }) => feedVersion)]);
  const isKnown = offered.every(({ feedVersion }) => known.has(feedVersion));
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
  offered: readonly [FeedManifest, ...FeedManifest[]],
  { memoryLimit, threads, signal, minShareOfPrevious }: IngestSettings & ShrinkLimit,
  now: Instant,
): Promise<string | null> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({ memoryLimit, threads, signal, temporaryFolder: path.join(folder, 'spill') });
    try {
      const before = await countDatedTrips(db, dataDir, divideDays(published));
      const after = await countDatedTrips(db, dataDir, divideDays(offered));
      return findShrinkage(before, after, localDate(now, offered[0].timeZone), minShareOfPrevious);
    } finally {
      db.close();
    }
  });
}
