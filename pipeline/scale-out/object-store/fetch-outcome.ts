import type { RemoteTree } from './commit-tree.ts';
import type { CommonFile, LocalTree } from './local-state.ts';

export interface FetchedTree {
  readonly name: string;
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  /** Files of this folder by their hashes, also of other trees; what is fetched is added. */
  readonly twins: Map<string, Twin>;
}

/** A file of the data folder whose content is known. */
export interface Twin {
  readonly path: string;
  readonly common: CommonFile;
}

/** What fetching a tree has changed in the data folder. */
export interface FetchOutcome {
  /** Names of the trees that differed. */
  readonly trees: readonly string[];
  /** Files that were put in their place, among them those linked to an equal one that was there. */
  readonly files: number;
  readonly linked: number;
  readonly bytes: number;
  readonly removed: number;
  /** Paths whose local, unpublished content was replaced by that of the store. */
  readonly overruled: readonly string[];
  /** Paths that something else wrote while they were fetched: they stay as they are here. */
  readonly kept: readonly string[];
}

export const nothingFetched: FetchOutcome = {
  ...{ trees: [], files: 0, linked: 0, bytes: 0, removed: 0 },
  ...{ overruled: [], kept: [] },
};

export function addOutcomes(one: FetchOutcome, other: FetchOutcome): FetchOutcome {
  return {
    trees: [...one.trees, ...other.trees],
    files: one.files + other.files,
    linked: one.linked + other.linked,
    bytes: one.bytes + other.bytes,
    removed: one.removed + other.removed,
    overruled: [...one.overruled, ...other.overruled],
    kept: [...one.kept, ...other.kept],
  };
}
