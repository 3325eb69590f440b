import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { ShardCounts } from '../../pipeline/scale-out/shards/shard.ts';
import { WORKERS } from '../job/resources.ts';
import { type HeldLock, listLocks } from '../locks/locks.ts';
import { readShards } from '../runner/read-shards.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

/** The database of locks and runs, where one is configured. */
export async function checkOperations({ config, effects }: Examined): Promise<Finding[]> {
  const about = 'database of jobs';
  if (config.operations.postgresUrl === null) return [];
  try {
    const locks = await listLocks(config, effects);
    const workers = locks.filter(({ resource }) => resource.startsWith(WORKERS)).length;
    const shards = await readShards(config, effects.log);
    return [toAnswer(about, locks), ...shards.flatMap((counts) => judgeShards(counts, workers))];
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    return [bad(about, error.message, 'start it, or correct operations.postgresUrl: until then no job can begin')];
  }
}

function toAnswer(about: string, locks: readonly HeldLock[]): Finding {
  const held = locks.map(({ resource, job, pid, host }) => `${resource} by ${job}, process ${pid} on ${host}`);
  return good(about, held.length === 0 ? 'answers; no lock is held' : `answers; locked: ${held.join('; ')}`);
}

function judgeShards({ job, waiting, failed }: ShardCounts, workers: number): Finding[] {
  const about = `units of ${job}`;
  const isStuck = waiting > 0 && workers === 0;
  return [
    ...(isStuck
      ? [bad(about, `${waiting} are waiting, and no worker is running`, 'start one with "taktgeber work"')]
      : []),
    ...(failed > 0
      ? [warning(about, `${failed} failed permanently`, 'see "taktgeber status"; --resume runs them again')]
      : []),
  ];
}
