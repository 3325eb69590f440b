import type { Config } from '../../pipeline/config/load-config.ts';

/** What is wrong, and what to do about it. */
interface UnsharedLocks {
  readonly sentence: string;
  readonly remedy: string;
}

/**
 * An object store is there for several machines, but locks and runs in a data folder hold on its own machine alone.
 * The folder cannot know whether there are others, so the operator says that there are none.
 * @returns null where jobs share them, or need not
 */
export function findUnsharedLocks({ store, operations }: Pick<Config, 'store' | 'operations'>): UnsharedLocks | null {
  if (store.url === null || operations.postgresUrl !== null || operations.isSingleMachine) return null;
  return {
    sentence: 'several machines would run the same jobs at once, as the locks of this one are in its data folder',
    remedy:
      'set operations.postgresUrl, or run jobs on one machine alone and set operations.isSingleMachine: true there',
  };
}
