import { copyFile, open, truncate } from 'node:fs/promises';
import path from 'node:path';
import { forEachConcurrently } from '../../effects/concurrency.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import { workFolder } from '../../lake/paths.ts';
import { assertConditions } from './assert-conditions.ts';
import { commitTree, readRemoteTree } from './commit-tree.ts';
import { isLeftover, type LocalTree, listLocalTrees, readLocalTree, updateLocalTree } from './local-state.ts';
import type { TreeChange } from './merge-changes.ts';
import type { ListUnfinished } from './plan-fetch.ts';
import { findFingerprint, isSameFile, type ScannedFile, scanFolder } from './scan-folder.ts';
import { storeContent } from './store-contents.ts';
import type { StoreContext } from './store-context.ts';
import {
  findPlace,
  isAppended,
  isIndependent,
  isOfTree,
  type StoreName,
  storeNames,
  treePrefix,
} from './store-rules.ts';
import type { TreeEntry } from './tree-document.ts';
import { TreesLost } from './trees-lost.ts';

interface PublishRequest {
  readonly stores: readonly StoreName[];
  /** Narrows the walk: whether files at a path, or below the folder at it, are looked at; absent: all. */
  isWanted?(place: string): boolean;
  /** Trees whose removed files are looked for; absent: all of these stores. */
  isWantedTree?(name: string): boolean;
  /** What a job has left unfinished stays as the store has it; absent: none. */
  listUnfinished?: ListUnfinished;
  /** Only list what a publication would change. */
  readonly isDryRun?: boolean;
}

export interface PublishOutcome {
  /** Names of the trees that changed. */
  readonly trees: readonly string[];
  /** Paths with a new content. */
  readonly files: number;
  readonly removed: number;
  /** Contents that the store did not have, and their bytes. */
  readonly contents: number;
  readonly bytes: number;
  /** Hashes that the trees held at these paths before, and no longer do there. */
  readonly replaced: readonly string[];
}

/** Looks at a folder that changes while it is looked at. */
const MAX_LOOKS = 5;

/**
 * Publishes the changes of the data folder to the store: contents first, then each tree in one step. A crash at any
 * instruction leaves the store as it was, or with some of the trees changed, each of which is consistent in itself.
 * @throws TreesLost when another machine has changed the same paths; all other trees are published then
 * @throws ExternalError `folder_unsettled`, `tree_busy`, retryable; `tree_missing`, `store_unfit`; those of the store
 */
export async function publishTrees(context: StoreContext, request: PublishRequest): Promise<PublishOutcome> {
  const due = await findDueFiles(context, request);
  if (due.length > 0 && !request.isDryRun) await assertConditions(context);
  const outcome = { trees: [] as string[], files: 0, removed: 0, contents: 0, bytes: 0, replaced: [] as string[] };
  const known = new Set<string>();
  const lost = new Map<string, readonly string[]>();
  // In the order of the table of stores: what refers to others comes after them.
  const order = (tree: DueTree) => storeNames.indexOf(tree.changed[0]?.store ?? tree.removed[0]!.store);
  for (const tree of due.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1))) {
    context.signal?.throwIfAborted();
    const published = request.isDryRun ? countTree(tree) : await publishUnlessLost(context, request, tree, known);
    if (published === null) continue;
    if (published instanceof TreesLost) {
      for (const [name, paths] of published.lost) lost.set(name, paths);
      continue;
    }
    outcome.trees.push(tree.name);
    outcome.files += published.files;
    outcome.removed += published.removed;
    outcome.contents += published.contents;
    outcome.bytes += published.bytes;
    outcome.replaced.push(...published.replaced);
  }
  if (lost.size > 0) throw new TreesLost(lost);
  return outcome;
}

async function publishUnlessLost(context: StoreContext, request: PublishRequest, due: DueTree, known: Set<string>) {
  try {
    return await publishTree(context, request, due, known);
  } catch (error) {
    if (error instanceof TreesLost) return error;
    throw error;
  }
}

