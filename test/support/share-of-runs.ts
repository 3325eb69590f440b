import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which share of its random cases a property asks in this suite. */
    readonly shareOfRuns: number;
  }
}

/**
 * How many random cases a property asks in this suite: all of them in the slow one, the first few in the fast one. A file
 * that asks for this is in both: `x.slow.test.ts` imports `x.test.ts`.
 */
export function shareOfRuns(all: number): number {
  return Math.ceil(all * inject('shareOfRuns'));
}
