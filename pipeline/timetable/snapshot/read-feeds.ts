import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import type { Frequency, TripCalls } from '../feed/patterns.ts';
import { readBookingRules, readCallBookings } from './booking-tables.ts';
import { readFareTables } from './fare-tables.ts';
import type { RowCounts } from './feed-views.ts';
import { readOnDemandTables } from './on-demand-tables.ts';
import { readPathways } from './step-free-stops.ts';

/** All inputs of the snapshot, as columns over all feeds. */
export type FeedColumns = Awaited<ReturnType<typeof readFeeds>>;

/**
 * Reads the views of `feed-views.ts`.
 * @param beside a second connection, which reads the calls at the same time
 */
export async function readFeeds(db: Duckdb, beside: Duckdb, rows: RowCounts) {
  const numbering = createTexts(db);
  // Both have ended before the connections are closed, also if one has failed.
  const [calls, others] = await Promise.allSettled([
    readCalls(beside, rows, numbering),
    numbering.then(() => readOthers(db, rows)),
  ]);
  if (calls.status === 'rejected') throw calls.reason;
  if (others.status === 'rejected') throw others.reason;
  const { trip, ...columns } = calls.value.calls;
  const tripRoute = others.value.trips.route;
  return {
    ...others.value,
    ...calls.value,
    calls: { ...columns, tripRoute, tripFirstCall: findFirstCalls(trip, tripRoute.length) } satisfies TripCalls,
  };
}

async function readOthers(db: Duckdb, rows: RowCounts) {
  return {
    texts: (await db.query('select text from texts order by text_index')).map((row) => String(row.text)),
    zones: (await db.query('select distinct time_zone from all_routes order by 1')).map((row) => String(row.time_zone)),
    agencies: await readAgencies(db, rows.agencies),
    stops: await readStops(db, rows.stops),
    stopTranslations: await readStopTranslations(db, rows.stop_translations),
    routes: await readRoutes(db, rows.routes),
    serviceCount: rows.services,
    serviceDates: await readServiceDates(db, rows.service_dates),
    trips: await readTrips(db, rows.trips),
    frequencies: await readFrequencies(db),
    transfers: await readTransfers(db, rows.transfers),
    bookingRules: await readBookingRules(db, rows.booking_rules),
    shapes: await readShapes(db),
    pathways: await readPathways(db),
    fares: await readFareTables(db, rows),
    onDemand: await readOnDemandTables(db, rows),
  };
}

/** Numbers every headsign, stop headsign, short name and block once: they are few, with millions of uses. */
async function createTexts(db: Duckdb): Promise<void> {
  await db.run(`
    create table texts as
    select (row_number() over (order by text) - 1)::int as text_index, text
    from (
      select trip_headsign as text from all_trips
      union select trip_short_name from all_trips
      union select concat_ws(':', feed_index, block_id) from all_trips where block_id is not null
      union select stop_headsign from all_calls
    )
    where text is not null`);
}

function readAgencies(db: Duckdb, rows: number) {
  return readColumns(
    db,
    { source: ['u16', 'source_index'], agencyId: ['text', 'agency_id'], name: ['text', 'agency_name'] },
    'from all_agencies order by agency_index',
    rows,
  );
}

async function readStops(db: Duckdb, rows: number) {
  const stops = await readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      stopId: ['text', 'stop_id'],
      stopCode: ['text', `coalesce(stop_code, '')`],
      name: ['text', 'stop_name'],
      lat: ['f64', `coalesce(lat, 'nan')`],
      lon: ['f64', `coalesce(lon, 'nan')`],
      station: ['i32', 'station_index'],
      locationType: ['u8', 'location_type'],
      platformCode: ['text', 'platform_code'],
      wheelchairBoarding: ['u8', 'case when wheelchair_boarding between 0 and 2 then wheelchair_boarding else 0 end'],
    },
    'from all_stops order by stop_index',
    rows,
  );
  // A further version may have a station where the version in force has a platform: its station is used.
  return { ...stops, station: stops.station.map((station) => stops.station[station]!) };
}

function readStopTranslations(db: Duckdb, rows: number) {
  return readColumns(
    db,
    { stop: ['i32', 'stop_index'], name: ['text', 'stop_name'] },
    'from all_stop_translations order by stop_index, language, stop_name',
    rows,
  );
}

function readRoutes(db: Duckdb, rows: number) {
  return readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      feed: ['u16', 'feed_index'],
      routeId: ['text', 'route_id'],
      agency: ['i32', 'coalesce(agency_index, -1)'],
      zone: ['text', 'time_zone'],
      shortName: ['text', 'route_short_name'],
      longName: ['text', 'route_long_name'],
      routeType: ['i32', 'route_type'],
      color: ['i32', `coalesce(('0x' || route_color)::int, -1)`],
      textColor: ['i32', `coalesce(('0x' || route_text_color)::int, -1)`],
    },
    'from all_routes order by route_index',
    rows,
  );
}

function readServiceDates(db: Duckdb, rows: number) {
  return readColumns(
    db,
    { service: ['i32', 'service_index'], day: ['i32', `service_date - date '1970-01-01'`] },
    'from all_service_dates order by service_index, service_date',
    rows,
  );
}