/** What a tree in the store lacks. */
interface DueTree {
  readonly name: string;
  readonly local: LocalTree;
  readonly changed: readonly ScannedFile[];
  readonly removed: readonly { readonly path: string; readonly store: StoreName }[];
}

/** Finds files that differ from what the folder last had in common with the store; by size, time and inode. */
async function findDueFiles({ dataDir, store }: StoreContext, request: PublishRequest): Promise<DueTree[]> {
  const files = await scanFolder({ dataDir, ...request });
  const byTree = new Map<string, ScannedFile[]>();
  for (const file of files) byTree.set(file.tree, [...(byTree.get(file.tree) ?? []), file]);
  const prefixes = [...new Set(request.stores.map(treePrefix))];
  for (const name of await listLocalTrees(dataDir)) {
    const isOurs = prefixes.some((prefix) => name.startsWith(prefix)) && request.isWantedTree?.(name) !== false;
    if (isOurs && !byTree.has(name)) byTree.set(name, []);
  }
  const due: DueTree[] = [];
  for (const [name, there] of byTree) {
    const local = await readLocalTree(dataDir, store, name);
    // Earlier versions kept one for each hour of raw answers for ever, and each publication read them all.
    if (isLeftover(local) && !request.isDryRun) await updateLocalTree(dataDir, store, name, (tree) => tree);
    const paths = new Set(there.map((file) => file.path));
    const changed = there.filter((file) => !isSameFile(local.common.get(file.path), file));
    const removed = [...local.common.keys()].flatMap((gone) => {
      const found = findPlace(gone);
      const isOurs = found && request.stores.includes(found.store) && isBelowWanted(request, gone);
      return isOurs && !paths.has(gone) ? [{ path: gone, store: found.store }] : [];
    });
    if (changed.length + removed.length > 0) due.push({ name, local, changed, removed });
  }
  return due;
}

/** Whether the walk would have come to a path. */
function isBelowWanted({ isWanted }: PublishRequest, file: string): boolean {
  if (!isWanted) return true;
  const parts = file.split('/');
  return parts.every((_part, i) => isWanted(parts.slice(0, i + 1).join('/')));
}

function countTree({ changed, removed }: DueTree) {
  return { files: changed.length, removed: removed.length, contents: 0, bytes: 0, replaced: [] };
}

interface Captured {
  readonly file: ScannedFile;
  readonly entry: TreeEntry;
  readonly isSent: boolean;
}

async function publishTree(context: StoreContext, request: PublishRequest, due: DueTree, known: Set<string>) {
  const remote = await readRemoteTree(context, due.name, due.local);
  for (const { sha256, text } of remote.files.values()) if (text === undefined) known.add(sha256);
  const { captured, unfinished } = await captureFiles(context, request, due, known);
  const gone = due.removed.filter((file) => !unfinished.has(file.path));
  const removed = await listStillGone(context.dataDir, gone);
  const { common } = due.local;
  const changes: TreeChange[] = [
    ...captured.map(({ file, entry }) => ({
      path: file.path,
      before: common.get(file.path)?.sha256 ?? null,
      after: entry,
    })),
    ...removed.map((file) => ({ path: file.path, before: common.get(file.path)?.sha256 ?? null, after: null })),
  ];
  const prints = new Map(captured.map(({ file }) => [file.path, file]));
  const committed = await commitTree(context, { name: due.name, remote, changes, prints });
  if (!committed.isChanged) return null;
  const sent = captured.filter(({ isSent }) => isSent);
  const isNew = ({ file, entry }: Captured) => common.get(file.path)?.sha256 !== entry.sha256;
  return {
    files: captured.filter(isNew).length,
    removed: removed.length,
    contents: sent.length,
    bytes: sent.reduce((sum, { entry }) => sum + entry.bytes, 0),
    replaced: committed.replaced,
  };
}

