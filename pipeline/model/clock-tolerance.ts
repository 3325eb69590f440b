import type { Instant } from './service-time.ts';

/** Clocks that are right differ by seconds: those of two machines, or one before and after it was set. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Whether a moment on record lies ahead of now, so that a clock that was wrong has written it. Such a record says
 * nothing of the present: it is reported and ignored, else it would count as fresh, or hold work up, until it is past.
 * @param moment and now in seconds since 1970
 */
export function isAhead(moment: number, now: number): boolean {
  return moment > now + CLOCK_TOLERANCE_SECONDS;
}

/** `isAhead` for a moment of a file, in ISO 8601; text that is no moment is not ahead. */
export function isTextAhead(isoTime: string, nowMilliseconds: number): boolean {
  return isAhead(Date.parse(isoTime) / 1000, nowMilliseconds / 1000);
}

/** A publisher and we may disagree about the time by this much; beyond it the answer comes out of some cache. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** Whether the answer as a whole is of another time than ours. */
export function isClockOff(publishedAt: Instant | null, fetchedAt: Instant): boolean {
  return publishedAt !== null && Math.abs(publishedAt - fetchedAt) > MAX_CLOCK_DIFFERENCE_SECONDS;
}

/** Whether something is to be done again. What began in the future began before the clock was set back. */
export function isDue(startedAt: Instant | null, everySeconds: number, now: Instant): boolean {
  return startedAt === null || startedAt > now || now - startedAt >= everySeconds;
}
