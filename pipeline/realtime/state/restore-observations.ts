import { type CallObservation, OBSERVED } from '../../model/observation.ts';
import { toOccupancyNumber } from '../../model/occupancy.ts';
import { products } from '../../model/product.ts';
import type { StopName } from '../../model/realtime.ts';
import { callFlags, tripFlags } from '../../snapshots/realtime-contract.ts';
import { callInstant, placeStop } from './added-calls.ts';
import { rememberEmitted } from './emitted-observations.ts';
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
  type RestoredObservation,
  type SourceMemory,
  setReported,
  setSeen,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { UpdateContext } from './update-run.ts';

/**
 * Restores what was emitted before a restart, so that it is not emitted again and holds until the next answers. Called
 * again when the latest observations could not be stored: then only those are forgotten.
 * @param observations the newest of each key; in no order
 */
export function restoreObservations(
  source: SourceMemory,
  observations: Iterable<RestoredObservation>,
  { planned, matcher, timetableSource }: UpdateContext,
): void {
  source.emitted.clear();
  const isKnown = new Set([...source.trips.keys(), ...source.added.keys()]);
  const unplanned = new Map<string, RestoredObservation[]>();
  for (const observation of observations) {
    const dated = { key: observation.tripKey, day: observation.day };
    const name = datedTripKey(dated);
    rememberEmitted(source, observation, observation.lastSeenAt);
    // A part that reports vehicles does not count as reporting their trips.
    const isMentioned = observation.channel === 'stop_events';
    if (isMentioned) getPart(source, observation.part).mentioned.set(name, { ...dated, place: '' });
    if (isKnown.has(name)) continue;
    const trip = planned.findTrip(observation.tripKey, observation.day);
    if (trip === null) append(unplanned, name, observation);
    // A call that differs from the plan is known again from the next answer on.
    else if (isAsPlanned(observation, trip, planned)) restoreCall(source, dated, trip, observation);
  }
  for (const observations of unplanned.values()) {
    restoreAdded(source, observations, (place) =>
      placeStop(place, matcher, { timetableSource, now: observations[0]!.lastSeenAt }, planned),
    );
  }
}

function append(lists: Map<string, RestoredObservation[]>, name: string, observation: RestoredObservation): void {
  const list = lists.get(name);
  if (list) list.push(observation);
  else lists.set(name, [observation]);
}

function isAsPlanned({ day, position, event, scheduledTime }: CallObservation, trip: number, planned: PlannedCalls) {
  return position < planned.callCount(trip) && planned.plan(trip, day).at(position, event) === scheduledTime;
}

function restoreCall(source: SourceMemory, dated: DatedTripRef, trip: number, observation: RestoredObservation): void {
  const memory = source.trips.get(datedTripKey(dated)) ?? createTripMemory(dated, trip);
  source.trips.set(datedTripKey(dated), memory);
  memory.seenAt = Math.max(memory.seenAt, observation.lastSeenAt);
  memory.recordedAt = Math.max(memory.recordedAt, observation.recordedAt ?? 0);
  const call = memory.calls[observation.position] ?? createCallMemory(observation.part);
  memory.calls[observation.position] = call;
  restoreEvent(call, observation);
}

/** Applies an observation to its call. */
function restoreEvent(call: CallMemory, observation: RestoredObservation): void {
  call.seenAt = Math.max(call.seenAt, observation.lastSeenAt);
  if (observation.channel === 'positions') restoreSeen(call, observation);
  else restoreReported(call, observation);
}

function restoreSeen(call: CallMemory, { event, time, evidence }: RestoredObservation): void {
  // A derived time that is too uncertain is kept, and counts for nothing.
  if (evidence !== 'observed_actual' || call[event].evidence === OBSERVED || time === null) return;
  setSeen(call[event], time);
  liftCancellation(call);
  call.flags |= callFlags.fromPosition;
}

function restoreReported(
  call: CallMemory,
  { event, time, evidence, isCancelled, platform, occupancy, part }: RestoredObservation,
): void {
  call.part = part;
  call.platform = platform;
  if (event === 'departure') call.occupancy = toOccupancyNumber(occupancy);
  if (isCancelled) cancelEvent(call, event);
  else if (time !== null) setReported(call[event], time, evidence === 'observed_actual', time);
}

/**
 * Restores a trip that the timetable does not hold from its observations: its calls keep their positions, also when the
 * next answer leaves out those that are over.
 * @param observations of one dated trip; at least one
 * @param placeStop finds a stop in the timetable
 */
function restoreAdded(
  source: SourceMemory,
  observations: readonly RestoredObservation[],
  placeStop: (place: StopName) => Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'>,
): void {
  const byPosition = new Map<number, RestoredObservation[]>();
  for (const observation of observations) {
    byPosition.set(observation.position, [...(byPosition.get(observation.position) ?? []), observation]);
  }
  const { tripKey: key, day, tripId, routeId, lineLabel } = observations[0]!;
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
    recordedAt: Math.max(...observations.map(({ recordedAt }) => recordedAt ?? 0)),
    seenAt: Math.max(...observations.map(({ lastSeenAt }) => lastSeenAt)),
    calls: [...byPosition.values()]
      .map((ofCall) => restoreAddedCall(ofCall, placeStop))
      .sort((a, b) => callInstant(a) - callInstant(b)),
    dropped: [],
    modification: null,
    polyline: null,
  });
}

function restoreAddedCall(
  observations: readonly RestoredObservation[],
  placeStop: Parameters<typeof restoreAdded>[2],
): AddedCall {
  const { position, stopId, part } = observations[0]!;
  const scheduled = (event: RestoredObservation['event']) =>
    observations.find((observation) => observation.event === event)?.scheduledTime ?? 0;
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
  for (const observation of observations) restoreEvent(call, observation);
  return call;
}
