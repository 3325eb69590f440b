import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { forEachConcurrently } from '../../effects/concurrency.ts';
import { isSystemError } from '../../effects/external-error.ts';
import { linkOrCopy } from '../../effects/link-file.ts';
import type { FetchedTree, Twin } from './fetch-outcome.ts';
import type { PlacedFile } from './plan-fetch.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import { fetchContent } from './store-contents.ts';
import type { StoreContext } from './store-context.ts';

/** One file per content and extension. */
export const asideName = ({ entry, path: name }: PlacedFile) => `${entry.sha256}${path.extname(name)}`;

/**
 * Fetches contents into a work folder, verified; those that another file of the data folder has are links of it.
 * @param folder on the disk of the data folder
 */
export async function fetchAside(
  context: StoreContext,
  tree: FetchedTree,
  placed: readonly PlacedFile[],
  folder: string,
): Promise<{ readonly bytes: number; readonly linked: number }> {
  const contents = new Map(placed.map((file) => [asideName(file), file]));
  let bytes = 0;
  let linked = 0;
  await forEachConcurrently([...contents.values()], context.concurrency, async (file) => {
    context.signal?.throwIfAborted();
    const aside = path.join(folder, asideName(file));
    const twin = tree.twins.get(file.entry.sha256);
    if (twin && (await linkTwin(context.dataDir, twin, aside))) {
      linked++;
      return;
    }
    bytes += await fetchContent(context, file.entry, aside);
    // A fraction of a millisecond more: the nearest number of seconds may be a little less.
    const seconds = (file.entry.modified + 0.1) / 1000;
    await utimes(aside, seconds, seconds);
  });
  return { bytes, linked };
}

/** @returns false if the file has changed */
async function linkTwin(dataDir: string, { path: twin, common }: Twin, aside: string): Promise<boolean> {
  if (!isSameFile(await findFingerprint(dataDir, twin), common)) return false;
  try {
    await linkOrCopy(path.join(dataDir, twin), aside);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
