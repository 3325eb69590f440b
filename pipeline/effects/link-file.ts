import { constants, copyFile, link, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { syncFile, syncFolder } from './files.ts';
import { isSystemError } from './world-error.ts';

/** What a file system answers that has no hard links, or where the two places are on different ones. */
const NO_LINK_CODES = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'];

/**
 * Gives a file that is never modified a second name: a hard link, which takes no space, or a copy with the same time of
 * modification where there are none.
 * @throws the system error `EEXIST` where the name is taken
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!NO_LINK_CODES.some((code) => isSystemError(error, code))) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    const { atimeMs, mtimeMs } = await stat(from);
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
    await syncFile(to);
  }
  await syncFolder(path.dirname(to));
}
