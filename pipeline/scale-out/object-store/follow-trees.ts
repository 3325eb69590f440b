import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isOfTheSystem } from '../../effects/external-error.ts';
import { backoffMilliseconds } from '../../model/retry-policy.ts';
import { type RemoteTree, readRemoteTree } from './commit-tree.ts';
import type { Twin } from './fetch-outcome.ts';
import { fetchTree } from './fetch-trees.ts';
import { type LocalTree, readLocalTree, updateLocalTree } from './local-state.ts';
import { findFingerprint, isSameFile } from './scan-folder.ts';
import type { StoreContext } from './store-context.ts';
import { findPlace, publishedStores, type StoreName } from './store-rules.ts';

/** A tree that is requested by its name. */
export interface FollowedTree {
  readonly name: string;
  readonly stores: readonly StoreName[];
  readonly everySeconds: number;
}

const followed = (everySeconds: number, ...stores: StoreName[]): FollowedTree => ({
  name: publishedStores[stores[0]!].tree,
  stores,
  everySeconds,
});

/**
 * What an API serves, and how often it requests it. A published poll is served within two seconds. Until all replicas
 * have requested it, they answer differently: streets may be late, as they are read at the start, and places by a minute.
 */
export const servedTrees: readonly FollowedTree[] = [
  followed(1, 'realtime snapshots'),
  followed(5, 'snapshots'),
  followed(5, 'announcements'),
  followed(10, 'history snapshots'),
  followed(10, 'snapshots of these metrics'),
  followed(5, 'network maps'),
  followed(30, 'streets'),
  followed(60, 'places'),
  followed(5, 'credits', 'guide'),
];

/** What is known of a followed tree. Milliseconds since 1970. */
export interface TreeFreshness {
  readonly name: string;
  /** When the store last confirmed or changed what is here, as a whole; null: never since the start. */
  readonly confirmedAt: number | null;
  /** Why it was not since then; null: it was. */
  readonly trouble: string | null;
}

export interface Following {
  /** Each tree was requested once, with or without success. */
  readonly ready: Promise<void>;
  freshness(): readonly TreeFreshness[];
  /** Ends after the current files. */
  close(): Promise<void>;
}

export interface FollowOptions {
  readonly trees?: readonly FollowedTree[];
  /** Finds out which paths the jobs of this folder are writing: they stay as they are. */
  findBusy?(): Promise<(path: string) => boolean>;
}

/** A reader that has just read a pointer must still find the files that it names. */
const KEEP_REMOVED_MILLISECONDS = 60_000;
const MAX_WAIT_MILLISECONDS = 30_000;

/**
 * Keeps the data folder of an api at the state of the store: requests each tree by its name, and places a new one as a job
 * would have published it, the pointer last. Nothing is ever listed. While the store fails, what is there stays.
 */
export function followTrees(context: StoreContext, { trees = servedTrees, findBusy }: FollowOptions = {}): Following {
  const stopping = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, stopping.signal]) : stopping.signal;
  const followers = trees.map((tree) => new Follower({ ...context, signal }, tree, findBusy));
  const loops = followers.map((follower) => follower.follow());
  return {
    ready: Promise.all(followers.map(({ requested }) => requested)).then(() => {}),
    freshness: () => followers.map((follower) => follower.freshness()),
    close: async () => {
      stopping.abort(new ExternalError('stopped', 'the following of the object store was ended'));
      await Promise.all(loops);
    },
  };
}

type LoopContext = StoreContext & { readonly signal: AbortSignal };

/** The loop of one tree. */
class Follower {
  readonly requested: Promise<void>;
  readonly #context: LoopContext;
  readonly #tree: FollowedTree;
  readonly #findBusy: FollowOptions['findBusy'];
  /** When a path was first found to be no longer in the tree. */
  readonly #stale = new Map<string, number>();
  /** The state of the tree that is here as a whole; null: none since the start. Jobs may have recorded newer ones without fetching their files. */
  #placed: { readonly etag: string | null } | null = null;
  #confirmedAt: number | null = null;
  #trouble: string | null = null;
  #resolveRequested = () => {};

  constructor(context: LoopContext, tree: FollowedTree, findBusy: FollowOptions['findBusy']) {
    this.#context = context;
    this.#tree = tree;
    this.#findBusy = findBusy;
    this.requested = new Promise((resolve) => {
      this.#resolveRequested = resolve;
    });
  }

