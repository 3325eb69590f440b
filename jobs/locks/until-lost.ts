import type { HeldLocks } from './locks.ts';

/** Waits while locks are held. @returns why they were lost; null if `stopping` ended the wait */
export async function untilLost({ lost }: Pick<HeldLocks, 'lost'>, stopping: AbortSignal): Promise<string | null> {
  const ended = lost === null ? stopping : AbortSignal.any([lost, stopping]);
  if (!ended.aborted) {
    await new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }));
  }
  return lost?.aborted ? (lost.reason as Error).message : null;
}
