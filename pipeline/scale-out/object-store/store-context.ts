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
