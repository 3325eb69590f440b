import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RideEvent } from '../predictions/ride-estimates.ts';
import { findNeededSeconds } from '../predictions/transfer-estimates.ts';
import { forEachContinuation } from './continuations.ts';
import { forEachDeparture, listPeriods } from './departures.ts';
import {
  type Approach,
  type Entering,
  type EqualCriteria,
  type EqualItinerary,
  type EqualSearch,
  isAsGood,
  type Leaving,
  type TripBag,
} from './equal-labels.ts';
import type { Ride } from './itinerary.ts';
import { Bag } from './label-bag.ts';
import type { Gate } from './places.ts';
import { createRouteView, getEnds, getLeaveTime, getTrip, openRoute, type RouteView } from './route-view.ts';
import type { RideScope } from './scope.ts';
import { isTripBarred, isTripWanted, PlanTimeout } from './search.ts';
import { findGateEnd } from './timed-gates.ts';
import { sumSeconds, sumWalks, toWalk, type Untimed } from './trace.ts';
import { NO_TRANSFER, TIMED } from './transfer-seconds.ts';
import { findAddedStay } from './via-stays.ts';

// Lists the itineraries that have the times and the number of transfers of one choice and are candidates for being
// shown. Follows single rides in the direction opposite to the query's search, which has already found the latest
// times: for a query by departure, backward from the destination. Begin and end, entering and leaving refer to this
// direction, and times are signed, seconds since 1970.
//
// Labels at one dated trip are compared by probability, walking distance and begin, and a dominated label is dropped: a
// multi-criteria search as in McRAPTOR (Delling, Pajor, Werneck, "Round-Based Public Transit Routing", 2012),
// restricted to the few trips that matter.

/** The state of one round: the calls where its rides are left, and the trips entered in the next round. */
interface Round {
  readonly search: EqualSearch;
  /** Number of rides after this one. */
  readonly left: number;
  readonly leavings: TripBag<Leaving>;
  readonly next: TripBag<Entering>;
  readonly found: EqualItinerary[];
}

/** @throws PlanTimeout */
export function listEqualItineraries(search: EqualSearch): EqualItinerary[] {
  const found: EqualItinerary[] = [];
  let enterings = enter(search);
  for (let left = search.transfers; left >= 0; left--) {
    const round: Round = { search, left, leavings: new Bag(isAsGood), next: new Bag(isAsGood), found };
    for (const entering of enterings.list()) {
      if (search.isSpent()) throw new PlanTimeout();
      const view = openRoute(createRouteView(), search.scope.tables, search.scope.task, entering.route);
      ride(round, view, entering, entering.layer, entering.position);
    }
    for (const leaving of round.leavings.list()) leave(round, leaving);
    enterings = round.next;
  }
  return found;
}

/** Enters the first rides, within the minute of the begin. */
function enter(search: EqualSearch): TripBag<Entering> {
  const { scope, times } = search;
  const { places, entries } = scope;
  const enterings = new Bag<string, Entering, EqualCriteria>(isAsGood);
  const base = findBase(scope);
  for (const entry of entries) {
    const { layer, place, seconds } = entry;
    // Few of many entries have a departure within the minute.
    let known: { readonly approach: Approach; readonly meters: number } | null = null;
    const describe = () => {
      const stretches = Array.from({ length: layer }, (_, at) => toWalk(scope, { kind: 'stretch', place: at }));
      const way = entry.way ? { way: entry.way } : {};
      const gate = { kind: 'gate', stop: places.stopOf(place), place: layer, isArriving: false, ...way } as const;
      const walks = [...stretches, toWalk(scope, gate)];
      return { approach: { kind: 'access', after: null, walks } as const, meters: sumMeters(walks) };
    };
    for (const { from, to, isLast } of listPeriods(entry, times.from - base, times.to - base)) {
      // By waiting, a traveller who begins last reaches all later departures, too.
      const window = { from: from + base + seconds, to: isLast ? Number.POSITIVE_INFINITY : to + base + seconds };
      const last = to - 1 + base;
      forEachEntering(search, { layer, place, left: search.transfers + 1 }, window, (at, time) => {
        known ??= describe();
        const begin = isLast ? Math.min(time - seconds, last) : time - seconds;
        add(enterings, { ...at, probability: 1, begin, layer, ...known });
      });
    }
  }
  return enterings;
}

