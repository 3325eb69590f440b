import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { findJson } from '../effects/files.ts';
import { readSharedFile } from '../effects/shared-memory.ts';
import { isSystemError, WorldError } from '../effects/world-error.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import { type ColumnsOf, fromArrowBytes, type TableShape, toArrowBytes } from './arrow-table.ts';

/**
 * The realtime snapshot: all that the api may know of the present moment, as one file of Arrow tables, replaced whole
 * by each poll. It belongs to one timetable snapshot and names stops, routes and trips by its rows. `texts` holds every
 * text once; a text column is a row of it, or -1. Instants are seconds since 1970 UTC, 0 where unknown.
 */
export const realtimeTables = {
  texts: { text: 'text' },
  /** Dated trips of the timetable of which somebody has said something, sorted by trip, then day. */
  trips: {
    trip: 'i32',
    /** Service day, since 1970. */
    day: 'i32',
    /** Row of `calls` of its first call; one row for each call of its pattern. */
    firstCall: 'i32',
    /** Bits of `tripFlags`. */
    flags: 'u8',
    /** Row of `addedTrips` that runs in its place, or -1. */
    replacedBy: 'i32',
    /** When the newest word on it was published. */
    recordedAt: 'u32',
  },
  calls: {
    /** Estimated or observed; 0 where nothing is known. */
    arrival: 'u32',
    departure: 'u32',
    /** Position in `evidences`. */
    arrivalEvidence: 'u8',
    departureEvidence: 'u8',
    /** Position in the manifest's `sources`. */
    source: 'u8',
    /** Bits of `callFlags`. */
    flags: 'u8',
    /** Platform as now announced: row of `texts`, or -1 where nothing was said. */
    platform: 'i32',
    /** Beyond this moment a forecast is too old to be shown as live; an observation stays. */
    expiresAt: 'u32',
  },
  /**
   * Which calls leave or arrive later than planned, by stop: boards look up here who is still to come though its
   * planned time has passed; most are not due yet. `lateStops` is sorted by stop.
   */
  lateStops: { stop: 'i32', firstLate: 'i32', lateCount: 'i32' },
  lateCalls: { trip: 'i32', position: 'u16', scheduledDeparture: 'u32' },
  /** Dated trips that are not in the timetable, sorted by key, then day. */
  addedTrips: {
    /** As `trips.key` of the timetable: names it in references. A replacement has the key of the trip it replaces. */
    key: 'u64',
    day: 'i32',
    source: 'u8',
    /** Bits of `tripFlags`. */
    flags: 'u8',
    /** Row of the timetable's routes, or -1; then `label` and `product` say it. */
    route: 'i32',
    label: 'i32',
    /** Position in `products`. */
    product: 'u8',
    operatorName: 'i32',
    headsign: 'i32',
    originName: 'i32',
    /** The trip of the timetable that it replaces or repeats, or -1. */
    basedOn: 'i32',
    firstCall: 'i32',
    callCount: 'u16',
    recordedAt: 'u32',
  },
  addedCalls: {
    /** Row of the timetable's stops, or -1; then `stopName` says it. */
    stop: 'i32',
    stopName: 'i32',
    /** 0 where the publisher gave no plan. */
    scheduledArrival: 'u32',
    scheduledDeparture: 'u32',
    arrival: 'u32',
    departure: 'u32',
    arrivalEvidence: 'u8',
    departureEvidence: 'u8',
    flags: 'u8',
    scheduledPlatform: 'i32',
    platform: 'i32',
    expiresAt: 'u32',
  },
  /** Calls of added trips by station, a stop without one being its own; sorted by it. */
  addedStations: { station: 'i32', firstCall: 'i32', callCount: 'i32' },
  addedStationCalls: { addedTrip: 'i32', position: 'u16' },
  /** Newest position of each vehicle. */
  vehicles: {
    id: 'i32',
    source: 'u8',
    lat: 'f64',
    lon: 'f64',
    /** 0 to 359, or -1. */
    headingDeg: 'i16',
    observedAt: 'u32',
    /** Row of the timetable's trips and service day; or row of `addedTrips`; or -1. */
    trip: 'i32',
    day: 'i32',
    addedTrip: 'i32',
    /** Row of the timetable's routes, or -1; then `label` may say it. */
    route: 'i32',
    label: 'i32',
    direction: 'i32',
    /** Which call of the trip it is at or heads to, or -1. */
    position: 'i16',
    isStopped: 'u8',
  },
  /** One JSON text per piece of news, see `PublishedAlert`; most urgent first, then id. */
  alerts: { json: 'text' },
  /** Stations of `/v1/city-transit/metro`, sorted by number. */
  stationBoards: {
    station: 'u32',
    fetchedAt: 'u32',
    isFrozen: 'u8',
    source: 'u8',
    firstDeparture: 'i32',
    departureCount: 'i32',
  },
  stationDepartures: { line: 'i32', towards: 'i32', plannedAt: 'u32', realAt: 'u32' },
} as const;

