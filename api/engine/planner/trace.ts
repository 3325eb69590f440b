import type { Instant } from '../../../pipeline/model/service-time.ts';
import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { findLastBegin, findNextBegin } from '../read/open-times.ts';
import type { Itinerary, PlanPlace, PlanQuery, Ride, Walk } from './itinerary.ts';
import { REACHED, rowOf } from './labels.ts';
import { getOrigin, WALKERS } from './passages.ts';
import { getWaySeconds, type PlaceIndex } from './places.ts';
import { createRouteView, getEnds, openRoute, type RouteView } from './route-view.ts';
import type { RideTask, Search, SearchTask } from './search.ts';
import { findRequiredSeconds, TIMED } from './transfer-seconds.ts';
import { findAddedStay, findStay } from './via-stays.ts';

/** Data for describing the parts of an itinerary. */
export interface PartScope {
  readonly tables: TimetableTables;
  readonly places: PlaceIndex;
  readonly query: PlanQuery;
  readonly task: RideTask;
}

/** Data for reconstructing an itinerary. */
interface TraceScope extends PartScope {
  readonly task: SearchTask;
  readonly search: Search;
}

/** A part of an itinerary, listed from the end of the search to its begin. */
type Step =
  | {
      readonly kind: 'ride';
      readonly route: number;
      readonly entry: number;
      readonly entered: number;
      readonly left: number;
      /** Whether the trip was entered by staying on board, in the direction of the search. */
      readonly isJoined: boolean;
    }
  /** `via`: index of the one where the traveller stays, in the direction of the search; -1: none. */
  | { readonly kind: 'transfer'; readonly transfer: number; readonly via: number }
  /** A walk between a stop and a numbered place of the query, or between two such places. */
  | {
      readonly kind: 'gate';
      readonly stop: number;
      readonly place: number;
      readonly isArriving: boolean;
      /** Absent if there is only one. */
      readonly way?: Way;
    }
  | { readonly kind: 'stretch'; readonly place: number };

/**
 * Reconstructs the itinerary by which the last run reached the end with a given number of rides.
 * @param end signed time of its end
 */
export function traceItinerary(scope: TraceScope, round: number, end: number): Itinerary {
  const { task } = scope;
  const { base } = task.raptorRoutes;
  const steps = listSteps(scope, round);
  const isAhead = task.direction.sign > 0;
  if (isAhead) steps.reverse();
  const rides = steps.map((step, i) =>
    step.kind === 'ride' ? toRide(scope, step, isStaying(steps, i, isAhead)) : null,
  );
  const parts = steps.map(
    (step, i) => rides[i] ?? toWalk(scope, chooseWay(scope, step as WalkStep, [rides[i - 1], rides[i + 1]])),
  );
  const [departure, arrival] = isAhead ? [getDeparture(parts), end + base] : [base - end, getArrival(parts)];
  const timed = placeInTime(parts, departure);
  return {
    departure: departure as Instant,
    arrival: arrival as Instant,
    transfers: rides.filter((ride) => ride !== null && !ride.isStaying).length - 1,
    parts: timed,
  };
}

/** Returns when the walk to the first ride begins. */
function getDeparture(parts: readonly (Ride | Untimed)[]): number {
  const first = parts.findIndex(({ kind }) => kind === 'ride');
  const walks = parts.slice(0, first) as Untimed[];
  const latest = (parts[first] as Ride).departure - sumSeconds(walks);
  return findLatestBegin(walks[0], latest);
}

/** The latest possible begin of a leg up to a time. */
function findLatestBegin(walk: Way | undefined, latest: number): number {
  return walk?.onDemand ? findLastBegin(walk.onDemand.open, latest) : latest;
}

/** Returns when the walk from the last ride ends. */
function getArrival(parts: readonly (Ride | Untimed)[]): number {
  const last = parts.findLastIndex(({ kind }) => kind === 'ride');
  const walks = parts.slice(last + 1) as Untimed[];
  return findEarliestBegin(walks[0], (parts[last] as Ride).arrival) + sumSeconds(walks);
}

/** The earliest possible begin of a leg from a time on. */
function findEarliestBegin(walk: Way | undefined, earliest: number): number {
  return walk?.onDemand ? findNextBegin(walk.onDemand.open, earliest) : earliest;
}

