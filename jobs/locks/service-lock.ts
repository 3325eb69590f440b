import type { Effects } from '../../pipeline/effects/effects.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';
import { acquireLocks, findLockHolder, type LockHolder } from './job-lock.ts';

/** Lock of the one process that polls or runs the schedule on a data folder. */
const SERVICE_LOCK = 'service';

/**
 * Runs a service that polls or runs the schedule: one per data folder. Processes that only serve, and single jobs,
 * need not be alone. A lock whose process has died does not count.
 * @throws WorldError `service_running` with the process that holds the folder
 */
export async function asOnlyService<Result>(
  dataDir: string,
  { clock }: Pick<Effects, 'clock'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const lock = await acquireLocks(dataDir, SERVICE_LOCK, [SERVICE_LOCK], clock).catch(async (error: unknown) => {
    if (!(error instanceof WorldError && error.code === 'job_running')) throw error;
    throw serviceRunning(dataDir, await findServiceHolder(dataDir, { clock }));
  });
  try {
    return await run();
  } finally {
    await lock.release();
  }
}

/** @throws WorldError `service_running` */
export async function assertNoService(dataDir: string, effects: Pick<Effects, 'clock'>): Promise<void> {
  const holder = await findServiceHolder(dataDir, effects);
  if (holder) throw serviceRunning(dataDir, holder);
}

/** @returns the process that polls or runs the schedule on this data folder; null when none does */
export async function findServiceHolder(
  dataDir: string,
  { clock }: Pick<Effects, 'clock'>,
): Promise<LockHolder | null> {
  return findLockHolder(dataDir, SERVICE_LOCK, clock);
}

function serviceRunning(dataDir: string, holder: LockHolder | null): WorldError {
  const who = holder ? `process ${holder.pid} on ${holder.host}, since ${holder.startedAt}` : 'another process';
  return new WorldError(
    'service_running',
    `${dataDir} is in use: ${who}, polls it and runs its jobs; stop that one first, or serve beside it with "taktgeber serve"`,
  );
}
