import { NO_CHANGE } from './change-seconds.ts';
import { rowOf, setReady } from './labels.ts';
import { isQueuedFrom, queueLane, takeQueued } from './lane-queue.ts';
import { findCaught, getEnterTime, openLane } from './lane-view.ts';
import { passOnFoot } from './passages.ts';
import { rideAboard, scanLane } from './scan-lane.ts';
import { isOfProduct, type Search } from './search.ts';

/**
 * Runs all rounds for the entries added since the last run: the main loop of RAPTOR's Algorithm 1. Stops after the
 * round in which no stage has anything to scan.
 */
export function runRounds(search: Search): void {
  const { labels } = search;
  search.segments.clear();
  labels.isBetter.fill(0);
  for (let round = 1; round <= labels.rounds; round++) {
    labels.stamp++;
    let isIdle = true;
    for (let stage = 0; stage < labels.stageCount; stage++) {
      if (!hasWork(search, stage)) continue;
      isIdle = false;
      runStage(search, stage, round);
    }
    [labels.marked, labels.markedNext] = [labels.markedNext, labels.marked];
    if (isIdle) break;
  }
  for (const list of labels.marked) list.clear();
  labels.stamp++;
}

function hasWork({ labels, departures, aboard }: Search, stage: number): boolean {
  return labels.marked[stage]!.length + departures[stage]!.length + aboard[stage]!.length > 0;
}

/**
 * Runs one round in one stage: collects routes, scans them, relaxes transfers, and passes the via to the next stage.
 */
function runStage(search: Search, stage: number, round: number): void {
  const { labels } = search;
  labels.improved.clear();
  queueDepartures(search, stage);
  collectMarkedLanes(search, stage, round);
  scanQueue(search, stage, round);
  scanAboard(search, stage, round);
  if (round < labels.rounds) relaxChanges(search, stage, round);
  if (stage < labels.stageCount - 1) passOnFoot(search.passages, labels, stage, round);
}

function queueDepartures({ departures, queue }: Search, stage: number): void {
  const list = departures[stage]!;
  for (let i = 0; i < list.length; i += 2) queueLane(queue, list[i]!, list[i + 1]!);
  list.length = 0;
}

/** "Traverse each route" of Algorithm 1. */
function scanQueue(search: Search, stage: number, round: number): void {
  const { queue } = search;
  for (let i = 0; i < queue.length; i++) {
    const lane = queue.lanes[i]!;
    scanLane(search, stage, round, lane, takeQueued(queue, lane));
  }
  queue.length = 0;
}

/** Continues the trips on which travellers passed the via of the previous stage. */
function scanAboard(search: Search, stage: number, round: number): void {
  const list = search.aboard[stage]!;
  for (let i = 0; i < list.length; i += 4) {
    rideAboard(search, stage, round, list[i]!, list[i + 2]!, list[i + 1]!, list[i + 3]!, 0);
  }
  list.length = 0;
}

/** Relaxes the transfers from all places improved in this round: "look at foot-paths" of Algorithm 1. */
function relaxChanges({ task, labels }: Search, stage: number, round: number): void {
  const { changeSeconds, isBlocked } = task;
  const { changeStarts, changeOrder, changeTo } = task.side;
  const { reach, ready } = labels;
  const row = rowOf(labels, stage, round);
  const list = labels.markedNext[stage]!;
  const { items: improved, length } = labels.improved;
  for (let at = 0; at < length; at++) {
    const from = improved[at]!;
    const time = reach[row + from]!;
    for (let i = changeStarts[from]!; i < changeStarts[from + 1]!; i++) {
      const change = changeOrder === null ? i : changeOrder[i]!;
      const seconds = changeSeconds[change]!;
      const place = changeTo[change]!;
      if (seconds === NO_CHANGE || time + seconds >= ready[row + place]!) continue;
      if (isBlocked !== null && isBlocked[place] === 1) continue;
      setReady(labels, stage, round, place, time + seconds, change, list);
    }
  }
}

/**
 * Collects the routes that can be entered at marked places, each with its first such call, and unmarks the places:
 * "accumulate routes serving marked stops from previous round" of RAPTOR's Algorithm 1. A place is marked when boarding
 * became possible earlier: `time` is the new time, `before` the previous one.
 */
function collectMarkedLanes(search: Search, stage: number, round: number): void {
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
      // Prunes with the lower bounds: most patterns lead away from the end of the search.
      if (isLast && time + callSeconds[call]! >= limits[round - 1 + callRides[call]!]!) continue;
      if (!isOfProduct(task, routes.product[patterns.route[pattern]!]!)) continue;
      for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) {
        queueIfEarlier(search, lane, position, round, time, before);
      }
      if (live === null) continue;
      for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) {
        queueIfEarlier(search, lanes.count + own, position, round, time, before);
      }
    }
    const calls = ownCalls?.get(place);
    if (calls !== undefined) collectOwnPatterns(search, calls, round, time, before);
  }
  marked.clear();
}

/** Collects the routes of extra patterns. @param calls route and position, alternating */
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
    queueIfEarlier(search, calls[i]!, calls[i + 1]!, round, time, before);
  }
}

/** Queues a route if an earlier trip can be boarded than before; later ones were ridden in earlier rounds. */
function queueIfEarlier(
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
  const earliest = findCaught(markView, position, time, markView.count);
  if (earliest === markView.count) return;
  const enters = getEnterTime(markView, earliest, position);
  if (enters < before && enters < search.labels.ends[round]!) queueLane(queue, lane, position);
}
