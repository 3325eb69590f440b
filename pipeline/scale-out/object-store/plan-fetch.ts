import path from 'node:path';
import { isSystemError } from '../../effects/external-error.ts';
import { hashFile } from '../../effects/hash-file.ts';
import type { RemoteTree } from './commit-tree.ts';
import type { CommonFile, LocalTree } from './local-state.ts';
import { type Fingerprint, findFingerprint, isSameFile, type ScannedFile, scanFolder } from './scan-folder.ts';
import { findPlace, isOfTree, type StoreName } from './store-rules.ts';
import type { TreeEntry } from './tree-document.ts';

/** A file that the data folder lacks, or has otherwise. */
export interface PlacedFile {
  readonly path: string;
  /** Of the local file that is replaced; null if there is none. */
  readonly here: Fingerprint | null;
  readonly entry: TreeEntry;
  /** Whether it was changed here and there: the local content is discarded. */
  readonly isOverruled: boolean;
}

/** A file that the tree no longer has. */
export interface RemovedFile {
  readonly path: string;
  /** Null: it is gone already. */
  readonly here: Fingerprint | null;
}

export interface FetchPlan {
  readonly placed: readonly PlacedFile[];
  readonly removed: readonly RemovedFile[];
  /** Files that are no longer in common: changed here and removed there, they stay as something new. */
  readonly parted: readonly string[];
  /** Files that turned out to be equal here and there. */
  readonly equal: ReadonlyMap<string, CommonFile>;
}

/** Finds, of these paths, those of a day, month or version that a job has replaced partially. */
export type ListUnfinished = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

interface PlanRequest {
  /** Whether a path is looked at. */
  isWanted(path: string): boolean;
  /** Stores whose local changes are discarded; absent: none. */
  readonly overruled?: readonly StoreName[] | undefined;
  /** Partial local output, which is replaced from the tree; absent: none. */
  listUnfinished?: ListUnfinished | undefined;
}

/** Compares the data folder with a tree, by what both last had in common. */
export async function planFetch(
  dataDir: string,
  { name: tree, local, remote }: { readonly name: string; readonly local: LocalTree; readonly remote: RemoteTree },
  { isWanted, overruled = [], listUnfinished }: PlanRequest,
): Promise<FetchPlan> {
  const isOverruled = (path: string) => overruled.some((store) => findPlace(path)?.store === store);
  const looks = await lookAtAll(dataDir, { local, remote }, isWanted);
  const unfinished = (await listUnfinished?.(listChangedHere(looks, local))) ?? new Set();
  const placed: PlacedFile[] = [];
  const removed: RemovedFile[] = [];
  const parted: string[] = [];
  const equal = new Map<string, CommonFile>();
  for (const [name, here] of looks) {
    const entry = remote.files.get(name);
    const common = local.common.get(name)?.sha256;
    if (!entry) {
      // By its hash, as a folder that was copied or restored has other inodes.
      if (here === null || here.sha256 === common || isOverruled(name) || unfinished.has(name))
        removed.push({ path: name, here });
      else parted.push(name);
    } else if (here?.sha256 === entry.sha256) equal.set(name, here);
    else if (here === null || here.sha256 === common || unfinished.has(name))
      placed.push({ path: name, entry, here, isOverruled: false });
    // Changed here alone: the next publication takes it to the store.
    else if (common === entry.sha256 && !isOverruled(name)) continue;
    else placed.push({ path: name, entry, here, isOverruled: true });
  }
  for (const file of await listNew(dataDir, tree, overruled)) {
    const isNew = !remote.files.has(file.path) && !local.common.has(file.path);
    if (isNew && isWanted(file.path)) removed.push({ path: file.path, here: file });
  }
  return { placed, removed, parted, equal };
}

/** Local state of the files that the tree has, or had in common with the folder; null: no file. */
async function lookAtAll(
  dataDir: string,
  { local, remote }: { readonly local: LocalTree; readonly remote: RemoteTree },
  isWanted: (path: string) => boolean,
): Promise<Map<string, CommonFile | null>> {
  const looks = new Map<string, CommonFile | null>();
  for (const name of new Set([...remote.files.keys(), ...local.common.keys()])) {
    if (isWanted(name)) looks.set(name, await lookAt(dataDir, name, local.common.get(name)));
  }
  return looks;
}

/** Paths that were changed, added or removed here. */
function listChangedHere(looks: ReadonlyMap<string, CommonFile | null>, { common }: LocalTree): string[] {
  return [...looks].filter(([name, here]) => here?.sha256 !== common.get(name)?.sha256).map(([name]) => name);
}

/** Files of a tree, of some stores. */
async function listNew(dataDir: string, tree: string, stores: readonly StoreName[]): Promise<ScannedFile[]> {
  if (stores.length === 0) return [];
  const files = await scanFolder({ dataDir, stores, isWanted: (place) => isOfTree(place, tree) });
  return files.filter((file) => file.tree === tree);
}

/** A local file with its hash, which is known if the file is unchanged; null: no file. */
async function lookAt(dataDir: string, name: string, common: CommonFile | undefined): Promise<CommonFile | null> {
  const print = await findFingerprint(dataDir, name);
  if (print === null) return null;
  if (common && isSameFile(print, common)) return common;
  try {
    return toCommon(print, await hashFile(path.join(dataDir, name)));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

export function toCommon({ bytes, modifiedNanoseconds, inode }: Fingerprint, sha256: string): CommonFile {
  return { bytes, modifiedNanoseconds, inode, sha256 };
}
