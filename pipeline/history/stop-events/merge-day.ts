import { type Duckdb, readSql } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { type Product, products } from '../../model/product.ts';
import {
  alignCalls,
  findDuplicates,
  isRicher,
  type TripMergeRules,
  type TripSchedule,
} from '../../timetable/merging/find-duplicates.ts';
import type { MergeRules } from '../../timetable/merging/merge-rules.ts';
import { mergeStations } from '../../timetable/merging/merge-stations.ts';
import { nameTrip } from '../../timetable/merging/name-trips.ts';
import { resolveDecisions } from '../../timetable/merging/resolve-decisions.ts';

const SQL = 'pipeline/history/stop-events/sql';

/**
 * Merges the dated trips that the feeds of a day publish more than once, by the rules of the snapshot. Keeps the rows of
 * `runs` and `planned_calls` of trips that are shown for those of the bound feeds; `merged_calls` maps the calls of the
 * others to them. So a call is one row, independently of the feeds of a source. The trips of the neighbouring service dates
 * are compared too: `redated_trips` lists the trips of the day that are shown under another date.
 * @returns number of trips of the day that are hidden behind another one
 */
export async function mergeDay(db: Duckdb, rules: MergeRules): Promise<number> {
  const schedule = await readSchedule(db, rules);
  const hidden = findHidden(schedule);
  await writeHiddenCalls(db, schedule.trips, hidden);
  await db.run(`
    create temp table merged_calls as ${await readSql(`${SQL}/merged_calls.sql`)};
    create temp table counted_trips as ${await readSql(`${SQL}/counted_trips.sql`)};
    create temp table redated_trips as ${await readSql(`${SQL}/redated_trips.sql`)};
    delete from planned_calls where day_offset <> 0 or trip_key not in (select trip_key from counted_trips);
    delete from runs where day_offset <> 0 or trip_key not in (select trip_key from counted_trips)`);
  return countRows(
    db,
    `(select distinct trip_row from hidden_calls join compared_trips using (trip_row) where day_offset = 0)`,
  );
}

/** Without merging: no call is another one. */
export async function mergeNothing(db: Duckdb): Promise<void> {
  await db.run(`
    create temp table merged_calls (
      trip_key bigint, position integer, stop_id varchar, shown_trip_key bigint, shown_position integer,
      shown_stop_id varchar);
    create temp table redated_trips (trip_key bigint)`);
}

interface DaySchedule {
  readonly trips: TripSchedule;
  readonly rules: TripMergeRules;
}

async function readSchedule(db: Duckdb, rules: MergeRules): Promise<DaySchedule> {
  await db.run(`
    create or replace temp table compared_trips as
    select (row_number() over (order by feed_number, trip_index, shift_seconds, day_offset) - 1)::integer as trip_row, *
    from feed_compared_trips`);
  const [stops, trips, calls] = [await readStops(db), await readTrips(db), await readCalls(db)];
  const decided = resolveDecisions({ sourceIds: await readSourceIds(db), stops, trips }, rules.decisions);
  const { station } = mergeStations(stops, {
    byId: rules.stationsById,
    byName: rules.stationsByName,
    merged: decided.pairs('station', 'merge'),
    separate: decided.pairs('station', 'separate'),
  });
  return {
    trips: {
      name: Int32Array.from(trips.tripId.keys()),
      names: trips.product.map((product, row) =>
        nameTrip(products.indexOf(product as Product), trips.label[row]!, trips.shortName[row] || null),
      ),
      source: trips.source,
      firstCall: findFirstCalls(calls.trip, trips.tripId.length),
      station: calls.stop.map((stop) => station[stop]!),
      arrival: calls.arrival,
      departure: calls.departure,
      isExcluded: trips.isRepeated,
      facts: trips.facts,
    },
    rules: {
      byName: rules.trips,
      merged: decided.pairs('trip', 'merge'),
      separate: decided.pairs('trip', 'separate'),
    },
  };
}

async function countRows(db: Duckdb, table: string): Promise<number> {
  const [row] = await db.query(`select count(*)::int as n from ${table}`);
  return Number(row!.n);
}

