import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { DepartureGaps } from './departure-gaps.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { RaptorRoutes } from './raptor-routes.ts';
import type { RunningTimes } from './running-times.ts';
import type { LiveDirection, SearchDirection } from './search-direction.ts';

/** The routes of a search, their realtime changes, and the direction of search. */
export interface RouteSource {
  readonly direction: SearchDirection;
  readonly raptorRoutes: RaptorRoutes;
  readonly live: LiveRoutes | null;
  readonly liveDirection: LiveDirection | null;
  readonly runningTimes: RunningTimes;
  /** Of the routes, in the direction of search; remembered from one query to the next. */
  readonly gaps: DepartureGaps;
}

const NO_TIMES = new Int32Array(0);
const NO_HINTS = new Uint16Array(0);

/**
 * One route, scheduled or live, in the direction of search: its calls, and its dated trips in search order, from 0 on.
 * The object is reused, because a search opens a hundred thousand routes a second.
 */
export interface RouteView {
  /** The source of the previous route, whose arrays are already set. */
  source: RouteSource | null;
  route: number;
  pattern: number;
  /** Whether the route has a pattern that is not in the timetable. */
  isExtraPattern: boolean;
  /** Whether the dated trips come from the lists of realtime. */
  isLive: boolean;
  firstCall: number;
  callCount: number;
  enterAt: Int32Array;
  leaveAt: Int32Array;
  callStop: Int32Array;
  /** Dated trips: the i-th in search order is `origin + sign * i`. */
  sign: number;
  origin: number;
  count: number;
  trips: Int32Array;
  days: Uint8Array;
  /** By trip, see `RunningTimes`. */
  tripBegins: Int32Array;
  tripRows: Int32Array;
  /** By call, see `DepartureGaps`. */
  hints: Uint16Array;
  /** First row of the route's time zone in `dayStarts`. */
  zone: number;
  dayStarts: Int32Array;
  enterTimes: Int32Array;
  leaveTimes: Int32Array;
  liveTripStart: Int32Array;
  liveEnterTimes: Int32Array;
  liveLeaveTimes: Int32Array;
  liveBegins: Int32Array;
}

export function createRouteView(): RouteView {
  return {
    source: null,
    route: -1,
    pattern: -1,
    isExtraPattern: false,
    isLive: false,
    firstCall: 0,
    callCount: 0,
    enterAt: NO_TIMES,
    leaveAt: NO_TIMES,
    callStop: NO_TIMES,
    sign: 1,
    origin: 0,
    count: 0,
    trips: NO_TIMES,
    days: new Uint8Array(0),
    tripBegins: NO_TIMES,
    tripRows: NO_TIMES,
    hints: NO_HINTS,
    zone: 0,
    dayStarts: NO_TIMES,
    enterTimes: NO_TIMES,
    leaveTimes: NO_TIMES,
    liveTripStart: NO_TIMES,
    liveEnterTimes: NO_TIMES,
    liveLeaveTimes: NO_TIMES,
    liveBegins: NO_TIMES,
  };
}

/** Calls `take` for each route of a pattern of the timetable, scheduled and live. */
export function forEachRoute(
  { raptorRoutes, live }: Pick<RouteSource, 'raptorRoutes' | 'live'>,
  pattern: number,
  take: (route: number) => void,
): void {
  const { firstRoute, nextRoute, count } = raptorRoutes;
  for (let route = firstRoute[pattern]!; route >= 0; route = nextRoute[route]!) take(route);
  if (live === null) return;
  for (let extra = live.firstExtra[pattern]!; extra >= 0; extra = live.nextExtra[extra]!) take(count + extra);
}

/** Opens a route in a view. Does not rewrite fields that the previous route shares. */
export function openRoute(view: RouteView, tables: TimetableTables, source: RouteSource, route: number): RouteView {
  if (view.source !== source) setSource(view, tables, source);
  const { raptorRoutes, live } = source;
  const extra = route - raptorRoutes.count;
  const isExtra = extra >= 0;
  view.route = route;
  view.pattern = isExtra ? live!.extraPattern[extra]! : raptorRoutes.pattern[route]!;
  openCalls(view, tables, source);
  openTrips(view, source, live === null ? -1 : isExtra ? live.extraList[extra]! : live.list[route]!);
  return view;
}

/** Sets the fields common to all routes of a source, and the arrays of scheduled routes. */
function setSource(view: RouteView, tables: TimetableTables, source: RouteSource): void {
  const { direction, raptorRoutes, live, liveDirection, runningTimes, gaps } = source;
  view.source = source;
  view.sign = direction.sign;
  view.tripBegins = runningTimes.tripBegins;
  view.tripRows = runningTimes.tripRows;
  view.hints = gaps.hints;
  view.dayStarts = raptorRoutes.dayStarts;
  view.enterTimes = direction.enterTimes;
  view.leaveTimes = direction.leaveTimes;
  if (live !== null && liveDirection !== null) {
    view.liveTripStart = live.liveTripStart;
    view.liveEnterTimes = liveDirection.enterTimes;
    view.liveLeaveTimes = liveDirection.leaveTimes;
    view.liveBegins = live.departure;
  }
  setCallArrays(view, tables, source, false);
  setTripArrays(view, source, false);
}

