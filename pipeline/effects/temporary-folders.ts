import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { listNames } from './files.ts';
import { findProcessStart, isProcessAlive } from './process-identity.ts';
import { isOfTheSystem, isSystemError } from './world-error.ts';

/** Host, process, its start and chance: enough to know whether anybody still works in the folder. */
const OWNED = /^([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}$/;

/** A process of another machine cannot be looked at; longer than any of them works in one folder. */
const STALE_MILLISECONDS = 24 * 3_600_000;

const thisHost = () => createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** A name for a temporary folder of this process, by which `sweepTemporaryFolders` knows when it is left over. */
export async function nameTemporaryFolder(): Promise<string> {
  const start = (await findProcessStart(process.pid)) ?? '0';
  return `${thisHost()}-${process.pid}-${start}-${randomBytes(6).toString('hex')}`;
}

/** Runs a task with an empty folder of its own, which is gone afterwards whatever happened. */
export async function withTemporaryFolder<Result>(
  parent: string,
  task: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = path.join(parent, await nameTemporaryFolder());
  await mkdir(folder, { recursive: true });
  // A process that is stopped in the middle of the task does not come by the `finally`, or not to its end.
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
 * Removes the temporary folders of killed processes: at once where the process was one of this machine and is gone,
 * after a day where it was of another, or where a name does not say whose it is. Those of living processes stay.
 * @returns one sentence for each that could not be removed
 */
export async function sweepTemporaryFolders(parent: string, nowMilliseconds: number): Promise<string[]> {
  const failures: string[] = [];
  for (const name of await listNames(parent)) {
    const folder = path.join(parent, name);
    try {
      if (await isLeftOver(folder, nowMilliseconds)) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (!isOfTheSystem(error)) throw error;
      // Another process sweeps at the same time.
      if (!isSystemError(error, 'ENOENT'))
        failures.push(`${folder} is left over and cannot be removed: ${error.message}`);
    }
  }
  return failures;
}

async function isLeftOver(folder: string, nowMilliseconds: number): Promise<boolean> {
  const [, host, pid, start] = OWNED.exec(path.basename(folder)) ?? [];
  if (host === thisHost()) return !(await isProcessAlive(Number(pid), start === '0' ? null : start!));
  return nowMilliseconds - (await stat(folder)).mtimeMs > STALE_MILLISECONDS;
}
