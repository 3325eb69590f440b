import { isAhead } from '../../model/clock-tolerance.ts';
import { OBSERVED, type ResolvedTrip } from '../../model/observation.ts';
import type { ObservedTrip, TripPrediction } from '../../model/prediction.ts';
import { products } from '../../model/product.ts';
import { type Instant, SECONDS_PER_DAY, zoneOffsetSeconds } from '../../model/service-time.ts';
import { callFlags, type RealtimeTables, tripFlags } from '../../snapshots/realtime-contract.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { runsOn } from '../../snapshots/timetable-lookups.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import { endOfAdded, placeStop } from './added-calls.ts';
import { type AppliedUpdate, applyUpdate } from './apply-update.ts';
import { placeVehicle } from './apply-vehicle.ts';
import { buildTables } from './build-tables.ts';
import {
  type CallMemory,
  createSourceMemory,
  type DatedTripRef,
  datedTripKey,
  isEventCancelled,
  type RestoredObservation,
  type SourceMemory,
  type TripMemory,
} from './memory.ts';
import { endOfPlan, openPlannedCalls, type PlannedCalls } from './planned-calls.ts';
import { findResolved, forgetResolved, moveResolved, restoreResolved } from './resolved-trips.ts';
import { restoreObservations } from './restore-observations.ts';
import type { ReceivedAnswer, UpdateContext } from './update-run.ts';

/** An ended trip is kept this long for readers of its journey. */
const KEPT_SECONDS = 3600;
/** An unresolved report older than this is of a finished trip. */
const UNRESOLVED_SECONDS = 12 * 3600;
/** A vehicle seen longer ago is not shown; one that returns is a new observation. */
const VEHICLE_SECONDS = 15 * 60;

/** Removes finished trips, so that the memory contains the traffic of one day. */
function forgetOld(source: SourceMemory, planned: PlannedCalls, now: Instant): void {
  const { trips, added, emitted, vehicles, boards, parts } = source;
  // What was seen in the future, before the clock was set back, would count as fresh until then.
  const isOver = (end: number, seenAt: number) => Math.max(end, seenAt) + KEPT_SECONDS < now || isAhead(seenAt, now);
  for (const [name, trip] of trips) if (isOver(endOf(trip, planned), trip.seenAt)) trips.delete(name);
  for (const [name, { calls, seenAt }] of added) if (isOver(endOfAdded(calls), seenAt)) added.delete(name);
  for (const [name, { until }] of emitted) if (until < now) emitted.delete(name);
  for (const [id, { observedAt }] of vehicles) {
    if (observedAt + VEHICLE_SECONDS < now || isAhead(observedAt, now)) vehicles.delete(id);
  }
  for (const [station, { fetchedAt }] of boards) if (isAhead(fetchedAt, now)) boards.delete(station);
  forgetResolved(source, now);
  // Differential answers name a trip once and need not report its end.
  for (const part of parts.values()) {
    const { mentioned, unresolved } = part;
    if (unresolved.some(({ facts }) => facts.seenAt + UNRESOLVED_SECONDS < now)) {
      part.unresolved = unresolved.filter(({ facts }) => facts.seenAt + UNRESOLVED_SECONDS >= now);
    }
    for (const name of mentioned.keys()) {
      if (!trips.has(name) && !added.has(name) && !emitted.has(name)) mentioned.delete(name);
    }
  }
}

function endOf({ trip, day, calls }: TripMemory, planned: PlannedCalls): number {
  return Math.max(endOfPlan(planned.plan(trip, day)), calls.at(-1)?.arrival.time ?? 0);
}

/**
 * Moves the state to a new timetable: rows change, keys do not, and places are matched again. A trip that differs is
 * dropped; the next answers report it again.
 * @returns number of dated trips that were dropped
 */
function moveToTimetable(source: SourceMemory, before: PlannedCalls, next: UpdateContext): number {
  let lost = 0;
  for (const [name, memory] of source.trips) {
    const trip = findSameTrip(memory, before, next.planned);
    if (trip !== null) memory.trip = trip;
    else {
      lost += 1;
      source.trips.delete(name);
      if ((memory.flags & tripFlags.replaced) !== 0) source.added.delete(datedTripKey(memory));
    }
  }
  moveResolved(source, next.planned);
  lookUpPlaces(source, next);
  moveFollowed(source, before, next.planned);
  return lost;
}