function setCallArrays(
  view: RouteView,
  { patternCalls }: TimetableTables,
  { direction, live, liveDirection }: RouteSource,
  isExtraPattern: boolean,
): void {
  view.isExtraPattern = isExtraPattern;
  view.enterAt = isExtraPattern ? liveDirection!.enterAt : direction.enterAt;
  view.leaveAt = isExtraPattern ? liveDirection!.leaveAt : direction.leaveAt;
  view.callStop = isExtraPattern ? live!.callStop : patternCalls.stop;
}

function setTripArrays(view: RouteView, { raptorRoutes, live }: RouteSource, isLive: boolean): void {
  view.isLive = isLive;
  view.trips = isLive ? live!.trips : raptorRoutes.trips;
  view.days = isLive ? live!.days : raptorRoutes.days;
}

/** Sets the calls of the view's pattern. */
function openCalls(view: RouteView, tables: TimetableTables, source: RouteSource): void {
  const { patterns, routes } = tables;
  const { pattern } = view;
  const extra = pattern - patterns.route.length;
  if (extra >= 0 !== view.isExtraPattern) setCallArrays(view, tables, source, extra >= 0);
  if (extra >= 0) {
    view.firstCall = source.live!.patternFirstCall[extra]!;
    view.callCount = source.live!.patternCallCount[extra]!;
    view.zone = 0;
    return;
  }
  view.firstCall = patterns.firstCall[pattern]!;
  view.callCount = patterns.callCount[pattern]!;
  view.zone = routes.zone[patterns.route[pattern]!]! * source.raptorRoutes.dayCount;
}

/** Sets the dated trips of the view's route. @param list of realtime; -1 for a route without realtime changes */
function openTrips(view: RouteView, source: RouteSource, list: number): void {
  const { raptorRoutes, live } = source;
  const isLive = list >= 0;
  if (isLive !== view.isLive) setTripArrays(view, source, isLive);
  const first = isLive ? live!.first[list]! : raptorRoutes.first[view.route]!;
  const end = isLive ? live!.end[list]! : raptorRoutes.end[view.route]!;
  view.count = end - first;
  view.origin = view.sign > 0 ? first : end - 1;
}

/** Returns when a scheduled dated trip departs from its first call, by its index in `trips`. */
export function getScheduledBegin({ tripBegins, dayStarts, zone, trips, days }: RouteView, at: number): number {
  return tripBegins[trips[at]!]! + dayStarts[zone + days[at]!]!;
}

/** Returns the signed time at which the i-th dated trip is entered at a call. */
export function getEnterTime(view: RouteView, i: number, position: number): number {
  const at = view.origin + view.sign * i;
  const trip = view.trips[at]!;
  if (trip < 0) return view.sign * view.liveEnterTimes[view.liveTripStart[~trip]! + position]!;
  return view.sign * (view.enterTimes[view.tripRows[trip]! + position]! + getScheduledBegin(view, at));
}

/** Returns the signed time at which the i-th dated trip is left at a call. */
export function getLeaveTime(view: RouteView, i: number, position: number): number {
  const at = view.origin + view.sign * i;
  const trip = view.trips[at]!;
  if (trip < 0) return view.sign * view.liveLeaveTimes[view.liveTripStart[~trip]! + position]!;
  return view.sign * (view.leaveTimes[view.tripRows[trip]! + position]! + getScheduledBegin(view, at));
}

/**
 * et(r, p) of RAPTOR: returns the index of the first dated trip below `count` that can be entered at a call at `time`
 * or later, otherwise `count`. Searches in growing steps from where the last search ended: most look for a trip a few
 * places away, and the middle of two weeks of trips, where a binary search begins, is in no cache.
 */
export function findEarliestTrip(view: RouteView, position: number, time: number, count: number): number {
  if (count === 0) return 0;
  const call = view.firstCall + position;
  let low = 0;
  let high = count;
  // Calls of extra patterns have no hint.
  let at = view.isExtraPattern ? 0 : Math.min(view.hints[call]!, count - 1);
  if (getEnterTime(view, at, position) < time) {
    low = at + 1;
    for (let step = 1; at + step < count; step *= 2) {
      at += step;
      if (getEnterTime(view, at, position) >= time) {
        high = at;
        break;
      }
      low = at + 1;
    }
  } else {
    high = at;
    for (let step = 1; at - step >= 0; step *= 2) {
      at -= step;
      if (getEnterTime(view, at, position) < time) {
        low = at + 1;
        break;
      }
      high = at;
    }
  }
  // Not `partitionPoint`: this is the innermost loop of a search, and a call per step would cost.
  while (low < high) {
    const middle = (low + high) >> 1;
    if (getEnterTime(view, middle, position) < time) low = middle + 1;
    else high = middle;
  }
  if (!view.isExtraPattern) view.hints[call] = low;
  return low;
}

/**
 * Returns the first call where the route can be entered and the last where it can be left, in the direction of search.
 */
export function getEnds({ sign, callCount }: RouteView): { readonly begin: number; readonly end: number } {
  return sign > 0 ? { begin: 0, end: callCount - 1 } : { begin: callCount - 1, end: 0 };
}

/** Returns the timetable row of the i-th dated trip; -1 if the timetable does not contain it. */
export function getTrip(view: RouteView, live: LiveRoutes | null, i: number): number {
  const trip = view.trips[view.origin + view.sign * i]!;
  return trip < 0 ? live!.liveTrips[~trip]!.trip : trip;
}
