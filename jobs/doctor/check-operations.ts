import { WorldError } from '../../pipeline/effects/world-error.ts';
import { listLocks } from '../locks.ts';
import { bad, type Examined, type Finding, good } from './finding.ts';

/** The database of locks and runs, where one is configured. */
export async function checkOperations({ config, effects }: Examined): Promise<Finding[]> {
  const about = 'database of jobs';
  if (config.operations.postgresUrl === null) return [];
  try {
    const locks = await listLocks(config, effects);
    const held = locks.map(({ resource, job, pid, host }) => `${resource} by ${job}, process ${pid} on ${host}`);
    return [good(about, held.length === 0 ? 'answers; no lock is held' : `answers; locked: ${held.join('; ')}`)];
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return [bad(about, error.message, 'start it, or correct operations.postgresUrl: until then no job can begin')];
  }
}
