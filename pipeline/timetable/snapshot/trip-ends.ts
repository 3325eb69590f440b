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
  const { stops, routes } = feeds;
  const { name, names } = nameTrips(feeds, listProducts(feeds));
  const count = runOrder.length;
  const column = () => new Int32Array(count);
  const ends = {
    service: trips.service,
    block: trips.block,
    isRepeated: Uint8Array.from(trips.frequencyStart, (start) => Number(start >= 0)),
    firstStation: column(),
    lastStation: column(),
    secondStation: column(),
    lastButOneStation: column(),
    firstDeparture: column(),
    lastArrival: column(),
    source: new Uint16Array(count),
    zone: new Array<string>(count),
    direction: trips.direction,
    name: column(),
    names,
    trip: column(),
  };
  for (let row = 0; row < count; row++) {
    const trip = runs.trip[runOrder[row]!]!;
    const pattern = trips.pattern[row]!;
    const route = patterns.route[pattern]!;
    const firstCall = patterns.firstCall[pattern]!;
    const lastCall = firstCall + patterns.callCount[pattern]! - 1;
    const firstTime = getTimeRow({ patterns }, pattern, row);
    ends.firstStation[row] = stops.station[patternCalls.stop[firstCall]!]!;
    ends.secondStation[row] = stops.station[patternCalls.stop[firstCall + 1]!]!;
    ends.lastButOneStation[row] = stops.station[patternCalls.stop[lastCall - 1]!]!;
    ends.lastStation[row] = stops.station[patternCalls.stop[lastCall]!]!;
    ends.firstDeparture[row] = times.departure[firstTime]!;
    ends.lastArrival[row] = times.arrival[firstTime + lastCall - firstCall]!;
    ends.source[row] = routes.source[route]!;
    ends.zone[row] = routes.zone[route]!;
    ends.name[row] = name[trip]!;
    ends.trip[row] = trip;
  }
  return ends;
}