/** Returns the duration of walks without stays. */
export function sumWalks(walks: readonly Untimed[]): number {
  return walks.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** Returns the duration of all walks, and of the stays that belong to them. */
export function sumSeconds(parts: readonly (Ride | Untimed)[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'walk' ? part.seconds + (part.stay?.seconds ?? 0) : 0), 0);
}

/**
 * Returns whether passengers stay on board before a ride. Forward in time, the ride itself carries the mark; backward
 * in time, the previous one.
 */
function isStaying(steps: readonly Step[], i: number, isAhead: boolean): boolean {
  const joiningStep = isAhead ? steps[i] : steps[i - 1];
  return steps[i]!.kind === 'ride' && joiningStep?.kind === 'ride' && joiningStep.isJoined;
}

function listSteps(scope: TraceScope, round: number): Step[] {
  const { search, task, places } = scope;
  const { labels, segments, passages } = search;
  const steps: Step[] = [];
  const last = task.vias.length;
  let segment = labels.endSegment[round]!;
  let position = labels.endPosition[round]!;
  const follow = (layer: number, rides: number, place: number) => {
    const row = rowOf(labels, layer, rides) + place;
    segment = labels.reachSegment[row]!;
    position = labels.reachPosition[row]!;
  };
  /** @returns whether the walker came from a ride */
  const walkBack = (layer: number, rides: number, walker: number): boolean => {
    const origin = getOrigin(passages, labels, layer, rides, walker);
    if (origin < 0) {
      steps.push({ kind: 'stretch', place: layer });
      return layer > 0 && walkBack(layer - 1, rides, WALKERS.toNext);
    }
    steps.push({ kind: 'gate', stop: places.stopOf(origin), place: layer + 1, isArriving: true });
    follow(layer, rides, origin);
    return true;
  };
  if (segment < 0) {
    steps.push({ kind: 'stretch', place: last });
    walkBack(last - 1, round, WALKERS.toNext);
  } else {
    const { callStop, firstCall } = viewOf(scope, segments.route(segment));
    steps.push({ kind: 'gate', stop: callStop[firstCall + position]!, place: last + 1, isArriving: true });
  }
  for (;;) {
    const route = segments.route(segment);
    const entered = segments.enterPosition(segment);
    const before = segments.before(segment);
    const isJoined = before >= 0;
    steps.push({ kind: 'ride', route, entry: segments.entry(segment), entered, left: position, isJoined });
    if (isJoined) {
      segment = before;
      position = getEnds(viewOf(scope, segments.route(segment))).end;
      continue;
    }
    const [layer, rides] = [segments.layer(segment), segments.round(segment) - 1];
    const { enterAt, firstCall } = viewOf(scope, route);
    const place = enterAt[firstCall + entered]!;
    const by = labels.readyBy[rowOf(labels, layer, rides) + place]!;
    if (by >= 0 || by <= REACHED.stay) {
      const [transfer, from] = by >= 0 ? [by, layer] : [REACHED.stay - by, layer - 1];
      steps.push({ kind: 'transfer', transfer, via: from < layer ? from : -1 });
      follow(from, rides, task.direction.transferFrom[transfer]!);
      continue;
    }
    steps.push({ kind: 'gate', stop: places.stopOf(place), place: layer, isArriving: false });
    if (by === REACHED.access) {
      for (let k = layer - 1; k >= 0; k--) steps.push({ kind: 'stretch', place: k });
      return steps;
    }
    if (!walkBack(layer - 1, rides, REACHED.via - by)) return steps;
  }
}

function viewOf({ tables, task }: Pick<PartScope, 'tables' | 'task'>, route: number): RouteView {
  return openRoute(createRouteView(), tables, task, route);
}

// ---- Parts -------------------------------------------------------------------------------------

export type Untimed = Omit<Walk, 'departure' | 'arrival'>;

type WalkStep = Exclude<Step, { kind: 'ride' }>;

/**
 * Chooses among the legs between a place and a stop, some of which have time windows: the one that begins last before
 * the next ride, or ends first after the previous one.
 */
