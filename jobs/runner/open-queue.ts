import type { Effects } from '../../pipeline/effects/effects.ts';
import type { ShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { awaitDatabase } from '../locks/await-database.ts';
import type { LockConfig } from '../locks/locks.ts';

/**
 * Opens the queue of shards; waits for the database if it is down, for a limited time.
 * @param waiting what waits, for the log
 * @throws ExternalError `shard_store_failed`; the reason of `stopping`
 */
export async function openQueue(
  waiting: string,
  { config, effects }: { readonly config: LockConfig; readonly effects: Pick<Effects, 'log' | 'sleep'> },
  stopping?: AbortSignal,
): Promise<ShardQueue> {
  // Imported on demand: only workers, and runs that are distributed, need it.
  const { openShardQueue } = await import('../../pipeline/scale-out/shards/shard-queue.ts');
  const open = () => openShardQueue(config.operations.postgresUrl!, effects.log);
  return awaitDatabase(`${waiting} waits for the queue of shards`, open, effects, stopping);
}