function add(enterings: TripBag<Entering>, entering: Entering): void {
  enterings.add(keyOf(entering), entering);
}

function keyOf({ layer, route, index, position }: Pick<Entering, 'layer' | 'route' | 'index' | 'position'>): string {
  return `${layer} ${route} ${index} ${position}`;
}

type At = Pick<Entering, 'route' | 'index' | 'position'>;

/** A transfer place where rides are entered, with the number of rides from there on. */
interface EntryPlace {
  readonly layer: number;
  readonly place: number;
  readonly left: number;
}

/** Returns the latest time to enter a ride there that still reaches the end in time; `-Infinity` if there is none. */
function findLastEntering({ scope, times, latestTimes }: EqualSearch, { layer, place, left }: EntryPlace): number {
  if (scope.task.isBlocked?.[place] === 1) return Number.NEGATIVE_INFINITY;
  return latestTimes ? latestTimes.entering(layer, left, place) : times.latest;
}

/**
 * Calls `take` for each dated trip that can be entered at a place in `[from, to)` and still reaches the end in time.
 */
function forEachEntering(
  search: EqualSearch,
  entry: EntryPlace,
  { from, to }: { readonly from: number; readonly to: number },
  take: (at: At, time: number) => void,
): void {
  const { scope, timetable, view } = search;
  const { tables, task } = scope;
  const { place } = entry;
  const base = findBase(scope);
  const window = { from: from - base, to: Math.min(to, findLastEntering(search, entry) + 1) - base };
  if (window.from >= window.to) return;
  forEachDeparture(tables, task, place, window, (time, route, position, index) => {
    openRoute(view, tables, task, route);
    if (isTripBarred({ task, timetable }, getTrip(view, task.live, index))) return;
    take({ route, index, position }, time + base);
  });
}

/** Returns the signed time that the times of `raptorRoutes` are relative to. */
function findBase({ task }: RideScope): number {
  return task.direction.sign * task.raptorRoutes.base;
}

// ---- On board ----------------------------------------------------------------------------------

/**
 * Rides on from a call.
 * @param layer number of vias passed before it
 */
function ride(round: Round, view: RouteView, entering: Entering, layer: number, from: number): void {
  const { search } = round;
  const { task } = search.scope;
  const { sign, callCount } = view;
  const base = findBase(search.scope);
  const isVia = task.vias[layer]?.isStop;
  let isPassed = false;
  for (let position = from; position >= 0 && position < callCount; position += sign) {
    const call = view.firstCall + position;
    // A ride is never left at the call where it is entered.
    const place = position === entering.position ? -1 : view.leaveAt[call]!;
    if (place >= 0 && task.isBlocked?.[place] !== 1) {
      const time = getLeaveTime(view, entering.index, position) + base;
      if (time > search.times.latest) return;
      addLeaving(round, entering, layer, position, place, time);
    }
    const stop = view.callStop[call]!;
    const isServed = stop >= 0 && (!view.isExtraPattern || task.live!.isServed[call] === 1);
    if (isPassed || isVia === undefined || !isServed || isVia[stop] !== 1) continue;
    isPassed = true;
    ride(round, view, entering, layer + 1, position);
  }
  stay(round, view, entering, layer);
}

function labelOf({ probability, meters, begin }: EqualCriteria): EqualCriteria {
  return { probability, meters, begin };
}

function addLeaving(
  { search, left, leavings }: Round,
  entering: Entering,
  layer: number,
  position: number,
  place: number,
  time: number,
): void {
  const { egress } = search.scope.task;
  const last = search.latestTimes
    ? search.latestTimes.leaving(layer, left, place)
    : search.times.latest - (egress[place]! < 0 ? Number.POSITIVE_INFINITY : egress[place]!);
  if (time > last) return;
  const leaving: Leaving = { ...labelOf(entering), entering, layer, position, place, time };
  leavings.add(keyOf({ ...entering, layer, position }), leaving);
}