function chooseWay(
  scope: PartScope,
  step: WalkStep,
  [before, after]: readonly [Ride | null | undefined, Ride | null | undefined],
): WalkStep {
  if (step.kind !== 'gate') return step;
  const { members, reach } = placeOf(scope.query, numberOf(scope, step.place));
  const ways = members.includes(step.stop) ? [] : reach.filter(({ stop }) => stop === step.stop);
  if (ways.length < 2 && !ways[0]?.onDemand) return step;
  const secondsOf = (way: Way) => getWaySeconds(way, scope.query.walkSpeedKmh);
  // Higher is better.
  const rank = (way: Way) =>
    step.isArriving === scope.task.direction.sign > 0
      ? -(findEarliestBegin(way, before!.arrival) + secondsOf(way))
      : findLatestBegin(way, after!.departure - secondsOf(way));
  return { ...step, way: ways.reduce((best, way) => (rank(way) > rank(best) ? way : best)) };
}

/** Converts a step on foot; its place numbers count from the begin of the search. */
export function toWalk(scope: PartScope, step: WalkStep): Untimed {
  const { query, task } = scope;
  switch (step.kind) {
    case 'transfer':
      return toTransfer(scope, step.transfer, step.via);
    case 'gate': {
      const number = numberOf(scope, step.place);
      const { meters, vehicle, onDemand } = step.way ?? findWay(placeOf(query, number), step.stop);
      const way = { meters, ...(vehicle ? { vehicle } : {}), ...(onDemand ? { onDemand } : {}) };
      // Backward in time, an arrival in the direction of search is a departure of the itinerary.
      const isArriving = step.isArriving === task.direction.sign > 0;
      return toGate(query, { stop: step.stop, place: number, ...way, isArriving });
    }
    case 'stretch': {
      const first = task.direction.sign > 0 ? step.place : query.via.length - step.place;
      return toStretch(query, first);
    }
  }
}

type Way = Pick<Walk, 'meters' | 'vehicle' | 'onDemand'>;

/** Returns the way between a stop and a numbered place of the query. */
export function toGate(
  query: Pick<PlanQuery, 'walkSpeedKmh' | 'viaStaySeconds'>,
  gate: Way & { readonly stop: number; readonly place: number; readonly isArriving: boolean },
): Untimed {
  const { stop, place, isArriving } = gate;
  return {
    kind: 'walk',
    role: isArriving ? 'egress' : 'access',
    fromStop: isArriving ? stop : -1,
    toStop: isArriving ? -1 : stop,
    fromPlace: isArriving ? -1 : place,
    toPlace: isArriving ? place : -1,
    ...toWay(gate, query.walkSpeedKmh),
    ...(isArriving ? {} : findStay(query, place)),
  };
}

/** A way from one place of the query to the next, by default on foot. */
export function toStretch(
  query: PlanQuery,
  first: number,
  way: Way = { meters: query.stretchMeters[first]! },
): Untimed {
  const isWhole = query.via.length === 0;
  return {
    kind: 'walk',
    role: isWhole ? 'direct' : first === 0 ? 'access' : 'egress',
    fromStop: -1,
    toStop: -1,
    fromPlace: first,
    toPlace: first + 1,
    ...toWay(way, query.walkSpeedKmh),
    ...findStay(query, first),
  };
}

/** Length and duration of a way to, from or between places of the query. */
function toWay({ meters, vehicle, onDemand }: Way, walkSpeedKmh: number) {
  const way = { meters, ...(vehicle ? { vehicle } : {}), ...(onDemand ? { onDemand } : {}) };
  const seconds = getWaySeconds(way, walkSpeedKmh);
  return { ...way, seconds, transferSeconds: 0, requiredSeconds: 0, isGuaranteed: false };
}

/** Returns the number of a place in travel order; a search backward in time counts from the end. */
function numberOf({ query, task }: PartScope, place: number): number {
  return task.direction.sign > 0 ? place : query.via.length + 1 - place;
}

function placeOf({ from, via, to }: PlanQuery, number: number): PlanPlace {
  return number === 0 ? from : (via[number - 1] ?? to);
}

/** @throws TypeError for a stop that the place does not reach */
export function findWay({ members, reach }: PlanPlace, stop: number): Way {
  if (members.includes(stop)) return { meters: 0 };
  const { meters, vehicle } = reach.find((one) => one.stop === stop)!;
  return { meters, ...(vehicle ? { vehicle } : {}) };
}

