import { constants, copyFile, link, open, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from './external-error.ts';
import { isThere, syncFile, syncFolder } from './files.ts';

/** What a file system answers that has no hard links, or where the two places are on different ones. */
const NO_LINK_CODES = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'];

/**
 * Gives a file that is never modified a second name: a hard link, which takes no space, or a copy with the same time of
 * modification without hard links.
 * @throws the system error `EEXIST` where the name is taken
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    const { atimeMs, mtimeMs } = await stat(from);
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
    await syncFile(to);
  }
  await syncFolder(path.dirname(to));
}

const isWithoutLinks = (error: unknown) => NO_LINK_CODES.some((code) => isSystemError(error, code));

/**
 * Gives a file that is complete and on the disk a name that no file has, in one step: other processes read either all of it
 * or nothing. Without hard links it is renamed, by one process at a time.
 * @param aside in the same folder; gone afterwards or not
 * @returns false where the name is taken, or another process is about to take it
 */
export async function claimName(aside: string, name: string): Promise<boolean> {
  try {
    await link(aside, name);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    if (!isWithoutLinks(error)) throw error;
    return claimByRename(aside, name);
  }
  await syncFolder(path.dirname(name));
  return true;
}

/** A rename is quick: a lock that is so much older than the temporary file belongs to a process that has ended. */
const LOCK_STAYS_MILLISECONDS = 60_000;

/** A rename would replace a file of that name, so that only the holder of a lock looks for one and renames. */
async function claimByRename(aside: string, name: string): Promise<boolean> {
  const folder = path.dirname(name);
  const lock = path.join(folder, `.${path.basename(name)}.lock`);
  if (!(await takeLock(lock, aside))) return false;
  try {
    if (await isThere(name)) return false;
    await rename(aside, name);
    await syncFolder(folder);
    return true;
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string, aside: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  // Both times are of the file system's clock. The next attempt finds the name free.
  const [held, made] = await Promise.all([findTime(lock), findTime(aside)]);
  if (held !== null && made !== null && made - held > LOCK_STAYS_MILLISECONDS) await rm(lock, { force: true });
  return false;
}

async function findTime(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
