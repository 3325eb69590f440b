import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { isOfTheSystem, isSystemError } from './external-error.ts';
import { listEntries, listNames } from './files.ts';
import { findProcessStart, isProcessAlive } from './process-identity.ts';

/** Host, process, its start and a random part: enough to determine whether the owner of the folder is running. */
const OWNED = /^([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}$/;

/** Age limit for folders of other machines, whose processes cannot be checked; longer than any of them needs one. */
const STALE_MILLISECONDS = 24 * 3_600_000;

const thisHost = () => createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** A name for a temporary folder that lets `sweepTemporaryFolders` find out whether this process is alive. */
export async function createTemporaryFolderName(): Promise<string> {
  const start = (await findProcessStart(process.pid)) ?? '0';
  return `${thisHost()}-${process.pid}-${start}-${randomBytes(6).toString('hex')}`;
}

/** Runs a task with an empty folder, which is removed afterwards in any case. */
export async function withTemporaryFolder<Result>(
  parent: string,
  task: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = path.join(parent, await createTemporaryFolderName());
  await mkdir(folder, { recursive: true });
  // A process that is stopped during the task does not reach or not complete the `finally`.
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtExit);
  }
}

/**
 * Removes the temporary folders of killed processes: at once if the process was of this machine and has ended, after a
 * day if it was of another machine or the name does not tell. Those of living processes stay.
 * @returns one sentence per folder that could not be removed
 */
export async function sweepTemporaryFolders(parent: string, nowMilliseconds: number): Promise<string[]> {
  const failures: string[] = [];
  for (const name of await listNames(parent)) {
    const folder = path.join(parent, name);
    try {
      if (await isLeftOver(folder, nowMilliseconds)) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (!isOfTheSystem(error)) throw error;
      // ENOENT: another process sweeps at the same time.
      if (!isSystemError(error, 'ENOENT'))
        failures.push(`cannot remove the leftover folder ${folder}: ${error.message}`);
    }
  }
  return failures;
}

/** False for one that has just been renamed. */
async function isOlder(place: string, before: number): Promise<boolean> {
  try {
    return (await stat(place)).mtimeMs < before;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

/** What is written aside before it is renamed: of a finished write nothing is left of this name. */
const UNFINISHED = /\.tmp$|\.[0-9a-f]{12}\.stale$/;

/**
 * Removes unfinished files, and folders, in some folders and below them.
 * @param before milliseconds since 1970: folders changed later may belong to a running process
 * @returns how many were removed
 */
export async function removeUnfinishedFiles(folders: readonly string[], before: number): Promise<number> {
  let removed = 0;
  for (const folder of folders) {
    for (const entry of await listEntries(folder)) {
      const place = path.join(folder, entry.name);
      if (!UNFINISHED.test(entry.name)) {
        if (entry.isDirectory()) removed += await removeUnfinishedFiles([place], before);
      } else if (await isOlder(place, before)) {
        await rm(place, { recursive: true, force: true });
        removed += 1;
      }
    }
  }
  return removed;
}

async function isLeftOver(folder: string, nowMilliseconds: number): Promise<boolean> {
  const [, host, pid, start] = OWNED.exec(path.basename(folder)) ?? [];
  if (host === thisHost()) return !(await isProcessAlive(Number(pid), start === '0' ? null : start!));
  return nowMilliseconds - (await stat(folder)).mtimeMs > STALE_MILLISECONDS;
}
