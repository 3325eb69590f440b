import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import { type CallOffsets, computeCallTimes, type MinTimes } from './call-times.ts';
import { rememberChangeSeconds, type Walker } from './change-seconds.ts';
import { buildLanes, type Lanes, measureLongestTrip } from './lanes.ts';
import { buildLiveLanes, type LiveLanes } from './live-lanes.ts';
import {
  type BoundsFinder,
  type BoundsTask,
  createBoundsFinder,
  findBounds,
  type LowerBounds,
  withLiveTimes,
} from './lower-bounds.ts';
import { type ChangePlaces, createSecondsTable, markBlocked, openChangePlaces, type WriteSeconds } from './places.ts';
import { createSearch, type Search } from './search.ts';
import { localTables, type SharedTables } from './shared-tables.ts';
import { openSide, type Side } from './side.ts';

/** A timetable prepared for queries, with caches. Not shared between threads. */
export interface Planner {
  readonly timetable: Timetable;
  readonly places: ChangePlaces;
  readonly search: Search;
  readonly offsets: CallOffsets;
  readonly sides: Readonly<Record<'ahead' | 'back', Side>>;
  getChangeSeconds(walker: Walker): Int32Array;
  /** Returns a mark for each place that is not accessible by wheelchair. */
  getBlocked(): Uint8Array;
  /** Returns the routes for searches that begin in a span of `SPAN_SECONDS`; spans are numbered since 1970. */
  getLanes(span: number): Lanes;
  getLiveLanes(lanes: Lanes, realtime: Realtime, now: Instant): LiveLanes;
  getMinTimes(live: LiveLanes | null): MinTimes;
  // By direction; each query overwrites the result of the previous one.
  readonly findBounds: Readonly<Record<'ahead' | 'back', (task: BoundsTask) => LowerBounds>>;
  readonly writeEgress: Readonly<Record<'ahead' | 'back', WriteSeconds>>;
}

/** Spans of routes in the cache: today, and the days that follow. */
const MAX_CACHED_SPANS = 2;

export function openPlanner(timetable: Timetable, sharedTables: SharedTables = localTables): Planner {
  const { tables } = timetable;
  const places = openChangePlaces(tables);
  const longestTripDays = measureLongestTrip(timetable);
  const known = new Map<number, Lanes>();
  const live = new WeakMap<Lanes, { realtime: Realtime; lanes: LiveLanes }>();
  const { offsets, least } = sharedTables.share('call times', (memory) => computeCallTimes(tables, memory));
  const liveMinTimes = new WeakMap<LiveLanes, MinTimes>();
  let blocked: Uint8Array | null = null;
  return {
    timetable,
    places,
    search: createSearch(timetable, places.count),
    offsets,
    sides: { ahead: openSide(tables, 1), back: openSide(tables, -1) },
    getChangeSeconds: rememberChangeSeconds(tables),
    getBlocked() {
      blocked ??= markBlocked(tables, places);
      return blocked;
    },
    getLanes(span) {
      const lanes =
        known.get(span) ??
        sharedTables.share(`lanes ${span}`, (memory) => buildLanes(timetable, span, longestTripDays, memory));
      known.delete(span);
      known.set(span, lanes);
      const [oldest] = known.keys();
      if (known.size > MAX_CACHED_SPANS && oldest !== undefined) known.delete(oldest);
      return lanes;
    },
    getLiveLanes(lanes, realtime, now) {
      const cached = live.get(lanes);
      const isValid = cached?.realtime === realtime && cached.lanes.builtAt <= now && now <= cached.lanes.validUntil;
      if (cached && isValid) return cached.lanes;
      const fresh = buildLiveLanes(timetable, lanes, offsets, realtime, now);
      live.set(lanes, { realtime, lanes: fresh });
      return fresh;
    },
    getMinTimes(liveLanes) {
      if (!liveLanes) return least;
      const known = liveMinTimes.get(liveLanes) ?? withLiveTimes(tables, least, liveLanes);
      liveMinTimes.set(liveLanes, known);
      return known;
    },
    findBounds: {
      ahead: onFirstUse(() => createBoundsFinder(tables, places.count)),
      back: onFirstUse(() => createBoundsFinder(tables, places.count)),
    },
    writeEgress: { ahead: createSecondsTable(places.count), back: createSecondsTable(places.count) },
  };
}

/**
 * Creates a finder on first use: most threads search in one direction only, and each finder has arrays of the size of
 * the timetable.
 */
function onFirstUse(create: () => BoundsFinder): (task: BoundsTask) => LowerBounds {
  let finder: BoundsFinder | null = null;
  return (task) => {
    finder ??= create();
    return findBounds(finder, task);
  };
}
