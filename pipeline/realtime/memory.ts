import { evidences } from '../model/evidence.ts';
import type { AlertReport, StationBoard } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';

/** Positions in `evidences`, as the snapshot stores them. */
export const UNKNOWN = evidences.indexOf('unknown');
export const FORECAST = evidences.indexOf('forecast');
export const OBSERVED = evidences.indexOf('observed_actual');

/** What one source last said of one call; 0 stands for a time that nobody knows. */
export interface CallMemory {
  arrival: number;
  departure: number;
  arrivalEvidence: number;
  departureEvidence: number;
  /** The source named this event itself; else its time follows from another call. */
  isArrivalSaid: boolean;
  isDepartureSaid: boolean;
  /** Bits of `callFlags`. */
  flags: number;
  platform: string | null;
  /** When the publisher last knew it so. */
  seenAt: number;
  /** The part whose answer said it. */
  part: string;
}

/** What one source last said of one dated trip of the timetable. */
export interface TripMemory {
  /** Row of the timetable's trips. */
  trip: number;
  readonly day: number;
  /** Bits of `tripFlags`. */
  flags: number;
  recordedAt: number;
  seenAt: number;
  vehicleId: string | null;
  /** Key of the added trip that runs in its place. */
  replacedBy: string | null;
  /** By position; a gap where nothing was ever said. */
  readonly calls: (CallMemory | undefined)[];
  /** Parts whose newest answer names it. */
  readonly parts: Set<string>;
}

/** A call of a trip that the timetable does not hold. */
export interface AddedCall extends CallMemory {
  /** Row of the timetable's stops, or -1. */
  stop: number;
  readonly stopName: string;
  readonly stopId: string;
  readonly scheduledArrival: number;
  readonly scheduledDeparture: number;
  readonly scheduledPlatform: string | null;
}

/** A dated trip that the timetable does not hold. */
export interface AddedTrip {
  readonly key: bigint;
  readonly day: number;
  readonly tripId: string;
  flags: number;
  /** Row of the timetable's routes, or -1. */
  route: number;
  readonly routeId: string | null;
  readonly label: string;
  /** Position in `products`. */
  readonly product: number;
  readonly operatorName: string | null;
  readonly headsign: string | null;
  readonly originName: string | null;
  /** Row of the timetable's trip that it replaces or repeats, or -1. */
  basedOn: number;
  recordedAt: number;
  seenAt: number;
  vehicleId: string | null;
  readonly part: string;
  readonly calls: readonly AddedCall[];
}

export interface VehicleMemory {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  readonly headingDeg: number | null;
  readonly observedAt: Instant;
  trip: number;
  readonly day: number;
  /** Name of the added trip that it runs, see `nameDated`. */
  readonly addedTrip: string | null;
  route: number;
  readonly label: string | null;
  readonly direction: string | null;
  readonly position: number;
  readonly isStopped: boolean;
}

/** Everything one source has said that still counts. */
export interface SourceMemory {
  readonly id: string;
  /** By `nameDated`. */
  readonly trips: Map<string, TripMemory>;
  readonly added: Map<string, AddedTrip>;
  readonly vehicles: Map<string, VehicleMemory>;
  /** By part: an answer replaces what its part said before. */
  readonly alerts: Map<string, readonly AlertReport[]>;
  readonly boards: Map<string, { readonly board: StationBoard; readonly fetchedAt: Instant }>;
  /** By part: names of the dated trips that its newest answer mentions, and where each stood in it. */
  readonly mentioned: Map<string, ReadonlyMap<string, string>>;
  /** Parts whose newest answer says when it was published: what they say ages from then on, however often it is sent. */
  readonly dated: Set<string>;
}

export function createSourceMemory(id: string): SourceMemory {
  return {
    id,
    trips: new Map(),
    added: new Map(),
    vehicles: new Map(),
    alerts: new Map(),
    boards: new Map(),
    mentioned: new Map(),
    dated: new Set(),
  };
}

/** The name of a dated trip within a source: a row of the timetable, or the key of an added trip. */
export function nameDated(trip: number | bigint, day: number): string {
  return `${typeof trip === 'bigint' ? 'a' : ''}${trip}.${day}`;
}

export function createCallMemory(part: string): CallMemory {
  return {
    arrival: 0,
    departure: 0,
    arrivalEvidence: UNKNOWN,
    departureEvidence: UNKNOWN,
    isArrivalSaid: false,
    isDepartureSaid: false,
    flags: 0,
    platform: null,
    seenAt: 0,
    part,
  };
}

export function createTripMemory(trip: number, day: number): TripMemory {
  return {
    trip,
    day,
    flags: 0,
    recordedAt: 0,
    seenAt: 0,
    vehicleId: null,
    replacedBy: null,
    calls: [],
    parts: new Set(),
  };
}
