import { rm } from 'node:fs/promises';
import path from 'node:path';
import { findJson, listNames, writeFileAtomically } from '../../effects/files.ts';
import type { ObjectStore } from '../../effects/object-store/object-store.ts';
import type { Fingerprint } from './scan-folder.ts';
import type { TreeEntry, TreeFiles } from './tree-document.ts';

/** A file that this data folder had in common with the store. */
export interface CommonFile extends Fingerprint {
  readonly sha256: string;
}

/** What a data folder knows of a tree. It can be rebuilt: without it files are compared by their hashes. */
export interface LocalTree {
  /** Entity tag of the tree in the store when it was last read or written; null: unknown. */
  readonly etag: string | null;
  /** What it held then. */
  readonly remote: TreeFiles;
  /** Files that were equal here and there, as they were then. */
  readonly common: ReadonlyMap<string, CommonFile>;
}

export const emptyTree: LocalTree = { etag: null, remote: new Map(), common: new Map() };

/** Another store, another state: buckets of the same name are at several endpoints. */
export type StoreIdentity = Pick<ObjectStore, 'url' | 'endpoint'>;

interface StoredTree {
  readonly url: string;
  /** Absent: noted before endpoints were. */
  readonly endpoint?: string | null;
  readonly etag: string | null;
  readonly remote: Record<string, TreeEntry>;
  readonly common: Record<string, CommonFile>;
}

export function stateFolder(dataDir: string): string {
  return path.join(dataDir, 'state', 'object-store');
}

function treeFile(dataDir: string, name: string): string {
  return path.join(stateFolder(dataDir), 'trees', `${encodeURIComponent(name)}.json`);
}

/** Names of the trees that the data folder had in common with a store. */
export async function listLocalTrees(dataDir: string): Promise<string[]> {
  const names = await listNames(path.join(stateFolder(dataDir), 'trees'));
  return names.filter((name) => name.endsWith('.json')).map((name) => decodeURIComponent(name.slice(0, -5)));
}

/** Whether what was noted is about this store. */
export function isNotedOf(stored: Partial<StoreIdentity> | null, { url, endpoint }: StoreIdentity): boolean {
  return stored?.url === url && (stored.endpoint === undefined || stored.endpoint === endpoint);
}

/** @returns the empty tree where the folder had nothing in common with this store */
export async function readLocalTree(dataDir: string, store: StoreIdentity, name: string): Promise<LocalTree> {
  const stored = await findJson<StoredTree>(treeFile(dataDir, name));
  if (!stored?.remote || !stored.common || !isNotedOf(stored, store)) return emptyTree;
  const { etag, remote, common } = stored;
  return { etag, remote: new Map(Object.entries(remote)), common: new Map(Object.entries(common)) };
}

/** Whether nothing is known of a tree that has a file nevertheless: earlier versions left one. */
export function isLeftover(tree: LocalTree): boolean {
  return tree !== emptyTree && tree.remote.size + tree.common.size === 0;
}

/**
 * Changes what is known of a tree. Other jobs of the same folder do the same for other paths, so it starts from what is
 * written by now.
 */
export async function updateLocalTree(
  dataDir: string,
  { url, endpoint }: StoreIdentity,
  name: string,
  change: (tree: LocalTree) => LocalTree,
): Promise<void> {
  const { etag, remote, common } = change(await readLocalTree(dataDir, { url, endpoint }, name));
  // Raw answers have a tree per hour and source, each of which is empty some day: nothing is to be known of it then.
  if (remote.size + common.size === 0) return rm(treeFile(dataDir, name), { force: true });
  const files = { remote: Object.fromEntries(remote), common: Object.fromEntries(common) };
  const stored: StoredTree = { url, endpoint, etag, ...files };
  await writeFileAtomically(treeFile(dataDir, name), `${JSON.stringify(stored)}\n`);
}
