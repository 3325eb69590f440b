import type { AlertMatch } from '../matching/match-result.ts';
import { evidences } from '../model/evidence.ts';
import type { ResolvedTrip } from '../model/observation.ts';
import type { AlertReport, StationBoard, StopName, TripName, VehicleReport } from '../model/realtime.ts';
import type { EpochDay, Instant } from '../model/service-time.ts';
import type { AnswerFacts } from './lay-report.ts';
import type { UnresolvedReport } from './revisit-unresolved.ts';
import type { ToldTrip } from './told-sightings.ts';
import type { Tally } from './update-run.ts';

/** Positions in `evidences`, as the snapshot stores them. */
export const UNKNOWN = evidences.indexOf('unknown');
export const FORECAST = evidences.indexOf('forecast');
export const OBSERVED = evidences.indexOf('observed_actual');

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

export interface BoardMemory {
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
  readonly told: Map<string, ToldTrip>;
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
