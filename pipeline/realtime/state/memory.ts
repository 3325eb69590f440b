import {
  type CallEvent,
  type CallObservation,
  FORECAST,
  OBSERVED,
  type ResolvedTrip,
  UNKNOWN,
} from '../../model/observation.ts';
import type { AlertReport, StationBoard, StopName, TripName, TripReport, VehicleReport } from '../../model/realtime.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { CALL_CANCELLED, CALL_CLOSED, callFlags } from '../../snapshots/realtime-contract.ts';
import type { AlertMatch } from '../matching/match-result.ts';
import type { Follower } from '../passages/follow-vehicle.ts';
import { type ModificationIndex, NO_ENTITIES, type PartEntities } from './modification-memory.ts';

/** The newest observation of a key, as the lake holds it. */
export interface RestoredObservation extends CallObservation {
  readonly lastSeenAt: Instant;
  /** The request of the source that was answered. */
  readonly part: string;
}

/** A tally while it is counted. */
export interface RunningTally extends RealtimeTally {
  readonly matched: Record<string, number>;
  readonly unmatched: Record<string, number>;
  readonly problems: Record<string, number>;
  vehiclesMatched: number;
  vehiclesOnRouteOnly: number;
  vehiclesUnmatched: number;
}

/**
 * Values that were last emitted for each event of a dated trip: a value is a new observation when it differs. They are
 * kept apart from the source's present state, because they outlive it: a restart, another timetable, a time that is
 * withdrawn and reported again. The lake keeps the same, under the same keys.
 */
export interface EmittedTrip extends DatedTripRef {
  /** Three numbers for each event, see `numberEvent`: scheduled, time, state with occupancy. */
  values: Uint32Array;
  /** By event. */
  readonly platforms: Map<number, string>;
  /** Instant after which no new value is expected. */
  until: number;
}

/** A report whose trip was not found; the next answer of the source may resolve it. */
export interface UnresolvedReport {
  readonly report: TripReport;
  /** Reason under which it was counted. */
  readonly reason: string;
  readonly facts: AnswerFacts;
}

/** The answer that a report comes from. */
export interface AnswerFacts {
  readonly part: string;
  /** Time of the publisher's knowledge: measured times are earlier, and reported values age from it on. */
  readonly knownAt: Instant;
  /** Time of the request. */
  readonly seenAt: Instant;
  /** Delays propagate to the following calls; otherwise each call counts separately. */
  readonly isPropagating: boolean;
}

// ---- Calls -------------------------------------------------------------------------------------

/** An arrival or a departure as one source last reported it. */
export interface CallEventState {
  /** 0 when unknown. */
  time: number;
  /** Position in `evidences`. */
  evidence: number;
  /** By a stop event for this very event; otherwise the time is propagated, or a vehicle was seen. */
  isReported: boolean;
}

/** A call as one source last reported it. */
export interface CallMemory {
  readonly arrival: CallEventState;
  readonly departure: CallEventState;
  /** Bits of `callFlags`. */
  flags: number;
  /** As announced; empty where another one than planned is announced, but not which. */
  platform: string | null;
  /** As the vehicle shows it from here on; null: as planned. */
  headsign: string | null;
  /** Occupancy at departure, see `toOccupancyNumber`. */
  occupancy: number;
  /** When the publisher last confirmed it. */
  seenAt: number;
  /** The part whose answer reported it. */
  part: string;
  /** Its source reports calls one by one, so the delay here is carried to the later ones when a snapshot is built. */
  isCarried: boolean;
}

/** A call of a trip that the timetable does not hold. */
export interface AddedCall extends CallMemory {
  /** Its position in observations: never reused within the trip, though calls come and go. */
  readonly number: number;
  /** As its publisher names it; null for a call that is named by number only. */
  readonly place: StopName | null;
  /** Row of the timetable's stops, or -1. */
  stop: number;
  readonly stopName: string;
  readonly stopId: string;
  /** GTFS stop_sequence. */
  readonly sequence: number | null;
  /** 0 where the publisher gave no plan. */
  readonly scheduledArrival: number;
  readonly scheduledDeparture: number;
  readonly scheduledPlatform: string | null;
  /** Delay by a modification of the trip: without a report, the call is this much later than scheduled. */
  readonly shiftSeconds: number;
  /** A call of the replaced trip that its replacement does not serve: it is cancelled. */
  readonly isLeftOut: boolean;
}

export function createCallMemory(part: string): CallMemory {
  return {
    arrival: { time: 0, evidence: UNKNOWN, isReported: false },
    departure: { time: 0, evidence: UNKNOWN, isReported: false },
    flags: 0,
    platform: null,
    headsign: null,
    occupancy: 0,
    seenAt: 0,
    part,
    isCarried: false,
  };
}

