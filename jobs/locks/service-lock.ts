import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError, mayPass } from '../../pipeline/effects/external-error.ts';
import { acquireLocks, findLockHolder, type LockHolder } from './job-lock.ts';

/** Lock of the one process that polls or runs the schedule on a data folder. */
const SERVICE_LOCK = 'service';

/** Wait before another attempt after a full disk. */
const FULL_DISK_MILLISECONDS = 30_000;

/**
 * Resolves when this process holds the lock; until then it must neither poll nor run jobs.
 * @returns false: the signal has aborted before
 */
export type WhenOwned = (signal: AbortSignal) => Promise<boolean>;

/**
 * Runs a service that polls or runs the schedule: one per data folder. Processes that only serve, and single jobs,
 * need not be alone. A lock whose process has died does not count. On a full disk, which refuses the lock, the service
 * runs without it until there is room.
 * @throws ExternalError `service_running` with the process that holds the folder
 */
export async function asOnlyService<Result>(
  dataDir: string,
  effects: Pick<Effects, 'clock' | 'log' | 'sleep'>,
  run: (whenOwned: WhenOwned) => Promise<Result>,
): Promise<Result> {
  const lock = await lockService(dataDir, effects).catch((error: unknown) => {
    if (!mayPass(error)) throw error;
    const { message } = error as Error;
    effects.log.warn(`${dataDir} cannot be written: ${message}; polling and jobs start when it is writable`);
    return null;
  });
  const ended = new AbortController();
  const locking = lock === null ? keepLocking(dataDir, effects, ended.signal) : Promise.resolve(lock);
  try {
    return await run((signal) => isSettled(locking, signal));
  } finally {
    ended.abort();
    await (await locking)?.release();
  }
}

async function lockService(dataDir: string, { clock }: Pick<Effects, 'clock'>) {
  return acquireLocks(dataDir, SERVICE_LOCK, [SERVICE_LOCK], clock).catch(async (error: unknown) => {
    if (!(error instanceof ExternalError && error.code === 'job_running')) throw error;
    throw serviceRunning(dataDir, await findServiceHolder(dataDir, { clock }));
  });
}

/** @returns null if the signal aborted before the lock was free */
async function keepLocking(
  dataDir: string,
  effects: Pick<Effects, 'clock' | 'log' | 'sleep'>,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof lockService>> | null> {
  let logged = '';
  while (!signal.aborted) {
    await effects.sleep(FULL_DISK_MILLISECONDS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (signal.aborted) return null;
    try {
      const lock = await lockService(dataDir, effects);
      effects.log.info(`${dataDir} is writable again: starting polling and jobs`);
      return lock;
    } catch (error) {
      if (!(error instanceof ExternalError) && !mayPass(error)) throw error;
      const { message } = error as Error;
      if (message !== logged) effects.log.warn(`this process only serves: ${message}`);
      logged = message;
    }
  }
  return null;
}

async function isSettled(locking: Promise<object | null>, signal: AbortSignal): Promise<boolean> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  return (await Promise.race([locking, aborted])) !== null;
}

/** @throws ExternalError `service_running` */
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

function serviceRunning(dataDir: string, holder: LockHolder | null): ExternalError {
  const who = holder ? `process ${holder.pid} on ${holder.host}, since ${holder.startedAt}` : 'another process';
  return new ExternalError(
    'service_running',
    `${dataDir} is in use: ${who}, polls it and runs its jobs; stop that process first, or use "taktgeber serve"`,
  );
}
