import { type CallSighting, OBSERVED } from '../../model/observation.ts';
import { products } from '../../model/product.ts';
import type { StopName } from '../../model/realtime.ts';
import { callFlags, tripFlags } from '../snapshot/realtime-contract.ts';
import { momentOf, placeStop } from './added-calls.ts';
import { rememberEmitted } from './emitted-sightings.ts';
import {
  type AddedCall,
  type CallMemory,
  createCallMemory,
  createTripMemory,
  type DatedName,
  getPart,
  isObserved,
  nameDated,
  type RestoredSighting,
  type SourceMemory,
  setSaid,
  setSeen,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { UpdateContext } from './update-run.ts';

/**
 * Takes up what was told before a restart, so that it is not told a second time and stands until the next answers. It
 * may be called again, when what was told lately could not be kept: then that alone is forgotten.
 * @param sightings the newest of each key; in no order
 */
export function restoreSightings(
  source: SourceMemory,
  sightings: Iterable<RestoredSighting>,
  { planned, matcher, timetableSource }: UpdateContext,
): void {
  source.told.clear();
  const isKnown = new Set([...source.trips.keys(), ...source.added.keys()]);
  const unplanned = new Map<string, RestoredSighting[]>();
  for (const sighting of sightings) {
    const dated = { key: sighting.tripKey, day: sighting.day };
    const name = nameDated(dated);
    rememberEmitted(source, sighting, sighting.lastSeenAt);
    // Who tells of vehicles stands by no trip.
    const isMentioned = sighting.channel === 'stop_events';
    if (isMentioned) getPart(source, sighting.part).mentioned.set(name, { ...dated, place: '' });
    if (isKnown.has(name)) continue;
    const trip = planned.findTrip(sighting.tripKey, sighting.day);
    if (trip === null) append(unplanned, name, sighting);
    // What is not as it was is known again from the next answer on.
    else if (isAsPlanned(sighting, trip, planned)) restoreCall(source, dated, trip, sighting);
  }
  for (const told of unplanned.values()) {
    restoreAdded(source, told, (place) =>
      placeStop(place, matcher, { timetableSource, now: told[0]!.lastSeenAt }, planned),
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

function restoreCall(source: SourceMemory, dated: DatedName, trip: number, sighting: RestoredSighting): void {
  const memory = source.trips.get(nameDated(dated)) ?? createTripMemory(dated, trip);
  source.trips.set(nameDated(dated), memory);
  memory.seenAt = Math.max(memory.seenAt, sighting.lastSeenAt);
  memory.recordedAt = Math.max(memory.recordedAt, sighting.recordedAt ?? 0);
  const call = memory.calls[sighting.position] ?? createCallMemory(sighting.part);
  memory.calls[sighting.position] = call;
  restoreEvent(call, sighting);
}

/** Lays what was told of an event over its call. */
function restoreEvent(call: CallMemory, sighting: RestoredSighting): void {
  call.seenAt = Math.max(call.seenAt, sighting.lastSeenAt);
  if (sighting.channel === 'positions') restoreSeen(call, sighting);
  else restoreSaid(call, sighting);
}

function restoreSeen(call: CallMemory, { event, time }: RestoredSighting): void {
  if (call[event].evidence === OBSERVED || time === null) return;
  setSeen(call[event], time);
  call.flags = (call.flags & ~callFlags.cancelled) | callFlags.fromPosition;
}

function restoreSaid(call: CallMemory, { event, time, evidence, isCancelled, platform, part }: RestoredSighting): void {
  call.part = part;
  call.platform = platform;
  if (isCancelled) {
    if (!isObserved(call)) call.flags |= callFlags.cancelled;
  } else if (time !== null) setSaid(call[event], time, evidence === 'observed_actual', time);
}

/**
 * Takes up a trip that the timetable does not hold, as far as it was told: its calls keep their positions, also when
 * the next answer leaves out those that are over.
 * @param told of one dated trip; at least one
 * @param placeStop finds a stop in the timetable
 */
function restoreAdded(
  source: SourceMemory,
  told: readonly RestoredSighting[],
  placeStop: (place: StopName) => Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'>,
): void {
  const byPosition = new Map<number, RestoredSighting[]>();
  for (const sighting of told) {
    byPosition.set(sighting.position, [...(byPosition.get(sighting.position) ?? []), sighting]);
  }
  const { tripKey: key, day, tripId, routeId, lineLabel } = told[0]!;
  source.added.set(nameDated({ key, day }), {
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
    recordedAt: Math.max(...told.map(({ recordedAt }) => recordedAt ?? 0)),
    seenAt: Math.max(...told.map(({ lastSeenAt }) => lastSeenAt)),
    calls: [...byPosition.values()]
      .map((sightings) => restoreAddedCall(sightings, placeStop))
      .sort((a, b) => momentOf(a) - momentOf(b)),
    dropped: [],
  });
}

function restoreAddedCall(told: readonly RestoredSighting[], placeStop: Parameters<typeof restoreAdded>[2]): AddedCall {
  const { position, stopId, part } = told[0]!;
  const scheduled = (event: RestoredSighting['event']) =>
    told.find((sighting) => sighting.event === event)?.scheduledTime ?? 0;
  const call = {
    ...createCallMemory(part),
    ...placeStop({ id: stopId, idSpace: 'gtfs', name: null, lat: null, lon: null }),
    stopId,
    number: position,
    sequence: null,
    scheduledArrival: scheduled('arrival'),
    scheduledDeparture: scheduled('departure'),
    scheduledPlatform: null,
  };
  for (const sighting of told) restoreEvent(call, sighting);
  return call;
}
