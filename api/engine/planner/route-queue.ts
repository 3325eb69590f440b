import type { Sign } from './search-direction.ts';

/** Routes to scan, each with the first call at which it can be entered: Q of RAPTOR's Algorithm 1. */
export interface RouteQueue {
  sign: Sign;
  /** By route: the call to scan from; -1 if it is not queued. */
  from: Int32Array;
  /** Queued routes in order of insertion. */
  raptorRoutes: Int32Array;
  length: number;
}

export function createRouteQueue(): RouteQueue {
  return { sign: 1, from: new Int32Array(0), raptorRoutes: new Int32Array(0), length: 0 };
}

/** Empties the queue and allocates space for all routes. */
export function resetRouteQueue(queue: RouteQueue, sign: Sign, routeCount: number): void {
  // An aborted search leaves entries in the queue.
  for (let i = 0; i < queue.length; i++) queue.from[queue.raptorRoutes[i]!] = -1;
  queue.length = 0;
  queue.sign = sign;
  if (queue.from.length >= routeCount) return;
  queue.from = new Int32Array(routeCount).fill(-1);
  queue.raptorRoutes = new Int32Array(routeCount);
}

/** Queues a route from a call on. A route that is queued already keeps the earlier call. */
export function queueRoute(queue: RouteQueue, route: number, position: number): void {
  const from = queue.from[route]!;
  if (from < 0) queue.raptorRoutes[queue.length++] = route;
  if (from < 0 || (queue.sign > 0 ? position < from : position > from)) queue.from[route] = position;
}

/** Returns whether a route is queued from this call or an earlier one in the direction of search. */
export function isQueuedFrom({ from, sign }: RouteQueue, route: number, position: number): boolean {
  const queued = from[route]!;
  return queued >= 0 && (sign > 0 ? queued <= position : queued >= position);
}

/** Removes a route from the queue and returns the call to scan it from. */
export function takeQueued({ from }: RouteQueue, route: number): number {
  const position = from[route]!;
  from[route] = -1;
  return position;
}
