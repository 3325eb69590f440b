import type { Problem } from '../../model/problem.ts';
import type { StopName } from '../../model/realtime.ts';
import type { Instant, ServiceDate } from '../../model/service-time.ts';

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

/** How far a publisher's clock may be ahead of ours before its times are taken for wrong. */
const CLOCK_TOLERANCE_SECONDS = 60;

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
  if (recordedAt === null || recordedAt <= reading.fetchedAt + CLOCK_TOLERANCE_SECONDS) return recordedAt;
  tell(reading, 'timestamp_in_future', place, `${recordedAt} is ${recordedAt - reading.fetchedAt} s ahead of us`);
  return null;
}

/** A text, or null where nothing is in it. */
export function textOf(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}
