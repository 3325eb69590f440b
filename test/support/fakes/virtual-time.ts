import { fixedClock } from '../../../pipeline/effects/clock.ts';

export interface VirtualTime {
  readonly clock: ReturnType<typeof fixedClock>;
  /** @throws the signal's reason when it aborts before the time is over */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Lets time pass up to so many seconds after the start. */
  run(untilSeconds: number): Promise<void>;
  /** Sets the clock forward, or back: what it shows changes, and no sleep becomes longer or shorter. */
  setClockBy(seconds: number): void;
  /** Seconds that have passed since the start, whatever the clock shows. */
  seconds(): number;
}

/**
 * A clock, and sleeps by it: time passes in `run` alone, from one sleeper to the next.
 * @param settle resolves when all that can go on without time passing has gone on
 */
export function virtualTime(startIso: string, settle: () => Promise<void>): VirtualTime {
  const clock = fixedClock(startIso);
  const start = clock.nowMilliseconds();
  /** Milliseconds: what has passed, and what the clock is wrong by. */
  let [passed, error] = [0, 0];
  const showTime = () => clock.set(new Date(start + passed + error).toISOString());
  const sleepers = new Map<object, { at: number; wake: () => void }>();
  const sleep: VirtualTime['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const key = {};
      const abort = () => {
        sleepers.delete(key);
        reject(signal!.reason);
      };
      const wake = () => {
        sleepers.delete(key);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      sleepers.set(key, { at: passed + milliseconds, wake });
    });
  const run = async (untilSeconds: number) => {
    await settle();
    for (;;) {
      const next = [...sleepers.values()].sort((a, b) => a.at - b.at)[0];
      if (!next || next.at > untilSeconds * 1000) break;
      passed = next.at;
      showTime();
      next.wake();
      await settle();
    }
    passed = untilSeconds * 1000;
    showTime();
  };
  const setClockBy = (seconds: number) => {
    error += seconds * 1000;
    showTime();
  };
  return { clock, sleep, run, setClockBy, seconds: () => passed / 1000 };
}
