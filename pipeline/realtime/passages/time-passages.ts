import type { TripPath } from './trip-path.ts';

/** What kind of vehicle it is: metres per second, metres. */
export interface VehicleSpeeds {
  /** Faster is an error. */
  readonly maxSpeed: number;
  /** Usual between two stops. */
  readonly cruisingSpeed: number;
  /** A vehicle this close to a stop, along the path, may be standing at it. */
  readonly stopMeters: number;
}

/** A vehicle at a place of its path. */
export interface Placed {
  readonly time: number;
  /** Metres along the path. */
  readonly along: number;
}

/** A time with the largest error that it can have, in seconds. */
export interface DerivedTime {
  readonly time: number;
  readonly uncertaintySeconds: number;
}

/** The passage of a call; null for an event that was not seen, or that the call does not have. */
export interface CallPassage {
  readonly position: number;
  readonly arrival: DerivedTime | null;
  readonly departure: DerivedTime | null;
}

/** Times the calls of one way, from edge to edge. */
export interface PassageTimer {
  readonly path: TripPath;
  readonly speeds: VehicleSpeeds;
  /** Where the vehicle was last; null before the first position. */
  last: Placed | null;
  /** The first call that it has not left. */
  next: number;
  /** When it arrived at `next`; `unknown`: it stood there from the beginning. */
  arrived: DerivedTime | 'unknown' | null;
  /** Positions of this way, and what they gave while they were too few. */
  count: number;
  waiting: CallPassage[];
}

/** Error of a position along the path. */
const GPS_METERS = 20;
/** Fewer positions in a row may be on the path by chance. */
const MIN_POSITIONS = 3;

export function createTimer(path: TripPath, speeds: VehicleSpeeds): PassageTimer {
  return { path, speeds, last: null, next: 0, arrived: null, count: 0, waiting: [] };
}

/** What is known of the way to a position. */
interface EdgeFacts {
  /** The way begins here: how the vehicle came is not known. */
  readonly isStart: boolean;
  /** Added to the uncertainty. */
  readonly doubtSeconds: number;
}

/**
 * Moves to the next position on the way.
 * @returns the calls that it passed, in order
 */
export function timeEdge(timer: PassageTimer, to: Placed, { isStart, doubtSeconds }: EdgeFacts): CallPassage[] {
  if (isStart || timer.last === null) {
    startWay(timer, to);
    return [];
  }
  timer.waiting.push(...passCalls(timer, timer.last, to, doubtSeconds));
  timer.last = { time: to.time, along: to.along };
  timer.count += 1;
  if (timer.count < MIN_POSITIONS) return [];
  const passages = timer.waiting;
  timer.waiting = [];
  return passages;
}

function startWay(timer: PassageTimer, { time, along }: Placed): void {
  const { calls } = timer.path;
  let next = 0;
  while (next < calls.length && along > calls[next]! + stopRadius(timer, next)) next++;
  const isAt = next < calls.length && along >= calls[next]! - stopRadius(timer, next);
  Object.assign(timer, { last: { time, along }, next, arrived: isAt ? 'unknown' : null, count: 1, waiting: [] });
}

/** Half of the way to the next stop at most, so that a vehicle is at one stop only. */
function stopRadius({ path: { calls }, speeds }: PassageTimer, call: number): number {
  const before = call > 0 ? calls[call]! - calls[call - 1]! : Number.POSITIVE_INFINITY;
  const after = call < calls.length - 1 ? calls[call + 1]! - calls[call]! : Number.POSITIVE_INFINITY;
  return Math.min(speeds.stopMeters, before / 2, after / 2);
}

/** The part of an edge on which the vehicle moves from one stop's surroundings to another's. */
interface Movement {
  readonly from: Placed;
  readonly to: Placed;
}

