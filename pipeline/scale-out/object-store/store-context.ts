import type { Effects } from '../../effects/effects.ts';
import type { ObjectStore } from '../../effects/object-store/object-store.ts';

/** A data folder and the store that it has its contents in common with. */
export interface StoreContext {
  readonly store: ObjectStore;
  readonly dataDir: string;
  /** Contents sent or fetched at the same time. */
  readonly concurrency: number;
  /** How long a content that nothing refers to stays in the store. */
  readonly keepGarbageHours: number;
  readonly effects: Pick<Effects, 'clock' | 'sleep'> & { readonly log: Pick<Effects['log'], 'info' | 'warn'> };
  readonly signal?: AbortSignal | undefined;
}

/** Runs a task on each item, some at the same time; after a failure no further one begins. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let isFailed = false;
  const work = async () => {
    for (const item of waiting) {
      if (isFailed) return;
      try {
        await task(item);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
}
