import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { isAsPlanned } from './place-files.ts';
import type { RemovedFile } from './plan-fetch.ts';
import { fileRanks, rankOf } from './store-rules.ts';

/**
 * Removes files, those that refer to others first, and folders that become empty.
 * @returns paths of the removed files; the others were written after the plan was made
 */
export async function removeFiles(dataDir: string, removed: readonly RemovedFile[]): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const rank of [...fileRanks].reverse()) {
    for (const file of removed.filter((one) => rankOf(one.path) === rank)) {
      if (!(await isAsPlanned(dataDir, file))) continue;
      await rm(path.join(dataDir, file.path), { force: true });
      gone.add(file.path);
    }
  }
  const folders = [...new Set([...gone].map((name) => path.posix.dirname(name)))];
  for (const folder of folders.sort((a, b) => b.length - a.length)) await removeEmpty(dataDir, folder);
  return gone;
}

async function removeEmpty(dataDir: string, folder: string): Promise<void> {
  // The first level below the data folder stays.
  for (let place = folder; place.includes('/'); place = path.posix.dirname(place)) {
    try {
      await rmdir(path.join(dataDir, place));
    } catch (error) {
      const isFull = isSystemError(error, 'ENOTEMPTY') || isSystemError(error, 'EEXIST');
      if (isFull || isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return;
      throw error;
    }
  }
}
