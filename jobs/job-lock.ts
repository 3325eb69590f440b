import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Clock } from '../pipeline/effects/clock.ts';
import { findJson, writeJsonAtomically } from '../pipeline/effects/files.ts';
import { findProcessStart, isProcessAlive } from '../pipeline/effects/process-identity.ts';
import { isOfTheSystem, isSystemError, WorldError } from '../pipeline/effects/world-error.ts';
import type { JobOutcome, Json } from './job.ts';

/** Record of one run. Times are UTC. */
export interface RunRecord {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationSeconds: number;
  readonly status: JobOutcome['status'];
  readonly attempts: number;
  /** One sentence: the result, or why it failed. */
  readonly summary: string;
  readonly details: Json;
}

/** Persistent record of a job. */
export interface JobRecord {
  readonly job: string;
  readonly lastRun: RunRecord;
  /** End of the last run that did not fail, including unchanged ones. */
  readonly lastSuccessAt: string | null;
  /** End of the last run that published something new. */
  readonly lastChangeAt: string | null;
}

/** The folder of run records and locks. */
export function jobsFolder(dataDir: string): string {
  return path.join(dataDir, 'jobs');
}

/** @returns null for a job that never ran, or whose record is damaged or of another version */
export async function findJobRecord(dataDir: string, job: string): Promise<JobRecord | null> {
  const record = await findJson<JobRecord>(recordFile(dataDir, job));
  return Number.isNaN(Date.parse(record?.lastRun?.startedAt ?? '')) ? null : record;
}

/** Records a run; a reader sees the old record or the new one, never a part. */
export async function writeJobRecord(dataDir: string, job: string, run: RunRecord): Promise<void> {
  const before = await findJobRecord(dataDir, job);
  const record: JobRecord = {
    job,
    lastRun: run,
    lastSuccessAt: run.status === 'failed' ? (before?.lastSuccessAt ?? null) : run.endedAt,
    lastChangeAt: run.status === 'done' ? run.endedAt : (before?.lastChangeAt ?? null),
  };
  await writeJsonAtomically(recordFile(dataDir, job), record);
}

function recordFile(dataDir: string, job: string): string {
  return path.join(jobsFolder(dataDir), `${job}.json`);
}

/** Process that holds a lock. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** Start of the process in clock ticks; distinguishes it from a later process with the same number. */
  readonly processStart: string | null;
  readonly startedAt: string;
}

interface JobLock {
  release(): Promise<void>;
}

const RENEW_MILLISECONDS = 30_000;
/** A holder on another machine cannot be checked: it counts as dead when it has not renewed its lock for this long. */
const FOREIGN_STALE_MILLISECONDS = 5 * 60_000;

/**
 * Acquires the lock of a job, also from a dead holder.
 * @throws WorldError `job_running` with the holder
 */
export async function acquireJobLock(dataDir: string, job: string, clock: Clock): Promise<JobLock> {
  const file = lockFile(dataDir, job);
  await mkdir(path.dirname(file), { recursive: true });
  const content = JSON.stringify(await thisProcess(clock));
  if (!(await createFile(file, content))) {
    const holder = await findLockHolder(dataDir, job, clock);
    if (holder) throw runningError(job, holder);
    await removeStaleLock(file, job, clock);
    if (!(await createFile(file, content))) throw runningError(job, await findLockHolder(dataDir, job, clock));
  }
  const renewal = setInterval(() => void renew(file, clock), RENEW_MILLISECONDS);
  renewal.unref();
  return {
    release: async () => {
      clearInterval(renewal);
      await rm(file, { force: true });
    },
  };
}

/** Runs a task while holding the locks of these jobs. @throws WorldError `job_running` */
export async function withJobLocks<Result>(
  jobs: readonly string[],
  dataDir: string,
  clock: Clock,
  task: () => Promise<Result>,
): Promise<Result> {
  const locks: JobLock[] = [];
  try {
    for (const job of jobs) locks.push(await acquireJobLock(dataDir, job, clock));
    return await task();
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** @returns null when the lock is free or its holder is dead */
export async function findLockHolder(dataDir: string, job: string, clock: Clock): Promise<LockHolder | null> {
  const file = lockFile(dataDir, job);
  const holder = parseHolder(await findText(file));
  if (!holder) return null;
  return (await isAlive(file, holder, clock)) ? holder : null;
}

function lockFile(dataDir: string, job: string): string {
  return path.join(jobsFolder(dataDir), `${job}.lock`);
}

function runningError(job: string, holder: LockHolder | null): WorldError {
  const who = holder ? ` by process ${holder.pid} on ${holder.host} since ${holder.startedAt}` : '';
  return new WorldError('job_running', `${job} is being run${who}`);
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
async function removeStaleLock(file: string, job: string, clock: Clock): Promise<void> {
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
  if (isTaken) throw runningError(job, holder);
}

async function isAlive(file: string, holder: LockHolder, clock: Clock): Promise<boolean> {
  if (holder.host !== hostname()) {
    const { mtimeMs } = await stat(file);
    // A renewal time far in the future is stale too: otherwise a wrong clock would hold the lock until then.
    return Math.abs(clock.nowMilliseconds() - mtimeMs) < FOREIGN_STALE_MILLISECONDS;
  }
  return isProcessAlive(holder.pid, holder.processStart);
}

async function thisProcess(clock: Clock): Promise<LockHolder> {
  return {
    host: hostname(),
    pid: process.pid,
    processStart: await findProcessStart(process.pid),
    startedAt: new Date(clock.nowMilliseconds()).toISOString(),
  };
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
    // A folder in its place is no lock.
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'EISDIR')) return null;
    throw error;
  }
}

async function renew(file: string, clock: Clock): Promise<void> {
  const now = new Date(clock.nowMilliseconds());
  // A lock that was removed by hand, or is on a failing disk, cannot be renewed; the run continues.
  await utimes(file, now, now).catch((error: unknown) => {
    if (!isOfTheSystem(error)) throw error;
  });
}
