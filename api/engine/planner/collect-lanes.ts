import { rowOf } from './labels.ts';
import { isQueuedFrom, queueLane } from './lane-queue.ts';
import { findCaught, getEnterTime, openLane } from './lane-view.ts';
import { isOfProduct, type Search } from './search.ts';

/**
 * Collects the lanes that can be entered at marked places, each from the first such call on, and unmarks the places:
 * "accumulate routes serving marked stops from previous round" of RAPTOR's Algorithm 1. A place is marked when boarding
 * became possible earlier there: `time` is since when, `before` since when it was.
 */
export function collectMarkedLanes(search: Search, stage: number, round: number): void {
  const { task, labels, stopCount } = search;
  const marked = labels.marked[stage]!;
  if (marked.length === 0) return;
  const { patterns, routes, stops, stopCalls, changePlaces } = search.timetable.tables;
  const { lanes, live } = task;
  const { enterAt } = task.side;
  const { callRides, callSeconds } = task.bounds;
  const { limits } = labels;
  const ownCalls = task.liveSide?.enterCalls;
  const isLast = stage === labels.stageCount - 1;
  const ready = rowOf(labels, stage, round - 1);
  for (let m = 0; m < marked.length; m += 2) {
    const [place, before] = [marked.items[m]!, marked.items[m + 1]!];
    const time = labels.ready[ready + place]!;
    const stop = place < stopCount ? place : changePlaces.stop[place - stopCount]!;
    const first = stops.firstStopCall[stop]!;
    for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      const position = stopCalls.position[i]!;
      const call = patterns.firstCall[pattern]! + position;
      if (enterAt[call] !== place) continue;
      // Most patterns lead away from the end of the search.
      if (isLast && time + callSeconds[call]! >= limits[round - 1 + callRides[call]!]!) continue;
      if (!isOfProduct(task, routes.product[patterns.route[pattern]!]!)) continue;
      for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) {
        collectIfCaught(search, lane, position, round, time, before);
      }
      if (live === null) continue;
      for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) {
        collectIfCaught(search, lanes.count + own, position, round, time, before);
      }
    }
    const calls = ownCalls?.get(place);
    if (calls !== undefined) collectOwnPatterns(search, calls, round, time, before);
  }
  marked.clear();
}

/** Collects the lanes of patterns that only realtime holds. @param calls lane and position, in turn */
function collectOwnPatterns(
  search: Search,
  calls: readonly number[],
  round: number,
  time: number,
  before: number,
): void {
  const { task, patternCount } = search;
  const { ownPattern, patternProduct } = task.live!;
  for (let i = 0; i < calls.length; i += 2) {
    const own = ownPattern[calls[i]! - task.lanes.count]! - patternCount;
    if (!isOfProduct(task, patternProduct[own]!)) continue;
    collectIfCaught(search, calls[i]!, calls[i + 1]!, round, time, before);
  }
}

/** Queues a lane if a trip is caught there that was not caught before: the others have been ridden in earlier rounds. */
function collectIfCaught(
  search: Search,
  lane: number,
  position: number,
  round: number,
  time: number,
  before: number,
): void {
  const { queue, markView } = search;
  if (isQueuedFrom(queue, lane, position)) return;
  openLane(markView, search.timetable.tables, search.task, lane);
  const caught = findCaught(markView, position, time, markView.count);
  if (caught === markView.count) return;
  const enters = getEnterTime(markView, caught, position);
  if (enters < before && enters < search.labels.ends[round]!) queueLane(queue, lane, position);
}
