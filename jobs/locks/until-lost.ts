import type { HeldLocks } from './locks.ts';

/** Waits for as long as locks are held. @returns why they are lost; null when `stopping` ended the wait before */
export async function untilLost({ lost }: Pick<HeldLocks, 'lost'>, stopping: AbortSignal): Promise<string | null> {
  const ended = lost === null ? stopping : AbortSignal.any([lost, stopping]);
  if (!ended.aborted) {
    await new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }));
  }
  return lost?.aborted ? (lost.reason as Error).message : null;
}
