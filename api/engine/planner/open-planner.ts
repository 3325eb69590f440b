import type { Timetable } from '../read/timetable.ts';
import { cacheBounds, type FindBounds } from './bounds-cache.ts';
import { cacheDepartureGaps, type GetDepartureGaps } from './departure-gaps.ts';
import { createLabelOrigins } from './labels.ts';
import { withLiveTimes } from './live-min-times.ts';
import type { LiveRoutes } from './live-routes.ts';
import { cacheLiveRoutes, type GetLiveRoutes } from './live-routes-cache.ts';
import { findMinTimes, type MinTimes } from './min-times.ts';
import { listPlaceCalls } from './place-calls.ts';
import { createSecondsTable, markBlocked, openTransferPlaces, type PlaceIndex, type WriteSeconds } from './places.ts';
import { buildRaptorRoutes, measureLongestTrip, type RaptorRoutes } from './raptor-routes.ts';
import { findRunningTimes, type RunningTimes } from './running-times.ts';
import { createSearch, type Search } from './search.ts';
import { openDirection, type SearchDirection } from './search-direction.ts';
import { type IsOppositeWorthwhile, savesSearches } from './search-from-end.ts';
import { localTables, type SharedTables } from './shared-tables.ts';
import { cacheTransferSeconds, usualWalker, type WalkParameters } from './transfer-seconds.ts';

/** A timetable prepared for queries, with caches. Not shared between threads. */
export interface Planner {
  readonly timetable: Timetable;
  readonly places: PlaceIndex;
  readonly search: Search;
  readonly isOppositeWorthwhile: IsOppositeWorthwhile;
  /**
   * Returns a second search, for the opposite direction while the times of the labels of the first one are in use. Each run
   * is traced before the other search runs.
   */
  getOppositeSearch(): Search;
  readonly runningTimes: RunningTimes;
  readonly directions: Readonly<Record<'ahead' | 'back', SearchDirection>>;
  getTransferSeconds(walker: WalkParameters): Int32Array;
  /** Returns a mark for each place that is not accessible by wheelchair. */
  getBlocked(): Uint8Array;
  /** Returns the routes for searches that begin in a span of `SPAN_SECONDS`; spans are numbered since 1970. */
  getRaptorRoutes(span: number): RaptorRoutes;
  readonly getLiveRoutes: GetLiveRoutes;
  getMinTimes(live: LiveRoutes | null): MinTimes;
  readonly getDepartureGaps: GetDepartureGaps;
  readonly findBounds: FindBounds;
  /** By direction; each query overwrites the result of the previous one. */
  readonly writeEgress: Readonly<Record<'ahead' | 'back', WriteSeconds>>;
}

/** Spans of routes in the cache: today, and the days that follow. */
const MAX_CACHED_SPANS = 2;

/** @param isOppositeWorthwhile whether to search a window from its end; the itineraries found are the same */
export function openPlanner(
  timetable: Timetable,
  sharedTables: SharedTables = localTables,
  isOppositeWorthwhile: IsOppositeWorthwhile = savesSearches,
): Planner {
  const { tables } = timetable;
  const places = openTransferPlaces(tables);
  const runningTimes = sharedTables.share('running times', (memory) => findRunningTimes(tables, memory));
  const least = sharedTables.share('minimum times', (memory) => findMinTimes(tables, runningTimes, memory));
  const placeCalls = sharedTables.share('calls by place', (memory) => ({
    boarding: listPlaceCalls(tables, tables.patternCalls.boardAt, memory),
    alighting: listPlaceCalls(tables, tables.patternCalls.alightAt, memory),
  }));
  const getTransferSeconds = cacheTransferSeconds(tables, sharedTables);
  const parts = { ...placeCalls, runningTimes, usualSeconds: getTransferSeconds(usualWalker), sharedTables };
  const origins = createLabelOrigins();
  const liveMinTimes = new WeakMap<LiveRoutes, MinTimes>();
  let latestMinTimes = least;
  let blocked: Uint8Array | null = null;
  let oppositeSearch: Search | null = null;
  return {
    timetable,
    places,
    search: createSearch(timetable, places.count, origins),
    isOppositeWorthwhile,
    getOppositeSearch() {
      oppositeSearch ??= createSearch(timetable, places.count, origins);
      return oppositeSearch;
    },
    runningTimes,
    directions: { ahead: openDirection(tables, 1, parts), back: openDirection(tables, -1, parts) },
    getTransferSeconds,
    getBlocked() {
      blocked ??= markBlocked(tables, places);
      return blocked;
    },
    getRaptorRoutes: cacheRaptorRoutes(timetable, sharedTables),
    getLiveRoutes: cacheLiveRoutes(timetable),
    getMinTimes(liveRoutes) {
      if (!liveRoutes) return least;
      latestMinTimes = liveMinTimes.get(liveRoutes) ?? withLiveTimes(tables, least, liveRoutes, latestMinTimes);
      liveMinTimes.set(liveRoutes, latestMinTimes);
      return latestMinTimes;
    },
    getDepartureGaps: cacheDepartureGaps(tables.patternCalls.stop.length),
    findBounds: cacheBounds(tables, places.count),
    writeEgress: { ahead: createSecondsTable(places.count), back: createSecondsTable(places.count) },
  };
}

function cacheRaptorRoutes(timetable: Timetable, sharedTables: SharedTables): Planner['getRaptorRoutes'] {
  const longestTripDays = measureLongestTrip(timetable);
  const known = new Map<number, RaptorRoutes>();
  return (span) => {
    const raptorRoutes =
      known.get(span) ??
      sharedTables.share(`routes ${span}`, (memory) => buildRaptorRoutes(timetable, span, longestTripDays, memory));
    known.delete(span);
    known.set(span, raptorRoutes);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED_SPANS && oldest !== undefined) known.delete(oldest);
    return raptorRoutes;
  };
}
