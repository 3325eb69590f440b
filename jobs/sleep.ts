import { setTimeout as wait } from 'node:timers/promises';

/** Waits. @throws the signal's reason when it aborts before the time is over */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal ? { signal } : {});
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