/** Follows the trips as which the vehicle continues with its passengers on board. */
function stay(round: Round, view: RouteView, entering: Entering, layer: number): void {
  const { timetable, scope, times } = round.search;
  const { task, tables } = scope;
  if (tables.continuations.fromTrip.length === 0) return;
  const { end } = getEnds(view);
  const time = getLeaveTime(view, entering.index, end) + findBase(scope);
  if (time > times.latest) return;
  const after: Leaving = { ...labelOf(entering), entering, layer, position: end, place: -1, time };
  const next = createRouteView();
  const continued: { readonly route: number; readonly index: number }[] = [];
  forEachContinuation(timetable, task, view, entering.index, next, (trip, index) => {
    if (isTripWanted({ task, timetable }, trip)) continued.push({ route: next.route, index });
  });
  for (const at of continued) {
    const approach = { kind: 'staying', after } as const;
    const nextView = openRoute(createRouteView(), tables, task, at.route);
    const { begin } = getEnds(nextView);
    ride(round, nextView, { ...labelOf(entering), layer, ...at, position: begin, approach }, layer, begin);
  }
}

// ---- Between rides -----------------------------------------------------------------------------

/** Transfers to other vehicles or walks to the end, past the next via if there is one. */
function leave(round: Round, after: Leaving): void {
  const { scope } = round.search;
  const { task, places } = scope;
  const stop = places.stopOf(after.place);
  const isLast = after.layer === task.vias.length;
  const seconds = isLast ? task.egress[after.place]! : task.vias[after.layer]!.secondsThere[after.place]!;
  if (round.left > 0) followTransfers(round, after);
  if (seconds < 0) return;
  const timed = isLast ? task.timedEgress?.get(after.place) : undefined;
  if (timed) {
    arriveOnDemand(round, after, timed);
    return;
  }
  const walk = toWalk(scope, { kind: 'gate', stop, place: after.layer + 1, isArriving: true });
  if (isLast) arrive(round, after, [walk]);
  else {
    const isAlighted = task.vias[after.layer]!.isMember[after.place] === 1;
    walkOn(round, { after, layer: after.layer, walks: [walk], isAlighted, isFromVia: false });
  }
}

/** Arrives by the egress leg that ends first; some may begin only within a window. */
function arriveOnDemand(round: Round, after: Leaving, gates: readonly Gate[]): void {
  const { scope } = round.search;
  const base = findBase(scope);
  const ends = gates.map((gate) => findGateEnd(gate, after.time - base) + base);
  const end = Math.min(...ends);
  const { way } = gates[ends.indexOf(end)]!;
  const stop = scope.places.stopOf(after.place);
  const gate = { kind: 'gate', stop, place: after.layer + 1, isArriving: true, ...(way ? { way } : {}) } as const;
  arrive(round, after, [toWalk(scope, gate)], end);
}

function arrive(
  { search, left, found }: Round,
  last: Leaving,
  walks: readonly Untimed[],
  end = last.time + sumSeconds(walks),
): void {
  if (left > 0 || end > search.times.latest) return;
  const [departure, arrival] = search.scope.task.direction.sign > 0 ? [last.begin, end] : [-end, -last.begin];
  const meters = last.meters + sumMeters(walks);
  const times = { departure: departure as Instant, arrival: arrival as Instant };
  found.push({ probability: last.probability, meters, ...times, last, walks });
}

/** Returns the distance of all ways on foot. */
export function sumMeters(parts: readonly (Ride | Untimed)[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'walk' && !part.vehicle && !part.onDemand ? part.meters : 0),
    0,
  );
}

function followTransfers(round: Round, after: Leaving): void {
  const { scope } = round.search;
  const { kind } = scope.tables.transfers;
  const { transferStarts, transferOrder, transferTo } = scope.task.direction;
  const via = scope.task.vias[after.layer];
  for (let i = transferStarts[after.place]!; i < transferStarts[after.place + 1]!; i++) {
    const row = transferOrder === null ? i : transferOrder[i]!;
    const seconds = scope.task.transferSeconds[row]!;
    if (seconds === NO_TRANSFER) continue;
    const place = transferTo[row]!;
    const enterAfter = (passed: number) => {
      // Most transfers come too late, which is cheap to find out.
      const entry = { layer: after.layer + passed, place, left: round.left };
      if (after.time + seconds > findLastEntering(round.search, entry)) return;
      const walk = toWalk(scope, { kind: 'transfer', transfer: row, via: passed > 0 ? after.layer : -1 });
      const approach = { kind: 'transfer', after, walks: [walk] } as const;
      const isCertain = kind[row] === TIMED && passed === 0;
      enterNext(round, { after, layer: after.layer + passed, place, seconds, approach, isCertain });
    };
    enterAfter(0);
    if (via && findAddedStay(via, seconds, after.place, place)) enterAfter(1);
  }
}

