import type { TreeEntry, TreeFiles } from './tree-document.ts';

/** What a machine has done to a path since it last had what the store has. */
export interface TreeChange {
  readonly path: string;
  /** Hash of the content that the machine last had in common with the store; null: there was none. */
  readonly before: string | null;
  /** Null: removed. */
  readonly after: TreeEntry | null;
}

interface MergedTree {
  readonly files: TreeFiles;
  /** Whether the store's tree lacks any of the changes. */
  readonly isChanged: boolean;
  /** Paths that another machine has changed otherwise in the meantime. */
  readonly lost: readonly string[];
}

/** Applies changes to what the store has now, path by path: changes of different paths never meet. */
export function mergeChanges(remote: TreeFiles, changes: readonly TreeChange[]): MergedTree {
  const files = new Map(remote);
  const lost: string[] = [];
  let isChanged = false;
  for (const { path, before, after } of changes) {
    const there = remote.get(path)?.sha256 ?? null;
    const wanted = after?.sha256 ?? null;
    // Touched only, or changed there in the same way.
    if (wanted === before || wanted === there) continue;
    if (there !== before) lost.push(path);
    else {
      isChanged = true;
      if (after === null) files.delete(path);
      else files.set(path, after);
    }
  }
  return { files, isChanged, lost };
}