export type RealtimeTables = {
  readonly [Table in keyof typeof realtimeTables]: ColumnsOf<(typeof realtimeTables)[Table]>;
};

export const tripFlags = {
  /** By explicit report. */
  cancelled: 1,
  /** Not to be shown at all. */
  deleted: 2,
  /** Some of its calls are cancelled, not all. */
  partlyCancelled: 4,
  /** Not in the timetable: the contract's `serviceKind` `additional`. */
  additional: 8,
  /** The contract's `serviceKind` `special`. */
  special: 16,
  /** Another run takes its place. */
  replaced: 32,
} as const;

export const callFlags = {
  /** By explicit report. */
  cancelled: 1,
  /** Two sources disagree about it. */
  sourceConflict: 2,
  /** Nobody knows, by the publisher's word. */
  noData: 4,
  /** Not in the timetable. */
  unplanned: 8,
  /** The time comes from the position of a vehicle. */
  fromPosition: 16,
} as const;

/** To be raised with every change of `realtimeTables`: a snapshot of another format is refused by name. */
export const REALTIME_FORMAT_VERSION = 1;

export interface RealtimeManifest {
  readonly kind: 'realtime';
  readonly formatVersion: number;
  readonly id: string;
  /** The timetable snapshot whose rows it names. */
  readonly timetableId: string;
  readonly createdAt: string;
  readonly sources: readonly RealtimeSourceState[];
}

/** Areas of `/v1/status` that live on realtime sources. */
export type RealtimeArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** How one source is doing. Times are ISO 8601 UTC. */
export interface RealtimeSourceState {
  readonly id: string;
  readonly kind: string;
  /** Paused by ops on purpose. */
  readonly isStandby: boolean;
  /** The newest answer of each part that could be used; null: never. */
  readonly lastSuccessAt: string | null;
  /** The same by area, where an area has requests of its own; one that is not named is as old as the source. */
  readonly lastSuccessByArea: Readonly<Partial<Record<RealtimeArea, string | null>>>;
  readonly lastAttemptAt: string | null;
  /** Code of what is wrong right now, e.g. `http_timeout`, `circuit_open`, `budget_spent`, `frozen`; null: nothing. */
  readonly trouble: string | null;
  readonly maxAgeSeconds: number;
  /** What it is good for: which of the areas of `/v1/status` depend on it. */
  readonly provides: readonly RealtimeArea[];
  readonly coverage: readonly string[];
  readonly isNationwide: boolean;
  readonly attribution: string | null;
  /** What came of the newest answers. */
  readonly tally: RealtimeTally;
}

/** A piece of news as the api shows it: places matched, texts clean, reports of several sources made one. */
export interface PublishedAlert {
  /** `<source>:<publisher's id>`; stable while it is published. */
  readonly id: string;
  readonly sources: readonly string[];
  readonly kind: string;
  readonly category: string | null;
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  readonly operatorName: string | null;
  readonly isAccess: boolean;
  /** Seconds since 1970; null: open. */
  readonly activeWindows: readonly { readonly from: number | null; readonly to: number | null }[];
  readonly lines: readonly {
    readonly label: string;
    readonly operatorName: string | null;
    readonly region: string | null;
  }[];
  /** Rows of the timetable's routes. */
  readonly routes: readonly number[];
  /** Names of stops, also of those that the timetable does not know. */
  readonly stopNames: readonly string[];
  /** Rows of the timetable's stops. */
  readonly stops: readonly number[];
  /** Row of the timetable's trips, and service day. */
  readonly trips: readonly { readonly trip: number; readonly day: number }[];
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly pin: { readonly lat: number; readonly lon: number } | null;
}

export interface RealtimeSnapshot {
  readonly manifest: RealtimeManifest;
  readonly tables: RealtimeTables;
}

export function realtimeSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'realtime');
}

export function realtimeSnapshotFile(dataDir: string, id: string): string {
  return path.join(realtimeSnapshotsFolder(dataDir), `${id}.rt`);
}

/** What `current.json` of the realtime snapshots says. */
export interface RealtimePointer {
  readonly id: string;
  /** So that nobody need open a snapshot that belongs to another timetable. */
  readonly timetableId: string;
}

/** @returns null when none was ever published */
export async function findCurrentRealtime(dataDir: string): Promise<RealtimePointer | null> {
  return findJson<RealtimePointer>(path.join(realtimeSnapshotsFolder(dataDir), 'current.json'));
}

// ---- The file: magic, checksum, length of the header, header as JSON, tables as Arrow IPC files ---------------------

const MAGIC = 'TAKTRT01';
/** Behind magic and checksum. */
const CHECKED_FROM = 12;
const PREAMBLE_BYTES = 16;
/** Arrow's own alignment, so that its columns can be used in place. */
const ALIGNMENT = 64;

interface Header {
  readonly manifest: RealtimeManifest;
  /** Where each table begins, from the end of the header, and its length. */
  readonly tables: Readonly<Record<string, { readonly start: number; readonly bytes: number }>>;
}

