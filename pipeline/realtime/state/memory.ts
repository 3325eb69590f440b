import type { CallSighting, ResolvedTrip } from '../../model/observation.ts';
import { FORECAST, OBSERVED, UNKNOWN } from '../../model/observation.ts';
import type { AlertReport, StationBoard, StopName, TripName, TripReport, VehicleReport } from '../../model/realtime.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import type { AlertMatch } from '../matching/match-result.ts';
import { callFlags } from '../snapshot/realtime-contract.ts';

/** The newest sighting of a key, as the lake holds it. */
export interface RestoredSighting extends CallSighting {
  readonly lastSeenAt: Instant;
  /** Which request of the source was answered. */
  readonly part: string;
}

/** A tally that is still counted. */
export interface Tally extends RealtimeTally {
  readonly matched: Record<string, number>;
  readonly unmatched: Record<string, number>;
  readonly problems: Record<string, number>;
  vehiclesMatched: number;
  vehiclesOnRouteOnly: number;
  vehiclesUnmatched: number;
}

/**
 * What was last told of each event of a dated trip: a sighting is news when it is not what was told before. It is kept
 * apart from what the source says at present, because it outlives that: a restart, another timetable, a time that is
 * withdrawn and said again. The lake keeps the same, under the same names.
 */
export interface EmittedTrip extends DatedName {
  /** Three numbers for each event, see `numberEvent`: scheduled, time, state. */
  words: Uint32Array;
  /** By event. */
  readonly platforms: Map<number, string>;
  /** Beyond this moment nobody says anything new of it. */
  until: number;
}

/** A report of a trip that was not found; the next one of the source may show which it is. */
export interface UnresolvedReport {
  readonly report: TripReport;
  /** As it was counted. */
  readonly reason: string;
  readonly facts: AnswerFacts;
}

/** The answer that a report stands in. */
export interface AnswerFacts {
  readonly part: string;
  /** When the publisher knew: what is measured lies before it, and what is said grows old from it on. */
  readonly knownAt: Instant;
  /** When we asked. */
  readonly seenAt: Instant;
  /** Delays carry on to the calls after; else each call speaks for itself. */
  readonly isPropagating: boolean;
}

export const callEvents = ['arrival', 'departure'] as const;
export type CallEvent = (typeof callEvents)[number];

// ---- Calls -------------------------------------------------------------------------------------

/** What one source last said of an arrival or a departure. */
export interface EventMemory {
  /** 0 where nobody knows. */
  time: number;
  /** Position in `evidences`. */
  evidence: number;
  /** Of this very event, by a stop event; else the time follows from another call, or a vehicle was seen. */
  isSaid: boolean;
}

/** What one source last said of one call. */
export interface CallMemory {
  readonly arrival: EventMemory;
  readonly departure: EventMemory;
  /** Bits of `callFlags`. */
  flags: number;
  platform: string | null;
  /** When the publisher last knew it so. */
  seenAt: number;
  /** The part whose answer said it. */
  part: string;
}

/** A call of a trip that the timetable does not hold. */
export interface AddedCall extends CallMemory {
  /** Its position in sightings: no other call of the trip ever has it, though calls come and go. */
  readonly number: number;
  /** As its publisher names it; null for one that it names by number alone. */
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
}

export function createCallMemory(part: string): CallMemory {
  return {
    arrival: { time: 0, evidence: UNKNOWN, isSaid: false },
    departure: { time: 0, evidence: UNKNOWN, isSaid: false },
    flags: 0,
    platform: null,
    seenAt: 0,
    part,
  };
}

// ---- Dated trips -------------------------------------------------------------------------------

/** A trip on one service day: named alike in every timetable that holds it, and in the lake. */
export interface DatedName {
  /** As `trips.key` of the timetable, or of the added trip. */
  readonly key: bigint;
  readonly day: EpochDay;
}

/** A dated trip as the key of a map. */
export function nameDated({ key, day }: DatedName): string {
  return `${key}.${day}`;
}

/** What one source last said of one dated trip of the timetable. */
export interface TripMemory extends DatedName {
  /** Row of the timetable's trips. */
  trip: number;
  /** Bits of `tripFlags`; `replaced`: the added trip of the same name runs in its place. */
  flags: number;
  recordedAt: number;
  seenAt: number;
  /** By position; a gap where nothing was ever said. */
  readonly calls: (CallMemory | undefined)[];
}

export function createTripMemory(name: DatedName, trip: number): TripMemory {
  return { key: name.key, day: name.day, trip, flags: 0, recordedAt: 0, seenAt: 0, calls: [] };
}

/** A dated trip that the timetable does not hold. A replacement has the name of the trip whose place it takes. */
export interface AddedTrip extends DatedName {
  readonly tripId: string;
  readonly name: TripName;
  /** What riders call its line; empty where nobody says. */
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
  /** Those that its publisher told of once, and leaves out now. */
  readonly dropped: readonly AddedCall[];
}

// ---- Vehicles, news, stations ------------------------------------------------------------------

