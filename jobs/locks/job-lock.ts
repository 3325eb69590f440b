import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { ExternalError, isSystemError } from '../../pipeline/effects/external-error.ts';
import { listNames, makeFolder } from '../../pipeline/effects/files.ts';
import { findRenewal, isAuthorAlive, keepRenewing } from '../../pipeline/effects/process-file.ts';
import { identifyThisProcess, type ProcessIdentity } from '../../pipeline/effects/process-identity.ts';
import { formerLocksFolder } from '../../pipeline/lake/data-format.ts';
import type { Resource } from '../job/job.ts';

/** The folder of locks. That of programs before format 3 is `jobs`, which is a file now. */
export function locksFolder(dataDir: string): string {
  return path.join(dataDir, 'locks');
}

/** Process that holds a lock. */
export interface LockHolder extends ProcessIdentity {
  /** The job that it runs. */
  readonly job: string;
  readonly startedAt: string;
}

interface JobLock {
  release(): Promise<void>;
}

/**
 * Locks everything that a job writes, or nothing; takes over locks of dead holders.
 * @throws ExternalError `job_running` with the holder
 */
export async function acquireLocks(
  dataDir: string,
  job: string,
  resources: readonly Resource[],
  clock: Clock,
): Promise<JobLock> {
  const locks: JobLock[] = [];
  const release = async () => {
    for (const lock of locks) await lock.release();
  };
  try {
    for (const resource of [...new Set(resources)].sort()) {
      locks.push(await acquireLock(dataDir, job, resource, clock));
    }
    return { release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function acquireLock(dataDir: string, job: string, resource: Resource, clock: Clock): Promise<JobLock> {
  const file = lockFile(dataDir, resource);
  await makeFolder(path.dirname(file));
  const startedAt = new Date(clock.nowMilliseconds()).toISOString();
  const content = JSON.stringify({ job, ...(await identifyThisProcess()), startedAt } satisfies LockHolder);
  if (!(await createFile(file, content))) {
    const holder = await findLockHolder(dataDir, resource, clock);
    if (holder) throw runningError(resource, holder);
    await removeStaleLock(file, resource, clock);
    if (!(await createFile(file, content)))
      throw runningError(resource, await findLockHolder(dataDir, resource, clock));
  }
  const endRenewing = keepRenewing(file, clock);
  return {
    release: async () => {
      endRenewing();
      await rm(file, { force: true });
    },
  };
}

/** Runs a task of a job while holding further locks. @throws ExternalError `job_running` */
export async function withLocks<Result>(
  resources: readonly Resource[],
  { job, dataDir, clock }: { readonly job: string; readonly dataDir: string; readonly clock: Clock },
  task: () => Promise<Result>,
): Promise<Result> {
  const locks = await acquireLocks(dataDir, job, resources, clock);
  try {
    return await task();
  } finally {
    await locks.release();
  }
}

/** @returns null when the lock is free or its holder is dead */
export async function findLockHolder(dataDir: string, resource: Resource, clock: Clock): Promise<LockHolder | null> {
  return readHolder(lockFile(dataDir, resource), clock);
}

async function readHolder(file: string, clock: Clock): Promise<LockHolder | null> {
  const holder = parseHolder(await findText(file));
  if (!holder) return null;
  return (await isAlive(file, holder, clock)) ? holder : null;
}

/** The locks of a data folder whose holders are alive. */
export async function listFileLocks(
  dataDir: string,
  clock: Clock,
): Promise<readonly (LockHolder & { readonly resource: Resource })[]> {
  return listLocksIn(locksFolder(dataDir), clock);
}

/** @throws ExternalError `job_running` where a program before format 3 is at work on the data folder */
export async function assertNoFormerLock(dataDir: string, { clock }: { readonly clock: Clock }): Promise<void> {
  const folder = formerLocksFolder(dataDir);
  const isFolder = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isFolder) return;
  const [held] = await listLocksIn(folder, clock);
  if (held) throw runningError(held.resource, held);
}

async function listLocksIn(folder: string, clock: Clock) {
  const names = (await listNames(folder)).filter((name) => name.endsWith('.lock')).sort();
  const holders = await Promise.all(names.map((name) => readHolder(path.join(folder, name), clock)));
  return names.flatMap((name, i) => {
    const resource = name.slice(0, -'.lock'.length).replace('.', '/');
    return holders[i] ? [{ resource, ...holders[i] }] : [];
  });
}

/** A resource of one source is `<what>/<source>`; neither part has a dot. */
function lockFile(dataDir: string, resource: Resource): string {
  return path.join(locksFolder(dataDir), `${resource.replace('/', '.')}.lock`);
}

/** The error of a lock that another process holds. @param holder null: it has just ended */
export function runningError(resource: Resource, holder: LockHolder | null): ExternalError {
  const job = holder?.job ?? resource;
  const who = holder ? ` by process ${holder.pid} on ${holder.host} since ${holder.startedAt}` : '';
  const what = job === resource ? '' : ` and writes ${resource}`;
  return new ExternalError('job_running', `${job} is being run${who}${what}`);
}

async function createFile(file: string, content: string): Promise<boolean> {
  // Written to a temporary file and linked, so that no reader sees a lock without its holder.
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(aside, 'wx');
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await link(aside, file);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Two processes may find the same stale lock: after moving it aside, each checks what it moved and puts back a lock
 * that the other process has acquired in between.
 */
async function removeStaleLock(file: string, resource: Resource, clock: Clock): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}.stale`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  const holder = parseHolder(await findText(aside));
  const isTaken = holder !== null && (await isAlive(aside, holder, clock));
  if (isTaken) await link(aside, file);
  await rm(aside, { force: true, recursive: true });
  if (isTaken) throw runningError(resource, holder);
}

async function isAlive(file: string, holder: LockHolder, clock: Clock): Promise<boolean> {
  const renewedAt = await findRenewal(file);
  return renewedAt !== null && isAuthorAlive(holder, renewedAt, clock);
}

function parseHolder(text: string | null): LockHolder | null {
  if (text === null) return null;
  try {
    const holder = JSON.parse(text) as Partial<LockHolder> | null;
    return typeof holder?.pid === 'number' && typeof holder.host === 'string' ? (holder as LockHolder) : null;
  } catch (error) {
    // Truncated by a crash of the machine: its writer is dead.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // A folder with this name is not a lock.
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'EISDIR')) return null;
    throw error;
  }
}
