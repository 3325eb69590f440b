import type { Config } from '../../pipeline/config/load-config.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { ShardCounts } from '../../pipeline/scale-out/shards/shard.ts';

/**
 * Counts the units that are left to workers, by job. @returns none where no database is configured
 * @throws ExternalError `shard_store_failed`
 */
export async function readShards({ operations }: Config, log: Log): Promise<readonly ShardCounts[]> {
  if (operations.postgresUrl === null) return [];
  const { readShardCounts } = await import('../../pipeline/scale-out/shards/shard-queue.ts');
  return readShardCounts(operations.postgresUrl, log);
}
