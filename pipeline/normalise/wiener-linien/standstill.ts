import type { Instant } from '../../model/service-time.ts';

/** Server and we may disagree about the time by this much; beyond it the answer comes out of some cache. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;
/** A line at a platform whose newest planned departure is older than this is not looked after. */
const MAX_LINE_AGE_SECONDS = 30 * 60;
/** Monitors look 70 minutes ahead; a single planned time further off than this, either way, is a mistake. */
const MAX_PLANNED_DISTANCE_SECONDS = 2 * 3600;
/** Monitors drop what has left within a minute or so; a forecast that passed this long ago shows that nobody does. */
const MAX_PASSED_SECONDS = 10 * 60;
/** So many vehicles of one line do not leave one platform in the same second, */
const PILE_SIZE = 3;
/** least of all in the present one. */
const PRESENT_SECONDS = 30;

export interface DepartureTimes {
  readonly plannedAt: Instant;
  readonly realAt: Instant | null;
}

/** Whether the answer as a whole is of another time than ours. */
export function isClockOff(publishedAt: Instant | null, fetchedAt: Instant): boolean {
  return publishedAt !== null && Math.abs(publishedAt - fetchedAt) > MAX_CLOCK_DIFFERENCE_SECONDS;
}

/**
 * Whether the departures of one line at one platform stand still. Seen in 2026 at the underground: planned times of
 * two days before, `timeReal` set to the present second after second, while buses of the same answer were right; so
 * each line is judged by itself, and by its planned times. In its first hour such a line still has departures to come,
 * and is known by those that have passed: they pile up in the present second. A line without departures says nothing
 * and does not stand.
 * @param clock the server's, ours where it did not tell
 */
export function isStandingStill(departures: readonly DepartureTimes[], clock: Instant): boolean {
  if (departures.length === 0) return false;
  const isOld = departures.every(({ plannedAt }) => plannedAt < clock - MAX_LINE_AGE_SECONDS);
  const hasLongPassed = departures.some(({ realAt }) => realAt !== null && realAt < clock - MAX_PASSED_SECONDS);
  return isOld || hasLongPassed || arePiledUp(departures, clock);
}

/** Whether departures of several planned times are all forecast for one and the same second, which is now. */
function arePiledUp(departures: readonly DepartureTimes[], clock: Instant): boolean {
  const plansBySecond = new Map<Instant, Set<Instant>>();
  for (const { plannedAt, realAt } of departures) {
    if (realAt === null || Math.abs(realAt - clock) > PRESENT_SECONDS) continue;
    const plans = plansBySecond.get(realAt) ?? new Set();
    plansBySecond.set(realAt, plans.add(plannedAt));
  }
  return [...plansBySecond.values()].some(({ size }) => size >= PILE_SIZE);
}

/** Whether a planned time is so far from now that its forecast cannot be meant. */
export function isFarFromNow(plannedAt: Instant, clock: Instant): boolean {
  return Math.abs(plannedAt - clock) > MAX_PLANNED_DISTANCE_SECONDS;
}
