import { type Instant, parseServiceDate, parseTimestamp, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import type { TimeInfo } from '../../../contract/v2-basics.ts';

/** The instant of a time, with realtime where it is known. */
export function expectedAt(time: TimeInfo | undefined): Instant | null {
  const shown = time?.realtime ?? time?.scheduled;
  return shown === undefined ? null : parseTimestamp(shown);
}

/** `YYYY-MM-DD` of a timestamp of the service. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Between two times as clocks show them, which is what a reader counts. */
export function minutesBetween(from: string, to: string): number {
  return Math.floor(parseTimestamp(to)! / 60) - Math.floor(parseTimestamp(from)! / 60);
}

/** Whole days from the date of one time to that of another. */
export function daysBetween(from: string, to: string): number {
  const [first, last] = [from, to].map((time) => toEpochDay(parseServiceDate(dateOf(time))!));
  return last! - first!;
}
