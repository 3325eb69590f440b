import { isAhead } from '../../model/clock-tolerance.ts';
import type { RecordProblem } from '../../model/problem.ts';
import type { StopName, TripName } from '../../model/realtime.ts';
import {
  type Instant,
  parseServiceDate,
  parseServiceTime,
  type ServiceDate,
  type ServiceTime,
} from '../../model/service-time.ts';
import type { TripDescriptor } from './feed-message.ts';

/** Context of the message being read: facts that all of its parts need, and the problems so far. */
export interface FeedReading {
  readonly source: string;
  readonly fetchedAt: Instant;
  readonly hasMeasuredStopEvents: boolean;
  readonly problems: RecordProblem[];
  /** Cache of stops and dates, which repeat by the thousand. */
  readonly stops: Map<string, StopName>;
  readonly dates: Map<string, ServiceDate | null>;
}

export function startReading(facts: Pick<FeedReading, 'source' | 'fetchedAt' | 'hasMeasuredStopEvents'>): FeedReading {
  return { ...facts, problems: [], stops: new Map(), dates: new Map() };
}

/** Snapshots store instants as unsigned 32-bit seconds, which end in 2106. */
const LATEST_INSTANT = 0xffff_ffff;

export function addProblem({ source, problems }: FeedReading, code: string, place: string, detail: string): void {
  problems.push({ code, source, place, detail });
}

/** Whether a number is in the range of instants; milliseconds, for example, are not. */
export function isInstant(seconds: number): seconds is Instant {
  return Number.isInteger(seconds) && seconds > 0 && seconds <= LATEST_INSTANT;
}

/**
 * Reads an instant that may lie in the future, e.g. an arrival.
 * @returns null if absent or 0, which many publishers send instead; also for a number out of range, reported as
 *   `implausible_time`
 */
export function readInstant(reading: FeedReading, seconds: number | undefined, place: string): Instant | null {
  if (seconds === undefined || seconds === 0) return null;
  if (isInstant(seconds)) return seconds;
  addProblem(reading, 'implausible_time', place, `${seconds} is not a time in seconds since 1970`);
  return null;
}

/**
 * Reads when the publisher recorded something.
 * @returns null if absent, and for an instant in the future, reported as `timestamp_in_future`: as the newest report it
 *   would never be replaced
 */
export function readTimestamp(reading: FeedReading, seconds: number | undefined, place: string): Instant | null {
  const recordedAt = readInstant(reading, seconds, place);
  if (recordedAt === null || !isAhead(recordedAt, reading.fetchedAt)) return recordedAt;
  addProblem(reading, 'timestamp_in_future', place, `${recordedAt} is ${recordedAt - reading.fetchedAt} s ahead of us`);
  return null;
}

/** The trimmed text, or null where it is empty. */
export function textOf(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** Converts a trip descriptor to a trip name; null where it names neither trip nor route. */
export function toTripName(reading: FeedReading, descriptor: TripDescriptor, place: string): TripName | null {
  // A trip modified by a detour is named by its original trip; the reference leaves the other fields empty.
  const modified = descriptor.modifiedTrip;
  const tripId = textOf(modified?.affectedTripId ?? descriptor.tripId);
  const routeId = textOf(descriptor.routeId);
  if (tripId === null && routeId === null) return null;
  return {
    tripId,
    routeId,
    directionId: toDirection(descriptor.directionId),
    startDate: readDate(reading, modified?.startDate ?? descriptor.startDate, place),
    startTime: readTime(reading, modified?.startTime ?? descriptor.startTime, place),
    lineLabel: null,
    product: null,
    operatorName: null,
    headsign: null,
  };
}

/** Parses `YYYYMMDD`; null where missing or invalid (`bad_start_date`). */
export function readDate(reading: FeedReading, text: string | undefined, place: string): ServiceDate | null {
  const known = textOf(text);
  if (known === null) return null;
  const date = findOrMake(reading.dates, known, () => parseServiceDate(known.trim()));
  if (date === null) addProblem(reading, 'bad_start_date', place, `"${known}" is not a date`);
  return date;
}

/** Parses `H:MM:SS`, past 24 hours as well; null where missing or invalid (`bad_start_time`). */
export function readTime(reading: FeedReading, text: string | undefined, place: string): ServiceTime | null {
  const known = textOf(text);
  if (known === null) return null;
  const time = parseServiceTime(known.trim());
  if (time === null) addProblem(reading, 'bad_start_time', place, `"${known}" is not a time`);
  return time;
}

export function toStopName({ stops }: FeedReading, stopId: string | undefined): StopName | null {
  const id = textOf(stopId);
  if (id === null) return null;
  return findOrMake(stops, id, () => ({ id, idSpace: 'gtfs', name: null, lat: null, lon: null }));
}

function findOrMake<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function toDirection(directionId: number | undefined): 0 | 1 | null {
  return directionId === 0 || directionId === 1 ? directionId : null;
}
