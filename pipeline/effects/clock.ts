import type { Instant } from '../model/service-time.ts';

/** Where "now" comes from; a replayed day or a test hands in its own. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  nowMilliseconds(): number;
  /** How a clock runs that is not the system's, so that another thread can have the same one. */
  readonly course?: ClockCourse;
}

/** A clock that showed `at` when the system's showed `since`, and runs `speed` times as fast. Milliseconds. */
export interface ClockCourse {
  readonly at: number;
  readonly since: number;
  readonly speed: number;
}

export const systemClock: Clock = { nowMilliseconds: () => Date.now() };

/** Shows another time than the system does, and may run faster. */
export function movingClock(course: ClockCourse): Clock {
  const { at, since, speed } = course;
  return { course, nowMilliseconds: () => at + (Date.now() - since) * speed };
}

/** A clock that stands still until somebody moves it. */
export function fixedClock(isoTime: string): Clock & { set(isoTime: string): void } {
  let now = Date.parse(isoTime);
  return {
    nowMilliseconds: () => now,
    set: (time) => {
      now = Date.parse(time);
    },
  };
}

/** The clock's moment in whole seconds, rounded down. */
export function nowInstant(clock: Clock): Instant {
  return Math.floor(clock.nowMilliseconds() / 1000) as Instant;
}