function passCalls(timer: PassageTimer, from: Placed, to: Placed, doubtSeconds: number): CallPassage[] {
  const { calls } = timer.path;
  const last = calls.length - 1;
  const end = findEnd(timer, to);
  const movement = findMovement(timer, from, to, end);
  const passages: CallPassage[] = [];
  for (; timer.next < end.left; timer.next++) {
    const position = timer.next;
    const stood = timer.arrived !== null;
    const time = stood ? movement.from.time : interpolate(movement, calls[position]!);
    const departure = doubt(bound(timer, from, to, position, time, stood ? 'departure' : 'passing'), doubtSeconds);
    const arrival = stood ? timer.arrived : departure;
    passages.push({
      position,
      arrival: position === 0 || arrival === 'unknown' ? null : arrival,
      departure: position === last ? null : departure,
    });
    timer.arrived = null;
  }
  if (!end.isAt || timer.arrived !== null) return passages;
  timer.arrived = doubt(bound(timer, from, to, timer.next, movement.to.time, 'arrival'), doubtSeconds);
  // Nothing follows the last stop.
  if (timer.next === last) passages.push({ position: timer.next++, arrival: timer.arrived, departure: null });
  return passages;
}

function doubt({ time, uncertaintySeconds }: DerivedTime, doubtSeconds: number): DerivedTime {
  return { time, uncertaintySeconds: uncertaintySeconds + doubtSeconds };
}

/** @returns the first call that the vehicle has not left at the end of the edge, and whether it is there */
function findEnd(timer: PassageTimer, { along }: Placed): { readonly left: number; readonly isAt: boolean } {
  const { calls } = timer.path;
  const last = calls.length - 1;
  let left = timer.next;
  while (left < last && along > calls[left]! + stopRadius(timer, left)) left++;
  return { left, isAt: left <= last && along >= calls[left]! - stopRadius(timer, left) };
}

/** Time that is not needed for moving was spent standing, at the stop before or at the one after. */
function findMovement(timer: PassageTimer, from: Placed, to: Placed, end: ReturnType<typeof findEnd>): Movement {
  const { path, speeds, arrived, next } = timer;
  const [stood, stands] = [arrived !== null && end.left > next, end.isAt && (arrived === null || end.left > next)];
  const begin = stood ? path.calls[next]! : from.along;
  const finish = stands ? path.calls[end.left]! : to.along;
  const slack = Math.max(0, to.time - from.time - Math.max(0, finish - begin) / speeds.cruisingSpeed);
  const before = stood ? (stands ? slack / 2 : slack) : 0;
  const after = stands ? slack - before : 0;
  return { from: { time: from.time + before, along: begin }, to: { time: to.time - after, along: finish } };
}

function interpolate({ from, to }: Movement, along: number): number {
  const share = to.along > from.along ? (along - from.along) / (to.along - from.along) : 1;
  return from.time + Math.min(1, Math.max(0, share)) * (to.time - from.time);
}

/**
 * The largest error of a time: how much earlier and later it can have been if the vehicle moved at its highest speed.
 * An arrival may be as late as the end of the edge, where the vehicle was near the stop; a departure as early as its
 * begin. A vehicle near a stop moves there, or away from it, at half of its usual speed at least.
 */
function bound(
  { path, speeds }: PassageTimer,
  from: Placed,
  to: Placed,
  position: number,
  time: number,
  kind: 'arrival' | 'departure' | 'passing',
): DerivedTime {
  const at = path.calls[position]!;
  const fast = (meters: number) => Math.max(0, meters - GPS_METERS) / speeds.maxSpeed;
  const slow = (meters: number) => Math.max(0, meters) / (speeds.cruisingSpeed / 2);
  const earliest = kind === 'departure' ? from.time - slow(from.along - at) : from.time + fast(at - from.along);
  const latest = kind === 'arrival' ? to.time + slow(at - to.along) : to.time - fast(to.along - at);
  const [low, high] = earliest <= latest ? [earliest, latest] : [latest, earliest];
  const chosen = Math.round(Math.min(high, Math.max(low, time)));
  const error = Math.max(chosen - low, high - chosen) + GPS_METERS / speeds.cruisingSpeed;
  return { time: chosen, uncertaintySeconds: Math.ceil(error) };
}
