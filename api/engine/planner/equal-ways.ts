import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { EstimateRides, RideEvent } from '../predictions/ride-estimates.ts';
import type { Timetable } from '../read/timetable.ts';
import { NO_CHANGE, TIMED } from './change-seconds.ts';
import { forEachContinuation } from './continuations.ts';
import type { EqualTimes, LatestTimes } from './equal-bounds.ts';
import type { Ride } from './itinerary.ts';
import { createLaneView, getEnds, getLeaveTime, getTrip, type LaneView, openLane } from './lane-view.ts';
import type { EqualRank } from './pareto.ts';
import { forEachDeparture, type ProfileScope } from './profile.ts';
import { isOfProduct, isTripBarred, PlanTimeout } from './search.ts';
import { metersTo, placeOf, toChange, toGate, toRide, toStretch, type Untimed } from './trace.ts';

// All itineraries with the times and the number of transfers of one choice, as far as one of them may be the one to be
// shown. Ahead in time and ride by ride, as a traveller would try them, but only where the destination is still reached
// in time. Rides on one dated trip are compared by chance, walking and departure, alightings from it as well: one that
// is no better in any of the three is of no use, whatever follows (a multi-label search, as McRAPTOR of the RAPTOR
// papers, within the few trips that matter).

/** A search for the itineraries of one choice, ahead in time whatever the query. */
export interface EqualSearch {
  readonly scope: ProfileScope;
  readonly timetable: Timetable;
  readonly times: EqualTimes;
  /** null for itineraries of one ride without vias, which need none. */
  readonly latestTimes: LatestTimes | null;
  readonly transfers: number;
  readonly estimate: EstimateRides;
}

interface Label {
  /** That all transfers so far are made. */
  readonly chance: number;
  /** On foot so far. */
  readonly meters: number;
  /** Seconds since 1970, as all times. */
  readonly departure: number;
}

/** How a ride is reached: by a walk from the origin, after another ride by a change or on foot, or by staying on board. */
type Approach =
  | {
      readonly kind: 'access' | 'onFoot' | 'change';
      readonly after: Alighting | null;
      readonly walks: readonly Untimed[];
    }
  | { readonly kind: 'staying'; readonly after: Alighting };

/** A dated trip that is boarded. */
interface Boarding extends Label {
  readonly stage: number;
  readonly lane: number;
  readonly index: number;
  readonly position: number;
  readonly approach: Approach;
}

interface Alighting extends Label {
  readonly boarding: Boarding;
  /** Vias passed. */
  readonly stage: number;
  readonly position: number;
  readonly place: number;
  readonly time: number;
}

/** One itinerary. */
export interface EqualWay extends EqualRank {
  readonly departure: Instant;
  readonly arrival: Instant;
  readonly last: Alighting;
  /** From the last ride to the destination. */
  readonly walks: readonly Untimed[];
}

/** Labels of which none dominates another, by what makes them comparable. */
class Bag<Kept extends Label> {
  readonly #byKey = new Map<string, Kept[]>();

  hasBetter(key: string, label: Label): boolean {
    return this.#byKey.get(key)?.some((other) => isAsGood(other, label)) ?? false;
  }

  add(key: string, label: Kept): void {
    if (this.hasBetter(key, label)) return;
    const others = this.#byKey.get(key)?.filter((other) => !isAsGood(label, other)) ?? [];
    this.#byKey.set(key, [...others, label]);
  }

