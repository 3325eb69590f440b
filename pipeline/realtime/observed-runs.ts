import type { ObservedRun } from '../model/observed-run.ts';
import { type Instant, zoneOffsetSeconds } from '../model/service-time.ts';
import { callFlags, tripFlags } from '../snapshots/realtime-contract.ts';
import { isCancelled } from './call-events.ts';
import { type CallMemory, OBSERVED, type TripMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

const SECONDS_PER_DAY = 86_400;

/**
 * What a source has observed of a trip, beside its plan.
 * @returns null where it has observed nothing, or says that the trip does not run
 */
export function describeObserved(planned: PlannedCalls, memory: TripMemory): ObservedRun | null {
  const isAway = (memory.flags & (tripFlags.deleted | tripFlags.replaced)) !== 0;
  if (isAway || !memory.calls.some((call) => call && isObservedCall(call))) return null;
  const { trips, patterns, routes, stops, zones } = planned.tables;
  const { trip, day, calls } = memory;
  const plan = planned.plan(trip, day);
  const route = patterns.route[trips.pattern[trip]!]!;
  const departure = plan.at(0, 'departure') as Instant;
  const column = (read: (position: number) => number) =>
    Float64Array.from({ length: plan.callCount }, (_, position) => read(position));
  const observed = (event: 'arrival' | 'departure') =>
    column((position) => {
      const call = calls[position];
      return call && !isCancelled(call) && call[event].evidence === OBSERVED ? call[event].time : Number.NaN;
    });
  return {
    tripKey: memory.key,
    day,
    tripId: trips.tripId.get(trip),
    routeId: routes.routeId.get(route),
    departureOfDay:
      departure + zoneOffsetSeconds(zones.name.get(routes.zone[route]!), departure) - day * SECONDS_PER_DAY,
    stopIds: Array.from({ length: plan.callCount }, (_, position) => stops.stopId.get(planned.stop(trip, position))),
    scheduledArrival: column((position) => plan.at(position, 'arrival')),
    scheduledDeparture: column((position) => plan.at(position, 'departure')),
    arrival: observed('arrival'),
    departure: observed('departure'),
    isFromPosition: Uint8Array.from({ length: plan.callCount }, (_, position) =>
      ((calls[position]?.flags ?? 0) & callFlags.fromPosition) === 0 ? 0 : 1,
    ),
  };
}

function isObservedCall({ arrival, departure }: CallMemory): boolean {
  return arrival.evidence === OBSERVED || departure.evidence === OBSERVED;
}
