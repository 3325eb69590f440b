import type { Instant } from '../model/service-time.ts';
import type { AddedTrip, SourceMemory, TripMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** A trip that has ended is of interest to those who look at its journey a little longer. */
const KEPT_SECONDS = 3600;
/** No vehicle is shown that was seen longer ago; one that comes back is a new sighting. */
const VEHICLE_SECONDS = 15 * 60;

/** Lets go of what is over, so that the memory holds a day's traffic and not a year's. */
export function forgetOld(source: SourceMemory, planned: PlannedCalls, now: Instant): void {
  for (const [name, trip] of source.trips) {
    if (endOf(trip, planned) + KEPT_SECONDS < now && trip.seenAt + KEPT_SECONDS < now) source.trips.delete(name);
  }
  for (const [name, trip] of source.added) {
    if (endOfAdded(trip) + KEPT_SECONDS < now) source.added.delete(name);
  }
  for (const [id, vehicle] of source.vehicles) {
    if (vehicle.observedAt + VEHICLE_SECONDS < now) source.vehicles.delete(id);
  }
}

function endOf({ trip, day, calls }: TripMemory, planned: PlannedCalls): number {
  const last = planned.callCount(trip) - 1;
  return Math.max(planned.arrival(trip, day, last), calls[last]?.arrival ?? 0);
}

function endOfAdded({ calls }: AddedTrip): number {
  return Math.max(
    ...calls.map(({ arrival, departure, scheduledArrival, scheduledDeparture }) =>
      Math.max(arrival, departure, scheduledArrival, scheduledDeparture),
    ),
  );
}
