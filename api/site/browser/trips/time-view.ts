import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { TimeInfo } from '../../../contract/v2-basics.ts';

/** A time as a clock shows it. */
export interface TimeView {
  /** `hh:mm` in Austria, with realtime where it is known. */
  readonly clock: string;
  /** `hh:mm` of the timetable where it is another. */
  readonly scheduledClock: string | null;
  readonly isRealtime: boolean;
  /** Whole minutes as the two clocks show them; null without realtime. */
  readonly delayMinutes: number | null;
}

/** @returns null for a time that is not known at all */
export function viewTime(time: TimeInfo | undefined): TimeView | null {
  const shown = time?.realtime ?? time?.scheduled;
  if (!time || shown === undefined) return null;
  const { scheduled, realtime, isRealtime } = time;
  const isBoth = scheduled !== undefined && realtime !== undefined;
  const delayMinutes = isBoth ? minutesBetween(scheduled, realtime) : null;
  return {
    clock: clockOf(shown),
    scheduledClock: delayMinutes === null || delayMinutes === 0 ? null : clockOf(scheduled!),
    isRealtime,
    delayMinutes,
  };
}

/** The instant of a time, with realtime where it is known. */
export function expectedAt(time: TimeInfo | undefined): Instant | null {
  const shown = time?.realtime ?? time?.scheduled;
  return shown === undefined ? null : parseTimestamp(shown);
}

/** `hh:mm` of a timestamp of the service, which is Austrian local time. */
export function clockOf(timestamp: string): string {
  return timestamp.slice(11, 16);
}

/** `YYYY-MM-DD` of a timestamp of the service. */
export function dateOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Between two times as clocks show them, which is what a reader counts. */
export function minutesBetween(from: string, to: string): number {
  return Math.floor(parseTimestamp(to)! / 60) - Math.floor(parseTimestamp(from)! / 60);
}
