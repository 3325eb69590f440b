import { findCaught, getEnterTime, getLeaveTime, type LaneView, openLane } from '../planner/lane-view.ts';
import type { ChangePlaces } from '../planner/places.ts';
import type { SearchTask } from '../planner/search.ts';
import type { Timetable } from '../read/timetable.ts';
import type { LatestTimes } from './latest-times.ts';

/** The lanes of a search ahead in time, and what bounds it. */
export interface RideNetwork {
  readonly timetable: Timetable;
  readonly places: ChangePlaces;
  /** With the bounds to the destination. */
  readonly task: SearchTask;
  readonly latest: LatestTimes;
  /** Arrivals at the destination after this are of no use; from the base of the lanes. */
  readonly limit: number;
  /** Maximum of rides after the vehicle that the traveller is on. */
  readonly maxRides: number;
}

/**
 * Takes a dated trip that can be boarded, of the lane in view.
 * @param earliestEnd lower bound of the arrival at the destination
 * @returns false when later trips of the lane are not wanted
 */
export type TakeBoarding = (index: number, position: number, departure: number, earliestEnd: number) => boolean;

/**
 * The dated trips that depart at a change place at a time or later and can reach the destination within the limit: lane
 * by lane, the earliest first.
 * @param view opened for each lane
 * @param maxRides the bounds know of further rides that are needed
 */
export function forEachBoarding(
  network: RideNetwork,
  view: LaneView,
  place: number,
  time: number,
  maxRides: number,
  take: TakeBoarding,
): void {
  const { timetable, places, task } = network;
  const { stops, stopCalls, patterns } = timetable.tables;
  const { lanes, live, liveSide, side, bounds } = task;
  const stop = places.stopOf(place);
  const first = stops.firstStopCall[stop]!;
  for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
    const pattern = stopCalls.pattern[i]!;
    const position = stopCalls.position[i]!;
    const call = patterns.firstCall[pattern]! + position;
    if (side.enterAt[call] !== place || bounds.callRides[call]! > maxRides) continue;
    const left = bounds.callSeconds[call]!;
    for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) {
      boardLane(network, view, lane, position, time, left, place, maxRides, take);
    }
    if (live === null) continue;
    for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) {
      boardLane(network, view, lanes.count + own, position, time, left, place, maxRides, take);
    }
  }
  const ownCalls = liveSide?.enterCalls.get(place) ?? [];
  const left = bounds.readySeconds[place]!;
  for (let i = 0; i < ownCalls.length; i += 2) {
    boardLane(network, view, ownCalls[i]!, ownCalls[i + 1]!, time, left, place, maxRides, take);
  }
}

function boardLane(
  { timetable, task, limit, latest }: RideNetwork,
  view: LaneView,
  lane: number,
  position: number,
  time: number,
  left: number,
  place: number,
  maxRides: number,
  take: TakeBoarding,
): void {
  if (time + left > limit) return;
  openLane(view, timetable.tables, task, lane);
  for (let index = findCaught(view, position, time, view.count); index < view.count; index++) {
    const departure = getEnterTime(view, index, position);
    if (departure + left > limit) return;
    const end = Math.max(departure + left, latest.boundBoarding(place, departure, maxRides));
    if (end > limit) return;
    if (!take(index, position, departure, end)) return;
  }
}

/** When a traveller who is on board leaves: now, where the vehicle stands at the stop already; in the past: too late. */
export function findLeaveTime(view: LaneView, index: number, position: number, now: number): number {
  const time = getLeaveTime(view, index, position);
  return time < now && getEnterTime(view, index, position) >= now ? now : time;
}