/** A walk from a ride past a via. */
interface ViaWalk {
  readonly after: Leaving;
  /** Number of the via. */
  readonly layer: number;
  /** Walks from the ride to the via. */
  readonly walks: readonly Untimed[];
  /** Whether the ride was left at a stop of the via, and whether the via was reached on foot from the previous one. */
  readonly isAlighted: boolean;
  readonly isFromVia: boolean;
}

/** Walks to the stops around a via and to the next place, by the rules of passages.ts. */
function walkOn(round: Round, viaWalk: ViaWalk): void {
  const { after, layer, walks, isAlighted, isFromVia } = viaWalk;
  const { scope } = round.search;
  const { places, task } = scope;
  const { vias } = task;
  const { onward, nextSeconds, staySeconds } = vias[layer]!;
  const mayShare = staySeconds === 0;
  for (const { place, isMember } of round.left > 0 ? onward : []) {
    const isShared = isMember && mayShare && vias[layer - 1]?.isMember[place] === 1;
    if ((isMember && isAlighted) || (isShared && isFromVia)) continue;
    const stop = places.stopOf(place);
    const all = [...walks, toWalk(scope, { kind: 'gate', stop, place: layer + 1, isArriving: false })];
    const approach = { kind: 'onFoot', after, walks: all } as const;
    enterNext(round, { after, layer: layer + 1, place, seconds: sumWalks(all), approach, isCertain: false });
  }
  const isAtNext = isAlighted && mayShare && vias[layer + 1]?.isMember[after.place] === 1;
  if (nextSeconds === null || isAtNext) return;
  const further = [...walks, toWalk(scope, { kind: 'stretch', place: layer + 1 })];
  if (layer + 1 === vias.length) arrive(round, after, further);
  else walkOn(round, { after, layer: layer + 1, walks: further, isAlighted: false, isFromVia: true });
}

interface NextRide {
  readonly after: Leaving;
  readonly layer: number;
  readonly place: number;
  /** Minimum seconds between the two rides, without stays. */
  readonly seconds: number;
  readonly approach: Approach & { readonly walks: readonly Untimed[] };
  readonly isCertain: boolean;
}

/** Enters every trip that still reaches the end in time. */
function enterNext(
  { search, left, next }: Round,
  { after, layer, place, seconds, approach, isCertain }: NextRide,
): void {
  const { walks } = approach;
  const stays = sumSeconds(walks) - sumWalks(walks);
  const window = { from: after.time + seconds + stays, to: search.times.latest + 1 };
  const label = {
    probability: after.probability,
    meters: after.meters + sumMeters(walks),
    begin: after.begin,
  };
  forEachEntering(search, { layer, place, left }, window, (at, time) => {
    // Estimating a transfer is expensive and can only lower the probability.
    if (next.dominates(keyOf({ layer, ...at }), label)) return;
    const needed = findNeededSeconds(sumWalks(walks), seconds);
    const probability = isCertain ? 1 : estimateTransfer(search, after, { ...at, time }, needed);
    add(next, { ...at, ...label, probability: label.probability * probability, layer, approach });
  });
}

// ---- Chances -----------------------------------------------------------------------------------

/**
 * Assumed for a transfer without an estimate: the same for all, and no better than the lowest one that is rated `ok`.
 */
const DEFAULT_PROBABILITY = 0.9;

function estimateTransfer(search: EqualSearch, after: Leaving, at: At & { readonly time: number }, seconds: number) {
  const left = toEvent(search, { ...after.entering, position: after.position }, after.time);
  const entered = toEvent(search, at, at.time);
  const { sign } = search.scope.task.direction;
  const [alighting, boarding] = sign > 0 ? [left, entered] : [entered, left];
  return search.estimate(alighting, boarding, seconds) ?? DEFAULT_PROBABILITY;
}

function toEvent({ scope, view }: EqualSearch, { route, index, position }: At, time: number): RideEvent {
  const { raptorRoutes, live, direction } = scope.task;
  const { origin, sign, trips, days } = openRoute(view, scope.tables, scope.task, route);
  const entry = origin + sign * index;
  const trip = trips[entry]!;
  const expected = direction.sign * time;
  if (trip >= 0) return { trip, addedTrip: -1, day: raptorRoutes.firstDay + days[entry]!, position, expected };
  const { trip: planned, addedTrip, day } = live!.liveTrips[~trip]!;
  return { trip: planned, addedTrip, day, position, expected };
}
