import { setTimeout as wait } from 'node:timers/promises';
import { silentLog } from '../../pipeline/effects/log.ts';
import { openLockStore } from '../../pipeline/scale-out/leases/lock-store.ts';

/** What the locks of all units begin with, see `shardLock`. */
const SHARD_LOCKS = 'shard/';
const TAKEN_MILLISECONDS = 240_000;

/**
 * Waits until a worker has a unit, and ends the worker at once.
 * @param end is given the number of its process
 * @returns the lock of the unit
 * @throws Error when no worker takes a unit in time
 */
export async function killWorkerAtWork(
  { postgresUrl, leaseSeconds }: { readonly postgresUrl: string; readonly leaseSeconds: number },
  end: (pid: number) => Promise<void>,
): Promise<string> {
  const locks = await openLockStore(postgresUrl, leaseSeconds, silentLog);
  try {
    const deadline = performance.now() + TAKEN_MILLISECONDS;
    for (;;) {
      const [taken] = await locks.list(SHARD_LOCKS);
      if (taken) {
        await end(taken.pid);
        return taken.resource;
      }
      if (performance.now() > deadline) throw new Error('no worker has taken a unit, so none was killed with one');
      await wait(100);
    }
  } finally {
    await locks.close();
  }
}
