import { findTripByKey } from '../snapshots/contract.ts';
import { nameDated, type SourceMemory, type TripMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/**
 * Goes over to a new timetable: rows have moved, keys have not. What is not the same trip any more is let go; the next
 * answers say it anew.
 * @returns dated trips that were let go
 */
export function moveToTimetable(source: SourceMemory, before: PlannedCalls, after: PlannedCalls): number {
  const moved = new Map<string, TripMemory>();
  const names = new Map<string, string>();
  let lost = 0;
  for (const [name, memory] of source.trips) {
    const trip = findSameTrip(memory.trip, memory.day, before, after);
    if (trip === null) {
      lost += 1;
      continue;
    }
    memory.trip = trip;
    const next = nameDated(trip, memory.day);
    moved.set(next, memory);
    names.set(name, next);
  }
  source.trips.clear();
  for (const [name, memory] of moved) source.trips.set(name, memory);
  // Rows of stops and routes have moved too; what names them is told anew by the next answer.
  source.added.clear();
  source.vehicles.clear();
  for (const [part, mentioned] of source.mentioned) {
    const moved = [...mentioned].flatMap(([name, place]) => {
      const next = names.get(name);
      return next === undefined ? [] : [[next, place] as const];
    });
    source.mentioned.set(part, new Map(moved));
  }
  return lost;
}

function findSameTrip(trip: number, day: number, before: PlannedCalls, after: PlannedCalls): number | null {
  const found = findTripByKey(after.tables, before.tables.trips.key[trip]!);
  if (found === null || after.callCount(found) !== before.callCount(trip)) return null;
  for (let position = 0; position < before.callCount(trip); position++) {
    const isSame =
      before.departure(trip, day, position) === after.departure(found, day, position) &&
      getStopId(before, trip, position) === getStopId(after, found, position);
    if (!isSame) return null;
  }
  return found;
}

function getStopId(planned: PlannedCalls, trip: number, position: number): string {
  return planned.tables.stops.stopId.get(planned.stop(trip, position));
}
