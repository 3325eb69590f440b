import type { CallSighting } from '../model/observation.ts';
import type { EpochDay, Instant } from '../model/service-time.ts';
import { callFlags } from '../snapshots/realtime-contract.ts';
import { type AddedTrip, type CallMemory, OBSERVED, type TripMemory, UNKNOWN } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** What a source says of one event of a trip of the timetable. */
export function toSighting(
  planned: PlannedCalls,
  memory: TripMemory,
  position: number,
  event: 'arrival' | 'departure',
  call: CallMemory,
  channel: CallSighting['channel'],
): CallSighting {
  const { trips, patterns, routes, stops } = planned.tables;
  const { trip, day } = memory;
  const route = patterns.route[trips.pattern[trip]!]!;
  return {
    tripKey: trips.key[trip]!,
    day: day as EpochDay,
    tripId: trips.tripId.get(trip),
    routeId: routes.routeId.get(route),
    lineLabel: routes.label.get(route),
    position,
    stopId: stops.stopId.get(planned.stop(trip, position)),
    event,
    channel,
    scheduledTime: planned[event](trip, day, position) as Instant,
    ...describeEvent(call, event),
    recordedAt: (memory.recordedAt || null) as Instant | null,
  };
}

/** What a source says of one event of a trip that the timetable does not hold. */
export function toAddedSighting(trip: AddedTrip, position: number, event: 'arrival' | 'departure'): CallSighting {
  const call = trip.calls[position]!;
  const scheduled = event === 'arrival' ? call.scheduledArrival : call.scheduledDeparture;
  return {
    tripKey: trip.key,
    day: trip.day as EpochDay,
    tripId: trip.tripId,
    routeId: trip.routeId,
    lineLabel: trip.label,
    position,
    stopId: call.stopId,
    event,
    channel: 'stop_events',
    scheduledTime: (scheduled || null) as Instant | null,
    ...describeEvent(call, event),
    recordedAt: (trip.recordedAt || null) as Instant | null,
  };
}

function describeEvent(call: CallMemory, event: 'arrival' | 'departure') {
  const evidence = call[`${event}Evidence`];
  return {
    time: (call[event] || null) as Instant | null,
    evidence:
      evidence === OBSERVED
        ? ('observed_actual' as const)
        : evidence === UNKNOWN
          ? ('unknown' as const)
          : ('forecast' as const),
    isCancelled: (call.flags & callFlags.cancelled) !== 0,
    platform: call.platform,
  };
}
