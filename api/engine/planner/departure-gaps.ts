import { NEVER } from './int-list.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { RaptorRoutes } from './raptor-routes.ts';
import type { SearchDirection } from './search-direction.ts';

/**
 * The calls at which trips can be entered, each with the result of the last binary search there. At nine of ten marked
 * stops the arrival improves by a few minutes without a departure in between, which this shows without access to the
 * routes of the pattern.
 */
export interface DepartureGaps {
  /**
   * By call of a place, in the order of `PlaceCalls`: `GAP_FIELDS` numbers beside each other, because a search reads all
   * calls of a place at once.
   */
  readonly calls: Int32Array;
  /**
   * By call of the timetable's patterns: where the last search for a trip ended, and the next one begins. A larger index
   * is cut off, which only makes the next search longer.
   */
  readonly hints: Uint16Array;
}

/** Number of fields of a call in `DepartureGaps`, and their positions. */
export const GAP_FIELDS = 4;
/** Signed times: no trip is boarded after the first and before the second. */
export const GAP_AFTER = 0;
export const GAP_NEXT = 1;
/** Call of the timetable's patterns. */
export const GAP_CALL = 2;
/** The only route of the call's pattern; `~pattern` if it has several, scheduled or live, or none. */
export const GAP_ROUTE = 3;

/** The routes to which the gaps belong, with their realtime. */
interface GapOwner {
  readonly raptorRoutes: RaptorRoutes;
  readonly live: LiveRoutes | null;
}

interface CachedGaps extends DepartureGaps {
  readonly owner: GapOwner;
  readonly direction: SearchDirection;
  /** The last request that used them. */
  request: object;
}

/**
 * Returns the gaps of routes in one direction.
 * @param request uses them until it is answered; until then their memory is not reused
 */
export type GetDepartureGaps = (request: object, owner: GapOwner, direction: SearchDirection) => DepartureGaps;

/**
 * Both directions with realtime, and the timetable alone, by which trips under way are found; each entry takes eighteen
 * bytes per call.
 */
const MAX_CACHED = 3;

/**
 * Caches the gaps of the most recently used routes. A later request reuses the memory of those that it replaces; a request
 * at the end of a span also uses those of the next span, in addition.
 */
export function cacheDepartureGaps(callCount: number): GetDepartureGaps {
  /** The least recently used first. */
  const known: CachedGaps[] = [];
  const takeMemory = (request: object): DepartureGaps => {
    const [oldest] = known;
    if (known.length < MAX_CACHED || oldest === undefined || oldest.request === request) {
      return { calls: new Int32Array(GAP_FIELDS * callCount), hints: new Uint16Array(callCount) };
    }
    known.shift();
    return oldest;
  };
  return (request, owner, direction) => {
    const at = known.findIndex((gaps) => gaps.direction === direction && isSameOwner(gaps.owner, owner));
    const [found] = at >= 0 ? known.splice(at, 1) : [];
    const gaps = found ?? openGaps(takeMemory(request), request, owner, direction);
    gaps.request = request;
    known.push(gaps);
    while (known.length > MAX_CACHED && known[0]!.request !== request) known.shift();
    return gaps;
  };
}

function isSameOwner(one: GapOwner, other: GapOwner): boolean {
  return one.raptorRoutes === other.raptorRoutes && one.live === other.live;
}

/** Overwrites the memory of any former gaps. */
function openGaps(
  { calls, hints }: DepartureGaps,
  request: object,
  owner: GapOwner,
  direction: SearchDirection,
): CachedGaps {
  clearGaps(calls, owner, direction);
  return { request, owner, direction, calls, hints };
}

function clearGaps(gaps: Int32Array, { raptorRoutes, live }: GapOwner, { entering }: SearchDirection): void {
  const { firstRoute, nextRoute } = raptorRoutes;
  const { calls, patterns } = entering;
  for (let i = 0; i < calls.length; i++) {
    const pattern = patterns[i]!;
    const first = firstRoute[pattern]!;
    const isOnly = first >= 0 && nextRoute[first]! < 0 && (live === null || live.firstExtra[pattern]! < 0);
    const at = GAP_FIELDS * i;
    // No time is in this gap.
    gaps[at + GAP_AFTER] = NEVER;
    gaps[at + GAP_NEXT] = -NEVER;
    gaps[at + GAP_CALL] = calls[i]!;
    gaps[at + GAP_ROUTE] = isOnly ? first : ~pattern;
  }
}
