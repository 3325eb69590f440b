import type { Line } from '../contract/definitions.ts';
import { getAddedDirection, getAddedLine } from './added-trips.ts';
import { getDirection } from './present.ts';
import type { Published } from './realtime.ts';

/**
 * The line of a dated trip, whoever speaks of it, and where it says that it goes.
 * @param run row of the timetable's trips, or -1; then `addedTrip` is one of the added trips
 * @param position call at which the sign is read
 */
export function describeRun(
  published: Published,
  { trip, addedTrip }: { readonly trip: number; readonly addedTrip: number },
  position: number,
): { line: Line; direction: string } {
  if (trip < 0) {
    return { line: getAddedLine(published, addedTrip), direction: getAddedDirection(published, addedTrip) };
  }
  const { timetable } = published;
  const pattern = timetable.tables.trips.pattern[trip]!;
  return {
    line: timetable.lines.get(timetable.tables.patterns.route[pattern]!),
    direction: getDirection(timetable, pattern, position, trip),
  };
}
