import { isAhead } from '../../model/clock-tolerance.ts';
import type { Problem } from '../../model/problem.ts';
import type { StopName, TripName } from '../../model/realtime.ts';
import {
  type Instant,
  parseServiceDate,
  parseServiceTime,
  type ServiceDate,
  type ServiceTime,
} from '../../model/service-time.ts';
import type { TripDescriptor } from './feed-message.ts';

/** A message being read: what all of its parts need to know, and the problems found so far. */
export interface FeedReading {
  readonly source: string;
  readonly fetchedAt: Instant;
  readonly hasMeasuredStopEvents: boolean;
  readonly problems: Problem[];
  /** Stops and dates, which recur by the thousand and are made once. */
  readonly stops: Map<string, StopName>;
  readonly dates: Map<string, ServiceDate | null>;
}

export function startReading(facts: Pick<FeedReading, 'source' | 'fetchedAt' | 'hasMeasuredStopEvents'>): FeedReading {
  return { ...facts, problems: [], stops: new Map(), dates: new Map() };
}

/** Instants end where an unsigned 32-bit number of seconds does, in 2106: snapshots store them so. */
const LATEST_INSTANT = 0xffff_ffff;

export function tell({ source, problems }: FeedReading, code: string, place: string, detail: string): void {
  problems.push({ code, source, place, detail });
}

/** Whether a number can be a moment at all; milliseconds, for one, cannot. */
export function isInstant(seconds: number): seconds is Instant {
  return Number.isInteger(seconds) && seconds > 0 && seconds <= LATEST_INSTANT;
}

/**
 * A moment that may lie ahead, e.g. an arrival.
 * @returns null where nothing was said: absent, or 0, which many publishers send instead; and for what is no moment,
 *   which is told as `implausible_time`
 */
export function readInstant(reading: FeedReading, seconds: number | undefined, place: string): Instant | null {
  if (seconds === undefined || seconds === 0) return null;
  if (isInstant(seconds)) return seconds;
  tell(reading, 'implausible_time', place, `${seconds} is no time in seconds since 1970`);
  return null;
}

/**
 * When the publisher knew of something.
 * @returns null where it did not say, and for a moment that is still to come, told as `timestamp_in_future`: nobody
 *   knows before, and as the newest word it would stay for ever
 */
export function readTimestamp(reading: FeedReading, seconds: number | undefined, place: string): Instant | null {
  const recordedAt = readInstant(reading, seconds, place);
  if (recordedAt === null || !isAhead(recordedAt, reading.fetchedAt)) return recordedAt;
  tell(reading, 'timestamp_in_future', place, `${recordedAt} is ${recordedAt - reading.fetchedAt} s ahead of us`);
  return null;
}

/** A text, or null where nothing is in it. */
export function textOf(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** Says of a trip what its descriptor says; null for one that names neither trip nor route. */
export function toTripName(reading: FeedReading, descriptor: TripDescriptor, place: string): TripName | null {
  // A trip that a detour has changed is named by the one that it was made from; the reference leaves the rest empty.
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

/** `YYYYMMDD`; null where it is missing, and where it is no date, which is told as `bad_start_date`. */
export function readDate(reading: FeedReading, text: string | undefined, place: string): ServiceDate | null {
  const known = textOf(text);
  if (known === null) return null;
  const date = findOrMake(reading.dates, known, () => parseServiceDate(known.trim()));
  if (date === null) tell(reading, 'bad_start_date', place, `"${known}" is no date`);
  return date;
}

/** `H:MM:SS`, past 24 hours as well; null where it is missing, and where it is no time, told as `bad_start_time`. */
export function readTime(reading: FeedReading, text: string | undefined, place: string): ServiceTime | null {
  const known = textOf(text);
  if (known === null) return null;
  const time = parseServiceTime(known.trim());
  if (time === null) tell(reading, 'bad_start_time', place, `"${known}" is no time`);
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
