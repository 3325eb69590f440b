import { mkdir, readFile, rename, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncFile, syncFolder } from '../effects/files.ts';
import { linkOrCopy } from '../effects/link-file.ts';
import { withTemporaryFolder } from '../effects/temporary-folders.ts';
import { isSystemError } from '../effects/world-error.ts';
import { workFolder } from '../lake/paths.ts';
import { type FetchedTree, type FetchOutcome, nothingFetched, type Twin } from './fetch-outcome.ts';
import { type CommonFile, updateLocalTree } from './local-state.ts';
import { type FetchPlan, type PlacedFile, type RemovedFile, toCommon } from './plan-fetch.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import { fetchContent } from './store-contents.ts';
import { forEachAtOnce, type StoreContext } from './store-context.ts';
import { type FileRank, rankOf } from './store-rules.ts';

const RANKS: readonly FileRank[] = ['data', 'manifest', 'pointer'];

/**
 * Fetches the contents of a plan aside, verifies them, and puts them in their places; then removes what the tree no
 * longer has. A crash leaves files that the next run finds to be equal. What another job of the folder has written since
 * the plan was made stays, and is no file in common.
 */
export async function placeTree(context: StoreContext, tree: FetchedTree, plan: FetchPlan): Promise<FetchOutcome> {
  const { placed, removed, parted, equal } = plan;
  noteTwins(tree, tree.local.common);
  const isKnown =
    tree.remote.etag === tree.local.etag && [...equal].every(([name, file]) => tree.local.common.get(name) === file);
  if (isKnown && placed.length + removed.length + parted.length === 0) return nothingFetched;
  const work = workFolder(context.dataDir);
  const { portions, rest } = divide(placed);
  const common = new Map<string, CommonFile>();
  let { bytes, linked } = nothingFetched;
  for (const portion of portions) {
    const fetched = await withTemporaryFolder(work, (folder) => placePortion(context, tree, portion, folder, common));
    bytes += fetched.bytes;
    linked += fetched.linked;
  }
  return withTemporaryFolder(work, async (folder) => {
    const fetched = await fetchAside(context, tree, rest, folder);
    await placeRanks(context, placed, rest, folder, common);
    noteTwins(tree, common);
    const left = placed.filter((file) => !common.has(file.path));
    // What has been written here may need what the tree no longer has: it goes with the next fetch.
    const gone = left.length > 0 ? new Set<string>() : await removeFiles(context.dataDir, removed);
    const kept = [...left, ...removed.filter((file) => !gone.has(file.path))].map((file) => file.path);
    await updateLocalTree(context.dataDir, context.store, tree.name, (local) => {
      const all = new Map<string, CommonFile>([...local.common, ...equal, ...common]);
      for (const name of [...gone, ...parted]) all.delete(name);
      const { etag, files } = tree.remote;
      // What follows the tree by its entity tag must look at it again.
      return kept.length > 0 ? { ...local, common: all } : { etag, remote: files, common: all };
    });
    const overruled = placed.filter((file) => file.conflict === 'overruled' && common.has(file.path));
    return {
      ...{ ...nothingFetched, bytes: bytes + fetched.bytes, linked: linked + fetched.linked },
      ...{ files: common.size, removed: gone.size, kept },
      trees: common.size + gone.size > 0 ? [tree.name] : [],
      overruled: overruled.map((file) => file.path),
    };
  });
}

/** What a failure in the middle of a large tree costs: the rest was placed, and is not fetched again. */
const PORTION_BYTES = 256 * 1024 * 1024;

/**
 * Divides a large tree: data that are new here, and named by nothing yet, may be placed before all else is here.
 * @returns portions of such data; and all others, with what is left of the data
 */
