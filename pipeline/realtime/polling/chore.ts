import { isDue } from '../../model/clock-tolerance.ts';
import type { Instant } from '../../model/service-time.ts';

/** Work beside the polling that no answer need wait for. */
export interface Chore {
  /** Begins it if it is due and not under way. */
  startIfDue(now: Instant): void;
  /** Waits for the one that is under way. */
  finish(): Promise<void>;
}

/**
 * @param everySeconds between two beginnings
 * @param tellFailure what a failed run is told to; the next one tries again
 */
export function openChore(
  everySeconds: number,
  task: (now: Instant) => Promise<unknown>,
  tellFailure: (error: Error) => void,
): Chore {
  let startedAt: Instant | null = null;
  let running: Promise<void> | null = null;
  return {
    startIfDue(now) {
      if (running || !isDue(startedAt, everySeconds, now)) return;
      startedAt = now;
      running = task(now)
        .then(() => {}, tellFailure)
        .finally(() => {
          running = null;
        });
    },
    async finish() {
      await running;
    },
  };
}
