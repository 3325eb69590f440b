import { hash } from 'node:crypto';
import { lowerBound, partitionPoint } from '../model/binary-search.ts';
import type { TimetableTables } from './timetable-contract.ts';

// How rows of the timetable snapshot are found.

const KEY_SEPARATOR = '\u001f';

/**
 * The key of a trip in references, the same in every timetable that has the trip: the first 64 bits, least byte first,
 * of the MD5 of source, trip id and, for a run of a frequency, its first departure.
 * @param frequencyStart seconds, or -1
 */
export function hashTrip(source: string, tripId: string, frequencyStart: number): bigint {
  const digest = digestTrip(source, tripId, frequencyStart);
  return (BigInt(readWord(digest, 4)) << 32n) | BigInt(readWord(digest, 0));
}

/** The same keys of many trips, by row. */
export function hashTrips(
  sourceOf: (row: number) => string,
  tripIds: readonly string[],
  frequencyStart: Int32Array,
): BigUint64Array<ArrayBuffer> {
  const keys = new BigUint64Array(tripIds.length);
  // Little-endian: the lower half of each number, then the upper one.
  const halves = new Uint32Array(keys.buffer);
  for (let row = 0; row < keys.length; row++) {
    const digest = digestTrip(sourceOf(row), tripIds[row]!, frequencyStart[row]!);
    halves[2 * row] = readWord(digest, 0);
    halves[2 * row + 1] = readWord(digest, 4);
  }
  return keys;
}

function digestTrip(source: string, tripId: string, frequencyStart: number): string {
  const named = `${source}${KEY_SEPARATOR}${tripId}`;
  // A text with one letter per byte takes half as long as a buffer.
  return hash('md5', frequencyStart < 0 ? named : `${named}${KEY_SEPARATOR}${frequencyStart}`, 'binary');
}

/** 32 bits, least byte first. */
function readWord(bytes: string, at: number): number {
  const byte = (index: number) => bytes.charCodeAt(at + index);
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0;
}

/** Rows of the trips with a key: one per version of the source that has the trip. */
export function listTripsByKey({ trips, tripsByKey }: TimetableTables, key: bigint): readonly number[] {
  const order = tripsByKey.trip;
  const first = partitionPoint(0, order.length, (at) => trips.key[order[at]!]! < key);
  const rows: number[] = [];
  for (let i = first; i < order.length && trips.key[order[i]!] === key; i++) rows.push(order[i]!);
  return rows;
}

/**
 * The trip with a key on a service day: versions of a source may share keys, each on its own days.
 * @param day since 1970
 * @returns row of the trip in the version that applies on the day; null without one
 */
export function findTripByKey(tables: TimetableTables, key: bigint, day: number): number | null {
  const { trips, patterns, routes, feeds } = tables;
  for (const trip of listTripsByKey(tables, key)) {
    const feed = routes.feed[patterns.route[trips.pattern[trip]!]!]!;
    if (feeds.firstDay[feed]! <= day && day <= feeds.lastDay[feed]!) return trip;
  }
  return null;
}

/** Row of `times` of a trip's first call. */
export function getTimeRow({ patterns }: Pick<TimetableTables, 'patterns'>, pattern: number, trip: number): number {
  return patterns.firstTime[pattern]! + (trip - patterns.firstTrip[pattern]!) * patterns.callCount[pattern]!;
}

/** A trip of the timetable on a service day. */
export interface TripOfDay<Day extends number = number> {
  readonly trip: number;
  readonly day: Day;
}

/**
 * The dated trip that is shown for a dated trip: itself, unless it is a duplicate on that day. The two may have
 * different service days.
 */
export function getShownTrip<Day extends number>(tables: TimetableTables, trip: number, day: Day): TripOfDay<Day> {
  const { duplicates } = tables;
  if (duplicates.trip.length === 0) return { trip, day };
  for (let row = lowerBound(duplicates.trip, trip); duplicates.trip[row] === trip; row++) {
    if (!runsOn(tables, duplicates.service[row]!, day)) continue;
    return { trip: duplicates.shownTrip[row]!, day: (day + duplicates.dayOffset[row]!) as Day };
  }
  return { trip, day };
}

/** The stop that a public id leads to: the stop itself; for a station that was merged, the station of all. */
export function getPublicStop({ stops }: Pick<TimetableTables, 'stops'>, stop: number): number {
  return stops.publishedStation[stop] === stop ? stops.station[stop]! : stop;
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
