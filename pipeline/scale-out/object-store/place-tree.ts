import path from 'node:path';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { workFolder } from '../../lake/paths.ts';
import { fetchAside } from './fetch-aside.ts';
import { type FetchedTree, type FetchOutcome, nothingFetched } from './fetch-outcome.ts';
import { type CommonFile, updateLocalTree } from './local-state.ts';
import { placeRank } from './place-files.ts';
import type { FetchPlan, PlacedFile } from './plan-fetch.ts';
import { removeFiles } from './remove-files.ts';
import type { StoreContext } from './store-context.ts';
import { fileRanks, rankOf } from './store-rules.ts';

/**
 * Fetches the contents of a plan aside, verifies them, and puts them in their places; then removes what the tree no
 * longer has. A crash leaves files that the next run finds to be equal. What another job of the folder has written since
 * the plan was made stays, and is not a file in common.
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
    const fetched = await withTemporaryFolder(work, (folder) => placePortion(context, tree, portion, folder));
    bytes += fetched.bytes;
    linked += fetched.linked;
    for (const [name, file] of fetched.common) common.set(name, file);
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
    const overruled = placed.filter((file) => file.isOverruled && common.has(file.path));
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

/** Fetches and places new data, and notes them. @returns also the files that were placed */
async function placePortion(context: StoreContext, tree: FetchedTree, portion: readonly PlacedFile[], folder: string) {
  const fetched = await fetchAside(context, tree, portion, folder);
  const common = new Map<string, CommonFile>();
  await placeRank(context, portion, 'data', folder, common);
  noteTwins(tree, common);
  await updateLocalTree(context.dataDir, context.store, tree.name, (local) => ({
    ...local,
    common: new Map([...local.common, ...common]),
  }));
  return { ...fetched, common };
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
  for (const rank of fileRanks) {
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