// ---- Dated trips -------------------------------------------------------------------------------

/** A trip on one service date: the same in every timetable that holds it, and in the lake. */
export interface DatedTripRef {
  /** As `trips.key` of the timetable, or of the added trip. */
  readonly key: bigint;
  readonly day: EpochDay;
}

/** Map key of a dated trip. */
export function datedTripKey({ key, day }: DatedTripRef): string {
  return `${key}.${day}`;
}

/** A dated trip of the timetable as one source last reported it. */
export interface TripMemory extends DatedTripRef {
  /** Row of the timetable's trips. */
  trip: number;
  /** Bits of `tripFlags`; `replaced`: the added trip of the same key runs instead. */
  flags: number;
  recordedAt: number;
  seenAt: number;
  /** Id of the vehicle whose positions last gave times of calls. */
  passedBy: string | null;
  /** By position; undefined when nothing was ever reported. */
  readonly calls: (CallMemory | undefined)[];
}

export function createTripMemory(name: DatedTripRef, trip: number): TripMemory {
  return { key: name.key, day: name.day, trip, flags: 0, recordedAt: 0, seenAt: 0, passedBy: null, calls: [] };
}

/** A dated trip that the timetable does not hold. A replacement has the key of the trip that it replaces. */
export interface AddedTrip extends DatedTripRef {
  readonly tripId: string;
  readonly name: TripName;
  /** What riders call its route; empty when unknown. */
  readonly label: string;
  /** Position in `products`. */
  readonly product: number;
  /** Bits of `tripFlags`. */
  readonly flags: number;
  /** Row of the timetable's routes, or -1. */
  route: number;
  /** Key of the timetable's trip that it replaces or repeats. */
  readonly basedOn: bigint | null;
  readonly originName: string | null;
  readonly recordedAt: number;
  seenAt: number;
  /** In travel order; at least one. */
  readonly calls: readonly AddedCall[];
  /** Calls that its publisher reported before and leaves out now. */
  readonly dropped: readonly AddedCall[];
  /** The modification by which it differs from the timetable, see `ModifiedTrip.signature`; null without one. */
  readonly modification: string | null;
  /** As an encoded polyline. */
  readonly polyline: string | null;
}

// ---- Vehicles, alerts, stations ----------------------------------------------------------------

/** The newest position of a vehicle, with its trip and route. */
export interface VehicleMemory {
  readonly report: VehicleReport;
  readonly observedAt: Instant;
  readonly part: string;
  readonly place: VehiclePlace;
  /** Its way along its trip so far; null while it serves none that can be followed. */
  readonly followed: FollowedVehicle | null;
}

/** How a vehicle is followed along a dated trip. */
export interface FollowedVehicle extends DatedTripRef {
  /** Row of the timetable's trips. */
  readonly trip: number;
  readonly follower: Follower;
}

export interface VehiclePlace {
  /** Row of the timetable's trips, or -1, and service day. */
  readonly trip: number;
  readonly day: EpochDay;
  /** Call of that trip that it is at or heads to, or -1. */
  readonly position: number;
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Key of the added trip that it serves, see `datedTripKey`. */
  readonly addedTrip: string | null;
}

/** An alert with its places in the timetable. */
export interface AlertMemory {
  readonly alert: AlertReport;
  readonly places: AlertMatch;
}

interface BoardMemory {
  readonly board: StationBoard;
  fetchedAt: Instant;
  readonly part: string;
}

// ---- Sources -----------------------------------------------------------------------------------

/** Where the newest answer names a trip. */
export interface Mention extends DatedTripRef {
  readonly place: string;
}

/** State from the answers to one request of a source. */
export interface PartMemory {
  /** By `datedTripKey`: dated trips that the part reports. */
  mentioned: Map<string, Mention>;
  alerts: readonly AlertMemory[];
  /** Properties from its publisher, besides the timetable. */
  entities: PartEntities;
  answeredAt: Instant;
  /** The newest answer is frozen: receiving it again confirms nothing. */
  isFrozen: boolean;
  /** The answer has a publication time: its values age from then on, however often it is sent. */
  isDated: boolean;
  /** Reports whose trip was not found. */
  unresolved: readonly UnresolvedReport[];
  /** The newest answer that was not frozen; null before the first one. */
  newest: NewestAnswer | null;
}

export interface NewestAnswer {
  readonly facts: AnswerFacts;
  /** How its records were counted; updated when more of them are matched. */
  readonly tally: RunningTally;
}

