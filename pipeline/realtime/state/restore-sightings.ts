import { type CallSighting, OBSERVED } from '../../model/observation.ts';
import { products } from '../../model/product.ts';
import type { StopName } from '../../model/realtime.ts';
import { callFlags, tripFlags } from '../../snapshots/realtime-contract.ts';
import { callInstant, placeStop } from './added-calls.ts';
import { rememberEmitted } from './emitted-sightings.ts';
import {
  type AddedCall,
  type CallMemory,
  cancelEvent,
  createCallMemory,
  createTripMemory,
  type DatedTripRef,
  datedTripKey,
  getPart,
  liftCancellation,
  type RestoredSighting,
  type SourceMemory,
  setReported,
  setSeen,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { UpdateContext } from './update-run.ts';

/**
 * Restores what was emitted before a restart, so that it is not emitted again and holds until the next answers. Called
 * again when the latest sightings could not be stored: then only those are forgotten.
 * @param sightings the newest of each key; in no order
 */
export function restoreSightings(
  source: SourceMemory,
  sightings: Iterable<RestoredSighting>,
  { planned, matcher, timetableSource }: UpdateContext,
): void {
  source.emitted.clear();
  const isKnown = new Set([...source.trips.keys(), ...source.added.keys()]);
  const unplanned = new Map<string, RestoredSighting[]>();
  for (const sighting of sightings) {
    const dated = { key: sighting.tripKey, day: sighting.day };
    const name = datedTripKey(dated);
    rememberEmitted(source, sighting, sighting.lastSeenAt);
    // A part that reports vehicles does not count as reporting their trips.
    const isMentioned = sighting.channel === 'stop_events';
    if (isMentioned) getPart(source, sighting.part).mentioned.set(name, { ...dated, place: '' });
    if (isKnown.has(name)) continue;
    const trip = planned.findTrip(sighting.tripKey, sighting.day);
    if (trip === null) append(unplanned, name, sighting);
    // A call that differs from the plan is known again from the next answer on.
    else if (isAsPlanned(sighting, trip, planned)) restoreCall(source, dated, trip, sighting);
  }
  for (const sightings of unplanned.values()) {
    restoreAdded(source, sightings, (place) =>
      placeStop(place, matcher, { timetableSource, now: sightings[0]!.lastSeenAt }, planned),
    );
  }
}

function append(lists: Map<string, RestoredSighting[]>, name: string, sighting: RestoredSighting): void {
  const list = lists.get(name);
  if (list) list.push(sighting);
  else lists.set(name, [sighting]);
}

function isAsPlanned({ day, position, event, scheduledTime }: CallSighting, trip: number, planned: PlannedCalls) {
  return position < planned.callCount(trip) && planned.plan(trip, day).at(position, event) === scheduledTime;
}

function restoreCall(source: SourceMemory, dated: DatedTripRef, trip: number, sighting: RestoredSighting): void {
  const memory = source.trips.get(datedTripKey(dated)) ?? createTripMemory(dated, trip);
  source.trips.set(datedTripKey(dated), memory);
  memory.seenAt = Math.max(memory.seenAt, sighting.lastSeenAt);
  memory.recordedAt = Math.max(memory.recordedAt, sighting.recordedAt ?? 0);
  const call = memory.calls[sighting.position] ?? createCallMemory(sighting.part);
  memory.calls[sighting.position] = call;
  restoreEvent(call, sighting);
}

/** Applies a sighting to its call. */
function restoreEvent(call: CallMemory, sighting: RestoredSighting): void {
  call.seenAt = Math.max(call.seenAt, sighting.lastSeenAt);
  if (sighting.channel === 'positions') restoreSeen(call, sighting);
  else restoreReported(call, sighting);
}

function restoreSeen(call: CallMemory, { event, time }: RestoredSighting): void {
  if (call[event].evidence === OBSERVED || time === null) return;
  setSeen(call[event], time);
  liftCancellation(call);
  call.flags |= callFlags.fromPosition;
}

function restoreReported(
  call: CallMemory,
  { event, time, evidence, isCancelled, platform, part }: RestoredSighting,
): void {
  call.part = part;
  call.platform = platform;
  if (isCancelled) cancelEvent(call, event);
  else if (time !== null) setReported(call[event], time, evidence === 'observed_actual', time);
}

/**
 * Restores a trip that the timetable does not hold from its sightings: its calls keep their positions, also when the
 * next answer leaves out those that are over.
 * @param sightings of one dated trip; at least one
 * @param placeStop finds a stop in the timetable
 */
function restoreAdded(
  source: SourceMemory,
  sightings: readonly RestoredSighting[],
  placeStop: (place: StopName) => Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'>,
): void {
  const byPosition = new Map<number, RestoredSighting[]>();
  for (const sighting of sightings) {
    byPosition.set(sighting.position, [...(byPosition.get(sighting.position) ?? []), sighting]);
  }
  const { tripKey: key, day, tripId, routeId, lineLabel } = sightings[0]!;
  source.added.set(datedTripKey({ key, day }), {
    key,
    day,
    tripId,
    name: {
      tripId,
      routeId,
      directionId: null,
      startDate: null,
      startTime: null,
      lineLabel,
      product: null,
      operatorName: null,
      headsign: null,
    },
    label: lineLabel ?? '',
    product: products.indexOf('other'),
    flags: tripFlags.additional,
    route: -1,
    basedOn: null,
    originName: null,
    recordedAt: Math.max(...sightings.map(({ recordedAt }) => recordedAt ?? 0)),
    seenAt: Math.max(...sightings.map(({ lastSeenAt }) => lastSeenAt)),
    calls: [...byPosition.values()]
      .map((ofCall) => restoreAddedCall(ofCall, placeStop))
      .sort((a, b) => callInstant(a) - callInstant(b)),
    dropped: [],
    modification: null,
    polyline: null,
  });
}

function restoreAddedCall(
  sightings: readonly RestoredSighting[],
  placeStop: Parameters<typeof restoreAdded>[2],
): AddedCall {
  const { position, stopId, part } = sightings[0]!;
  const scheduled = (event: RestoredSighting['event']) =>
    sightings.find((sighting) => sighting.event === event)?.scheduledTime ?? 0;
  const call = {
    ...createCallMemory(part),
    ...placeStop({ id: stopId, idSpace: 'gtfs', name: null, lat: null, lon: null }),
    stopId,
    number: position,
    sequence: null,
    scheduledArrival: scheduled('arrival'),
    scheduledDeparture: scheduled('departure'),
    scheduledPlatform: null,
    shiftSeconds: 0,
    isLeftOut: false,
  };
  for (const sighting of sightings) restoreEvent(call, sighting);
  return call;
}
