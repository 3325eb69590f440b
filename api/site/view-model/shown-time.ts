import type { Line, TimeInfo } from '../../contract/v2-basics.ts';

/** Displayed time of a call, in minutes like on a departure board. */
export interface ShownTime {
  /** Estimated time, `HH:MM` in Austrian local time. */
  readonly clock: string;
  /** Scheduled time if it differs by a minute or more; null otherwise. */
  readonly planned: string | null;
  /** Difference of the two; null if nothing was reported. */
  readonly delayMinutes: number | null;
  /** Estimated time in milliseconds since 1970. */
  readonly at: number;
}

/** Returns `HH:MM` of a timestamp, whose text is local time. */
export function clockOf(timestamp: string): string {
  return timestamp.slice(11, 16);
}

/** @returns null if the time is unknown */
export function showTime({ scheduled, realtime, isRealtime }: TimeInfo): ShownTime | null {
  const expected = isRealtime && realtime !== undefined ? realtime : scheduled;
  if (expected === undefined) return null;
  const isReported = isRealtime && realtime !== undefined && scheduled !== undefined;
  const delayMinutes = isReported ? minuteOf(realtime) - minuteOf(scheduled) : null;
  return {
    clock: clockOf(expected),
    planned: delayMinutes ? clockOf(scheduled!) : null,
    delayMinutes,
    at: Date.parse(expected),
  };
}

/** The times of a call: one if arrival and departure are in the same minute, otherwise both. */
export function listCallTimes({ arrival, departure }: CallTimes): readonly ShownTime[] {
  const shown = [arrival, departure].flatMap((time) => (time ? (showTime(time) ?? []) : []));
  return shown.length === 2 && shown[0]!.clock === shown[1]!.clock ? [shown[1]!] : shown;
}

interface CallTimes {
  readonly arrival?: TimeInfo;
  readonly departure?: TimeInfo;
}

/** A difference that riders of a metro do not notice: its line runs every few minutes. */
const METRO_TOLERANCE_MINUTES = 1;

/** Shows a metro that is a minute off without its scheduled time. */
export function showBoardTime(time: TimeInfo, product: Line['product']): ShownTime | null {
  const shown = showTime(time);
  const isClose = product === 'subway' && Math.abs(shown?.delayMinutes ?? 0) <= METRO_TOLERANCE_MINUTES;
  return shown && isClose ? { ...shown, planned: null, delayMinutes: shown.delayMinutes === null ? null : 0 } : shown;
}

function minuteOf(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 60_000);
}

/** Delays from here on are highlighted. */
const BAD_MINUTES = 5;

/** How a delay is coloured; null: nothing was reported. */
export function rateDelay(minutes: number | null): 'planned' | 'on-time' | 'off' | 'bad' {
  if (minutes === null) return 'planned';
  if (minutes === 0) return 'on-time';
  return minutes >= BAD_MINUTES ? 'bad' : 'off';
}

/** Beyond this, the clock time is more useful than the minutes. */
const COUNTED_MINUTES = 60;

/** Minutes until a time; null if they are not shown. Both in milliseconds. */
export function countDown(at: number, now: number): number | null {
  const minutes = Math.floor((at - now) / 60_000);
  return minutes >= COUNTED_MINUTES ? null : Math.max(0, minutes);
}
