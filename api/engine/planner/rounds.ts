import { NO_CHANGE } from './change-seconds.ts';
import { collectMarkedLanes } from './collect-lanes.ts';
import { rowOf, setReady } from './labels.ts';
import { queueLane, takeQueued } from './lane-queue.ts';
import { passOnFoot } from './passages.ts';
import { rideAboard, scanLane } from './scan-lane.ts';
import type { Search } from './search.ts';

/**
 * Runs all rounds from what was entered since the last run: the main loop of RAPTOR's Algorithm 1. It ends with the round
 * in which no stage has anything to scan.
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

/** One round in one stage: collects lanes, scans them, relaxes changes, and passes the via into the next stage. */
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

/** Rides on in this stage the trips that passed the via of the stage before. */
function scanAboard(search: Search, stage: number, round: number): void {
  const list = search.aboard[stage]!;
  for (let i = 0; i < list.length; i += 4) {
    rideAboard(search, stage, round, list[i]!, list[i + 2]!, list[i + 1]!, list[i + 3]!, 0);
  }
  list.length = 0;
}

/** Relaxes the changes from all places that this round improved: "look at foot-paths" of Algorithm 1. */
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
