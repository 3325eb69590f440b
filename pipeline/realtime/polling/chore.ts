import { isDue } from '../../model/clock-tolerance.ts';
import type { Instant } from '../../model/service-time.ts';

/** Periodic background work of the poller that no answer waits for. */
export interface Chore {
  /** Starts a run if one is due and none is in progress. */
  startIfDue(now: Instant): void;
  /** Waits for the run in progress. */
  finish(): Promise<void>;
}

/**
 * @param everySeconds between the starts of two runs
 * @param reportFailure called with the error of a failed run; the next run tries again
 */
export function openChore(
  everySeconds: number,
  task: (now: Instant) => Promise<unknown>,
  reportFailure: (error: Error) => void,
): Chore {
  let startedAt: Instant | null = null;
  let running: Promise<void> | null = null;
  return {
    startIfDue(now) {
      if (running || !isDue(startedAt, everySeconds, now)) return;
      startedAt = now;
      running = task(now)
        .then(() => {}, reportFailure)
        .finally(() => {
          running = null;
        });
    },
    async finish() {
      await running;
    },
  };
}
