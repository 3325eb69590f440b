import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { LiveRoutes } from './live-routes.ts';
import {
  type BoundsTask,
  createBounds,
  createBoundsFinder,
  findBounds,
  type LowerBounds,
  measureNeededSeconds,
} from './lower-bounds.ts';

/**
 * Bounds with everything that they depend on. The time of a query is not part of it, and the origin only decides how far
 * they are known.
 */
interface CachedBounds {
  readonly key: string;
  readonly network: BoundedNetwork;
  readonly bounds: LowerBounds;
  /** The last request that used them. */
  request: object;
}

type BoundedNetwork = Pick<BoundsTask, 'direction' | 'least' | 'transferSeconds'> & {
  /** Whether it is that of the timetable, without realtime. */
  readonly isPlanned: boolean;
  /** Realtime with added trips, which the bounds depend on; otherwise all that matters is in `least`. */
  readonly added: LiveRoutes | null;
};

/** Memory for bounds that no present request uses: 30 destinations in a large city, three in a country. */
const MAX_BYTES = 10 * 2 ** 20;
const MIN_CACHED = 3;
/** Per transfer place and per call; see `LowerBounds`. */
const PLACE_BYTES = 10;
const CALL_BYTES = 5;

/**
 * Finds the lower bounds of a search, and caches those of the most recently used ends.
 * @param request reads its bounds until it is answered; until then their memory is not reused
 */
export type FindBounds = (request: object, task: BoundsTask) => LowerBounds;

/** @param placeCount number of transfer places */
export function cacheBounds(tables: TimetableTables, placeCount: number): FindBounds {
  const finder = createBoundsFinder(tables, placeCount);
  const bytes = placeCount * PLACE_BYTES + tables.patternCalls.stop.length * CALL_BYTES;
  const maxCached = Math.max(MIN_CACHED, Math.floor(MAX_BYTES / bytes));
  /** The least recently used first. */
  const known: CachedBounds[] = [];
  const takeMemory = (request: object): LowerBounds => {
    const [oldest] = known;
    if (known.length < maxCached || oldest === undefined || oldest.request === request) {
      return createBounds(tables, placeCount);
    }
    known.shift();
    return oldest.bounds;
  };
  return (request, task) => {
    const key = toKey(task);
    const network = toNetwork(task);
    const at = known.findIndex(
      (one) => one.key === key && areBoundsOf(one.network, network) && reachesBegins(one.bounds, task),
    );
    if (at >= 0) {
      const [found] = known.splice(at, 1);
      found!.request = request;
      known.push(found!);
      return found!.bounds;
    }
    const bounds = findBounds(finder, takeMemory(request), task);
    known.push({ key, network, bounds, request });
    while (known.length > maxCached && known[0]!.request !== request) known.shift();
    return bounds;
  };
}

/** Whether the bounds are known as far as a search needs them. */
function reachesBegins(bounds: LowerBounds, { begins, maxSeconds }: BoundsTask): boolean {
  const needed = begins === null ? maxSeconds : measureNeededSeconds(bounds, begins);
  return needed <= bounds.maxSeconds;
}

function toKey({ maxRounds, egress }: BoundsTask): string {
  const parts = [maxRounds];
  for (let place = 0; place < egress.length; place++) if (egress[place]! >= 0) parts.push(place, egress[place]!);
  return parts.join(' ');
}

function toNetwork({ direction, least, transferSeconds, live }: BoundsTask): BoundedNetwork {
  const hasAdded = live?.liveTrips.some(({ trip }) => trip < 0);
  return { direction, least, transferSeconds, isPlanned: live === null, added: hasAdded ? live : null };
}

/**
 * Whether bounds of one network are bounds of another. Those with realtime also are of the timetable alone: there, rides take
 * no less time, and added trips are missing.
 */
function areBoundsOf(one: BoundedNetwork, other: BoundedNetwork): boolean {
  if (one.direction !== other.direction || one.transferSeconds !== other.transferSeconds) return false;
  return other.isPlanned || (one.least === other.least && one.added === other.added);
}
