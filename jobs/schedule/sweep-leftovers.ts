import { hostname } from 'node:os';
import process from 'node:process';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { removeUnfinishedFiles } from '../../pipeline/effects/temporary-folders.ts';
import { dataFolders } from '../../pipeline/lake/data-format.ts';
import { listLocks } from '../locks/locks.ts';

/**
 * Removes, at the start of the only service of a data folder, the unfinished files of processes that were killed: those
 * last changed before this process started. While another process works on the folder, they stay until the next start.
 * @param startedAt milliseconds since 1970 by the clock of the system, as the times of files are
 */
export async function sweepLeftovers(
  config: Pick<Config, 'dataDir' | 'operations'>,
  { clock, log }: Pick<Effects, 'clock' | 'log'>,
  startedAt = performance.timeOrigin,
): Promise<void> {
  try {
    const locks = await listLocks(config, { clock, log });
    if (locks.some(({ pid, host }) => pid !== process.pid || host !== hostname())) return;
    const removed = await removeUnfinishedFiles(dataFolders(config.dataDir), startedAt);
    if (removed > 0) log.info(`${removed} temporary files of killed processes were removed`);
  } catch (error) {
    if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
    log.warn(`temporary files of killed processes remain until the next start: ${error.message}`);
  }
}
