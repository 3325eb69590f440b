import type { PlaceIndex } from '../planner/places.ts';
import {
  findEarliestTrip,
  forEachRoute,
  getEnterTime,
  getLeaveTime,
  openRoute,
  type RouteView,
} from '../planner/route-view.ts';
import type { SearchTask } from '../planner/search.ts';
import type { Timetable } from '../read/timetable.ts';
import type { LatestTimes } from './latest-times.ts';

/** The routes of a search ahead in time, and what bounds it. */
export interface RideNetwork {
  readonly timetable: Timetable;
  readonly places: PlaceIndex;
  /** With the bounds to the destination. */
  readonly task: SearchTask;
  readonly latest: LatestTimes;
  /** Arrivals at the destination after this are of no use; from the base of the routes. */
  readonly limit: number;
  /** Maximum of rides after the vehicle that the traveller is on. */
  readonly maxRides: number;
}

/** A route at a transfer place where it can be boarded. */
export interface BoardableRoute {
  readonly route: number;
  readonly position: number;
  readonly place: number;
  /** Lower bound of the seconds from a departure there to the destination. */
  readonly leftSeconds: number;
  /** Rides that are left, this one included. */
  readonly maxRides: number;
}

/**
 * Takes a dated trip that can be boarded, of the route in view.
 * @param earliestEnd lower bound of the arrival at the destination
 * @returns false when later trips of the route are not wanted
 */
type TakeBoarding = (at: BoardableRoute, index: number, departure: number, earliestEnd: number) => boolean;

/**
 * Passes the dated trips that depart at a transfer place at a time or later and can reach the destination within the
 * limit, route by route, the earliest first.
 * @param view opened for each route
 * @param maxRides the bounds include further rides that are needed
 */
export function forEachBoarding(
  network: RideNetwork,
  view: RouteView,
  place: number,
  time: number,
  maxRides: number,
  take: TakeBoarding,
): void {
  const { timetable, places, task, limit } = network;
  const { stops, stopCalls, patterns } = timetable.tables;
  const { liveDirection, direction, bounds } = task;
  const board = (route: number, position: number, leftSeconds: number) => {
    if (time + leftSeconds > limit) return;
    openRoute(view, timetable.tables, task, route);
    const first = findEarliestTrip(view, position, time, view.count);
    forEachTripFrom(network, view, { route, position, place, leftSeconds, maxRides }, first, take);
  };
  const stop = places.stopOf(place);
  const first = stops.firstStopCall[stop]!;
  for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
    const pattern = stopCalls.pattern[i]!;
    const position = stopCalls.position[i]!;
    const call = patterns.firstCall[pattern]! + position;
    if (direction.enterAt[call] !== place || bounds.callRides[call]! > maxRides) continue;
    const leftSeconds = bounds.callSeconds[call]!;
    forEachRoute(task, pattern, (route) => board(route, position, leftSeconds));
  }
  const extraCalls = liveDirection?.enterCalls.get(place) ?? [];
  const leftSeconds = bounds.readySeconds[place]!;
  for (let i = 0; i < extraCalls.length; i += 2) board(extraCalls[i]!, extraCalls[i + 1]!, leftSeconds);
}

/**
 * Passes the dated trips of a route that can reach the destination within the limit, from one of them on.
 * @param view of the route
 */
export function forEachTripFrom(
  { limit, latest }: RideNetwork,
  view: RouteView,
  at: BoardableRoute,
  first: number,
  take: TakeBoarding,
): void {
  const { position, place, leftSeconds, maxRides } = at;
  for (let index = first; index < view.count; index++) {
    const departure = getEnterTime(view, index, position);
    const end = Math.max(departure + leftSeconds, latest.boundBoarding(place, departure, maxRides));
    if (end > limit || !take(at, index, departure, end)) return;
  }
}

/** When a traveller on board alights: now, if the vehicle is at the stop already; in the past: too late. */
export function findLeaveTime(view: RouteView, index: number, position: number, now: number): number {
  const time = getLeaveTime(view, index, position);
  return time < now && getEnterTime(view, index, position) >= now ? now : time;
}
