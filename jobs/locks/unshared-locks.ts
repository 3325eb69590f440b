import type { Config } from '../../pipeline/config/load-config.ts';

/** What is wrong, and what to do about it. */
interface UnsharedLocks {
  readonly sentence: string;
  readonly remedy: string;
}

/**
 * An object store is for several machines, but locks and runs in a data folder apply to one machine only.
 * This cannot be detected from the folder, so the operator declares that there are no other machines.
 * @returns null where jobs share them, or need not
 */
export function findUnsharedLocks({ store, operations }: Pick<Config, 'store' | 'operations'>): UnsharedLocks | null {
  if (store.url === null || operations.postgresUrl !== null || operations.isSingleMachine) return null;
  return {
    sentence: 'locks are in the local data folder, so several machines could run the same jobs at once',
    remedy:
      'set operations.postgresUrl, or run jobs on a single machine and set operations.isSingleMachine: true there',
  };
}