/** The newest position of a vehicle, and where it belongs. */
export interface VehicleMemory {
  readonly report: VehicleReport;
  readonly observedAt: Instant;
  readonly part: string;
  readonly place: VehiclePlace;
}

export interface VehiclePlace {
  /** Row of the timetable's trips, or -1, and service day. */
  readonly trip: number;
  readonly day: EpochDay;
  /** Call of that trip that it is at or heads to, or -1. */
  readonly position: number;
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Name of the added trip that it runs, see `nameDated`. */
  readonly addedTrip: string | null;
}

/** A piece of news, with its places in the timetable. */
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

/** Where the newest answer that names a trip does so. */
export interface Mention extends DatedName {
  readonly place: string;
}

/** What the answers to one request of a source leave behind. */
export interface PartMemory {
  /** By `nameDated`: dated trips that the source stands by. */
  mentioned: Map<string, Mention>;
  alerts: readonly AlertMemory[];
  answeredAt: Instant;
  /** The newest answer stands still: that it holds says nothing. */
  isFrozen: boolean;
  /** It says when it was published: what it says ages from then on, however often it is sent. */
  isDated: boolean;
  /** Reports whose trip was not found. */
  unresolved: readonly UnresolvedReport[];
  /** Its newest answer that did not stand still; null before the first one. */
  newest: NewestAnswer | null;
}

export interface NewestAnswer {
  readonly facts: AnswerFacts;
  /** What became of its records; goes on counting when more of them are found. */
  readonly tally: Tally;
}

/** Everything one source has said that still counts. */
export interface SourceMemory {
  readonly id: string;
  /** By `nameDated`. */
  readonly trips: Map<string, TripMemory>;
  readonly added: Map<string, AddedTrip>;
  readonly told: Map<string, EmittedTrip>;
  /** By reported trip id: what the ids stand for that the timetable lacks. */
  readonly resolved: Map<string, readonly ResolvedTrip[]>;
  /** By id. */
  readonly vehicles: Map<string, VehicleMemory>;
  /** By number of the station. */
  readonly boards: Map<string, BoardMemory>;
  readonly parts: Map<string, PartMemory>;
}

export function createSourceMemory(id: string): SourceMemory {
  return {
    id,
    trips: new Map(),
    added: new Map(),
    told: new Map(),
    resolved: new Map(),
    vehicles: new Map(),
    boards: new Map(),
    parts: new Map(),
  };
}

/** Made when it is first asked for. */
export function getPart({ parts }: SourceMemory, part: string): PartMemory {
  const known = parts.get(part);
  if (known) return known;
  const made: PartMemory = {
    mentioned: new Map(),
    alerts: [],
    answeredAt: 0 as Instant,
    isFrozen: false,
    isDated: false,
    unresolved: [],
    newest: null,
  };
  parts.set(part, made);
  return made;
}

// The law of evidence, one step at a time: a forecast stays a forecast however long it has passed, and what was
// observed gives way to another observation alone. See decisions, section 5.

/**
 * A time by the source's own word.
 * @param isMeasured by that word it is what happened, once it lies in the past
 * @param knownAt when the publisher knew
 */
export function setSaid(event: EventMemory, time: number, isMeasured: boolean, knownAt: number): void {
  const evidence = isMeasured && time <= knownAt ? OBSERVED : FORECAST;
  if (event.evidence === OBSERVED && evidence !== OBSERVED) return;
  event.time = time;
  event.evidence = evidence;
  event.isSaid = true;
}

/** A time that follows from another call; it never takes the place of what was said of the past. */
export function setFollowing(event: EventMemory, time: number, knownAt: number): void {
  if (event.evidence === OBSERVED || (event.isSaid && event.time <= knownAt)) return;
  event.time = time;
  event.evidence = FORECAST;
  event.isSaid = false;
}

/** A vehicle was seen there. */
export function setSeen(event: EventMemory, time: number): void {
  event.time = time;
  event.evidence = OBSERVED;
  event.isSaid = false;
}

/** Nothing is said of it any more: what lies ahead is withdrawn, what is over stays as it was last known. */
export function withdrawEvent(event: EventMemory, knownAt: number): void {
  if (event.time > knownAt && event.evidence !== OBSERVED) forgetEvent(event);
}

function forgetEvent(event: EventMemory): void {
  if (event.evidence === OBSERVED) return;
  event.time = 0;
  event.evidence = UNKNOWN;
  event.isSaid = false;
}

/** By explicit report. What has happened has happened: a train that is cancelled on its way did call there. */
export function cancelCall(call: CallMemory): void {
  if (isObserved(call)) return;
  forgetTimes(call);
  call.flags |= callFlags.cancelled;
}

/** Nothing is known of when it is, by the source's word. */
export function forgetTimes(call: CallMemory): void {
  forgetEvent(call.arrival);
  forgetEvent(call.departure);
  call.flags &= ~callFlags.noData;
}

export function isCancelled({ flags }: CallMemory): boolean {
  return (flags & callFlags.cancelled) !== 0;
}

export function isObserved({ arrival, departure }: CallMemory): boolean {
  return arrival.evidence === OBSERVED || departure.evidence === OBSERVED;
}
