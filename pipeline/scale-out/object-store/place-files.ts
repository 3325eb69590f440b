import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../effects/files.ts';
import { linkOrCopy } from '../../effects/link-file.ts';
import { asideName } from './fetch-aside.ts';
import type { CommonFile } from './local-state.ts';
import { type PlacedFile, toCommon } from './plan-fetch.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import type { StoreContext } from './store-context.ts';
import { type FileRank, rankOf } from './store-rules.ts';

/**
 * Puts files of one rank from a work folder in their places. What another job of the folder has written there since the
 * plan was made stays.
 * @param common gets the files that were placed
 */
export async function placeRank(
  context: StoreContext,
  placed: readonly PlacedFile[],
  rank: FileRank,
  folder: string,
  common: Map<string, CommonFile>,
): Promise<void> {
  const folders = new Set<string>();
  const uses = new Map<string, number>();
  for (const file of placed) uses.set(asideName(file), (uses.get(asideName(file)) ?? 0) + 1);
  for (const file of placed.filter(({ path: name }) => rankOf(name) === rank)) {
    const target = path.join(context.dataDir, file.path);
    const aside = path.join(folder, asideName(file));
    await mkdir(path.dirname(target), { recursive: true });
    const isLast = uses.get(asideName(file)) === 1;
    const found = await placeFile(context.dataDir, file, aside, isLast);
    if (found === null) continue;
    common.set(file.path, found);
    folders.add(path.dirname(target));
  }
  for (const one of folders) await syncFolder(one);
}

/**
 * Moves a file to its path.
 * @param isLast whether this is the only path with its content; else each is a link of it
 * @returns null where something else was written there since the plan was made
 */
async function placeFile(
  dataDir: string,
  file: PlacedFile,
  aside: string,
  isLast: boolean,
): Promise<CommonFile | null> {
  const ready = isLast ? aside : `${aside}.link`;
  if (!isLast) {
    await rm(ready, { force: true });
    await linkOrCopy(aside, ready);
  }
  // Measured before the move: afterwards another job may replace it at once.
  const print = await findFingerprint(path.dirname(ready), path.basename(ready));
  if (print === null || !(await isAsPlanned(dataDir, file))) return null;
  await rename(ready, path.join(dataDir, file.path));
  // A rename onto another name of the same file leaves both.
  if (!isLast) await rm(ready, { force: true });
  return toCommon(print, file.entry.sha256);
}

/** Whether a file is unchanged since the plan was made. */
export async function isAsPlanned(
  dataDir: string,
  { path: name, here }: Pick<PlacedFile, 'path' | 'here'>,
): Promise<boolean> {
  const now = await findFingerprint(dataDir, name);
  return now === null || here === null ? now === here : isSameFile(now, here);
}
