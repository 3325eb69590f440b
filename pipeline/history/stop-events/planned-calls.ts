import { type Duckdb, readSql, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { versionPartition } from '../../lake/paths.ts';
import {
  AUSTRIA,
  addDays,
  type Instant,
  listZoneOffsets,
  type ServiceDate,
  serviceDayStart,
  toEpochDay,
} from '../../model/service-time.ts';
import { hashTrip } from '../../snapshots/timetable-lookups.ts';
import type { FeedManifest } from '../../timetable/feed/feed-manifest.ts';
import { buildRuns } from '../../timetable/feed/patterns.ts';
import { getRouteProduct } from '../../timetable/feed/route-product.ts';
import { MAX_FEED_RUNS } from '../../timetable/feed/typed-tables.ts';
import type { MergeRules } from '../../timetable/merging/merge-rules.ts';
import { mergeDay, mergeNothing } from './merge-day.ts';

const SQL = 'pipeline/history/stop-events/sql';
const FEED_TABLES = ['agencies', 'stops', 'routes', 'service_dates', 'trips', 'calls', 'frequencies'] as const;

/** GTFS times have three digits of hours at most. */
const LONGEST_DAY_SECONDS = 1000 * 3600;

/** Service dates whose trips are compared with those of the day: a trip after midnight may have either date. */
const NEIGHBOUR_OFFSETS = [-1, 1];

/** A timetable of the day. */
export interface DayFeed {
  readonly manifest: FeedManifest;
  /** False for one that the source is not bound to: its trips may be the same as those of another. */
  readonly isBound: boolean;
}

/**
 * Creates the tables of a day's schedule: `planned_calls`, `runs`, `day_routes`, `day_stops`, `day_feeds`,
 * `merged_calls` and `zone_spans`, over all feeds. Trips of frequencies are expanded as in the snapshot, with the same
 * keys; trips that are published more than once are one.
 * @param feeds in the order of the configuration, which decides between equal trips
 * @returns number of trips that are hidden behind another one
 */
export async function createPlannedCalls(
  db: Duckdb,
  dataDir: string,
  feeds: readonly DayFeed[],
  date: ServiceDate,
  rules: MergeRules,
): Promise<number> {
  const isMerging = rules.trips || rules.decisions.length > 0;
  const wanted = isMerging ? feeds : feeds.filter(({ isBound }) => isBound);
  await createEmptyTables(db, date);
  for (const [number, feed] of wanted.entries()) await addFeed(db, dataDir, feed, number);
  await createZoneSpans(db, date);
  for (const [number, feed] of wanted.entries()) await addPlan(db, dataDir, feed, number);
  if (isMerging && wanted.length > 0) {
    await db.run(`
      set variable first_planned = (select min(arrival) from planned_calls);
      set variable last_planned = (select max(departure) from planned_calls)`);
    for (const [number, feed] of wanted.entries()) await addNeighbours(db, dataDir, feed, number);
    return mergeDay(db, rules);
  }
  await mergeNothing(db);
  return 0;
}

async function createEmptyTables(db: Duckdb, date: ServiceDate): Promise<void> {
  await db.query('set variable service_date = $date', { date });
  await db.run(`
    create temp table day_feeds (feed_number integer, feed_source varchar, feed_version varchar, is_bound boolean);
    create temp table day_stops (
      feed_number integer, stop_index integer, stop_id varchar, stop_name varchar, station_id varchar,
      lat double, lon double, platform_code varchar);
    create temp table day_routes (
      feed_number integer, route_index integer, route_id varchar, line_label varchar, product varchar, operator varchar, time_zone varchar);
    create temp table runs (
      feed_number integer, trip_index integer, trip_key bigint, trip_id varchar, shift_seconds bigint,
      call_count bigint, trip_number varchar, route_id varchar, line_label varchar, product varchar, operator varchar, time_zone varchar,
      day_start bigint, direction varchar, day_offset integer);
    create temp table day_starts (time_zone varchar, day_offset integer, day_start bigint);
    create temp table trip_spans (feed_number integer, trip_index integer, first_departure integer, last_arrival integer);
    create temp sequence call_numbers minvalue 0 start 0;
    create temp table planned_calls (
      call_number bigint default nextval('call_numbers'), trip_key bigint, position integer, stop_id varchar,
      feed_number integer, stop_index integer, stop_headsign varchar, arrival bigint, departure bigint,
      day_offset integer);
    create temp table feed_compared_stops (
      feed_number integer, stop_index integer, stop_id varchar, stop_code varchar, stop_name varchar, lat double,
      lon double, station_index integer, location_type tinyint, call_count integer, products varchar);
    create temp view first_stops as
    select feed_number, (coalesce(sum(n) over (order by feed_number rows between unbounded preceding and 1 preceding), 0))::integer
      as first_stop
    from (select feed_number, count(*) as n from feed_compared_stops group by feed_number);
    create temp table feed_compared_trips (
      feed_number integer, trip_index integer, shift_seconds bigint, trip_key bigint, trip_id varchar, product varchar,
      label varchar, short_name varchar, is_repeated boolean, facts integer, day_offset integer)`);
}

async function openFeed(db: Duckdb, dataDir: string, { manifest }: DayFeed, number: number): Promise<void> {
  for (const table of FEED_TABLES) {
    const folder = versionPartition(dataDir, 'timetable', table, manifest.sourceId, manifest.feedVersion);
    const file = sqlPath(`${folder}/part-0.parquet`);
    await db.run(`create or replace temp view feed_${table} as from read_parquet(${file}, hive_partitioning = false)`);
  }
  await db.query('set variable feed_number = $number', { number });
}

async function addFeed(db: Duckdb, dataDir: string, feed: DayFeed, number: number): Promise<void> {
  const { manifest, isBound } = feed;
  await openFeed(db, dataDir, feed, number);
  await db.query('insert into day_feeds values ($number, $source, $version, $isBound)', {
    number,
    source: manifest.sourceId,
    version: manifest.feedVersion,
    isBound,
  });
  await nameRoutes(db, number);
  await db.run(`insert into day_stops ${await readSql(`${SQL}/day_stops.sql`)}`);
}

/** Adds the trips of the day. */
async function addPlan(db: Duckdb, dataDir: string, feed: DayFeed, number: number): Promise<void> {
  await openFeed(db, dataDir, feed, number);
  await db.run(`insert into trip_spans ${await readSql(`${SQL}/trip_spans.sql`)}`);
  await addTrips(db, feed.manifest.sourceId, 0);
  await db.run(`insert into feed_compared_stops ${await readSql(`${SQL}/compared_stops.sql`)}`);
}

/** Adds the trips of the neighbouring service dates that may be the same as those of the day, once all of these are known. */
async function addNeighbours(db: Duckdb, dataDir: string, feed: DayFeed, number: number): Promise<void> {
  await openFeed(db, dataDir, feed, number);
  for (const offset of NEIGHBOUR_OFFSETS) await addTrips(db, feed.manifest.sourceId, offset);
}

async function addTrips(db: Duckdb, source: string, dayOffset: number): Promise<void> {
  await db.query('set variable day_offset = $dayOffset', { dayOffset });
  await db.run(`create or replace temp table day_trips as ${await readSql(`${SQL}/day_trips.sql`)}`);
  await writeOutRuns(db, source);
  await db.run(`insert into runs ${await readSql(`${SQL}/feed_runs.sql`)}`);
  const names = 'trip_key, position, stop_id, feed_number, stop_index, stop_headsign, arrival, departure, day_offset';
  await db.run(`insert into planned_calls (${names}) ${await readSql(`${SQL}/planned_calls.sql`)}`);
  await db.run(`insert into feed_compared_trips ${await readSql(`${SQL}/compared_trips.sql`)}`);
}

/** Labels and products of routes as in the snapshot. */
async function nameRoutes(db: Duckdb, number: number): Promise<void> {
  const routes = await db.query(`
    select route_index, route_id, route_short_name, route_long_name, route_type, agency_name, feed_routes.time_zone
    from feed_routes left join feed_agencies using (agency_index)
    order by route_index`);
  const rows = routes.map((row) => {
    const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
    const shortName = text(row.route_short_name);
    const values = [
      text(row.route_id),
      shortName || text(row.route_long_name) || text(row.route_id),
      getRouteProduct(Number(row.route_type), shortName),
      row.agency_name === null ? null : text(row.agency_name),
      text(row.time_zone),
    ].map((value) => (value === null ? 'null' : sqlText(value)));
    return `(${number}, ${Number(row.route_index)}, ${values.join(', ')})`;
  });
  for (let from = 0; from < rows.length; from += 2000) {
    await db.run(`insert into day_routes values ${rows.slice(from, from + 2000).join(', ')}`);
  }
}

/** Fills `day_runs`: the dated trips of the day, frequencies expanded, with their keys. */
async function writeOutRuns(db: Duckdb, source: string): Promise<void> {
  const [count] = await db.query('select count(*)::int as n from day_trips');
  const trips = await readColumns(
    db,
    { id: ['text', 'trip_id'], departure: ['i32', 'first_departure'] },
    'from day_trips order by day_row',
    Number(count?.n),
  );
  const frequencies = (
    await db.query(`
      select day_row, start_seconds, end_seconds, headway_seconds, is_exact
      from feed_frequencies join day_trips using (trip_index)
      order by day_row, start_seconds`)
  ).map((row) => ({
    trip: Number(row.day_row),
    startSeconds: Number(row.start_seconds),
    endSeconds: Number(row.end_seconds),
    headwaySeconds: Number(row.headway_seconds),
    isExact: row.is_exact === true,
  }));
  // One call for each trip is enough: expanding frequencies needs the first departure only.
  const tripFirstCall = Int32Array.from({ length: trips.id.length + 1 }, (_, trip) => trip);
  const runs = buildRuns({ tripFirstCall, departure: trips.departure }, frequencies, MAX_FEED_RUNS);
  const keys = BigUint64Array.from(runs.trip, (trip, run) =>
    hashTrip(source, trips.id[trip]!, runs.frequencyStart[run]!),
  );
  await db.run(`
    create or replace temp table day_runs (
      day_row uinteger, is_repeated uinteger, start_seconds uinteger, key_low uinteger, key_high uinteger)`);
  await db.insertColumns('day_runs', [
    Uint32Array.from(runs.trip),
    Uint32Array.from(runs.frequencyStart, (start) => (start >= 0 ? 1 : 0)),
    Uint32Array.from(runs.frequencyStart, (start) => Math.max(0, start)),
    Uint32Array.from(keys, (key) => Number(key & 0xffff_ffffn)),
    Uint32Array.from(keys, (key) => Number(key >> 32n)),
  ]);
}

/** Day starts and offsets of every zone of the day, for as long as a trip of it may run. */
async function createZoneSpans(db: Duckdb, date: ServiceDate): Promise<void> {
  const found = await db.query(`
    select time_zone from day_routes join day_feeds using (feed_number)
    group by time_zone order by bool_or(is_bound) desc, min(feed_number), count(*) desc, time_zone`);
  // Without a timetable, trips get the time zone of Austria.
  const zones = found.length > 0 ? found.map((row) => String(row.time_zone)) : [AUSTRIA];
  await db.query('set variable main_zone = $zone', { zone: zones[0]! });
  await db.run(
    'create temp table zone_spans (time_zone varchar, from_second bigint, to_second bigint, offset_minutes smallint)',
  );
  // Two days before and after: an added trip may be reported under the date of another zone.
  const noon = toEpochDay(date) * 86_400;
  const [from, to] = [(noon - 2 * 86_400) as Instant, (noon + LONGEST_DAY_SECONDS + 2 * 86_400) as Instant];
  for (const zone of zones) {
    for (const offset of [0, ...NEIGHBOUR_OFFSETS]) {
      const start = serviceDayStart(addDays(date, offset), zone);
      await db.run(`insert into day_starts values (${sqlText(zone)}, ${offset}, ${start})`);
    }
    const spans = listZoneOffsets(zone, from, to).map(
      (span) => `(${sqlText(zone)}, ${span.from}, ${span.to}, ${Math.round(span.offsetSeconds / 60)})`,
    );
    await db.run(`insert into zone_spans values ${spans.join(', ')}`);
  }
}