function findSameTrip(
  { key, trip, day }: Pick<TripMemory, 'key' | 'trip' | 'day'>,
  before: PlannedCalls,
  after: PlannedCalls,
): number | null {
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

/** Vehicles are followed further along the trips that did not change. */
function moveFollowed({ vehicles }: SourceMemory, before: PlannedCalls, after: PlannedCalls): void {
  for (const [id, vehicle] of vehicles) {
    const { followed } = vehicle;
    const trip = followed && findSameTrip(followed, before, after);
    vehicles.set(id, { ...vehicle, followed: followed && trip !== null ? { ...followed, trip } : null });
  }
}

/** Matches the places that publishers name against the new timetable. */
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

/**
 * What a source has observed of a dated trip, with its plan.
 * @returns null when it has observed nothing, or reports that the trip does not run
 */
function describeObserved(planned: PlannedCalls, memory: TripMemory): ObservedTrip | null {
  const isCancelledOrDeleted = (memory.flags & (tripFlags.deleted | tripFlags.replaced)) !== 0;
  if (isCancelledOrDeleted || !memory.calls.some((call) => call && isObservedCall(call))) return null;
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
      return call && !isEventCancelled(call, event) && call[event].evidence === OBSERVED
        ? call[event].time
        : Number.NaN;
    });
  return {
    tripKey: memory.key,
    day,
    tripId: trips.tripId.get(trip),
    routeId: routes.routeId.get(route),
    product: products[routes.product[route]!]!,
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

/** A source as the state needs it. */
interface StateSource {
  readonly id: string;
  /** Which of the loaded timetable sources has the ids that its publisher uses; null: any. */
  findTimetableSource(loaded: readonly string[]): string | null;
  readonly maxAgeSeconds: number;
}

/** The timetable to which reports are applied. */
export interface StateTimetable {
  readonly tables: TimetableTables;
  readonly matcher: Matcher;
}

/**
 * What all sources have reported and still holds, over one timetable, which never changes.
 * The same answers in the same order give the same tables.
 */
export interface RealtimeState {
  /** @throws RangeError for an unknown source */
  apply(sourceId: string, answer: ReceivedAnswer): AppliedUpdate;
  /**
   * Confirms the last answer of a part. Without a publication time, its values become as fresh as if reported again.
   * @returns false for a part without an answer, or with a frozen one
   */
  confirm(sourceId: string, part: string, seenAt: Instant): boolean;
  /** Switches to another timetable. @returns number of dated trips that it no longer holds as they were */
  useTimetable(timetable: StateTimetable): number;
  /** Restores what was emitted before a restart, or what remains of it when the latest could not be stored. */
  restore(sourceId: string, observations: Iterable<RestoredObservation>, resolved?: Iterable<ResolvedTrip>): void;
  /**
   * What a source has observed of dated trips under way.
   * @param wanted all when omitted
   */
  listObserved(sourceId: string, wanted?: Iterable<DatedTripRef>): ObservedTrip[];
  /**
   * Removes trips that ended long ago.
   * @param predictions those of all sources
   * @param transferModels serialised, by source
   */
  build(
    now: Instant,
    predictions?: Iterable<TripPrediction>,
    transferModels?: ReadonlyMap<string, Uint8Array>,
  ): RealtimeTables;
  /** How many reports of a source the last build refused because times would fall along a trip. */
  countFalling(sourceId: string): number;
}

/** Limits of what is believed. */
export interface StateLimits {
  /** A time further before its plan is refused, unless the vehicle is known to have come that far. */
  readonly maxEarlySeconds: number;
  /** A time that is derived from positions counts as observed up to this uncertainty. */
  readonly maxUncertaintySeconds: number;
}

/** As the setting `polling.maxEarlySeconds`. */
const MAX_EARLY_SECONDS = 600;
/** As the setting `polling.maxUncertaintySeconds`. */
const MAX_UNCERTAINTY_SECONDS = 45;

/** The timetable and limits that apply to all sources of a state. */
function openCommon(sources: readonly StateSource[], { matcher, tables }: StateTimetable, limits: StateLimits) {
  const planned = openPlannedCalls(tables);
  const timetableSources = assignTimetables(sources, tables);
  const contextOf = (memory: SourceMemory) => ({
    planned,
    matcher: matcher.withResolved((trip, now) => findResolved(memory, planned, trip, now)),
    timetableSource: timetableSources.get(memory.id) ?? null,
    ...limits,
  });
  return { planned, contextOf };
}

export function createRealtimeState(
  sources: readonly StateSource[],
  timetable: StateTimetable,
  { maxEarlySeconds = MAX_EARLY_SECONDS, maxUncertaintySeconds = MAX_UNCERTAINTY_SECONDS }: Partial<StateLimits> = {},
): RealtimeState {
  const limits = { maxEarlySeconds, maxUncertaintySeconds };
  let common = openCommon(sources, timetable, limits);
  const memories = new Map(sources.map(({ id }) => [id, createSourceMemory(id)]));
  const getMemory = (id: string) => {
    const memory = memories.get(id);
    if (!memory) throw new RangeError(`"${id}" is not a realtime source of this state`);
    return memory;
  };
  let falling: ReadonlyMap<number, number> = new Map();
  const states = sources.map(({ id, maxAgeSeconds }, index) => ({
    source: { index, maxAgeSeconds },
    memory: getMemory(id),
  }));
  return {
    // Dropped here, not with the tables alone: the result of an answer may not depend on when they were last built.
    apply(sourceId, answer) {
      const memory = getMemory(sourceId);
      forgetOld(memory, common.planned, answer.fetchedAt);
      return applyUpdate(memory, answer, common.contextOf(memory));
    },
    confirm(sourceId, part, seenAt) {
      const memory = getMemory(sourceId);
      forgetOld(memory, common.planned, seenAt);
      return confirmPart(memory, part, seenAt);
    },
    useTimetable(next) {
      const before = common.planned;
      common = openCommon(sources, next, limits);
      let lost = 0;
      for (const memory of memories.values()) lost += moveToTimetable(memory, before, common.contextOf(memory));
      return lost;
    },
    restore(sourceId, observations, resolved = []) {
      const memory = getMemory(sourceId);
      restoreResolved(memory, resolved);
      restoreObservations(memory, observations, common.contextOf(memory));
    },
    listObserved(sourceId, wanted) {
      const { trips } = getMemory(sourceId);
      const memories = wanted ? Array.from(wanted, (name) => trips.get(datedTripKey(name))) : [...trips.values()];
      return memories.flatMap((memory) => (memory && describeObserved(common.planned, memory)) || []);
    },
    build(now, predictions = [], transferModels = new Map()) {
      for (const memory of memories.values()) forgetOld(memory, common.planned, now);
      const built = buildTables(states, common.planned, now, { predictions, transferModels });
      falling = built.falling;
      return built.tables;
    },
    countFalling: (sourceId) => falling.get(sources.findIndex(({ id }) => id === sourceId)) ?? 0,
  };
}

function confirmPart(source: SourceMemory, name: string, seenAt: Instant): boolean {
  const part = source.parts.get(name);
  if (!part || part.isFrozen) return false;
  part.answeredAt = seenAt;
  for (const board of source.boards.values()) if (board.part === name) board.fetchedAt = seenAt;
  if (part.isDated) return true;
  for (const mentioned of part.mentioned.keys()) {
    for (const trip of [source.trips.get(mentioned), source.added.get(mentioned)]) {
      if (!trip) continue;
      trip.seenAt = seenAt;
      for (const call of trip.calls) if (call?.part === name) call.seenAt = seenAt;
    }
  }
  return true;
}

function assignTimetables(
  sources: readonly StateSource[],
  { sources: { sourceId } }: TimetableTables,
): ReadonlyMap<string, string | null> {
  const loaded = Array.from({ length: sourceId.length }, (_, row) => sourceId.get(row));
  return new Map(sources.map((source) => [source.id, source.findTimetableSource(loaded)]));
}
