import type { Instant } from '../model/service-time.ts';
import { runsOn } from '../snapshots/contract.ts';
import { tripFlags } from '../snapshots/realtime-contract.ts';
import { placeStop } from './added-calls.ts';
import { placeVehicle } from './apply-vehicle.ts';
import { nameDated, type SourceMemory, type TripMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { moveResolved } from './resolved-trips.ts';
import type { UpdateContext } from './update-run.ts';

/**
 * Goes over to a new timetable: rows have moved, keys have not, and what was said of other places is looked up again.
 * A trip that is not the same any more is let go; the next answers say it anew.
 * @returns dated trips that were let go
 */
export function moveToTimetable(source: SourceMemory, before: PlannedCalls, next: UpdateContext): number {
  let lost = 0;
  for (const [name, memory] of source.trips) {
    const trip = findSameTrip(memory, before, next.planned);
    if (trip !== null) memory.trip = trip;
    else {
      lost += 1;
      source.trips.delete(name);
      if ((memory.flags & tripFlags.replaced) !== 0) source.added.delete(nameDated(memory));
    }
  }
  moveResolved(source, next.planned);
  lookUpPlaces(source, next);
  return lost;
}

function findSameTrip({ key, trip, day }: TripMemory, before: PlannedCalls, after: PlannedCalls): number | null {
  const found = after.findTrip(key, day);
  if (found === null || after.callCount(found) !== before.callCount(trip)) return null;
  if (!runsOn(after.tables, after.tables.trips.service[found]!, day)) return null;
  const [old, plan] = [before.plan(trip, day), after.plan(found, day)];
  for (let position = 0; position < plan.callCount; position++) {
    const isSame =
      old.at(position, 'arrival') === plan.at(position, 'arrival') &&
      old.at(position, 'departure') === plan.at(position, 'departure') &&
      getStopId(before, trip, position) === getStopId(after, found, position);
    if (!isSame) return null;
  }
  return found;
}

function getStopId(planned: PlannedCalls, trip: number, position: number): string {
  return planned.tables.stops.stopId.get(planned.stop(trip, position));
}

/** What names places of the timetable in its publisher's words finds them in the new one. */
function lookUpPlaces(source: SourceMemory, next: UpdateContext): void {
  const { planned, matcher, timetableSource } = next;
  const { trips, patterns } = planned.tables;
  const at = (now: number) => ({ timetableSource, now: now as Instant });
  for (const trip of source.added.values()) {
    const base = trip.basedOn === null ? null : planned.findTrip(trip.basedOn, trip.day);
    const named = matcher.matchRoute(trip.name, at(trip.seenAt));
    trip.route = named ?? (base === null ? -1 : patterns.route[trips.pattern[base]!]!);
    for (const call of trip.calls) call.stop = placeStop(call.place, matcher, at(trip.seenAt), planned).stop;
  }
  for (const [id, vehicle] of source.vehicles) {
    const place = placeVehicle(source, vehicle.report, next, vehicle.observedAt);
    source.vehicles.set(id, { ...vehicle, place });
  }
  for (const part of source.parts.values()) {
    part.alerts = part.alerts.map(({ alert }) => ({ alert, places: matcher.matchAlert(alert, at(part.answeredAt)) }));
  }
}
