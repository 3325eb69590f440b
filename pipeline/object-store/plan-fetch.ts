import path from 'node:path';
import { hashFile } from '../effects/hash-file.ts';
import { isSystemError } from '../effects/world-error.ts';
import type { RemoteTree } from './commit-tree.ts';
import type { CommonFile, LocalTree } from './local-state.ts';
import { type Fingerprint, findFingerprint, isSameFile, type ScannedFile, scanFolder } from './scan-folder.ts';
import { findPlace, isOfTree, isUnited, type StoreName } from './store-rules.ts';
import type { TreeEntry } from './tree-document.ts';

/** A file that the data folder lacks, or has otherwise. */
export interface PlacedFile {
  readonly path: string;
  /** Of what is here, and gives way; null: nothing is. */
  readonly here: Fingerprint | null;
  readonly entry: TreeEntry;
  /** What is done with a content that was changed here and there; null: there was no such change. */
  readonly conflict: 'overruled' | 'united' | null;
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

/**
 * Compares the data folder with a tree, by what both last had in common.
 * @param isWanted whether a path is looked at
 * @param overruled stores in which all that was changed here gives way
 */
export async function planFetch(
  dataDir: string,
  { name: tree, local, remote }: { readonly name: string; readonly local: LocalTree; readonly remote: RemoteTree },
  isWanted: (path: string) => boolean,
  overruled: readonly StoreName[] = [],
): Promise<FetchPlan> {
  const isOverruled = (path: string) => overruled.some((store) => findPlace(path)?.store === store);
  const placed: PlacedFile[] = [];
  const equal = new Map<string, CommonFile>();
  for (const [name, entry] of remote.files) {
    if (!isWanted(name)) continue;
    const here = await lookAt(dataDir, name, local.common.get(name));
    if (here?.sha256 === entry.sha256) equal.set(name, here);
    else if (here === null || !isChangedHere(here, local, name))
      placed.push({ path: name, entry, here, conflict: null });
    // Changed here alone: the next publication takes it to the store.
    else if (local.common.get(name)?.sha256 === entry.sha256 && !isOverruled(name)) continue;
    else placed.push({ path: name, entry, here, conflict: unitedOr(name) });
  }
  const removed: RemovedFile[] = [];
  const parted: string[] = [];
  for (const [name, common] of local.common) {
    if (remote.files.has(name) || !isWanted(name)) continue;
    // By its hash, as a folder that was copied or restored has other inodes.
    const here = await lookAt(dataDir, name, common);
    if (here === null || here.sha256 === common.sha256 || isOverruled(name)) removed.push({ path: name, here });
    else parted.push(name);
  }
  for (const file of await listNew(dataDir, tree, overruled)) {
    const isNew = !remote.files.has(file.path) && !local.common.has(file.path);
    if (isNew && isWanted(file.path)) removed.push({ path: file.path, here: file });
  }
  return { placed, removed, parted, equal };
}

/** Files of a tree, of some stores. */
async function listNew(dataDir: string, tree: string, stores: readonly StoreName[]): Promise<ScannedFile[]> {
  if (stores.length === 0) return [];
  const files = await scanFolder({ dataDir, stores, isWanted: (place) => isOfTree(place, tree) });
  return files.filter((file) => file.tree === tree);
}

function unitedOr(name: string): 'overruled' | 'united' {
  const store = findPlace(name)?.store;
  return store !== undefined && isUnited(store) ? 'united' : 'overruled';
}

/** A local file with its hash; that of one that has not changed is known. Null: there is none. */
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

function isChangedHere(here: CommonFile, { common }: LocalTree, name: string): boolean {
  return common.get(name)?.sha256 !== here.sha256;
}

export function toCommon({ bytes, modifiedNanoseconds, inode }: Fingerprint, sha256: string): CommonFile {
  return { bytes, modifiedNanoseconds, inode, sha256 };
}
