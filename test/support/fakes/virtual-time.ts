import { fixedClock } from '../../../pipeline/effects/clock.ts';

export interface VirtualTime {
  readonly clock: ReturnType<typeof fixedClock>;
  /** @throws the signal's reason when it aborts before the end */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Advances the time to this many seconds after the start. */
  run(untilSeconds: number): Promise<void>;
  /** Sets the clock forward or back, without changing the duration of sleeps. */
  setClockBy(seconds: number): void;
  /** Seconds since the start, independently of the clock. */
  seconds(): number;
}

/**
 * A clock and its sleeps: time passes only in `run`, from one sleeper to the next.
 * @param settle resolves when nothing more can happen without time passing
 */
export function virtualTime(startIso: string, settle: () => Promise<void>): VirtualTime {
  const clock = fixedClock(startIso);
  const start = clock.nowMilliseconds();
  /** Milliseconds since the start, and the error of the clock. */
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