/** A file may be away for an instant, while the files of a folder are exchanged: it is looked for again. */
async function listStillGone(dataDir: string, removed: DueTree['removed']): Promise<DueTree['removed']> {
  const gone: { path: string; store: StoreName }[] = [];
  for (const file of removed) if ((await findFingerprint(dataDir, file.path)) === null) gone.push(file);
  return gone;
}

/**
 * Stores the contents of changed files. Files that refer to each other are looked at again afterwards: when none has
 * changed, all were there at the instant between. Of what is unfinished at that instant none is returned.
 */
async function captureFiles(
  context: StoreContext,
  request: PublishRequest,
  due: DueTree,
  known: Set<string>,
): Promise<{ readonly captured: readonly Captured[]; readonly unfinished: ReadonlySet<string> }> {
  const paths = [...due.changed, ...due.removed].map((file) => file.path);
  let wanted = due.changed;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    context.signal?.throwIfAborted();
    const captured = await storeFiles(context, wanted, known);
    // Between the two looks, as a job may begin or end meanwhile.
    const unfinished = (await request.listUnfinished?.(paths)) ?? new Set<string>();
    const again = await lookAgain(
      context,
      request,
      due,
      captured.map(({ file }) => file),
    );
    if (again === null) return { captured: captured.filter(({ file }) => !unfinished.has(file.path)), unfinished };
    wanted = again;
  }
  throw new ExternalError('folder_unsettled', `files of ${due.name} change while they are published: run it again`, {
    isRetryable: true,
  });
}

async function storeFiles(context: StoreContext, files: readonly ScannedFile[], known: Set<string>) {
  const captured: Captured[] = [];
  await forEachConcurrently(files, context.concurrency, async (file) => {
    context.signal?.throwIfAborted();
    const stored = await storeFile(context, file, known);
    if (stored) captured.push({ file, ...stored });
  });
  return captured;
}

async function storeFile(context: StoreContext, file: ScannedFile, known: Set<string>) {
  const held = path.join(context.dataDir, file.path);
  const modified = Math.trunc(Number(BigInt(file.modifiedNanoseconds) / 1_000_000n));
  if (!isAppended(file.store)) return storeContent(context, { path: file.path, held, modified }, known);
  // It grows while it is read: its beginning, as long as it was, is copied, and cut after its last whole line.
  return withTemporaryFolder(workFolder(context.dataDir), async (folder) => {
    const copy = path.join(folder, 'copy');
    await copyFile(held, copy);
    await truncate(copy, await endOfLines(copy, file.bytes));
    return storeContent(context, { path: file.path, held: copy, modified }, known);
  });
}

/** Bytes up to the end of the last line that ends within the first `limit` bytes. */
async function endOfLines(file: string, limit: number): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limit), 0, limit, 0);
    return buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
  } finally {
    await handle.close();
  }
}

/** @returns null when nothing has changed; else the changed files as they are now */
async function lookAgain(
  context: StoreContext,
  request: PublishRequest,
  due: DueTree,
  captured: readonly ScannedFile[],
) {
  const stores = request.stores.filter((store) => !isIndependent(store));
  if (!due.changed.some(({ store }) => stores.includes(store))) return null;
  const before = new Map(captured.map((file) => [file.path, file]));
  const isWanted = (place: string) => isOfTree(place, due.name) && request.isWanted?.(place) !== false;
  const now = (await scanFolder({ dataDir: context.dataDir, stores, isWanted })).filter(
    ({ tree }) => tree === due.name,
  );
  const changed = now.filter((file) => !isSameFile(due.local.common.get(file.path), file));
  const dependent = captured.filter(({ store }) => !isIndependent(store)).length;
  const isSettled = changed.length === dependent && changed.every((file) => isSameFile(before.get(file.path), file));
  if (isSettled) return null;
  return [...changed, ...due.changed.filter(({ store }) => isIndependent(store))];
}