  freshness(): TreeFreshness {
    return { name: this.#tree.name, confirmedAt: this.#confirmedAt, trouble: this.#trouble };
  }

  async follow(): Promise<void> {
    const { signal, effects } = this.#context;
    let failures = 0;
    while (!signal.aborted) {
      failures = (await this.#tryToFetch()) ? 0 : failures + 1;
      this.#resolveRequested();
      if (signal.aborted) return;
      try {
        await effects.sleep(this.#waitMilliseconds(failures), signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
    this.#resolveRequested();
  }

  /** The usual interval; doubled with each consecutive failure. */
  #waitMilliseconds(failures: number): number {
    const everyMilliseconds = this.#tree.everySeconds * 1000;
    const policy = { firstWaitMilliseconds: everyMilliseconds, factor: 2, maxWaitMilliseconds: MAX_WAIT_MILLISECONDS };
    return backoffMilliseconds(policy, failures + 1);
  }

  /**
   * A failure to fetch the tree is logged when it begins and when it ends.
   * @returns whether the store answered
   */
  async #tryToFetch(): Promise<boolean> {
    const { effects, signal } = this.#context;
    const { name } = this.#tree;
    try {
      await this.#fetch();
      if (this.#placed === null) {
        this.#noteTrouble('a job of this folder writes parts of it, or what it has written is not published yet');
        return true;
      }
      if (this.#trouble !== null) effects.log.info(`the tree ${name} is up to date with the object store again`);
      this.#trouble = null;
      this.#confirmedAt = effects.clock.nowMilliseconds();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
      this.#noteTrouble(error.message);
      return false;
    }
  }

  #noteTrouble(reason: string): void {
    if (this.#trouble === null) this.#context.effects.log.warn(`the tree ${this.#tree.name} stays as it is: ${reason}`);
    this.#trouble = reason;
  }

  async #fetch(): Promise<void> {
    const { dataDir, store } = this.#context;
    const { name, stores } = this.#tree;
    const local = await readLocalTree(dataDir, store, name);
    const remote = await readRemoteTree(this.#context, name, local);
    // The entity tag of the data folder proves nothing: a job of this folder notes the tree that it has written to, with
    // paths of other machines in it that are not here, and a fetch that left out busy paths notes it as well.
    const isPlaced = this.#placed !== null && this.#placed.etag === remote.etag;
    if (isPlaced && this.#stale.size === 0) return;
    const isBusy = (await this.#findBusy?.()) ?? (() => false);
    if (!isPlaced) {
      this.#placed = null;
      const twins = new Map<string, Twin>();
      const request = { stores, keepsRemoved: true, isBusy };
      const { kept } = await fetchTree(this.#context, request, { name, local, remote, twins });
      const isWhole = kept.length === 0 && !this.#hasSkipped(local, remote, isBusy);
      if (isWhole) this.#placed = { etag: remote.etag };
    }
    const removable = [...local.common.keys()].filter((path) => this.#isOurs(path) && !isBusy(path));
    await this.#removeStale(new Set(remote.files.keys()), removable);
  }

  /** Whether a path that a job is writing differs from the tree by more than the job's own changes. */
  #hasSkipped({ common }: LocalTree, remote: RemoteTree, isBusy: (path: string) => boolean): boolean {
    return [...new Set([...remote.files.keys(), ...common.keys()])].some(
      (path) => this.#isOurs(path) && isBusy(path) && common.get(path)?.sha256 !== remote.files.get(path)?.sha256,
    );
  }

  /** Removes files that the tree has not had for a while. */
  async #removeStale(present: ReadonlySet<string>, common: readonly string[]): Promise<void> {
    const { dataDir, store, effects } = this.#context;
    const now = effects.clock.nowMilliseconds();
    for (const name of this.#stale.keys()) if (present.has(name)) this.#stale.delete(name);
    for (const name of common) if (!present.has(name) && !this.#stale.has(name)) this.#stale.set(name, now);
    const due = [...this.#stale].filter(([, since]) => now - since >= KEEP_REMOVED_MILLISECONDS).map(([name]) => name);
    if (due.length === 0) return;
    const local = await readLocalTree(dataDir, store, this.#tree.name);
    for (const name of due) {
      this.#stale.delete(name);
      // What was made here since then is not the store's.
      const isCommon = isSameFile(await findFingerprint(dataDir, name), local.common.get(name));
      if (isCommon) await rm(path.join(dataDir, name), { force: true });
    }
    await updateLocalTree(dataDir, store, this.#tree.name, (tree) => {
      const kept = new Map(tree.common);
      for (const name of due) kept.delete(name);
      return { ...tree, common: kept };
    });
  }

  #isOurs(name: string): boolean {
    const place = findPlace(name);
    return place !== null && this.#tree.stores.includes(place.store);
  }
}
