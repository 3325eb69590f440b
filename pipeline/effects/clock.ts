import type { Instant } from '../model/service-time.ts';

/** Where "now" comes from; a replayed day or a test hands in its own. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  nowMilliseconds(): number;
}

export const systemClock: Clock = { nowMilliseconds: () => Date.now() };

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
