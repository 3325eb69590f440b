import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';

/** A ride as the publisher of a duplicate has it. */
export interface OtherRide {
  /** Row of the timetable's routes. */
  readonly route: number;
  readonly stops: readonly number[];
}

/**
 * The ride on the duplicates of its trip: their feeds may have fares where that of the shown trip has none.
 * @param stops of the ride on the shown trip; a call that the duplicate leaves out is not one of its stops
 */
export function listOtherRides(
  tables: TimetableTables,
  trip: number,
  day: number,
  stops: readonly number[],
): OtherRide[] {
  const { duplicates, trips, patterns } = tables;
  const rides: OtherRide[] = [];
  for (
    let row = duplicates.shownTrip.indexOf(trip);
    trip >= 0 && row >= 0;
    row = duplicates.shownTrip.indexOf(trip, row + 1)
  ) {
    if (!runsOn(tables, duplicates.service[row]!, day - duplicates.dayOffset[row]!)) continue;
    const pattern = trips.pattern[duplicates.trip[row]!]!;
    const own = followStops(tables, pattern, stops);
    if (own !== null) rides.push({ route: patterns.route[pattern]!, stops: own });
  }
  return rides;
}

/** @returns null where the pattern leaves out an end of the ride */
function followStops(
  { patterns, patternCalls, stops }: TimetableTables,
  pattern: number,
  ride: readonly number[],
): number[] | null {
  const found: number[] = [];
  const end = patterns.firstCall[pattern]! + patterns.callCount[pattern]!;
  let next = patterns.firstCall[pattern]!;
  for (const [i, stop] of ride.entries()) {
    let call = next;
    while (call < end && stops.station[patternCalls.stop[call]!] !== stops.station[stop]) call++;
    if (call < end) {
      found.push(patternCalls.stop[call]!);
      next = call + 1;
    } else if (i === 0 || i === ride.length - 1) return null;
  }
  return found;
}
