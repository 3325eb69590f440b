import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Realtime } from '../realtime.ts';
import type { Timetable } from '../timetable.ts';
import { type CallOffsets, measureCallOffsets } from './call-offsets.ts';
import { rememberChangeSeconds, type Walker } from './change-seconds.ts';
import { buildLanes, type Lanes, measureLongestTrip } from './lanes.ts';
import { buildLiveLanes, type LiveLanes } from './live-lanes.ts';
import {
  type BoundsTask,
  createBoundsFinder,
  type LeastTimes,
  type LowerBounds,
  measureLeastTimes,
  withLiveTimes,
} from './lower-bounds.ts';
import { type ChangePlaces, markBlocked, openChangePlaces } from './places.ts';
import { createSearch, type Search } from './search.ts';
import { openSide, type Side, type Sign } from './side.ts';

/** A timetable made ready for questions; remembers what the next question may need again. For one thread. */
export interface Planner {
  readonly timetable: Timetable;
  readonly places: ChangePlaces;
  readonly search: Search;
  readonly offsets: CallOffsets;
  readonly sides: Readonly<Record<'ahead' | 'back', Side>>;
  getChangeSeconds(walker: Walker): Int32Array;
  /** Places where no wheelchair boards. */
  getBlocked(): Uint8Array;
  /** Lanes around a day since 1970 (UTC), for searches in one direction. */
  getLanes(day: number, sign: Sign): Lanes;
  getLiveLanes(lanes: Lanes, realtime: Realtime, moment: Instant): LiveLanes;
  getLeastTimes(live: LiveLanes | null): LeastTimes;
  /** By direction; the bounds of the question before are overwritten. */
  readonly findBounds: Readonly<Record<'ahead' | 'back', (task: BoundsTask) => LowerBounds>>;
}

const SECONDS_PER_DAY = 86_400;
/** Today and tomorrow, and one of them back. */
const MAX_LANES = 3;

export function openPlanner(timetable: Timetable): Planner {
  const { tables } = timetable;
  const places = openChangePlaces(tables);
  const longestTripDays = measureLongestTrip(timetable);
  const known = new Map<string, Lanes>();
  const live = new WeakMap<Lanes, { realtime: Realtime; lanes: LiveLanes }>();
  const offsets = measureCallOffsets(tables);
  const least = measureLeastTimes(tables);
  const leastLive = new WeakMap<LiveLanes, LeastTimes>();
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
    getLanes(day, sign) {
      const key = `${sign} ${day}`;
      // A page looks a day ahead, a journey may be on its way for two, and its trips may have begun days before.
      const firstDay = day - longestTripDays - 1 - (sign > 0 ? 0 : 3);
      const lastDay = day + (sign > 0 ? 4 : 1);
      const lanes = known.get(key) ?? buildLanes(timetable, firstDay, lastDay - firstDay + 1, day * SECONDS_PER_DAY);
      known.delete(key);
      known.set(key, lanes);
      const [oldest] = known.keys();
      if (known.size > MAX_LANES && oldest !== undefined) known.delete(oldest);
      return lanes;
    },
    getLiveLanes(lanes, realtime, moment) {
      const made = live.get(lanes);
      const isGood = made?.realtime === realtime && made.lanes.madeAt <= moment && moment <= made.lanes.goodUntil;
      if (made && isGood) return made.lanes;
      const fresh = buildLiveLanes(timetable, lanes, offsets, realtime, moment);
      live.set(lanes, { realtime, lanes: fresh });
      return fresh;
    },
    getLeastTimes(made) {
      if (!made) return least;
      const known = leastLive.get(made) ?? withLiveTimes(tables, least, made);
      leastLive.set(made, known);
      return known;
    },
    findBounds: {
      ahead: onFirstUse(() => createBoundsFinder(tables, places.count)),
      back: onFirstUse(() => createBoundsFinder(tables, places.count)),
    },
  };
}

/** Most threads search in one direction only, and each finder has arrays of the size of the timetable. */
function onFirstUse(create: () => (task: BoundsTask) => LowerBounds): (task: BoundsTask) => LowerBounds {
  let find: ((task: BoundsTask) => LowerBounds) | null = null;
  return (task) => {
    find ??= create();
    return find(task);
  };
}
