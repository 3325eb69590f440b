import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { References } from '../../engine/read/references.ts';
import { REMEMBERED_SECONDS, type WatchStore } from '../store/watch-store.ts';
import { WatchTracker } from '../track/watch-tracker.ts';
import type { StoredWatch, TripSpec } from '../watch.ts';

/** A rescue watch whose trip is broken. */
export interface WantedOptions {
  readonly watchId: string;
  readonly spec: Extract<TripSpec, { kind: 'rescue' }>;
}

/** Watches that are read at a time. */
const PAGE_SIZE = 2000;

/** The watches of a store, as far as this process has learned of them. */
export class LearnedWatches {
  readonly tracker: WatchTracker;
  readonly #store: WatchStore;
  /** The watch of the last change that was learned; null: nothing was. */
  #newest: StoredWatch | null = null;
  #learnedAt = -Infinity;
  /** Ids of watches that need options, in the order in which their trips were broken. */
  readonly #wanting = new Set<string>();

  constructor(store: WatchStore, sealJourney: References['sealJourney']) {
    this.#store = store;
    this.tracker = new WatchTracker(sealJourney);
  }

  track(watch: StoredWatch, recheckAt: number): void {
    this.tracker.track(watch, recheckAt);
    if (watch.isRemoved || watch.memory.optionsDue === null) this.#wanting.delete(watch.id);
    else this.#wanting.add(watch.id);
  }

  /** Rescue watches whose options are due, those first whose trips were broken first. */
  listWanted(limit: number, instant: Instant): readonly WantedOptions[] {
    const wanted: WantedOptions[] = [];
    for (const id of this.#wanting) {
      const tracked = this.tracker.get(id);
      if (!tracked || wanted.length >= limit) continue;
      const { spec, memory } = tracked.watch;
      if (spec.kind === 'rescue' && (memory.optionsDue ?? Infinity) <= instant) wanted.push({ watchId: id, spec });
    }
    return wanted;
  }

  /** Learns what other replicas have changed, and at the start all. One call must end before the next begins. */
  async learn(instant: Instant): Promise<void> {
    // After a longer pause the store may have deleted removed watches: all existing ones are listed again.
    const isPaused = instant - this.#learnedAt >= REMEMBERED_SECONDS / 2;
    if (isPaused || !(await this.#learnChanges())) {
      this.#forgetAll();
      await this.#learnChanges();
    }
    this.#learnedAt = instant;
  }

  #forgetAll(): void {
    this.#newest = null;
    for (const { watch } of [...this.tracker.list()]) this.track({ ...watch, isRemoved: true }, 0);
  }

  /**
   * @returns false when the newest known watch is not there as it was or with a later change: the store has lost its last
   * transactions, as in a failover to a standby that was behind, and their numbers are given to others
   */
  async #learnChanges(): Promise<boolean> {
    const before = this.#newest;
    let isThere = before === null;
    for (let after = before === null ? 0 : before.change - 1; ; after = this.#newest!.change) {
      const changed = await this.#store.listChanged(after, PAGE_SIZE);
      for (const watch of changed) {
        isThere ||= watch.id === before!.id;
        // Our own changes come back here as well.
        const known = this.tracker.get(watch.id);
        if (known?.watch.change !== watch.change) this.track(watch, 0);
        this.#newest = watch;
      }
      if (changed.length < PAGE_SIZE) return isThere;
      await giveWay();
    }
  }
}

/** Lets requests that arrived meanwhile have their turn. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
