import { readRemoteTree } from './commit-tree.ts';
import { addOutcomes, type FetchedTree, type FetchOutcome, nothingFetched, type Twin } from './fetch-outcome.ts';
import { listLocalTrees, readLocalTree } from './local-state.ts';
import { placeTree } from './place-tree.ts';
import { type ListUnfinished, planFetch } from './plan-fetch.ts';
import type { StoreContext } from './store-context.ts';
import { findPlace, type StoreName, treePrefix } from './store-rules.ts';
import { treeOfKey } from './tree-document.ts';

interface FetchRequest {
  readonly stores: readonly StoreName[];
  /** Narrows the trees by their names; absent: all of these stores. */
  isWantedTree?(name: string): boolean;
  /** Paths that a running job of this folder writes: they stay as they are. */
  isBusy?(path: string): boolean;
  /** Stores whose local changes are discarded in favour of the object store; absent: none. */
  readonly overruled?: readonly StoreName[];
  /** Partial output of killed jobs, which is replaced from the object store; absent: none. */
  listUnfinished?: ListUnfinished;
  readonly isDryRun?: boolean;
}

/**
 * Brings the data folder to the state of the store: data first, then manifests, then pointers; a file that the trees no
 * longer have goes last. Files that were made here and never published stay. A file that was changed both here and there
 * becomes the store's. A file that is written while it is fetched stays.
 * @throws ExternalError `tree_missing`, `object_missing`, `object_damaged`, `tree_damaged`, `tree_too_new`; those of the store
 */
export async function fetchTrees(context: StoreContext, request: FetchRequest): Promise<FetchOutcome> {
  const names = await listTrees(context, request);
  const twins = new Map<string, Twin>();
  let outcome = nothingFetched;
  for (const [name, etag] of [...names].sort()) {
    context.signal?.throwIfAborted();
    // Collected once it was empty, or lost with its bucket, which may have been filled again by a machine that had less:
    // what was received cannot be made again, and leaves a folder by the limits of raw.
    if (etag === null && name.startsWith('raw/')) continue;
    const local = await readLocalTree(context.dataDir, context.store, name);
    const isKnown = etag !== null && etag === local.etag;
    const remote = isKnown ? { etag, files: local.remote } : await readRemoteTree(context, name, local);
    outcome = addOutcomes(outcome, await fetchTree(context, request, { name, local, remote, twins }));
  }
  return outcome;
}

/** Brings the files of one tree to its state in the store. */
export async function fetchTree(
  context: StoreContext,
  request: FetchRequest & { readonly keepsRemoved?: boolean },
  tree: FetchedTree,
): Promise<FetchOutcome> {
  const isWanted = (path: string) => {
    const place = findPlace(path);
    return place !== null && request.stores.includes(place.store) && request.isBusy?.(path) !== true;
  };
  const { overruled, listUnfinished } = request;
  const plan = await planFetch(context.dataDir, tree, { isWanted, overruled, listUnfinished });
  if (request.isDryRun) return toDryOutcome(tree.name, plan);
  return placeTree(context, tree, { ...plan, removed: request.keepsRemoved ? [] : plan.removed });
}

function toDryOutcome(name: string, { placed, removed }: Awaited<ReturnType<typeof planFetch>>): FetchOutcome {
  if (placed.length + removed.length === 0) return nothingFetched;
  const bytes = placed.reduce((sum, { entry }) => sum + entry.bytes, 0);
  return { ...nothingFetched, trees: [name], files: placed.length, bytes, removed: removed.length };
}

/** Names of the trees of stores, with their entity tags; null for one that the store no longer has. */
async function listTrees(context: StoreContext, request: FetchRequest): Promise<Map<string, string | null>> {
  const { store, dataDir, signal } = context;
  const prefixes = [...new Set(request.stores.map(treePrefix))];
  const isWanted = (name: string) => request.isWantedTree?.(name) !== false;
  const names = new Map<string, string | null>();
  for (const name of await listLocalTrees(dataDir)) {
    if (prefixes.some((prefix) => name.startsWith(prefix)) && isWanted(name)) names.set(name, null);
  }
  for (const prefix of prefixes) {
    for await (const { key, etag } of store.list(`trees/${prefix}`, signal)) {
      const name = treeOfKey(key);
      if (name !== null && isWanted(name)) names.set(name, etag);
    }
  }
  return names;
}
