import { setTimeout as wait } from 'node:timers/promises';
import { silentLog } from '../../pipeline/effects/log.ts';
import { openLockStore } from '../../pipeline/scale-out/leases/lock-store.ts';

/** Prefix of the locks of all shards, see `shardLock`. */
const SHARD_LOCKS = 'shard/';
const TAKEN_MILLISECONDS = 240_000;

/**
 * Waits until a worker has a shard, and kills the worker.
 * @param end receives its process id
 * @returns the lock of the shard
 * @throws Error if no worker takes a shard in time
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
      if (performance.now() > deadline) throw new Error('no worker took a shard in time, so none could be killed');
      await wait(100);
    }
  } finally {
    await locks.close();
  }
}
