import { hash } from 'node:crypto';
import path from 'node:path';
import { findJson } from '../effects/files.ts';
import { WorldError } from '../effects/world-error.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { SearchIndex } from '../model/search-index.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type ColumnsOf, type FileFacts, readArrowTable } from './arrow-table.ts';

/**
 * The timetable snapshot: all that the api may know of timetables, as Arrow tables in one folder.
 *
 * Rows refer to rows of other tables by number. `first…` and `…Count` name a run of rows. Times are service times:
 * seconds from noon minus 12 h of the service date in the zone of the trip's route. Within a pattern no trip overtakes
 * another: at every call, arrivals and departures never fall from one trip to the next.
 */
export const timetableTables = {
  sources: { sourceId: 'text', feedVersion: 'text' },
  zones: { name: 'text' },
  agencies: { source: 'u16', agencyId: 'text', name: 'text' },
  texts: { text: 'text' },
  stops: {
    source: 'u16',
    /** As published; the public id is `<source>:<stopId>`. */
    stopId: 'text',
    name: 'text',
    /** Degrees; NaN where unknown. */
    lat: 'f64',
    lon: 'f64',
    /** The station, or the stop itself. */
    station: 'i32',
    locationType: 'u8',
    platformCode: 'text',
    /** GTFS: 0 unknown, 1 possible, 2 not possible. */
    wheelchairBoarding: 'u8',
    /** Sum of `1 << product` over all lines that call here or, for a station, at its platforms. */
    productClasses: 'u16',
    /** Calls at this very stop, see `stopCalls`. */
    firstStopCall: 'i32',
    stopCallCount: 'i32',
    /** Places with calls that the stop stands for: itself, and for a station its platforms; see `members`. */
    firstMember: 'i32',
    memberCount: 'i32',
  },
  members: { stop: 'i32' },
  /** Stops sorted by source, then stopId: the index of public ids. */
  stopsById: { stop: 'i32' },
  /** Which patterns call at a stop, and at which of their calls; by stop. */
  stopCalls: { pattern: 'i32', position: 'u16' },
  routes: {
    source: 'u16',
    routeId: 'text',
    /** -1 where unknown. */
    agency: 'i32',
    zone: 'u16',
    label: 'text',
    longName: 'text',
    /** Position in `products`. */
    product: 'u8',
    /** 0xRRGGBB, or -1. */
    color: 'i32',
    textColor: 'i32',
  },
  services: {
    /** First and last day on which it runs, since 1970; an idle one has last < first. */
    firstDay: 'i32',
    lastDay: 'i32',
    /** Where its bits begin in `serviceBits`: bit n is day `firstDay + n`. */
    firstByte: 'i32',
  },
  serviceBits: { bits: 'u8' },
  /** Sorted by route. */
  patterns: {
    route: 'i32',
    firstCall: 'i32',
    callCount: 'u16',
    firstTrip: 'i32',
    tripCount: 'i32',
    /** Row of `times` of the first trip's first call; trips follow one another with `callCount` rows each. */
    firstTime: 'i32',
  },
  patternCalls: {
    stop: 'i32',
    /** GTFS pickup_type and drop_off_type: 0 regular, 1 none, 2 phone the agency, 3 ask the driver. */
    pickupType: 'u8',
    dropOffType: 'u8',
    /** Text shown at this call alone, or -1 for the trip's own. */
    headsign: 'i32',
  },
  trips: {
    tripId: 'text',
    service: 'i32',
    pattern: 'i32',
    /** Row of `texts`, or -1. */
    headsign: 'i32',
    shortName: 'i32',
    block: 'i32',
    /** 0, 1, or -1 where unknown. */
    direction: 'i8',
    /** Row of `tripShapes`, or -1. */
    tripShape: 'i32',
    wheelchairAccessible: 'u8',
    bikesAllowed: 'u8',
    /** First departure of a run that frequencies made of a repeated trip, else -1. */
    frequencyStart: 'i32',
    /** 1 for a run of a headway without exact times: its times are an approximation. */
    isHeadway: 'u8',
    /** Where its numbers begin in `stopSequences`: one for each of its calls. */
    firstSequence: 'i32',
    /** See `hashTrip`: names the trip in references. */
    key: 'u64',
  },
  /** Trips sorted by key. */
  tripsByKey: { trip: 'i32' },
  /** GTFS stop_sequence, rising along a trip; trips that number their calls alike share a list. */
  stopSequences: { sequence: 'u32' },
  times: { arrival: 'i32', departure: 'i32' },
  /** One bit per row of `times`: the publisher gave no time and we filled it in. No rows when there is none. */
  interpolated: { bits: 'u8' },
  /** How the calls of a pattern lie on a shape; `firstPosition` leads to one row per call. */
  tripShapes: { shape: 'i32', firstPosition: 'i32' },
  /** Place along the shape in points: 2.25 is a quarter of the way from the third point to the fourth. */
  shapePositions: { position: 'f32' },
  shapes: { firstPoint: 'i32', pointCount: 'i32' },
  /** Millionths of a degree. */
  shapePoints: { lat: 'i32', lon: 'i32' },
  searchEntries: { stop: 'i32', importance: 'f32', nameRank: 'u32', ownLetters: 'u16', stationRank: 'u8' },
  searchTermLetters: { letter: 'u16' },
  searchTermStarts: { letterStart: 'u32', postingStart: 'u32' },
  searchTermShared: { shared: 'u8' },
  searchPostings: { posting: 'u32' },
  searchParts: { term: 'u32', from: 'u8' },
} as const;

export type TimetableTables = {
  readonly [Table in keyof typeof timetableTables]: ColumnsOf<(typeof timetableTables)[Table]>;
};