type TableName = keyof typeof realtimeTables;
const tableNames = Object.keys(realtimeTables) as TableName[];

/** A snapshot as the bytes of its one file. */
export function writeRealtimeBytes({ manifest, tables }: RealtimeSnapshot): Uint8Array {
  const parts = tableNames.map((name) => toArrowBytes(realtimeTables[name] as TableShape, tables[name] as never));
  const places: Record<string, { start: number; bytes: number }> = {};
  let length = 0;
  parts.forEach((part, i) => {
    places[tableNames[i]!] = { start: length, bytes: part.length };
    length = align(length + part.length);
  });
  const header = Buffer.from(JSON.stringify({ manifest, tables: places } satisfies Header));
  const body = align(PREAMBLE_BYTES + header.length);
  const file = Buffer.alloc(body + length);
  file.write(MAGIC, 0, 'latin1');
  file.writeUInt32LE(header.length, CHECKED_FROM);
  header.copy(file, PREAMBLE_BYTES);
  parts.forEach((part, i) => {
    file.set(part, body + places[tableNames[i]!]!.start);
  });
  file.writeUInt32LE(crc32(file.subarray(CHECKED_FROM)), 8);
  return file;
}

/**
 * Reads a snapshot; its columns are views of the bytes.
 * @param name of the file, for errors
 * @throws WorldError `snapshot_damaged` when the bytes are not what was written, or of another format
 */
export function readRealtimeBytes(bytes: Uint8Array, name: string): RealtimeSnapshot {
  const steps = readInSteps(bytes, name);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * As `readRealtimeBytes`, and others get their turn in between: a service that loads a country goes on answering. The
 * columns lie in memory that threads can share.
 * @throws WorldError `snapshot_damaged`; the system error when it cannot be read
 */
export async function readRealtimeSnapshot(dataDir: string, id: string): Promise<RealtimeSnapshot> {
  const steps = readInSteps(await readSharedFile(realtimeSnapshotFile(dataDir, id)), `realtime snapshot ${id}`);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** A millisecond's work on a slow machine. */
const CHECKSUM_PIECE_BYTES = 1 << 20;

/** Yields after each step, none of which takes longer than a request. */
function* readInSteps(bytes: Uint8Array, name: string): Generator<void, RealtimeSnapshot> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < PREAMBLE_BYTES || file.toString('latin1', 0, 8) !== MAGIC) {
    throw new WorldError('snapshot_damaged', `${name} is no realtime snapshot`);
  }
  let checksum = 0;
  for (let at = CHECKED_FROM; at < file.length; at += CHECKSUM_PIECE_BYTES) {
    checksum = crc32(file.subarray(at, at + CHECKSUM_PIECE_BYTES), checksum);
    yield;
  }
  if (checksum !== file.readUInt32LE(8)) {
    throw new WorldError('snapshot_damaged', `${name} was damaged after it was published`);
  }
  const headerEnd = PREAMBLE_BYTES + file.readUInt32LE(CHECKED_FROM);
  const { manifest, tables: places } = readHeader(file.toString('utf8', PREAMBLE_BYTES, headerEnd), name);
  const body = bytes.subarray(align(headerEnd));
  const tables: Record<string, unknown> = {};
  for (const table of tableNames) {
    tables[table] = readTable(body, places[table], table, name);
    yield;
  }
  return { manifest, tables: tables as RealtimeTables };
}

/** Whole bytes may still be those of another version: it is refused by name, whatever its header looks like. */
function readHeader(json: string, name: string): Header {
  const header = parseHeader(json, name);
  const version = header?.manifest?.formatVersion;
  if (version === REALTIME_FORMAT_VERSION) return header as Header;
  const formats = `format ${version}, and this version reads ${REALTIME_FORMAT_VERSION}`;
  throw new WorldError('snapshot_damaged', `${name} is of ${formats}: run poll-realtime`);
}

function parseHeader(json: string, name: string): Partial<Header> | null {
  try {
    return JSON.parse(json) as Partial<Header> | null;
  } catch (cause) {
    throw new WorldError('snapshot_damaged', `${name} has no header`, { cause });
  }
}

function readTable(body: Uint8Array, place: Header['tables'][string] | undefined, table: TableName, name: string) {
  if (!place) throw new WorldError('snapshot_damaged', `${name} lacks the table ${table}`);
  const { start, bytes } = place;
  const shape: TableShape = realtimeTables[table];
  try {
    return fromArrowBytes(body.subarray(start, start + bytes), shape, table);
  } catch (cause) {
    throw new WorldError('snapshot_damaged', `${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The manifest of what is published now; null when nothing is, or it cannot be read. */
export async function readRealtimeManifest(dataDir: string): Promise<RealtimeManifest | null> {
  const pointer = await findCurrentRealtime(dataDir);
  if (!pointer) return null;
  try {
    return (await readRealtimeSnapshot(dataDir, pointer.id)).manifest;
  } catch (error) {
    // The next poll publishes a new one; whoever only wants to know how it stands is told that nobody knows.
    if (error instanceof WorldError || isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
