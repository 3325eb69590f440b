import type { Instant } from './service-time.ts';

/** Correct clocks differ by seconds: those of two machines, or of one machine before and after it was set. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Whether a recorded instant lies in the future, that is, was written by a wrong clock. Such a record is reported and
 * ignored: otherwise it would count as fresh, or block work, until that time has passed.
 * @param instant and now in seconds since 1970
 */
export function isAhead(instant: number, now: number): boolean {
  return instant > now + CLOCK_TOLERANCE_SECONDS;
}

/** `isAhead` for an ISO 8601 time of a file; invalid text is not ahead. */
export function isTextAhead(isoTime: string, nowMilliseconds: number): boolean {
  return isAhead(Date.parse(isoTime) / 1000, nowMilliseconds / 1000);
}

/** A publisher's clock may differ from ours by this much; beyond it the answer comes from a cache. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** Whether the publication time of the answer is too far from our time. */
export function isClockOff(publishedAt: Instant | null, fetchedAt: Instant): boolean {
  return publishedAt !== null && Math.abs(publishedAt - fetchedAt) > MAX_CLOCK_DIFFERENCE_SECONDS;
}

/** Whether a repetition is due. A start in the future was recorded before the clock was set back. */
export function isDue(startedAt: Instant | null, everySeconds: number, now: Instant): boolean {
  return startedAt === null || startedAt > now || now - startedAt >= everySeconds;
}