function readTrips(db: Duckdb, rows: number) {
  return readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      tripId: ['text', 'trip_id'],
      route: ['i32', 'route_index'],
      service: ['i32', 'service_index'],
      headsign: ['i32', 'coalesce(sign.text_index, -1)'],
      shortName: ['i32', 'coalesce(short.text_index, -1)'],
      block: ['i32', 'coalesce(block.text_index, -1)'],
      direction: ['i8', 'coalesce(direction_id, -1)'],
      shapeKey: ['f64', 'coalesce(shape_key, -1)'],
      wheelchairAccessible: [
        'u8',
        'case when wheelchair_accessible between 0 and 2 then wheelchair_accessible else 0 end',
      ],
      bikesAllowed: ['u8', 'case when bikes_allowed between 0 and 2 then bikes_allowed else 0 end'],
    },
    `from all_trips
     left join texts as sign on sign.text = trip_headsign
     left join texts as short on short.text = trip_short_name
     -- One equality: any further condition would be checked for all pairs of rows.
     left join texts as block on block.text = case when block_id is not null then concat_ws(':', feed_index, block_id) end
     order by trip_index`,
    rows,
  );
}

async function readFrequencies(db: Duckdb): Promise<Frequency[]> {
  const rows = await db.query('select * from all_frequencies order by trip_index, start_seconds');
  return rows.map((row) => ({
    trip: Number(row.trip_index),
    startSeconds: Number(row.start_seconds),
    endSeconds: Number(row.end_seconds),
    headwaySeconds: Number(row.headway_seconds),
    isExact: row.is_exact === true,
  }));
}

/** In the order of `transfers.sql`; -1 where a rule names no stop, route, trip or time. */
function readTransfers(db: Duckdb, rows: number) {
  return readColumns(
    db,
    {
      fromStop: ['i32', 'coalesce(from_stop_index, -1)'],
      toStop: ['i32', 'coalesce(to_stop_index, -1)'],
      fromRoute: ['i32', 'coalesce(from_route_index, -1)'],
      toRoute: ['i32', 'coalesce(to_route_index, -1)'],
      fromTrip: ['i32', 'coalesce(from_trip_index, -1)'],
      toTrip: ['i32', 'coalesce(to_trip_index, -1)'],
      type: ['u8', 'transfer_type'],
      seconds: ['i32', 'coalesce(min_transfer_seconds, -1)'],
    },
    'from all_transfers',
    rows,
  );
}

/** @param numbering of the texts, which only the stop headsigns need */
async function readCalls(db: Duckdb, { calls: rows, call_bookings: bookedRows }: RowCounts, numbering: Promise<void>) {
  const columns = await readColumns(
    db,
    {
      trip: ['i32', 'trip_index'],
      sequence: ['i32', 'stop_sequence'],
      stop: ['i32', 'stop_index'],
      pickupType: ['u8', 'pickup_type'],
      dropOffType: ['u8', 'drop_off_type'],
      arrival: ['i32', 'arrival_seconds'],
      departure: ['i32', 'departure_seconds'],
      isInterpolated: ['u8', 'is_interpolated::int'],
      distance: ['f64', `coalesce(distance, 'nan')`],
    },
    // The Parquet files are in the order of trips and of calls already.
    'from all_calls',
    rows,
  );
  const { sequence, distance, isInterpolated, ...rest } = columns;
  await numbering;
  const headsign = await readSigns(db, rows);
  const { bookings, booking } = await readCallBookings(db, bookedRows, rows);
  const calls = { ...rest, headsign, booking, platform: new Int32Array(rows).fill(-1) };
  return { calls, callSequence: sequence, callDistance: distance, isInterpolated, bookings };
}

/** Few calls have a stop headsign: only those are joined with the texts, so the others need no sorting. */
async function readSigns(db: Duckdb, rows: number): Promise<Int32Array> {
  const [count] = await db.query('select count(stop_headsign)::int as n from all_calls');
  const signs = await readColumns(
    db,
    { call: ['i32', 'call_index'], text: ['i32', 'text_index'] },
    'from all_calls join texts on text = stop_headsign',
    Number(count?.n),
  );
  const headsign = new Int32Array(rows).fill(-1);
  for (let i = 0; i < signs.call.length; i++) headsign[signs.call[i]!] = signs.text[i]!;
  return headsign;
}

/** @throws Error when the calls are not grouped by trip, which the lake guarantees */
function findFirstCalls(tripOfCall: Int32Array, tripCount: number): Int32Array {
  const first = new Int32Array(tripCount + 1);
  for (let call = 0; call < tripOfCall.length; call++) {
    if (call > 0 && tripOfCall[call]! < tripOfCall[call - 1]!) throw new Error('calls are not in the order of trips');
    first[tripOfCall[call]! + 1]!++;
  }
  for (let trip = 0; trip < tripCount; trip++) first[trip + 1]! += first[trip]!;
  return first;
}

/** Points of the used shapes, in order; keys as in the trips. */
async function readShapes(db: Duckdb) {
  const from = 'from all_shapes where shape_key in (select shape_key from all_trips)';
  const [count] = await db.query(`select count(*)::int as n ${from}`);
  return readColumns(
    db,
    {
      key: ['f64', 'shape_key'],
      lat: ['f64', 'lat'],
      lon: ['f64', 'lon'],
      distance: ['f64', `coalesce(distance, 'nan')`],
    },
    `${from} order by shape_key, point_sequence`,
    Number(count?.n),
  );
}