/** To be raised with every change of `timetableTables`: a snapshot of another format is refused by name. */
export const TIMETABLE_FORMAT_VERSION = 3;

const KEY_SEPARATOR = '\u001f';

/**
 * The key by which references name a trip, the same in every timetable that holds the trip: the first 64 bits, least
 * byte first, of the MD5 of source, trip id and, for a run of a frequency, its first departure.
 * @param frequencyStart seconds, or -1
 */
export function hashTrip(source: string, tripId: string, frequencyStart: number): bigint {
  const parts = frequencyStart < 0 ? [source, tripId] : [source, tripId, String(frequencyStart)];
  return hash('md5', parts.join(KEY_SEPARATOR), 'buffer').readBigUInt64LE(0);
}

/** @returns row of the timetable's trips; null when it holds none of this key */
export function findTripByKey({ trips, tripsByKey }: TimetableTables, key: bigint): number | null {
  const order = tripsByKey.trip;
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trips.key[order[middle]!]! < key) low = middle + 1;
    else high = middle;
  }
  const found = order[low];
  return found !== undefined && trips.key[found] === key ? found : null;
}

/** Whether a service runs on a day (days since 1970). */
export function runsOn(
  { services, serviceBits }: Pick<TimetableTables, 'services' | 'serviceBits'>,
  service: number,
  day: number,
): boolean {
  const offset = day - services.firstDay[service]!;
  if (offset < 0 || day > services.lastDay[service]!) return false;
  return ((serviceBits.bits[services.firstByte[service]! + (offset >> 3)]! >> (offset & 7)) & 1) === 1;
}

export interface SnapshotSource {
  readonly sourceId: SourceId;
  readonly feedVersion: FeedVersion;
  readonly publisherName: string | null;
  readonly publishedVersion: string | null;
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  readonly fetchedAt: string;
  readonly report: readonly TableReport[];
}

export interface TimetableManifest {
  readonly kind: 'timetable';
  readonly formatVersion: number;
  readonly id: string;
  readonly createdAt: string;
  /** Validity over all sources. */
  readonly beginDate: ServiceDate;
  readonly endDate: ServiceDate;
  /** When the newest data was fetched. */
  readonly dataDate: ServiceDate;
  readonly sources: readonly SnapshotSource[];
  readonly rows: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface TimetableSnapshot {
  readonly manifest: TimetableManifest;
  readonly tables: TimetableTables;
}

export function timetableSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'timetable');
}

/** @returns the id of the published snapshot, null when none was ever published */
export async function findCurrentTimetableId(dataDir: string): Promise<string | null> {
  const pointer = await findJson<{ id: string }>(path.join(timetableSnapshotsFolder(dataDir), 'current.json'));
  return pointer?.id ?? null;
}

/** When each source was last asked with success, by source id, also where there was nothing new; ISO 8601 UTC. */
export async function readSourceChecks(dataDir: string): Promise<Readonly<Record<string, string>>> {
  return (await findJson<Record<string, string>>(sourceChecksFile(dataDir))) ?? {};
}

export function sourceChecksFile(dataDir: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), 'checked.json');
}

/** @throws WorldError `snapshot_damaged` when it is missing or no JSON */
export async function readTimetableManifest(dataDir: string, id: string): Promise<TimetableManifest> {
  const manifest = await findJson<TimetableManifest>(timetableManifestFile(dataDir, id));
  if (!manifest) {
    throw new WorldError(
      'snapshot_damaged',
      `snapshot ${id} has lost its manifest: run ingest-timetable to build it anew`,
    );
  }
  return manifest;
}

export function timetableManifestFile(dataDir: string, id: string): string {
  return path.join(timetableSnapshotsFolder(dataDir), id, 'manifest.json');
}

/**
 * Loads a snapshot; its arrays are views of the files' bytes.
 * @throws Error when it is of another format, or a file is missing or damaged
 */
export async function readTimetableSnapshot(dataDir: string, id: string): Promise<TimetableSnapshot> {
  const manifest = await readTimetableManifest(dataDir, id);
  if (manifest.kind !== 'timetable' || manifest.formatVersion !== TIMETABLE_FORMAT_VERSION) {
    throw new Error(
      `snapshot ${id} is ${manifest.kind} format ${manifest.formatVersion}, and this version reads timetable format ` +
        `${TIMETABLE_FORMAT_VERSION}: run ingest-timetable`,
    );
  }
  const folder = path.join(timetableSnapshotsFolder(dataDir), id);
  const names = Object.keys(timetableTables) as (keyof typeof timetableTables)[];
  const tables = await Promise.all(
    names.map(async (name) => {
      const file = tableFile(name);
      return [name, await readArrowTable(path.join(folder, file), timetableTables[name], manifest.files[file])];
    }),
  );
  return { manifest, tables: Object.fromEntries(tables) as TimetableTables };
}

export function tableFile(table: keyof typeof timetableTables): string {
  return `${table.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.arrow`;
}

/** The search index as its columns lie in a snapshot. */
export function getSearchIndex(tables: TimetableTables): SearchIndex {
  return {
    entryImportance: tables.searchEntries.importance,
    entryNameRank: tables.searchEntries.nameRank,
    entryOwnLetters: tables.searchEntries.ownLetters,
    entryStationRank: tables.searchEntries.stationRank,
    termLetters: tables.searchTermLetters.letter,
    termStart: tables.searchTermStarts.letterStart,
    termShared: tables.searchTermShared.shared,
    postingStart: tables.searchTermStarts.postingStart,
    postings: tables.searchPostings.posting,
    partTerm: tables.searchParts.term,
    partFrom: tables.searchParts.from,
  };
}
