import { NEVER } from './int-list.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { RaptorRoutes } from './raptor-routes.ts';
import type { Sign } from './search-direction.ts';

/**
 * By stop call of the timetable: the result of the last binary search there, as two signed times. No trip is boarded
 * after `after[i]` and before `next[i]`. At nine of ten marked stops the arrival improves by a few minutes without a
 * departure in between, which these times show without access to the routes of the pattern.
 */
export interface DepartureGaps {
  readonly after: Int32Array;
  readonly next: Int32Array;
  /** By call of the timetable's patterns: where the last search for a trip ended, and the next one begins. */
  readonly hints: Int32Array;
}

/** The routes to which the gaps belong, with their realtime. */
export type GapOwner = RaptorRoutes | LiveRoutes;

interface CachedGaps extends DepartureGaps {
  owner: GapOwner;
  sign: Sign;
}

/** Both directions, and the span before or after; each entry takes twelve bytes per call. */
const MAX_CACHED = 3;

/** Caches the gaps of the most recently used routes. A later entry reuses the memory of the one that it replaces. */
export function cacheDepartureGaps(callCount: number): (owner: GapOwner, sign: Sign) => DepartureGaps {
  /** The least recently used first. */
  const known: CachedGaps[] = [];
  return (owner, sign) => {
    const at = known.findIndex((gaps) => gaps.owner === owner && gaps.sign === sign);
    const [found] = at >= 0 ? known.splice(at, 1) : [];
    const gaps = found ?? clearGaps(takeUnused(known, callCount, owner, sign));
    known.push(gaps);
    return gaps;
  };
}

function takeUnused(known: CachedGaps[], callCount: number, owner: GapOwner, sign: Sign): CachedGaps {
  const oldest = known.length < MAX_CACHED ? undefined : known.shift();
  const { after, next, hints } = oldest ?? createGaps(callCount);
  return { owner, sign, after, next, hints };
}

function createGaps(callCount: number): DepartureGaps {
  return { after: new Int32Array(callCount), next: new Int32Array(callCount), hints: new Int32Array(callCount) };
}

function clearGaps(gaps: CachedGaps): CachedGaps {
  // No time is in this gap.
  gaps.after.fill(NEVER);
  gaps.next.fill(-NEVER);
  return gaps;
}