/** Everything that one source has reported and that still holds. */
export interface SourceMemory {
  readonly id: string;
  /** By `datedTripKey`. */
  readonly trips: Map<string, TripMemory>;
  readonly added: Map<string, AddedTrip>;
  readonly emitted: Map<string, EmittedTrip>;
  /** By reported trip id, for ids that the timetable lacks. */
  readonly resolved: Map<string, readonly ResolvedTrip[]>;
  /** By id. */
  readonly vehicles: Map<string, VehicleMemory>;
  /** By number of the station. */
  readonly boards: Map<string, BoardMemory>;
  readonly parts: Map<string, PartMemory>;
  /** The trips that the modifications of all parts concern; null when it has to be made again. */
  modified: ModificationIndex | null;
}

export function createSourceMemory(id: string): SourceMemory {
  return {
    id,
    trips: new Map(),
    added: new Map(),
    emitted: new Map(),
    resolved: new Map(),
    vehicles: new Map(),
    boards: new Map(),
    parts: new Map(),
    modified: null,
  };
}

/** Returns the part's memory, created when missing. */
export function getPart({ parts }: SourceMemory, part: string): PartMemory {
  const known = parts.get(part);
  if (known) return known;
  const made: PartMemory = {
    mentioned: new Map(),
    alerts: [],
    entities: NO_ENTITIES,
    answeredAt: 0 as Instant,
    isFrozen: false,
    isDated: false,
    unresolved: [],
    newest: null,
  };
  parts.set(part, made);
  return made;
}

// The rules of evidence: a forecast stays a forecast however long it has passed, and an observation is replaced only by
// another observation. See decisions, section 5.

/**
 * Sets a time that the source reports.
 * @param isMeasured reported as observed, which holds once the time lies in the past
 * @param knownAt time of the publisher's knowledge
 */
export function setReported(event: CallEventState, time: number, isMeasured: boolean, knownAt: number): void {
  const evidence = isMeasured && time <= knownAt ? OBSERVED : FORECAST;
  if (event.evidence === OBSERVED && evidence !== OBSERVED) return;
  event.time = time;
  event.evidence = evidence;
  event.isReported = true;
}

/** Sets a propagated time; it never replaces a reported time in the past. */
export function setPropagated(event: CallEventState, time: number, knownAt: number): void {
  if (event.evidence === OBSERVED || (event.isReported && event.time <= knownAt)) return;
  event.time = time;
  event.evidence = FORECAST;
  event.isReported = false;
}

/** Sets the time at which a vehicle was seen there. */
export function setSeen(event: CallEventState, time: number): void {
  event.time = time;
  event.evidence = OBSERVED;
  event.isReported = false;
}

/** Withdraws an event that the source stopped reporting: a future time is removed, a past one is kept. */
export function withdrawEvent(event: CallEventState, knownAt: number): void {
  if (event.time > knownAt && event.evidence !== OBSERVED) forgetEvent(event);
}

function forgetEvent(event: CallEventState): void {
  if (event.evidence === OBSERVED) return;
  event.time = 0;
  event.evidence = UNKNOWN;
  event.isReported = false;
}

/** Cancels a call by explicit report. An observed call stays: a trip that is cancelled on its way did serve it. */
export function cancelCall(call: CallMemory): void {
  if (isObserved(call)) return;
  forgetTimes(call);
  call.flags |= CALL_CANCELLED;
}

/** Cancels one event of a call by explicit report, unless it was observed. */
export function cancelEvent(call: CallMemory, event: CallEvent): void {
  if (call[event].evidence === OBSERVED) return;
  forgetEvent(call[event]);
  call.flags |= cancelledFlags[event];
}

const cancelledFlags = { arrival: callFlags.arrivalCancelled, departure: callFlags.departureCancelled } as const;

/** Removes the cancellation of one event, or of both; then passengers may use the call again, too. */
export function liftCancellation(call: CallMemory, event?: CallEvent): void {
  call.flags &= ~(event ? cancelledFlags[event] : CALL_CANCELLED | CALL_CLOSED);
}

/** Removes the times that are not observed: the source reports them as unknown. */
export function forgetTimes(call: CallMemory): void {
  forgetEvent(call.arrival);
  forgetEvent(call.departure);
  call.flags &= ~callFlags.noData;
}

/** Whether neither event of the call takes place. */
export function isCancelled({ flags }: CallMemory): boolean {
  return (flags & CALL_CANCELLED) === CALL_CANCELLED;
}

export function isEventCancelled({ flags }: CallMemory, event: CallEvent): boolean {
  return (flags & cancelledFlags[event]) !== 0;
}

export function isObserved({ arrival, departure }: CallMemory): boolean {
  return arrival.evidence === OBSERVED || departure.evidence === OBSERVED;
}