/** @param transfer row of `transfers`, @param via as in `Step` */
export function toTransfer({ tables, places, query, task }: PartScope, transfer: number, via = -1): Untimed {
  const { transfers } = tables;
  const passage = task.vias[via];
  const transferSeconds = task.transferSeconds[transfer]!;
  const ends = [transfers.from[transfer]!, transfers.to[transfer]!] as const;
  const stay = passage ? findAddedStay(passage, transferSeconds, ...ends) : null;
  const requiredSeconds = findRequiredSeconds(tables, transfer, query.minTransferSeconds);
  const [fromStop, toStop] = [places.stopOf(transfers.from[transfer]!), places.stopOf(transfers.to[transfer]!)];
  const meters = (query.wheelchair ? transfers.wheelchairMeters : transfers.meters)[transfer]!;
  return {
    kind: 'walk',
    role: 'transfer',
    fromStop,
    toStop,
    fromPlace: -1,
    toPlace: -1,
    meters,
    seconds: walkSeconds(meters, query.walkSpeedKmh),
    transferSeconds,
    requiredSeconds: stay ? Math.max(requiredSeconds, passage!.staySeconds - stay.seconds) : requiredSeconds,
    ...(stay ? { stay } : {}),
    isGuaranteed: stay === null && transfers.kind[transfer] === TIMED,
  };
}

export function toRide(
  scope: Pick<PartScope, 'tables' | 'task'>,
  step: Omit<Extract<Step, { kind: 'ride' }>, 'kind' | 'isJoined'>,
  staying: boolean,
): Ride {
  const { tables, task } = scope;
  const { raptorRoutes, live } = task;
  const { times } = tables;
  const view = viewOf(scope, step.route);
  const [board, alight] = task.direction.sign > 0 ? [step.entered, step.left] : [step.left, step.entered];
  const positions = { kind: 'ride', boardPosition: board, alightPosition: alight, isStaying: staying } as const;
  const trip = view.trips[step.entry]!;
  if (trip < 0) {
    const { trip: planned, addedTrip, day } = live!.liveTrips[~trip]!;
    const start = live!.liveTripStart[~trip]!;
    return {
      ...positions,
      trip: planned,
      addedTrip,
      day,
      departure: (live!.departure[start + board]! + raptorRoutes.base) as Instant,
      arrival: (live!.arrival[start + alight]! + raptorRoutes.base) as Instant,
    };
  }
  const row = getTimeRow(tables, view.pattern, trip);
  const day = view.days[step.entry]!;
  const start = raptorRoutes.base + raptorRoutes.dayStarts[view.zone + day]!;
  return {
    ...positions,
    trip,
    addedTrip: -1,
    day: raptorRoutes.firstDay + day,
    departure: (start + times.departure[row + board]!) as Instant,
    arrival: (start + times.arrival[row + alight]!) as Instant,
  };
}

/** Returns the seconds of a stay before a walk. */
export function getStayBefore({ stay }: Pick<Walk, 'stay'>): number {
  return stay?.isBefore ? stay.seconds : 0;
}

/**
 * Sets the times of walks, after the stays before them. Walks before the first ride, and from a via to the next ride,
 * end at its departure; others begin at once.
 */
export function placeInTime(parts: readonly (Ride | Untimed)[], departure: number): (Ride | Walk)[] {
  const timed: (Ride | Walk)[] = [];
  let now = departure;
  parts.forEach((part, i) => {
    if (part.kind === 'ride') {
      timed.push(part);
      now = part.arrival;
      return;
    }
    const next = parts[i + 1];
    const leaves = next?.kind === 'ride' ? next.departure : Number.POSITIVE_INFINITY;
    // A published minimum transfer time may be shorter than our walking time.
    const stayed = now + getStayBefore(part);
    const seconds = part.role === 'transfer' ? Math.min(part.seconds, leaves - stayed) : part.seconds;
    const begin = findBegin(part, seconds, { now: stayed, leaves });
    timed.push({ ...part, seconds, departure: begin as Instant, arrival: (begin + seconds) as Instant });
    now = begin + seconds;
  });
  return timed;
}

function findBegin(
  part: Untimed,
  seconds: number,
  { now, leaves }: { readonly now: number; readonly leaves: number },
): number {
  const isLate = part.role === 'access' && Number.isFinite(leaves);
  return isLate ? findLatestBegin(part, leaves - seconds) : findEarliestBegin(part, now);
}
