import type { Sign } from './side.ts';

/** Routes to scan, each with the first call at which it can be entered: Q of RAPTOR's Algorithm 1. */
export interface LaneQueue {
  sign: Sign;
  /** By route: the call to scan from; -1 if it is not queued. */
  from: Int32Array;
  /** Queued routes in order of insertion. */
  lanes: Int32Array;
  length: number;
}

export function createLaneQueue(): LaneQueue {
  return { sign: 1, from: new Int32Array(0), lanes: new Int32Array(0), length: 0 };
}

/** Empties the queue and allocates space for all routes. */
export function resetLaneQueue(queue: LaneQueue, sign: Sign, laneCount: number): void {
  // An aborted search leaves entries in the queue.
  for (let i = 0; i < queue.length; i++) queue.from[queue.lanes[i]!] = -1;
  queue.length = 0;
  queue.sign = sign;
  if (queue.from.length >= laneCount) return;
  queue.from = new Int32Array(laneCount).fill(-1);
  queue.lanes = new Int32Array(laneCount);
}

/** Queues a route from a call on. A route that is queued already keeps the earlier call. */
export function queueLane(queue: LaneQueue, lane: number, position: number): void {
  const from = queue.from[lane]!;
  if (from < 0) queue.lanes[queue.length++] = lane;
  if (from < 0 || (queue.sign > 0 ? position < from : position > from)) queue.from[lane] = position;
}

/** Returns whether a route is queued from this call or an earlier one in the direction of search. */
export function isQueuedFrom({ from, sign }: LaneQueue, lane: number, position: number): boolean {
  const queued = from[lane]!;
  return queued >= 0 && (sign > 0 ? queued <= position : queued >= position);
}

/** Removes a route from the queue and returns the call to scan it from. */
export function takeQueued({ from }: LaneQueue, lane: number): number {
  const position = from[lane]!;
  from[lane] = -1;
  return position;
}
