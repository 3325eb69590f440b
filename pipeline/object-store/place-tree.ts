import { mkdir, readFile, rename, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncFile, syncFolder } from '../effects/files.ts';
import { linkOrCopy } from '../effects/link-file.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { isSystemError } from '../effects/world-error.ts';
import { workFolder } from '../lake/paths.ts';
import { type FetchedTree, type FetchOutcome, nothingFetched, type Twin } from './fetch-outcome.ts';
import { type CommonFile, updateLocalTree } from './local-state.ts';
import { type FetchPlan, type PlacedFile, toCommon } from './plan-fetch.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import { fetchContent } from './store-contents.ts';
import { forEachAtOnce, type StoreContext } from './store-context.ts';
import { type FileRank, rankOf } from './store-rules.ts';

const RANKS: readonly FileRank[] = ['data', 'manifest', 'pointer'];

/**
 * Fetches the contents of a plan aside, verifies them, and puts them in their places; then removes what the tree no
 * longer has. A crash leaves files that the next run finds to be equal.
 */
export async function placeTree(context: StoreContext, tree: FetchedTree, plan: FetchPlan): Promise<FetchOutcome> {
  const { placed, removed, equal } = plan;
  noteTwins(tree, tree.local.common);
  const isKnown =
    tree.remote.etag === tree.local.etag && [...equal].every(([name, file]) => tree.local.common.get(name) === file);
  if (isKnown && placed.length + removed.length === 0) return nothingFetched;
  const work = workFolder(context.dataDir);
  return withTemporaryFolder(work, async (folder) => {
    const fetched = await fetchAside(context, tree, placed, folder);
    for (const rank of RANKS) await placeRank(context, placed, rank, folder);
    const common = await measurePlaced(context.dataDir, placed);
    noteTwins(tree, common);
    await removeFiles(context.dataDir, removed);
    await updateLocalTree(context.dataDir, context.store, tree.name, (local) => {
      const all = new Map<string, CommonFile>([...local.common, ...equal, ...common]);
      for (const name of removed) all.delete(name);
      return { etag: tree.remote.etag, remote: tree.remote.files, common: all };
    });
    const overruled = placed.filter(({ conflict }) => conflict === 'overruled').map(({ path: name }) => name);
    const isChanged = placed.length + removed.length > 0;
    return {
      ...nothingFetched,
      ...{ trees: isChanged ? [tree.name] : [], files: placed.length, removed: removed.length, overruled, ...fetched },
    };
  });
}

/** Files that are replaced as a whole when they change, and so may be links of each other. */
function noteTwins({ twins }: FetchedTree, files: ReadonlyMap<string, CommonFile>): void {
  for (const [name, common] of files) {
    if (path.extname(name) === '.parquet') twins.set(common.sha256, { path: name, common });
  }
}

/** One file per content; files that grow in place are never links of others. */
const asideName = ({ entry, path: name }: PlacedFile) => `${entry.sha256}${path.extname(name)}`;

async function fetchAside(context: StoreContext, tree: FetchedTree, placed: readonly PlacedFile[], folder: string) {
  const contents = new Map(placed.map((file) => [asideName(file), file]));
  let bytes = 0;
  let linked = 0;
  await forEachAtOnce([...contents.values()], context.concurrency, async (file) => {
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

/** @returns false when the file is no longer what it was */
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

async function placeRank(context: StoreContext, placed: readonly PlacedFile[], rank: FileRank, folder: string) {
  const folders = new Set<string>();
  const uses = new Map<string, number>();
  for (const file of placed) uses.set(asideName(file), (uses.get(asideName(file)) ?? 0) + 1);
  for (const file of placed.filter(({ path: name }) => rankOf(name) === rank)) {
    const target = path.join(context.dataDir, file.path);
    const aside = path.join(folder, asideName(file));
    await mkdir(path.dirname(target), { recursive: true });
    if (file.conflict === 'united') await uniteLines(aside, target);
    else if (uses.get(asideName(file)) === 1) await rename(aside, target);
    else await renameCopy(aside, target);
    folders.add(path.dirname(target));
  }
  for (const one of folders) await syncFolder(one);
}

/** Several paths with one content: each is a link of it. */
async function renameCopy(aside: string, target: string): Promise<void> {
  const copy = `${aside}.link`;
  await rm(copy, { force: true });
  await linkOrCopy(aside, copy);
  await rename(copy, target);
  // A rename onto another name of the same file leaves both.
  await rm(copy, { force: true });
}

/** Adds the lines that only the store has before those that only this machine has: theirs are older. */
async function uniteLines(aside: string, target: string): Promise<void> {
  const [theirs, ours] = await Promise.all([readFile(aside, 'utf8'), readFile(target, 'utf8')]);
  const lines = new Set([...theirs.split('\n'), ...ours.split('\n')].filter((line) => line !== ''));
  await writeFile(aside, `${[...lines].join('\n')}\n`);
  await syncFile(aside);
  await rename(aside, target);
}

/** United files differ from the store's until they are published. */
async function measurePlaced(dataDir: string, placed: readonly PlacedFile[]): Promise<Map<string, CommonFile>> {
  const common = new Map<string, CommonFile>();
  for (const { path: name, entry, conflict } of placed) {
    const print = await findFingerprint(dataDir, name);
    if (!print) continue;
    // Of a united file the store's content is the common one: no file has this fingerprint, so it counts as changed.
    common.set(
      name,
      conflict === 'united' ? { ...toCommon(print, entry.sha256), inode: '0' } : toCommon(print, entry.sha256),
    );
  }
  return common;
}

/** What names others goes first; folders that become empty go as well. */
async function removeFiles(dataDir: string, removed: readonly string[]): Promise<void> {
  for (const rank of [...RANKS].reverse()) {
    for (const name of removed.filter((one) => rankOf(one) === rank)) {
      await rm(path.join(dataDir, name), { force: true });
    }
  }
  const folders = [...new Set(removed.map((name) => path.posix.dirname(name)))];
  for (const folder of folders.sort((a, b) => b.length - a.length)) await removeEmpty(dataDir, folder);
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
