import type { TimeInfo } from '../../../contract/v2-basics.ts';

/** A call's time as it is shown: in minutes, which is what a board says. */
export interface ShownTime {
  /** `HH:MM` of Austrian local time, as it is expected now. */
  readonly clock: string;
  /** As planned, where that is another minute; null otherwise. */
  readonly planned: string | null;
  /** Difference of the two; null where nothing was reported. */
  readonly delayMinutes: number | null;
  /** Milliseconds since 1970, as expected now. */
  readonly at: number;
}

/** `HH:MM` of a timestamp, whose text is local time already. */
export function clockOf(timestamp: string): string {
  return timestamp.slice(11, 16);
}

/** @returns null for a time that nobody knows */
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

function minuteOf(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 60_000);
}