async function readSourceIds(db: Duckdb): Promise<string[]> {
  return (await db.query('select feed_source from day_feeds order by feed_number')).map((row) =>
    String(row.feed_source),
  );
}

async function readStops(db: Duckdb) {
  const { products: classes, ...stops } = await readColumns(
    db,
    {
      source: ['u16', 'feed_number'],
      stopId: ['text', 'stop_id'],
      stopCode: ['text', 'stop_code'],
      name: ['text', 'stop_name'],
      lat: ['f64', 'lat'],
      lon: ['f64', 'lon'],
      station: ['i32', 'station_index + first_stop'],
      locationType: ['u8', 'location_type'],
      callCount: ['i32', 'call_count'],
      products: ['text', 'products'],
    },
    'from feed_compared_stops join first_stops using (feed_number) order by feed_number, stop_index',
    await countRows(db, 'feed_compared_stops'),
  );
  const toMask = (names: string) =>
    names.split(' ').reduce((mask, name) => mask | (name === '' ? 0 : 1 << products.indexOf(name as Product)), 0);
  return { ...stops, productClasses: Uint16Array.from(classes, toMask) };
}

async function readTrips(db: Duckdb) {
  return readColumns(
    db,
    {
      source: ['u16', 'feed_number'],
      tripId: ['text', 'trip_id'],
      product: ['text', 'product'],
      label: ['text', 'label'],
      shortName: ['text', `coalesce(short_name, '')`],
      isRepeated: ['u8', 'is_repeated::int'],
      facts: ['u8', 'facts'],
    },
    'from compared_trips order by trip_row',
    await countRows(db, 'compared_trips'),
  );
}

/** Times count from the first one of the day, so that they fit. */
async function readCalls(db: Duckdb) {
  return readColumns(
    db,
    {
      trip: ['i32', 'trip_row'],
      stop: ['i32', 'stop_index + first_stop'],
      arrival: ['i32', 'arrival - (select min(arrival) from planned_calls)'],
      departure: ['i32', 'departure - (select min(arrival) from planned_calls)'],
    },
    `from planned_calls
     join compared_trips using (trip_key, day_offset)
     join first_stops on first_stops.feed_number = planned_calls.feed_number
     order by trip_row, position`,
    await countRows(db, 'planned_calls'),
  );
}

function findFirstCalls(tripOfCall: Int32Array, tripCount: number): Int32Array {
  const first = new Int32Array(tripCount + 1);
  for (const trip of tripOfCall) first[trip + 1]! += 1;
  for (let trip = 0; trip < tripCount; trip++) first[trip + 1]! += first[trip]!;
  return first;
}

/** Calls have instants here, so the dated trips of neighbouring service dates compare without an offset. */
const isSameInstant = (_one: number, _other: number, dayOffset: number) => dayOffset === 0;

/** Of each hidden trip the one that is shown for it: the richest that is itself shown. */
function findHidden({ trips, rules }: DaySchedule): ReadonlyMap<number, number> {
  const pairs = findDuplicates(trips, rules, isSameInstant);
  pairs.sort((a, b) => (a.other === b.other ? 0 : isRicher(trips, a.other, b.other) ? -1 : 1));
  const hidden = new Map<number, number>();
  // The more detailed trips come first: whether one is shown is decided before others depend on it.
  for (const { shown, other } of pairs) if (!hidden.has(other) && !hidden.has(shown)) hidden.set(other, shown);
  return hidden;
}

async function writeHiddenCalls(db: Duckdb, trips: TripSchedule, hidden: ReadonlyMap<number, number>): Promise<void> {
  const rows: number[][] = [[], [], [], []];
  for (const [trip, shown] of hidden) {
    alignCalls(trips, { shown, other: trip, shiftSeconds: 0 })!.forEach((position, call) => {
      if (position < 0) return;
      for (const [i, value] of [trip, call, shown, position].entries()) rows[i]!.push(value);
    });
  }
  await db.run(`
    create temp table hidden_calls (
      trip_row uinteger, call_position uinteger, shown_row uinteger, shown_position uinteger)`);
  await db.insertColumns(
    'hidden_calls',
    rows.map((column) => Uint32Array.from(column)),
  );
}
