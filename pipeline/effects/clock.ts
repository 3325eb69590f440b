import type { Instant } from '../model/service-time.ts';

/** Source of the present time; replays and tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  nowMilliseconds(): number;
  /** Parameters of a clock other than the system's, from which another thread can create the same one. */
  readonly course?: ClockCourse;
}

/** A clock that showed `at` when the system's showed `since`, and runs `speed` times as fast. Milliseconds. */
export interface ClockCourse {
  readonly at: number;
  readonly since: number;
  readonly speed: number;
}

export const systemClock: Clock = { nowMilliseconds: () => Date.now() };

/** A clock that differs from the system's and may run faster. */
export function movingClock(course: ClockCourse): Clock {
  const { at, since, speed } = course;
  return { course, nowMilliseconds: () => at + (Date.now() - since) * speed };
}

/** A clock that changes only through `set`. */
export function fixedClock(isoTime: string): Clock & { set(isoTime: string): void } {
  let now = Date.parse(isoTime);
  return {
    nowMilliseconds: () => now,
    set: (time) => {
      now = Date.parse(time);
    },
  };
}

/** Present time in whole seconds, rounded down. */
export function nowInstant(clock: Clock): Instant {
  return Math.floor(clock.nowMilliseconds() / 1000) as Instant;
}
