import { type Duckdb, sqlPath } from '../effects/duckdb.ts';
import type { FeedManifest } from '../lake/feed-manifest.ts';
import { versionPartition } from '../lake/paths.ts';
import type { ServiceDate } from '../model/service-time.ts';
import type { ServedVersion } from './version-days.ts';

/** Dated trips by service date: each run of a frequency is one. Dates without any are missing. */
export type TripsByDate = ReadonlyMap<ServiceDate, number>;

/** Counts the dated trips of versions, each on its days alone. */
export async function countDatedTrips(
  db: Duckdb,
  dataDir: string,
  versions: readonly ServedVersion[],
): Promise<TripsByDate> {
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
 * Why a new version looks as if it had lost most of its content; null where it does not.
 *
 * Days are those with trips from today on, and from the first day of the new version on: what of a period is over
 * already counts on neither side, and a version that begins later is not blamed for the days before it. Trips are dated
 * trips on the days from then on to the end of whichever ends first; where no such day is left, dated trips per day.
 * @param minShare of the published timetable that the new version must have; 0: any will do
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
