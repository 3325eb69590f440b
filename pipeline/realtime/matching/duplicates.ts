import { getShownTrip, type TripOfDay } from '../../snapshots/timetable-lookups.ts';
import { alignCalls } from '../../timetable/merging/find-duplicates.ts';
import { callCountOf, dayStartOf, stopAt, type TimetableIndex, timeRow } from './timetable-index.ts';

/** Dated trips of which several may be the same one: that which is shown, else the first. */
export function mergeDuplicates<Found extends { readonly trip: number; readonly day: number }>(
  { tables }: TimetableIndex,
  found: readonly Found[],
): readonly Found[] {
  if (found.length < 2 || tables.duplicates.trip.length === 0) return found;
  const byShown = new Map<string, Found>();
  for (const one of found) {
    const shown = getShownTrip(tables, one.trip, one.day);
    const name = `${shown.trip} ${shown.day}`;
    if (shown.trip === one.trip || !byShown.has(name)) byShown.set(name, one);
  }
  return [...byShown.values()];
}

/**
 * The calls of a duplicate in the trip that is shown for it.
 * @returns positions in `shown` by position in `trip`, -1 for a call that the trip does not have
 */
export function alignDuplicate(index: TimetableIndex, shown: TripOfDay, { trip, day }: TripOfDay): Int32Array {
  const pair = [shown.trip, trip];
  const counts = pair.map((each) => callCountOf(index.tables, each));
  const column = (read: (each: number, position: number) => number) =>
    Int32Array.from(
      pair.flatMap((each, i) => Array.from({ length: counts[i]! }, (_, position) => read(each, position))),
    );
  // The service days of trips in two time zones, or under two dates, begin at different instants.
  const shift = dayStartOf(index, trip, day) - dayStartOf(index, shown.trip, shown.day);
  const timeOf = (event: 'arrival' | 'departure') => (each: number, position: number) =>
    index.tables.times[event][timeRow(index.tables, each, position)]! + (each === trip ? shift : 0);
  const positions = alignCalls(
    {
      firstCall: Int32Array.from([0, counts[0]!, counts[0]! + counts[1]!]),
      station: column((each, position) => index.tables.stops.station[stopAt(index.tables, each, position)]!),
      arrival: column(timeOf('arrival')),
      departure: column(timeOf('departure')),
    },
    { shown: 0, other: 1, shiftSeconds: 0 },
  );
  return positions ?? new Int32Array(counts[1]!).fill(-1);
}
