import type { Instant } from '../../model/service-time.ts';
import {
  type CallPassage,
  createTimer,
  type PassageTimer,
  type Placed,
  timeEdge,
  type VehicleSpeeds,
} from './time-passages.ts';
import { findCandidates, type PlanePoint, type TripPath, toPlane } from './trip-path.ts';

/** A position of a vehicle that serves a trip. */
export interface VehicleFix {
  readonly time: Instant;
  readonly lat: number;
  readonly lon: number;
  /** The call that the publisher names for the vehicle: at or before it; -1 if it names none. */
  readonly call: number;
  /** The publisher says that it stands at that call. */
  readonly isStopped: boolean;
}

/** A dated trip to be followed. */
interface TripToFollow {
  readonly path: TripPath;
  readonly speeds: VehicleSpeeds;
  /** Scheduled instants by call; of the departure at the first one. */
  readonly scheduled: ArrayLike<number>;
}

/** Whether a position was believed; `standing`: it was, and has hardly changed for `STANDING_SECONDS`. */
export type FixOutcome = 'followed' | 'standing' | 'off_path' | 'jumped' | 'not_newer';

/** A place where the vehicle may have been at the time of one position. */
interface Node extends Placed {
  readonly point: PlanePoint;
  /** The node before it; null for the first one, and once its way is settled. */
  parent: Node | null;
  isSettled: boolean;
  /** Positions between the parent and this one that were ignored. */
  readonly skipped: number;
  /** Another way here is about as likely, so calls may have been passed this much earlier. */
  readonly doubtSeconds: number;
}

/** One explanation of all positions so far: the place at the last believed one, and what it costs to believe it. */
interface Hypothesis {
  readonly node: Node;
  readonly cost: number;
  /** Positions since, which it ignores. */
  readonly skipped: number;
}

/**
 * Follows one vehicle along one dated trip. Bounded: a handful of hypotheses, each with at most `MAX_LAG` positions that
 * are not settled.
 */
export interface Follower {
  readonly trip: TripToFollow;
  readonly timer: PassageTimer;
  hypotheses: readonly Hypothesis[];
  lastTime: number;
  /** Where the vehicle has stood or crept since; null before the first position. */
  stand: { readonly point: PlanePoint; readonly since: number } | null;
}

/** Costs of what is unlikely; one unit is a position at the edge of the corridor. */
const costs = {
  /** A position is ignored. */
  ignored: 6,
  /** The vehicle's earlier way is given up. */
  restart: 8,
  /** The place contradicts the call that the publisher names. */
  otherCall: 2,
  /** At most, of a place that the schedule makes unlikely. */
  schedule: 4,
  /** At most, of a way whose length differs from the straight line between two positions. */
  detour: 4,
  corridor: 3,
  /** Two ways whose costs differ by less are about equally likely. */
  similar: 2,
} as const;
/** Explanations that cost so much more than the best one are dropped. */
const MARGIN = 5;
const MAX_HYPOTHESES = 8;
/** Positions after which the best explanation counts. */
const MAX_LAG = 8;
/** After so long without a believed position, the way between is unknown. */
const MAX_GAP_SECONDS = 900;
/** Errors of positions may move a standing vehicle back by this much. */
const BACK_METERS = 50;
/** A call named by the publisher counts as reached within this distance of its place. */
const AT_CALL_METERS = 150;
/** Hardly any vehicle stands this long on its trip: it is out of service, or its device is stuck. */
const STANDING_SECONDS = 1800;

/** A way that is longer than the straight line by this much costs one unit. */
const DETOUR_METERS = 100;

export function createFollower(trip: TripToFollow): Follower {
  return { trip, timer: createTimer(trip.path, trip.speeds), hypotheses: [], lastTime: 0, stand: null };
}

/**
 * Adds a position: a step of the Viterbi algorithm over the places on the path where the vehicle may have been.
 * Calls are timed once all remaining hypotheses agree on the way past them.
 */
