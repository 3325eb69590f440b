import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { getTimeRow } from '../../snapshots/timetable-lookups.ts';
import type { Runs } from '../feed/patterns.ts';
import type { TripLabel } from '../merging/name-trips.ts';
import type { MergedColumns } from './merged-columns.ts';
import { listProducts, nameTrips } from './named-trips.ts';

export interface Continuation {
  readonly fromTrip: number;
  readonly toTrip: number;
  readonly dayOffset: number;
  /** Row of the services. */
  readonly service: number;
  readonly isDerived: boolean;
}

/** The facts on which continuations depend, by row of the snapshot's trips. */
export interface TripEnds {
  readonly service: Int32Array;
  readonly block: Int32Array;
  /** 1 for a trip of a frequency, which has no continuation. */
  readonly isRepeated: Uint8Array;
  readonly firstStation: Int32Array;
  readonly lastStation: Int32Array;
  readonly secondStation: Int32Array;
  readonly lastButOneStation: Int32Array;
  readonly firstDeparture: Int32Array;
  readonly lastArrival: Int32Array;
  readonly source: Uint16Array;
  readonly zone: readonly string[];
  readonly direction: Int8Array;
  /** Row of `names`. */
  readonly name: Int32Array;
  readonly names: readonly TripLabel[];
  /** Number of the trip in the order of its feed, which is that of trip ids. */
  readonly trip: Int32Array;
}

/** Transfer rules of types 4 and 5. */
export interface TripRules {
  /** Rows of trips, both of them without frequencies. */
  readonly linked: readonly (readonly [from: number, to: number])[];
  readonly isParted: (from: number, to: number) => boolean;
  /**
   * Whether a type 4 rule names the continuation of the first or the predecessor of the second; blocks are then
   * ignored.
   */
  readonly isLinked: (from: number, to: number) => boolean;
}

export function findTripEnds(
  feeds: MergedColumns,
  runs: Runs,
  runOrder: Int32Array,
  { patterns, patternCalls, times, trips }: Pick<TimetableTables, 'patterns' | 'patternCalls' | 'times' | 'trips'>,
): TripEnds {
  const firstCall = (trip: number) => patterns.firstCall[trips.pattern[trip]!]!;
  const lastOffset = (trip: number) => patterns.callCount[trips.pattern[trip]!]! - 1;
  const firstTime = (trip: number) => getTimeRow({ patterns }, trips.pattern[trip]!, trip);
  const { stops, routes } = feeds;
  const rows = Int32Array.from(runOrder.keys());
  const tripOfRow = runOrder.map((run) => runs.trip[run]!);
  const routeOfRow = rows.map((trip) => patterns.route[trips.pattern[trip]!]!);
  const stationAt = (trip: number, offset: number) => stops.station[patternCalls.stop[firstCall(trip) + offset]!]!;
  const { name, names } = nameTrips(feeds, listProducts(feeds));
  return {
    service: trips.service,
    block: trips.block,
    isRepeated: Uint8Array.from(trips.frequencyStart, (start) => Number(start >= 0)),
    firstStation: rows.map((trip) => stationAt(trip, 0)),
    lastStation: rows.map((trip) => stationAt(trip, lastOffset(trip))),
    secondStation: rows.map((trip) => stationAt(trip, 1)),
    lastButOneStation: rows.map((trip) => stationAt(trip, lastOffset(trip) - 1)),
    firstDeparture: rows.map((trip) => times.departure[firstTime(trip)]!),
    lastArrival: rows.map((trip) => times.arrival[firstTime(trip) + lastOffset(trip)]!),
    source: Uint16Array.from(routeOfRow, (route) => routes.source[route]!),
    zone: Array.from(routeOfRow, (route) => routes.zone[route]!),
    direction: trips.direction,
    name: tripOfRow.map((trip) => name[trip]!),
    names,
    trip: tripOfRow,
  };
}
