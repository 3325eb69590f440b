import { findCaught, getEnterTime, type LaneView, openLane } from '../planner/lane-view.ts';
import type { ChangePlaces } from '../planner/places.ts';
import type { SearchTask } from '../planner/search.ts';
import type { Timetable } from '../read/timetable.ts';

/** The lanes of a search ahead in time, and what bounds it. */
export interface RideNetwork {
  readonly timetable: Timetable;
  readonly places: ChangePlaces;
  /** With the bounds to the destination. */
  readonly task: SearchTask;
  /** Arrivals at the destination after this are of no use; from the base of the lanes. */
  readonly limit: number;
  /** Maximum of rides after the vehicle that the traveller is on. */
  readonly maxRides: number;
}

/** A dated trip that can be boarded: the view is reused for the next one. */
export interface Boarding {
  readonly view: LaneView;
  readonly index: number;
  readonly position: number;
  readonly departure: number;
  /** Lower bound of the arrival at the destination. */
  readonly earliestEnd: number;
}

/**
 * The dated trips that depart at a change place at a time or later and can reach the destination within the limit: lane
 * by lane, the earliest first.
 * @param maxRides the bounds know of further rides that are needed
 * @param take returns false when later trips of the lane are not wanted
 */
export function forEachBoarding(
  network: RideNetwork,
  view: LaneView,
  place: number,
  time: number,
  maxRides: number,
  take: (boarding: Boarding) => boolean,
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
      boardLane(network, view, lane, position, time, left, take);
    }
    if (live === null) continue;
    for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) {
      boardLane(network, view, lanes.count + own, position, time, left, take);
    }
  }
  const ownCalls = liveSide?.enterCalls.get(place) ?? [];
  const left = bounds.readySeconds[place]!;
  for (let i = 0; i < ownCalls.length; i += 2) {
    boardLane(network, view, ownCalls[i]!, ownCalls[i + 1]!, time, left, take);
  }
}

function boardLane(
  { timetable, task, limit }: RideNetwork,
  view: LaneView,
  lane: number,
  position: number,
  time: number,
  left: number,
  take: (boarding: Boarding) => boolean,
): void {
  if (time + left > limit) return;
  openLane(view, timetable.tables, task, lane);
  for (let index = findCaught(view, position, time, view.count); index < view.count; index++) {
    const departure = getEnterTime(view, index, position);
    if (departure + left > limit) return;
    if (!take({ view, index, position, departure, earliestEnd: departure + left })) return;
  }
}
