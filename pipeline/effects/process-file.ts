import { stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from './clock.ts';
import { isOfTheSystem, isSystemError } from './external-error.ts';
import { isProcessAlive, type ProcessIdentity } from './process-identity.ts';

/*
 * Files that say what a process is doing: locks, and marks of stores that are being written. A process that has died does
 * not remove them, so they name it, and it renews their time while it is alive.
 */

const RENEW_MILLISECONDS = 30_000;
/** A process on another host cannot be checked: it counts as dead when it has not renewed its file for this long. */
const FOREIGN_STALE_MILLISECONDS = 5 * 60_000;

/** Renews the time of a file of this process. @returns a function that ends it */
export function keepRenewing(file: string, clock: Clock): () => void {
  const renewal = setInterval(() => void renew(file, clock), RENEW_MILLISECONDS).unref();
  return () => clearInterval(renewal);
}

async function renew(file: string, clock: Clock): Promise<void> {
  const now = new Date(clock.nowMilliseconds());
  // A file that was removed by hand, or is on a failing disk, cannot be renewed; the process continues.
  await utimes(file, now, now).catch((error: unknown) => {
    if (!isOfTheSystem(error)) throw error;
  });
}

/** When a file was last renewed; milliseconds since 1970. @returns null for one that was removed */
export async function findRenewal(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Whether the process that a file names is alive. Containers that share a folder have other host names, and do not see
 * each other's processes.
 */
export async function isAuthorAlive(author: ProcessIdentity, renewedAt: number, clock: Clock): Promise<boolean> {
  if (author.host === hostname()) return isProcessAlive(author.pid, author.processStart);
  return isWithin(renewedAt, FOREIGN_STALE_MILLISECONDS, clock);
}

/** Whether an instant is this near. One far in the future is not: otherwise a wrong clock would hold the file until then. */
export function isWithin(instant: number, milliseconds: number, clock: Clock): boolean {
  return Math.abs(clock.nowMilliseconds() - instant) < milliseconds;
}