export function followVehicle(follower: Follower, fix: VehicleFix): { passages: CallPassage[]; outcome: FixOutcome } {
  if (fix.time <= follower.lastTime) return { passages: [], outcome: 'not_newer' };
  follower.lastTime = fix.time;
  const point = toPlane(follower.trip.path, fix.lat, fix.lon);
  const known = follower.hypotheses.filter(({ node }) => fix.time - node.time <= MAX_GAP_SECONDS);
  const places = listPlaces(follower.trip, fix, point, known);
  const next = places.flatMap((place) => extend(follower.trip, known, place, fix));
  const ignored = known.map((one) => ({ ...one, cost: one.cost + costs.ignored, skipped: one.skipped + 1 }));
  follower.hypotheses = prune([...next, ...ignored]);
  const judged = judge(follower.hypotheses[0], known.length > 0, places.length);
  const outcome = isStanding(follower, point, fix.time) && judged === 'followed' ? 'standing' : judged;
  return { passages: settle(follower), outcome };
}

function isStanding(follower: Follower, point: PlanePoint, time: number): boolean {
  const { stand } = follower;
  const hasMoved = stand === null || Math.hypot(point.x - stand.point.x, point.y - stand.point.y) > BACK_METERS;
  if (hasMoved) follower.stand = { point, since: time };
  return !hasMoved && time - stand.since >= STANDING_SECONDS;
}

function judge(best: Hypothesis | undefined, wasKnown: boolean, places: number): FixOutcome {
  if (places === 0) return 'off_path';
  const isBelieved = best !== undefined && best.skipped === 0;
  return wasKnown && (!isBelieved || (best.node.parent === null && !best.node.isSettled)) ? 'jumped' : 'followed';
}

// ---- Places ------------------------------------------------------------------------------------

interface Place {
  readonly along: number;
  readonly cost: number;
  readonly point: PlanePoint;
}

/** Around where the vehicle can have come to; anywhere at first, and where nothing is near. */
function listPlaces(trip: TripToFollow, fix: VehicleFix, point: PlanePoint, known: readonly Hypothesis[]): Place[] {
  const near = known.length > 0 ? findNear(trip, fix, point, known) : [];
  const found = near.length > 0 ? near : findCandidates(trip.path, point, 0, Number.POSITIVE_INFINITY);
  const places = found.map(({ along, offset }) => ({
    along,
    cost: costs.corridor * offset * offset + costOfCall(trip, fix, along),
    point,
  }));
  const stop = fix.isStopped && fix.call >= 0 ? trip.path.calls[fix.call] : undefined;
  if (stop === undefined) return places;
  // It stands at a stop: where along the platform does not matter.
  return places.map((place) => (Math.abs(place.along - stop) <= AT_CALL_METERS ? { ...place, along: stop } : place));
}

function findNear(
  { path, speeds }: TripToFollow,
  { time }: VehicleFix,
  point: PlanePoint,
  known: readonly Hypothesis[],
) {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (const { node } of known) {
    from = Math.min(from, node.along - BACK_METERS);
    to = Math.max(to, node.along + reach(speeds, time - node.time));
  }
  return findCandidates(path, point, from, to);
}

/** Metres that a vehicle can move, with the errors of two positions. */
function reach({ maxSpeed }: VehicleSpeeds, seconds: number): number {
  return maxSpeed * seconds + 2 * BACK_METERS;
}

function costOfCall({ path: { calls } }: TripToFollow, { call }: VehicleFix, along: number): number {
  if (call < 0) return 0;
  // Publishers name the next call a little before or after the vehicle passes the last one.
  const isNear =
    along >= (calls[call - 2] ?? 0) - AT_CALL_METERS && along <= (calls[call + 1] ?? calls.at(-1)!) + AT_CALL_METERS;
  return isNear ? 0 : costs.otherCall;
}

// ---- Hypotheses --------------------------------------------------------------------------------

