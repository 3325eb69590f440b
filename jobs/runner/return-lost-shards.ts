import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { type ShardEnd, shardLock, type TakenShard } from '../../pipeline/scale-out/shards/shard.ts';
import type { ShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { holdLocks, type LockRequest, listLocks } from '../locks/locks.ts';

const lost: ShardEnd = { status: 'failed', summary: 'its worker was lost', isRetryable: true, worker: '' };

/** @returns a function that returns lost shards, at most twice in a lease however often it is called */
export function watchLostShards(
  queue: ShardQueue,
  jobs: readonly string[],
  request: Pick<LockRequest, 'config' | 'effects'>,
): () => Promise<void> {
  let lookedAt = performance.now();
  return async () => {
    if (performance.now() - lookedAt < request.config.operations.leaseSeconds * 500) return;
    lookedAt = performance.now();
    await returnLostShards(queue, jobs, request);
  };
}

/**
 * Returns shards to the queue whose workers are dead: those that are active for longer than a lease, and whose lock
 * nothing holds. The lock is taken to do so, so a worker that comes back meanwhile finds it taken.
 * @throws ExternalError `lock_store_failed`, `shard_store_failed`
 */
async function returnLostShards(
  queue: ShardQueue,
  jobs: readonly string[],
  { config, effects }: Pick<LockRequest, 'config' | 'effects'>,
): Promise<void> {
  const { leaseSeconds } = config.operations;
  for (const job of jobs) {
    const active = await queue.listActive(job, leaseSeconds);
    if (active.length === 0) continue;
    const held = new Set((await listLocks(config, effects)).map(({ resource }) => resource));
    for (const shard of active.filter((one) => !held.has(shardLock(one)))) {
      const locks = await holdLocks([shardLock(shard)], { job, config, effects }).catch((error: unknown) => {
        if (error instanceof ExternalError && error.code === 'job_running') return null;
        throw error;
      });
      if (locks === null) continue;
      try {
        if (!(await isStillActive(shard, queue, leaseSeconds))) continue;
        await queue.retry(shard, lost);
        effects.log.warn(`${job}: ${shard.unit} is retried, since its worker was lost`);
      } finally {
        await locks.release();
      }
    }
  }
}

/**
 * Whether a shard is still active, and neither done nor taken by another worker meanwhile.
 * @param seconds since which it has been active at least
 */
export async function isStillActive(shard: TakenShard, queue: ShardQueue, seconds: number): Promise<boolean> {
  const active = await queue.listActive(shard.job, seconds);
  return active.some(({ id, retries }) => id === shard.id && retries === shard.retries);
}
