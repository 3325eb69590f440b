import type { Sign } from './side.ts';

/** Lanes to scan, each from the first call on at which it can be entered: Q of RAPTOR's Algorithm 1. */
export interface LaneQueue {
  sign: Sign;
  /** By lane: the call to scan from, -1 where it is not queued. */
  from: Int32Array;
  /** Queued lanes, in order of insertion. */
  lanes: Int32Array;
  length: number;
}

export function createLaneQueue(): LaneQueue {
  return { sign: 1, from: new Int32Array(0), lanes: new Int32Array(0), length: 0 };
}

/** Empties the queue and allocates space for all lanes. */
export function resetLaneQueue(queue: LaneQueue, sign: Sign, laneCount: number): void {
  // An aborted search has left entries in its queue.
  for (let i = 0; i < queue.length; i++) queue.from[queue.lanes[i]!] = -1;
  queue.length = 0;
  queue.sign = sign;
  if (queue.from.length >= laneCount) return;
  queue.from = new Int32Array(laneCount).fill(-1);
  queue.lanes = new Int32Array(laneCount);
}

/** Queues a lane from a call on; a lane that is queued already keeps the earlier of both calls. */
export function queueLane(queue: LaneQueue, lane: number, position: number): void {
  const from = queue.from[lane]!;
  if (from < 0) queue.lanes[queue.length++] = lane;
  if (from < 0 || (queue.sign > 0 ? position < from : position > from)) queue.from[lane] = position;
}

/** Whether a lane is queued from this call on, or from an earlier one in the direction of search. */
export function isQueuedFrom({ from, sign }: LaneQueue, lane: number, position: number): boolean {
  const queued = from[lane]!;
  return queued >= 0 && (sign > 0 ? queued <= position : queued >= position);
}

/** Removes a lane from the queue. @returns the call from which to scan it */
export function takeQueued({ from }: LaneQueue, lane: number): number {
  const position = from[lane]!;
  from[lane] = -1;
  return position;
}