function divide(placed: readonly PlacedFile[]): { portions: PlacedFile[][]; rest: PlacedFile[] } {
  const portions: PlacedFile[][] = [];
  const others: PlacedFile[] = [];
  let portion: PlacedFile[] = [];
  let bytes = 0;
  for (const file of placed) {
    if (file.here !== null || rankOf(file.path) !== 'data') {
      others.push(file);
      continue;
    }
    portion.push(file);
    bytes += file.entry.bytes;
    if (bytes < PORTION_BYTES) continue;
    portions.push(portion);
    portion = [];
    bytes = 0;
  }
  return { portions, rest: [...portion, ...others] };
}

/** Fetches and places new data, and notes them. @param common gets the files that were placed */
async function placePortion(
  context: StoreContext,
  tree: FetchedTree,
  portion: readonly PlacedFile[],
  folder: string,
  common: Map<string, CommonFile>,
): Promise<{ readonly bytes: number; readonly linked: number }> {
  const fetched = await fetchAside(context, tree, portion, folder);
  await placeRank(context, portion, 'data', folder, common);
  noteTwins(tree, common);
  await updateLocalTree(context.dataDir, context.store, tree.name, (local) => ({
    ...local,
    common: new Map([...local.common, ...common]),
  }));
  return fetched;
}

/**
 * Places data, then manifests, then pointers; where a file was left as it is, what may name it is left as well.
 * @param placed all files of the plan; of these, `rest` is not placed yet
 * @param common gets the files that were placed
 */
async function placeRanks(
  context: StoreContext,
  placed: readonly PlacedFile[],
  rest: readonly PlacedFile[],
  folder: string,
  common: Map<string, CommonFile>,
): Promise<void> {
  for (const rank of RANKS) {
    await placeRank(context, rest, rank, folder, common);
    if (placed.some((file) => rankOf(file.path) === rank && !common.has(file.path))) break;
  }
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

/** @param common gets the files that were placed */
async function placeRank(
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
    const found =
      file.conflict === 'united'
        ? await uniteLines(context.dataDir, file, aside)
        : await placeFile(context.dataDir, file, aside, isLast);
    if (found === null) continue;
    common.set(file.path, found);
    folders.add(path.dirname(target));
  }
  for (const one of folders) await syncFolder(one);
}

/**
 * Puts a file in its place.
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
  // Measured before it is in its place: afterwards another job may replace it at once.
  const print = await findFingerprint(path.dirname(ready), path.basename(ready));
  if (print === null || !(await isAsPlanned(dataDir, file))) return null;
  await rename(ready, path.join(dataDir, file.path));
  // A rename onto another name of the same file leaves both.
  if (!isLast) await rm(ready, { force: true });
  return toCommon(print, file.entry.sha256);
}

async function isAsPlanned(dataDir: string, { path: name, here }: Pick<PlacedFile, 'path' | 'here'>) {
  const now = await findFingerprint(dataDir, name);
  return now === null || here === null ? now === here : isSameFile(now, here);
}

/** Looks at a file that grows while it is united. */
const MAX_LOOKS = 5;

/**
 * Adds the lines that only the store has before those that only this machine has: theirs are older.
 * @returns null where the file is gone, or grows all the time
 */
async function uniteLines(dataDir: string, file: PlacedFile, aside: string): Promise<CommonFile | null> {
  const target = path.join(dataDir, file.path);
  const theirs = await readFile(aside, 'utf8');
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const here = await findFingerprint(dataDir, file.path);
    if (here === null) return null;
    const ours = await readFile(target, 'utf8');
    const lines = new Set([...theirs.split('\n'), ...ours.split('\n')].filter((line) => line !== ''));
    await writeFile(aside, `${[...lines].join('\n')}\n`);
    await syncFile(aside);
    if (!(await isAsPlanned(dataDir, { path: file.path, here }))) continue;
    await rename(aside, target);
    // The store's content is the common one: no file has this fingerprint, so it counts as changed until it is published.
    return { ...toCommon(here, file.entry.sha256), inode: '0' };
  }
  return null;
}

/**
 * Removes files; what names others goes first, and folders that become empty go as well.
 * @returns paths that are gone; others were written since the plan was made
 */
async function removeFiles(dataDir: string, removed: readonly RemovedFile[]): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const rank of [...RANKS].reverse()) {
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
