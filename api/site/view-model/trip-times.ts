import { type Instant, parseServiceDate, parseTimestamp, toEpochDay } from '../../../pipeline/model/service-time.ts';
import type { TimeInfo } from '../../contract/v2-basics.ts';

/** Estimated instant, or the scheduled one without realtime. */
export function expectedAt(time: TimeInfo | undefined): Instant | null {
  const shown = time?.realtime ?? time?.scheduled;
  return shown === undefined ? null : parseTimestamp(shown);
}

/** Returns `YYYY-MM-DD` of a timestamp. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Minutes between two clock times, ignoring seconds like a reader does. */
export function minutesBetween(from: string, to: string): number {
  return Math.floor(parseTimestamp(to)! / 60) - Math.floor(parseTimestamp(from)! / 60);
}

/** Days between the dates of two timestamps. */
export function daysBetween(from: string, to: string): number {
  const [first, last] = [from, to].map((time) => toEpochDay(parseServiceDate(dateOf(time))!));
  return last! - first!;
}
