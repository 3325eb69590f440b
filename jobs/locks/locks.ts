import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { withPublicationGuard } from '../../pipeline/effects/publication-guard.ts';
import type { LockStore, WantedLock } from '../../pipeline/scale-out/leases/lock-store.ts';
import type { Resource } from '../job/job.ts';
import { awaitDatabase } from './await-database.ts';
import { acquireLocks, type LockHolder, listFileLocks, runningError } from './job-lock.ts';
import { type Lease, startLease } from './lease.ts';

/** Location of locks: files of the data folder, or a database shared by several machines. */
export type LockConfig = Pick<Config, 'dataDir' | 'operations'>;

/** The process that locks, and for which job. */
export interface LockRequest {
  readonly job: string;
  readonly config: LockConfig;
  readonly effects: Pick<Effects, 'clock' | 'log' | 'sleep'>;
  /** Holders of the same share hold a resource together; null: this one alone. Lock files have no shares. */
  readonly share?: string | null;
  readonly stopping?: AbortSignal | undefined;
}

/** Locks that are held until they are released, or lost. */
export interface HeldLocks {
  /** Aborts with ExternalError `lock_lost` when another process may have taken them; null: that cannot happen. */
  readonly lost: AbortSignal | null;
  /** @throws ExternalError `lock_lost`; `lock_store_failed` where it cannot be known */
  confirm(): Promise<void>;
  /** Locks more, under the same lease. @throws ExternalError `job_running`, `lock_lost` */
  add(resources: readonly Resource[], share: string | null): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks everything that a job writes, or nothing: in the database of `operations.postgresUrl`, or as files.
 * @throws ExternalError `job_running` with the holder; `lock_store_failed` when the database stays away
 */
export async function holdLocks(resources: readonly Resource[], request: LockRequest): Promise<HeldLocks> {
  const { job, config, effects, share = null } = request;
  if (resources.length === 0) return noLocks;
  if (config.operations.postgresUrl === null) {
    const locks = await acquireLocks(config.dataDir, job, resources, effects.clock);
    return { ...locks, lost: null, confirm: async () => {}, add: addFiles(request) };
  }
  const store = await awaitDatabase(`${job} waits for its locks`, () => openStore(request), effects, request.stopping);
  try {
    const lease = await startLease(store, config.operations.leaseSeconds, effects.log, () =>
      acquire(store, job, toWanted(resources, share), null),
    );
    return toHeld(store, lease, job);
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  }
}

const noLocks: HeldLocks = {
  lost: null,
  confirm: async () => {},
  add: async () => {},
  release: async () => {},
};

/** Files cannot be added to a lock: distribution needs the database. */
function addFiles({ job }: LockRequest): HeldLocks['add'] {
  return async () => {
    throw new Error(`${job}: locks in files are taken all at once`);
  };
}

function toHeld(store: LockStore, lease: Lease, job: string): HeldLocks {
  return {
    lost: lease.lost,
    confirm: () => lease.confirm(),
    add: async (resources, share) => {
      await lease.confirm();
      await acquire(store, job, toWanted(resources, share), lease.token);
    },
    release: async () => {
      await lease.end();
      await store.close().catch(() => {});
    },
  };
}

/** @throws ExternalError `job_running` */
async function acquire(store: LockStore, job: string, wanted: readonly WantedLock[], token: number | null) {
  const acquired = await store.acquire(job, wanted, token);
  if (typeof acquired !== 'number') throw runningError(acquired.resource, acquired);
  return acquired;
}

function toWanted(resources: readonly Resource[], share: string | null): WantedLock[] {
  return [...new Set(resources)].sort().map((resource) => ({ resource, share }));
}

async function openStore({ config: { operations }, effects }: LockRequest): Promise<LockStore> {
  // Imported on demand: the client of the database is loaded only where one is used.
  const { openLockStore } = await import('../../pipeline/scale-out/leases/lock-store.ts');
  return openLockStore(operations.postgresUrl!, operations.leaseSeconds, effects.log);
}

/** Runs a task of a job while holding further locks; it publishes nothing after they were lost. @throws as `holdLocks` */
export async function withJobLocks<Result>(
  resources: readonly Resource[],
  request: LockRequest,
  task: () => Promise<Result>,
): Promise<Result> {
  if (resources.length === 0) return task();
  const locks = await holdLocks(resources, request);
  try {
    return await (locks.lost === null ? task() : withPublicationGuard(locks.confirm, task));
  } finally {
    await locks.release();
  }
}

/** A lock, and the process that holds it. */
export type HeldLock = LockHolder & { readonly resource: Resource };

/** The locks of jobs that are held now. @throws ExternalError `lock_store_failed` */
export async function listLocks(
  config: LockConfig,
  effects: Pick<Effects, 'clock' | 'log'>,
): Promise<readonly HeldLock[]> {
  const files = await listFileLocks(config.dataDir, effects.clock);
  const { postgresUrl, leaseSeconds } = config.operations;
  if (postgresUrl === null) return files;
  const { openLockStore } = await import('../../pipeline/scale-out/leases/lock-store.ts');
  const store = await openLockStore(postgresUrl, leaseSeconds, effects.log);
  try {
    return [...files, ...(await store.list())];
  } finally {
    await store.close().catch(() => {});
  }
}
