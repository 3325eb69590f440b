import type { Product } from '../../../pipeline/model/product.ts';
import { comparePoints, type NaiveTrip, type Row, readNaiveTimetable, readRows, seconds } from './naive-timetable.ts';

/**
 * The input of the naive planner: the rows of a feed, read independently and without optimisation. It shares only the
 * text of the feed with the service.
 */
export interface NaivePlanFeed {
  readonly stops: readonly NaiveStop[];
  /** Position in `stops` by stop_id. */
  readonly stopAt: ReadonlyMap<string, number>;
  readonly trips: readonly NaivePlanTrip[];
  readonly tripById: ReadonlyMap<string, NaivePlanTrip>;
  /** Rows of transfers.txt; of equally specific ones the first counts. */
  readonly transfers: readonly NaiveTransfer[];
  readonly productOf: (routeId: string) => Product;
}

export interface NaiveStop {
  readonly id: string;
  /** Degrees; NaN where unknown. */
  readonly lat: number;
  readonly lon: number;
  /** The station, or the stop itself: position in `stops`. */
  readonly station: number;
  /** Whether wheelchair_boarding excludes wheelchairs. */
  readonly isClosedToWheelchairs: boolean;
  /** Whether any trip calls here. */
  readonly isServed: boolean;
}

export interface NaivePlanTrip {
  readonly naive: NaiveTrip;
  readonly routeId: string;
  readonly isClosedToWheelchairs: boolean;
  /** Whether bikes_allowed excludes bicycles. */
  readonly isClosedToBikes: boolean;
  readonly calls: readonly NaivePlanCall[];
}

/** Times are service times of the row, in seconds. */
interface NaivePlanCall {
  readonly stop: number;
  readonly arrival: number;
  readonly departure: number;
  readonly mayBoard: boolean;
  readonly mayAlight: boolean;
}

/** A rule of transfers.txt; a field is null if the rule does not restrict it. */
export interface NaiveTransfer {
  readonly fromStop: string | null;
  readonly toStop: string | null;
  readonly fromRoute: string | null;
  readonly toRoute: string | null;
  readonly fromTrip: string | null;
  readonly toTrip: string | null;
  readonly type: number;
  readonly minSeconds: number | null;
}

/** @param files text by file name; every call has times */
export function readPlanFeed(
  files: ReadonlyMap<string, string>,
  productOf: (routeId: string) => Product = () => 'other',
): NaivePlanFeed {
  const timetable = readNaiveTimetable(files);
  const stopAt = new Map(timetable.stopIds.map((id, at) => [id, at]));
  const trips = timetable.trips.map((trip) => readTrip(trip, stopAt));
  const served = new Set(trips.flatMap(({ calls }) => calls.map(({ stop }) => stop)));
  return {
    stops: timetable.stopIds.map((id, at) => readStop(timetable.stops, stopAt, id, served.has(at))),
    stopAt,
    trips,
    tripById: new Map(trips.map((trip) => [trip.naive.id, trip])),
    transfers: readTransfers(files, timetable.stops, trips),
    productOf,
  };
}

function readTrip(trip: NaiveTrip, stopAt: ReadonlyMap<string, number>): NaivePlanTrip {
  const last = trip.calls.length - 1;
  const calls = trip.calls.map((row, place): NaivePlanCall => {
    const [arrival, departure] = [row.arrival_time || row.departure_time!, row.departure_time || row.arrival_time!];
    return {
      stop: stopAt.get(row.stop_id!)!,
      arrival: seconds(arrival),
      departure: seconds(departure),
      mayBoard: place < last && row.pickup_type !== '1',
      mayAlight: place > 0 && row.drop_off_type !== '1',
    };
  });
  const isClosedToWheelchairs = trip.row.wheelchair_accessible === '2';
  const isClosedToBikes = trip.row.bikes_allowed === '2';
  return { naive: trip, routeId: trip.row.route_id!, isClosedToWheelchairs, isClosedToBikes, calls };
}

function readStop(
  rows: ReadonlyMap<string, Row>,
  stopAt: ReadonlyMap<string, number>,
  id: string,
  isServed: boolean,
): NaiveStop {
  const row = rows.get(id)!;
  const parent = rows.get(row.parent_station ?? '');
  // A boarding area belongs to a platform, and the platform to a station.
  const station = rows.get(parent?.parent_station ?? '') ?? parent ?? row;
  const own = ['1', '2'].includes(row.wheelchair_boarding ?? '') ? row : parent;
  return {
    id,
    lat: readDegrees(row.stop_lat),
    lon: readDegrees(row.stop_lon),
    station: stopAt.get(station.stop_id!)!,
    isClosedToWheelchairs: own?.wheelchair_boarding === '2',
    isServed,
  };
}

function readDegrees(text: string | undefined): number {
  return text ? Number(text) : Number.NaN;
}

// ---- transfers.txt -----------------------------------------------------------------------------

function readTransfers(
  files: ReadonlyMap<string, string>,
  stops: ReadonlyMap<string, Row>,
  trips: readonly NaivePlanTrip[],
): NaiveTransfer[] {
  const routeIds = new Set(readRows(files, 'routes.txt').map((row) => row.route_id!));
  const tripIds = new Set(trips.map(({ naive }) => naive.id));
  const isKnown = (rule: NaiveTransfer) =>
    [rule.fromStop, rule.toStop].every((id) => id === null || stops.has(id)) &&
    [rule.fromRoute, rule.toRoute].every((id) => id === null || routeIds.has(id)) &&
    [rule.fromTrip, rule.toTrip].every((id) => id === null || tripIds.has(id));
  const isWhole = ({ type, fromStop, toStop, fromTrip, toTrip }: NaiveTransfer) =>
    type >= 4 ? fromTrip !== null && toTrip !== null : fromStop !== null && toStop !== null;
  return readRows(files, 'transfers.txt')
    .map(readTransfer)
    .filter((rule) => isKnown(rule) && isWhole(rule))
    .sort(compareTransfers);
}

function readTransfer(row: Row): NaiveTransfer {
  return {
    fromStop: row.from_stop_id || null,
    toStop: row.to_stop_id || null,
    fromRoute: row.from_route_id || null,
    toRoute: row.to_route_id || null,
    fromTrip: row.from_trip_id || null,
    toTrip: row.to_trip_id || null,
    type: Number(row.transfer_type || '0'),
    minSeconds: row.min_transfer_time ? Number(row.min_transfer_time) : null,
  };
}

/** Sorted like the typed table: column by column, nulls last. */
function compareTransfers(a: NaiveTransfer, b: NaiveTransfer): number {
  return (
    compareIds(a.fromStop, b.fromStop) ||
    compareIds(a.toStop, b.toStop) ||
    compareIds(a.fromRoute, b.fromRoute) ||
    compareIds(a.toRoute, b.toRoute) ||
    compareIds(a.fromTrip, b.fromTrip) ||
    compareIds(a.toTrip, b.toTrip) ||
    a.type - b.type ||
    (a.minSeconds ?? Number.MAX_SAFE_INTEGER) - (b.minSeconds ?? Number.MAX_SAFE_INTEGER)
  );
}

function compareIds(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return comparePoints(a, b);
}
