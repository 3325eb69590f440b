import type { CallSighting } from '../model/observation.ts';
import type { Instant } from '../model/service-time.ts';
import { findTripByKey } from '../snapshots/contract.ts';
import { callFlags, tripFlags } from '../snapshots/realtime-contract.ts';
import { getCall } from './apply-trip.ts';
import { createTripMemory, FORECAST, nameDated, OBSERVED, type SourceMemory, UNKNOWN } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** No part of its name: whatever a real part says takes its place, and it withdraws nothing. */
const RESTORED = '';

/** Takes up the newest sightings of before a restart, so that what has not changed is not told a second time. */
export function restoreSightings(
  source: SourceMemory,
  sightings: Iterable<CallSighting & { readonly lastSeenAt: Instant }>,
  planned: PlannedCalls,
): void {
  for (const sighting of sightings) {
    const trip = findTripByKey(planned.tables, sighting.tripKey);
    // A trip that is not in the timetable is told anew by the next answer.
    if (trip === null || sighting.position >= planned.callCount(trip)) continue;
    const name = nameDated(trip, sighting.day);
    const memory = source.trips.get(name) ?? createTripMemory(trip, sighting.day);
    source.trips.set(name, memory);
    memory.seenAt = Math.max(memory.seenAt, sighting.lastSeenAt);
    memory.recordedAt = Math.max(memory.recordedAt, sighting.recordedAt ?? 0);
    restoreCall(memory, sighting);
  }
}

function restoreCall(
  memory: ReturnType<typeof createTripMemory>,
  {
    position,
    event,
    time,
    evidence,
    isCancelled,
    platform,
    lastSeenAt,
    channel,
  }: CallSighting & { lastSeenAt: Instant },
): void {
  const call = getCall(memory, position, RESTORED);
  call[event] = time ?? 0;
  call[`${event}Evidence`] = evidence === 'observed_actual' ? OBSERVED : evidence === 'forecast' ? FORECAST : UNKNOWN;
  if (event === 'arrival') call.isArrivalSaid = true;
  else call.isDepartureSaid = true;
  call.platform = platform;
  call.seenAt = Math.max(call.seenAt, lastSeenAt);
  if (channel === 'positions') call.flags |= callFlags.fromPosition;
  if (!isCancelled) return;
  call.flags |= callFlags.cancelled;
  memory.flags |= tripFlags.partlyCancelled;
}
