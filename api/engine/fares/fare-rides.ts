import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { OtherRide } from './other-rides.ts';

/** A half-open range of rows of a table. */
interface RowRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Finds the rows with given values in the columns by which their table is sorted.
 * @param columns the first of these columns, in their order
 * @param key one value for each
 */
export function findRows(columns: readonly ArrayLike<number>[], key: readonly number[]): RowRange {
  return { first: findFirst(columns, key, 0), end: findFirst(columns, key, 1) };
}

/** The first row whose comparison with the key is at least `least`: 0 is equal, 1 is greater. */
function findFirst(columns: readonly ArrayLike<number>[], key: readonly number[], least: 0 | 1): number {
  return partitionPoint(0, columns[0]!.length, (row) => compareRow(columns, row, key) < least);
}

function compareRow(columns: readonly ArrayLike<number>[], row: number, key: readonly number[]): number {
  for (let i = 0; i < key.length; i++) {
    const difference = columns[i]![row]! - key[i]!;
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** A ride on one trip, with what fares depend on. */
export interface FareLeg {
  /** Row of the timetable's trips, or -1. */
  readonly trip: number;
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Rows of the timetable's stops from boarding to alighting inclusive, -1 where unknown. */
  readonly stops: readonly number[];
  readonly departure: Instant;
  readonly arrival: Instant;
  /** The vehicle of the previous ride continues as this trip, so that passengers stay on board. */
  readonly isStaying: boolean;
  /** The same ride as publishers of duplicates have it, for where no fare of the trip's own feed is known. */
  readonly listOthers?: () => readonly OtherRide[];
}

/** The unit of fares: a ride on one vehicle, or on several that a feed's rules join. */
export interface FareRide {
  readonly feed: number;
  /** Index of its first leg. */
  readonly leg: number;
  /** Route of each of its trips. */
  readonly routes: readonly number[];
  readonly stops: readonly number[];
  readonly departure: Instant;
  readonly arrival: Instant;
}

/** A ticket bought for a trip. */
export interface Purchase {
  /** Index of the leg with which it is bought. */
  readonly leg: number;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
}

/**
 * Joins legs between which passengers stay on board.
 * @returns null when the feed of a leg is unknown: neither its trip nor its route is in the timetable
 */
export function listRides(tables: TimetableTables, legs: readonly FareLeg[]): FareRide[] | null {
  const rides: FareRide[] = [];
  for (const [leg, { stops, departure, arrival, isStaying, trip, route: known }] of legs.entries()) {
    const route = findRoute(tables, { trip, route: known });
    if (route < 0) return null;
    const ride = { feed: tables.routes.feed[route]!, leg, routes: [route], stops, departure, arrival };
    const before = rides.at(-1);
    if (before && isStaying && before.feed === ride.feed) rides.splice(-1, 1, joinRides(before, ride));
    else rides.push(ride);
  }
  return rides;
}

function findRoute({ trips, patterns }: TimetableTables, { trip, route }: { trip: number; route: number }): number {
  if (route >= 0 || trip < 0) return route;
  return patterns.route[trips.pattern[trip]!]!;
}

/** Merges two consecutive rides. */
export function joinRides(first: FareRide, second: FareRide): FareRide {
  return {
    ...first,
    routes: [...first.routes, ...second.routes],
    stops: [...first.stops, ...second.stops],
    arrival: second.arrival,
  };
}