  list(): Kept[] {
    return [...this.#byKey.values()].flat();
  }
}

function isAsGood(one: Label, other: Label): boolean {
  return one.chance >= other.chance && one.meters <= other.meters && one.departure >= other.departure;
}

/** The state of one round: the rides that are boarded in it, and in the next one. */
interface Round {
  readonly search: EqualSearch;
  /** Rides that still follow this one. */
  readonly left: number;
  readonly alightings: Bag<Alighting>;
  readonly next: Bag<Boarding>;
  readonly ways: EqualWay[];
}

/** @throws PlanTimeout */
export function listEqualWays(search: EqualSearch): EqualWay[] {
  const ways: EqualWay[] = [];
  let boardings = enter(search);
  for (let left = search.transfers; left >= 0; left--) {
    const round: Round = { search, left, alightings: new Bag(), next: new Bag(), ways };
    for (const boarding of boardings.list()) {
      if (search.scope.task.isSpent()) throw new PlanTimeout();
      const view = openLane(createLaneView(), search.scope.tables, search.scope.task, boarding.lane);
      ride(round, view, boarding, boarding.stage, boarding.position);
    }
    for (const alighting of round.alightings.list()) leave(round, alighting);
    boardings = round.next;
  }
  return ways;
}

/** The first rides, in the minute of departure. */
function enter(search: EqualSearch): Bag<Boarding> {
  const { scope, times } = search;
  const { query, places, entries } = scope;
  const boardings = new Bag<Boarding>();
  for (const { stage, place, seconds } of entries) {
    const stop = places.stopOf(place);
    const stretches = Array.from({ length: stage }, (_, first) => toStretch(query, first));
    const meters = metersTo(placeOf(query, stage), stop);
    const walks = [...stretches, toGate(query, { stop, place: stage, meters, isArriving: false })];
    const approach = { kind: 'access', after: null, walks } as const;
    const walked = walks.reduce((sum, walk) => sum + walk.meters, 0);
    forEachBoarding(
      search,
      stage,
      place,
      times.from + seconds,
      times.to + seconds,
      search.transfers + 1,
      (at, time) => {
        add(boardings, { ...at, chance: 1, meters: walked, departure: time - seconds, stage, approach });
      },
    );
  }
  return boardings;
}

function add(boardings: Bag<Boarding>, boarding: Boarding): void {
  boardings.add(keyOf(boarding), boarding);
}

function keyOf({ stage, lane, index, position }: Pick<Boarding, 'stage' | 'lane' | 'index' | 'position'>): string {
  return `${stage} ${lane} ${index} ${position}`;
}

type At = Pick<Boarding, 'lane' | 'index' | 'position'>;

/** The dated trips that depart from a place in `[from, to)` and still reach the destination in time. */
function forEachBoarding(
  { scope, timetable, times, latestTimes }: EqualSearch,
  stage: number,
  place: number,
  from: number,
  to: number,
  rides: number,
  take: (at: At, time: number) => void,
): void {
  const { tables, places, task } = scope;
  if (task.isBlocked?.[place] === 1) return;
  const last = latestTimes ? latestTimes.boarding(stage, rides, place) : times.latest;
  const { base } = task.lanes;
  const window = { from: from - base, to: Math.min(to, last + 1) - base };
  if (window.from >= window.to) return;
  const view = createLaneView();
  forEachDeparture(tables, places, task, place, window, (time, lane, position, index) => {
    openLane(view, tables, task, lane);
    if (!isTripBarred({ task, timetable }, getTrip(view, task.live, index)))
      take({ lane, index, position }, time + base);
  });
}

// ---- On board ----------------------------------------------------------------------------------

/** Rides on from a call, with so many vias passed before it. */
function ride(round: Round, view: LaneView, boarding: Boarding, stage: number, from: number): void {
  const { search } = round;
  const { task } = search.scope;
  const isVia = task.vias[stage]?.isStop;
  let isPassed = false;
  for (let position = from; position < view.callCount; position++) {
    const call = view.firstCall + position;
    // Nobody alights where the ride begins.
    const place = position === boarding.position ? -1 : view.leaveAt[call]!;
    if (place >= 0 && task.isBlocked?.[place] !== 1) {
      const time = getLeaveTime(view, boarding.index, position) + task.lanes.base;
      if (time > search.times.latest) return;
      alight(round, { ...labelOf(boarding), boarding, stage, position, place, time });
    }
    const stop = view.callStop[call]!;
    const isServed = stop >= 0 && (!view.hasOwnCalls || task.live!.isServed[call] === 1);
    if (isPassed || isVia === undefined || !isServed || isVia[stop] !== 1) continue;
    isPassed = true;
    ride(round, view, boarding, stage + 1, position);
  }
  stay(round, view, boarding, stage);
}

function labelOf({ chance, meters, departure }: Label): Label {
  return { chance, meters, departure };
}

function alight({ search, left, alightings }: Round, alighting: Alighting): void {
  const { stage, place, time, position, boarding } = alighting;
  const { egress } = search.scope.task;
  const last = search.latestTimes
    ? search.latestTimes.alighting(stage, left, place)
    : search.times.latest - (egress[place]! < 0 ? Number.POSITIVE_INFINITY : egress[place]!);
  if (time <= last) alightings.add(keyOf({ ...boarding, stage, position }), alighting);
}

/** The vehicle continues as other trips, with its passengers on board. */
function stay(round: Round, view: LaneView, boarding: Boarding, stage: number): void {
  const { timetable, scope, times } = round.search;
  const { task, tables } = scope;
  if (tables.continuations.fromTrip.length === 0) return;
  const { end } = getEnds(view);
  const time = getLeaveTime(view, boarding.index, end) + task.lanes.base;
  if (time > times.latest) return;
  const after: Alighting = { ...labelOf(boarding), boarding, stage, position: end, place: -1, time };
  const next = createLaneView();
  const continued: { readonly lane: number; readonly index: number }[] = [];
  forEachContinuation(timetable, task, view, boarding.index, next, (trip, index) => {
    const { product } = tables.routes;
    if (isTripBarred({ task, timetable }, trip)) return;
    if (!isOfProduct(task, product[tables.patterns.route[tables.trips.pattern[trip]!]!]!)) return;
    continued.push({ lane: next.lane, index });
  });
  for (const at of continued) {
    const approach = { kind: 'staying', after } as const;
    const nextBoarding = { ...labelOf(boarding), stage, ...at, position: 0, approach };
    ride(round, openLane(createLaneView(), tables, task, at.lane), nextBoarding, stage, 0);
  }
}

// ---- Between rides -----------------------------------------------------------------------------

/** Changes to other vehicles, or walks to the destination; past a via where one is ahead. */
function leave(round: Round, after: Alighting): void {
  const { scope } = round.search;
  const { task, places, query } = scope;
  const stop = places.stopOf(after.place);
  const isLast = after.stage === task.vias.length;
  const seconds = isLast ? task.egress[after.place]! : task.vias[after.stage]!.there[after.place]!;
  if (round.left > 0) change(round, after);
  if (seconds < 0) return;
  const meters = metersTo(placeOf(query, after.stage + 1), stop);
  const walk = toGate(query, { stop, place: after.stage + 1, meters, isArriving: true });
  if (isLast) arrive(round, after, [walk]);
  else {
    const isAlighted = task.vias[after.stage]!.isMember[after.place] === 1;
    walkOn(round, { after, stage: after.stage, walks: [walk], isAlighted, isFromVia: false });
  }
}

function arrive({ search, left, ways }: Round, last: Alighting, walks: readonly Untimed[]): void {
  const arrival = last.time + sumSeconds(walks);
  if (left > 0 || arrival > search.times.latest) return;
  const { chance, departure } = last;
  const meters = last.meters + walks.reduce((sum, walk) => sum + walk.meters, 0);
  ways.push({ chance, meters, departure: departure as Instant, arrival: arrival as Instant, last, walks });
}

function sumSeconds(walks: readonly Untimed[]): number {
  return walks.reduce((sum, { seconds }) => sum + seconds, 0);
}

function change(round: Round, after: Alighting): void {
  const { scope } = round.search;
  const { changes, changeStarts } = scope.tables;
  for (let row = changeStarts.change[after.place]!; row < changeStarts.change[after.place + 1]!; row++) {
    const seconds = scope.task.changeSeconds[row]!;
    if (seconds === NO_CHANGE) continue;
    const walk = toChange(scope, row);
    const approach = { kind: 'change', after, walks: [walk] } as const;
    const isCertain = changes.kind[row] === TIMED;
    board(round, { after, stage: after.stage, place: changes.to[row]!, seconds, approach, isCertain });
  }
}

/** Somebody who walks from a ride past a via. */
interface Walker {
  readonly after: Alighting;
  /** Of the via. */
  readonly stage: number;
  /** From the ride to the via. */
  readonly walks: readonly Untimed[];
  /** Alighted at a stop of the via; walked there from the previous via. */
  readonly isAlighted: boolean;
  readonly isFromVia: boolean;
}

/** To the stops around a via, and to the next place; by the rules of passages.ts. */
function walkOn(round: Round, walker: Walker): void {
  const { after, stage, walks, isAlighted, isFromVia } = walker;
  const { query, places, task } = round.search.scope;
  const { vias } = task;
  const { onward, nextSeconds } = vias[stage]!;
  for (const { place, isMember } of round.left > 0 ? onward : []) {
    const isShared = isMember && vias[stage - 1]?.isMember[place] === 1;
    if ((isMember && isAlighted) || (isShared && isFromVia)) continue;
    const stop = places.stopOf(place);
    const meters = metersTo(placeOf(query, stage + 1), stop);
    const all = [...walks, toGate(query, { stop, place: stage + 1, meters, isArriving: false })];
    const approach = { kind: 'onFoot', after, walks: all } as const;
    board(round, { after, stage: stage + 1, place, seconds: sumSeconds(all), approach, isCertain: false });
  }
  if (nextSeconds === null || (isAlighted && vias[stage + 1]?.isMember[after.place] === 1)) return;
  const further = [...walks, toStretch(query, stage + 1)];
  if (stage + 1 === vias.length) arrive(round, after, further);
  else walkOn(round, { after, stage: stage + 1, walks: further, isAlighted: false, isFromVia: true });
}

interface NextRide {
  readonly after: Alighting;
  readonly stage: number;
  readonly place: number;
  /** From arrival to departure, at least. */
  readonly seconds: number;
  readonly approach: Approach & { readonly walks: readonly Untimed[] };
  readonly isCertain: boolean;
}

/** Boards whatever still reaches the destination in time. */
function board({ search, left, next }: Round, { after, stage, place, seconds, approach, isCertain }: NextRide): void {
  const from = after.time + seconds;
  const meters = after.meters + approach.walks.reduce((sum, walk) => sum + walk.meters, 0);
  forEachBoarding(search, stage, place, from, search.times.latest + 1, left, (at, time) => {
    const label = { chance: after.chance, meters, departure: after.departure };
    // An estimate only lowers the chance.
    if (next.hasBetter(keyOf({ stage, ...at }), label)) return;
    const chance = isCertain ? 1 : estimateChange(search, after, { ...at, time }, seconds);
    add(next, { ...at, ...label, chance: label.chance * chance, stage, approach });
  });
}

// ---- Chances -----------------------------------------------------------------------------------

/** Of a transfer of which nothing is known: the same for all, and no better than one that is rated `ok`. */
const UNKNOWN_CHANCE = 0.9;

function estimateChange(search: EqualSearch, after: Alighting, at: At & { readonly time: number }, seconds: number) {
  const alighting = toEvent(search, { ...after.boarding, position: after.position }, after.time);
  return search.estimate(alighting, toEvent(search, at, at.time), seconds) ?? UNKNOWN_CHANCE;
}

function toEvent({ scope }: EqualSearch, at: At, expected: number): RideEvent {
  const { trip, addedTrip, day } = toDatedRide(scope, at, at.position, false);
  return { trip, addedTrip, day, position: at.position, expected };
}

function toDatedRide(scope: ProfileScope, { lane, index, position }: At, left: number, isStaying: boolean): Ride {
  const { origin } = openLane(createLaneView(), scope.tables, scope.task, lane);
  return toRide(scope, { lane, entry: origin + index, entered: position, left }, isStaying);
}

// ---- Parts -------------------------------------------------------------------------------------

/** In travel order, walks without times. */
export function toParts({ scope }: EqualSearch, { last, walks }: EqualWay): (Ride | Untimed)[] {
  return [...listParts(scope, last), ...walks];
}

function listParts(scope: ProfileScope, { boarding, position }: Alighting): (Ride | Untimed)[] {
  const { approach } = boarding;
  const before = approach.after === null ? [] : listParts(scope, approach.after);
  const walks = approach.kind === 'staying' ? [] : approach.walks;
  return [...before, ...walks, toDatedRide(scope, boarding, position, approach.kind === 'staying')];
}
