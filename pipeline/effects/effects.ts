import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { fetchHttp, type Http } from './http.ts';
import type { Log } from './log.ts';
import type { ThreadMonitor } from './thread-memory.ts';

/** Side effects that jobs and threads use. */
export interface Effects {
  readonly clock: Clock;
  readonly http: Http;
  readonly log: Log;
  /** Receives the memory of threads; absent if it is not measured. */
  readonly threadMonitor?: ThreadMonitor | undefined;
  /** @throws the signal's reason when it aborts during the sleep */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The real effects; a clock that runs faster shortens the sleep, one that stands still does not change it. */
export function realEffects({ clock, log }: Pick<Effects, 'clock' | 'log'>): Effects {
  const speed = clock.course?.speed || 1;
  return { clock, http: fetchHttp, log, sleep: (milliseconds, signal) => sleep(milliseconds / speed, signal) };
}

/** Waits in real time. @throws the signal's reason when it aborts during the sleep */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal ? { signal } : {});
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