/** The cheapest way to a place, and the restart there where it could be better. */
function extend(trip: TripToFollow, known: readonly Hypothesis[], place: Place, { time }: VehicleFix): Hypothesis[] {
  const { along, point } = place;
  const base = { time, along, point, isSettled: false };
  const restart = (): Hypothesis => ({
    node: { ...base, parent: null, skipped: 0, doubtSeconds: 0 },
    cost: (known.length === 0 ? 0 : costs.restart) + costOfSchedule(trip, along, time) + place.cost,
    skipped: 0,
  });
  const moves = known.map((from) => from.cost + costOfMove(trip, from, place, time));
  let best = 0;
  for (let i = 1; i < moves.length; i++) if (moves[i]! < moves[best]!) best = i;
  const bestCost = moves[best] ?? Number.POSITIVE_INFINITY;
  if (bestCost === Number.POSITIVE_INFINITY) return [restart()];
  const { node: parent, skipped } = known[best]!;
  const isDoubtful = known.some(
    ({ node }, i) => i !== best && moves[i]! - bestCost < costs.similar && isElsewhere(node, parent),
  );
  const doubtSeconds = isDoubtful ? parent.time - (parent.parent ?? parent).time : 0;
  const moved = { node: { ...base, parent, skipped, doubtSeconds }, cost: bestCost + place.cost, skipped: 0 };
  return moved.cost < costs.restart - MARGIN ? [moved] : [moved, restart()];
}

/** At the same time at another place, as before and after a point where the trip turns around. */
function isElsewhere(one: Node, other: Node): boolean {
  return one.time === other.time && Math.abs(one.along - other.along) > 2 * BACK_METERS;
}

function costOfMove({ speeds }: TripToFollow, { node }: Hypothesis, place: Place, time: number): number {
  const moved = place.along - node.along;
  if (moved < -BACK_METERS || moved > reach(speeds, time - node.time)) return Number.POSITIVE_INFINITY;
  const straight = Math.hypot(place.point.x - node.point.x, place.point.y - node.point.y);
  // Squared, so that of two ways of the same length the one at an even speed is cheaper.
  const speed = Math.max(0, moved) / (time - node.time) / speeds.maxSpeed;
  return Math.min(costs.detour, Math.abs(moved - straight) / DETOUR_METERS) + speed * speed;
}

/** A vehicle hardly is minutes early; an hour late is possible. */
function costOfSchedule({ path: { calls }, scheduled }: TripToFollow, along: number, time: number): number {
  let call = 0;
  while (call < calls.length - 2 && calls[call + 1]! < along) call++;
  const [from, to] = [calls[call]!, calls[call + 1]!];
  const share = to > from ? Math.min(1, Math.max(0, (along - from) / (to - from))) : 0;
  const delay = time - (scheduled[call]! + share * (scheduled[call + 1]! - scheduled[call]!));
  return Math.min(costs.schedule, delay < 0 ? Math.max(0, -delay - 60) / 120 : delay / 900);
}

function prune(hypotheses: Hypothesis[]): Hypothesis[] {
  hypotheses.sort((a, b) => a.cost - b.cost || a.skipped - b.skipped || a.node.along - b.node.along);
  const best = hypotheses[0]?.cost ?? 0;
  return hypotheses
    .filter(({ cost }) => cost <= best + MARGIN)
    .slice(0, MAX_HYPOTHESES)
    .map((one) => ({ ...one, cost: one.cost - best }));
}

// ---- Settling ----------------------------------------------------------------------------------

/** Times the calls on the way that all hypotheses share. */
function settle(follower: Follower): CallPassage[] {
  const [best, ...others] = follower.hypotheses;
  if (!best) return [];
  let way = listUnsettled(best.node);
  if (way.length > MAX_LAG) follower.hypotheses = [best];
  else for (const { node } of others) way = way.slice(0, countShared(way, node));
  const passages: CallPassage[] = [];
  for (const node of way) {
    const isStart = node.parent === null || node.skipped > 1;
    passages.push(...timeEdge(follower.timer, node, { isStart, doubtSeconds: node.doubtSeconds }));
    if (node.parent) node.parent = null;
    node.isSettled = true;
  }
  return passages;
}

/** The nodes from the last settled one to this one, oldest first. */
function listUnsettled(node: Node): Node[] {
  const way: Node[] = [];
  for (let at: Node | null = node; at && !at.isSettled; at = at.parent) way.push(at);
  return way.reverse();
}

function countShared(way: readonly Node[], node: Node): number {
  const others = listUnsettled(node);
  let shared = 0;
  while (shared < way.length && way[shared] === others[shared]) shared++;
  return shared;
}
