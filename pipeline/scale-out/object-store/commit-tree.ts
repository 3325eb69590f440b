import { ExternalError } from '../../effects/external-error.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { type CommonFile, type LocalTree, stateFolder, updateLocalTree } from './local-state.ts';
import { mergeChanges, type TreeChange } from './merge-changes.ts';
import type { Fingerprint } from './scan-folder.ts';
import type { StoreContext } from './store-context.ts';
import { parseTree, type TreeFiles, treeKey, writeTree } from './tree-document.ts';
import { TreesLost } from './trees-lost.ts';

/** A tree in the store; without an entity tag if it does not exist. */
export interface RemoteTree {
  readonly etag: string | null;
  readonly files: TreeFiles;
}

/**
 * Reads a tree, unless the data folder knows what is in the store.
 * @throws ExternalError `tree_missing` where the folder knows of a tree that the store has no more; those of trees and stores
 */
export async function readRemoteTree(
  context: StoreContext,
  name: string,
  { etag, remote }: Pick<LocalTree, 'etag' | 'remote'>,
): Promise<RemoteTree> {
  const found = await context.store.get(treeKey(name), etag, context.signal);
  if (found === 'unchanged') return { etag, files: remote };
  if (found !== null) return { etag: found.etag, files: parseTree(found.bytes, name) };
  if (etag !== null && !(await wasCollected(context, name, remote))) throw missingError(context, name);
  return { etag: null, files: new Map() };
}

/**
 * Trees of raw answers alone are ever removed, once they are empty. A bucket that is empty, or a new one, lacks them as
 * well: to read that as an empty tree would remove the last copies of what was received.
 */
async function wasCollected({ store, signal }: StoreContext, name: string, known: TreeFiles): Promise<boolean> {
  if (!name.startsWith('raw/')) return false;
  if (known.size === 0) return true;
  for await (const _tree of store.list('trees/', signal)) return true;
  return false;
}

function missingError({ store, dataDir }: StoreContext, name: string): ExternalError {
  const sentence = `the tree ${name} is gone from ${store.url}, and nothing is removed here for that`;
  const how = `restore trees/${name}.json, or remove ${stateFolder(dataDir)} and run "taktgeber store publish"`;
  return new ExternalError('tree_missing', `${sentence}: ${how}`);
}

interface Commit {
  readonly name: string;
  readonly remote: RemoteTree;
  readonly changes: readonly TreeChange[];
  /** Of the local files whose contents the changes state. */
  readonly prints: ReadonlyMap<string, Fingerprint>;
}

/** Writers of other paths of the same tree are few; each lost race lets one of them through. */
const MAX_ATTEMPTS = 20;

/**
 * Changes a tree in the store in one step, together with what others have changed at other paths in the meantime.
 * @returns whether the store lacked any of the changes; and contents that were replaced or removed
 * @throws TreesLost when another machine has changed one of the paths: nothing has changed then
 * @throws ExternalError `tree_busy`, retryable, when others write it all the time
 */
export async function commitTree(
  context: StoreContext,
  commit: Commit,
): Promise<{ readonly isChanged: boolean; readonly replaced: readonly string[] }> {
  const { name, changes } = commit;
  let { remote } = commit;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const merged = mergeChanges(remote.files, changes);
    if (merged.lost.length > 0) throw new TreesLost(new Map([[name, merged.lost]]));
    if (!merged.isChanged) {
      await noteCommit(context, commit, remote);
      return { isChanged: false, replaced: [] };
    }
    const etag = await tryToWrite(context, name, remote.etag, merged.files);
    if (etag !== null) {
      await noteCommit(context, commit, { etag, files: merged.files });
      return { isChanged: true, replaced: listReplaced(remote.files, merged.files) };
    }
    remote = await readRemoteTree(context, name, { etag: remote.etag, remote: remote.files });
  }
  throw new ExternalError('tree_busy', `others were writing the tree ${name} all the time`, { isRetryable: true });
}

async function tryToWrite(
  { store, effects, signal }: StoreContext,
  name: string,
  etag: string | null,
  files: TreeFiles,
) {
  const content = writeTree(name, files, effects.clock.nowMilliseconds());
  await assertMayPublish();
  try {
    return await store.put(treeKey(name), content, etag === null ? 'absent' : { etag }, signal);
  } catch (error) {
    if (error instanceof ExternalError && error.code === 'write_lost') return null;
    throw error;
  }
}

/** Paths that others have changed stay as this folder has them: only fetching makes them equal. */
async function noteCommit({ dataDir, store }: StoreContext, { name, changes, prints }: Commit, remote: RemoteTree) {
  await updateLocalTree(dataDir, store, name, (local) => {
    const common = new Map<string, CommonFile>(local.common);
    for (const { path, after } of changes) {
      const print = prints.get(path);
      if (after === null || !print) common.delete(path);
      else {
        const { bytes, modifiedNanoseconds, inode } = print;
        common.set(path, { sha256: after.sha256, bytes, modifiedNanoseconds, inode });
      }
    }
    return { etag: remote.etag, remote: remote.files, common };
  });
}

function listReplaced(before: TreeFiles, after: TreeFiles): string[] {
  const kept = new Set([...after.values()].map(({ sha256 }) => sha256));
  return [...before.values()]
    .filter(({ sha256, text }) => text === undefined && !kept.has(sha256))
    .map(({ sha256 }) => sha256);
}
