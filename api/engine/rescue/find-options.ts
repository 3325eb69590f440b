import { walkSeconds } from '../../../pipeline/model/walking.ts';
import { forEachContinuation } from '../planner/continuations.ts';
import type { WalkableStop } from '../planner/itinerary.ts';
import { Bag } from '../planner/label-bag.ts';
import {
  createRouteView,
  getEnds,
  getEnterTime,
  getLeaveTime,
  openRoute,
  type RouteView,
} from '../planner/route-view.ts';
import { CHECK_EVERY_SCANS, PlanTimeout } from '../planner/search.ts';
import { findEgressEnd } from '../planner/timed-gates.ts';
import { NO_TRANSFER, TIMED } from '../planner/transfer-seconds.ts';
import type { ReportedEvent } from '../predictions/recent-delays.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import { findNeededSeconds } from '../predictions/transfer-estimates.ts';
import { usualWalker } from '../trips/present-legs.ts';
import { findLeaveTime, forEachBoarding, type RideNetwork } from './boardings.ts';
import { both, type Chance, certain, type Priors, toChance } from './chances.ts';
import { arriveOnFoot, isCaughtForCertain } from './on-foot.ts';
import { isReadyAsGood, isRideAsGood, type ReadyLabel, type RideRank } from './ride-ranks.ts';
import { type Criteria, toDecisionStep, type Undominated, weighAtLeast } from './undominated.ts';

/** A ride on a dated trip, from where it is boarded to wherever it is left. */
export interface OptionRide extends RideRank {
  readonly route: number;
  /** That all transfers so far are made. */
  readonly chance: Chance;
  /** When the option had to be chosen; `UNDECIDED` while the traveller has not left the vehicle of the start. */
  readonly decideBy: number;
  readonly entry: RideEntry;
  /** Lower bound of the arrival at the destination. */
  readonly earliestEnd: number;
}

/** How a ride is entered: at the start, by a way from the start, by a transfer, or by staying on board. */
type RideEntry =
  | { readonly kind: 'start' }
  | { readonly kind: 'gate'; readonly gate: StartGate }
  | { readonly kind: 'transfer'; readonly transfer: number; readonly after: Alighting }
  | { readonly kind: 'staying'; readonly after: Alighting };

/** Where a ride is left. */
export interface Alighting {
  readonly ride: OptionRide;
  readonly position: number;
  readonly place: number;
  readonly time: number;
}

/** A transfer place that the traveller reaches on foot from where he is. */
export interface StartGate {
  readonly place: number;
  /** From then on a vehicle can be boarded there. */
  readonly ready: number;
  /** How long before a departure the traveller has to set out, and how far he walks. */
  readonly walkSeconds: number;
  readonly meters: number;
  /** The on-demand ride to it; absent if on foot. */
  readonly ride?: WalkableStop;
}

/** Where the traveller is. Times from the base of the routes. */
export interface Start {
  readonly now: number;
  /** The vehicle that the traveller is on: `position` is the last call it has left. */
  readonly aboard: { readonly route: number; readonly index: number; readonly position: number } | null;
  /** Otherwise: where a vehicle can be boarded, and how long the direct walk takes; null where it is too far. */
  readonly gates: readonly StartGate[];
  readonly walkSeconds: number | null;
}

/** A way to the destination. */
export interface FoundOption extends Criteria {
  /** Where the last ride is left; null for a walk all the way. */
  readonly last: Alighting | null;
}

const UNDECIDED = Number.POSITIVE_INFINITY;

interface OptionSearch {
  readonly network: RideNetwork;
  readonly start: Start;
  readonly findChance: FindTransferChance;
  readonly priors: Priors;
  /** An event of a dated trip, as estimates take it. */
  readonly getExpectedEvent: FindReportedEvent;
  readonly found: Undominated<FoundOption>;
  /** By route: rides that no other ride in it dominates. */
  readonly rides: Bag<number, OptionRide, RideRank>;
  /** By transfer place: since when a vehicle can be boarded there, as far as no other way there dominates. */
  readonly ready: Bag<number, ReadyLabel>;
  /** Rides to be followed, by the least weight that an option with them may have, in minutes from now. */
  readonly queue: OptionRide[][];
  /** Of the queue: the rides of earlier ones have been followed. */
  minute: number;
  readonly isSpent: () => boolean;
  /** For the vehicles that are boarded; each is opened, read and left before the next. */
  readonly boardView: RouteView;
  scansUntilCheck: number;
}

/** What is known of the vehicles of a search. */
interface Estimates {
  readonly findChance: FindTransferChance;
  readonly priors: Priors;
  readonly getExpectedEvent: FindReportedEvent;
}

export type FindReportedEvent = (
  view: RouteView,
  index: number,
  position: number,
  event: 'arrival' | 'departure',
) => ReportedEvent;

/**
 * Finds all ways from a start to the destination that no other dominates in arrival, chance and time to decide, within
 * the limit and the number of rides of the network. Trips, not stops, carry the labels: what follows on board does not
 * depend on where the traveller came from, so rides on one dated trip are compared by boarding position, chance and time
 * to decide. The result is exact if an earlier arrival makes a transfer no less often. The most promising rides are
 * followed first, as their options prune the others.
 * @see Witt, "Trip-Based Public Transit Routing", 2015
 * @param found takes the options as they are found
 * @throws PlanTimeout
 */
export function findOptions(
  network: RideNetwork,
  start: Start,
  estimates: Estimates,
  found: Undominated<FoundOption>,
  isSpent: () => boolean,
): void {
  const search: OptionSearch = {
    network,
    start,
    ...estimates,
    found,
    rides: new Bag(isRideAsGood),
    ready: new Bag(isReadyAsGood),
    queue: [],
    minute: 0,
    isSpent,
    boardView: createRouteView(),
    // The first scan checks, since with kept bounds nothing before it does.
    scansUntilCheck: 0,
  };
  enterStart(search);
  const view = createRouteView();
  // Following a ride may add others to the present minute and to later ones.
  for (; search.minute < search.queue.length; search.minute++) {
    const rides = search.queue[search.minute] ?? [];
    for (let i = 0; i < rides.length; i++) follow(search, view, rides[i]!);
  }
}

function enterStart(search: OptionSearch): void {
  const { start } = search;
  const { aboard, gates, now } = start;
  if (aboard) {
    const { route, index, position } = aboard;
    const view = openRoute(createRouteView(), search.network.timetable.tables, search.network.task, route);
    const label = { chance: certain, decideBy: UNDECIDED, rideCount: 0 };
    // It dominates no other: how late it can be left depends on where.
    search.queue.push([toRide(search, view, { index, from: position, earliestEnd: now }, label, { kind: 'start' })]);
    return;
  }
  if (start.walkSeconds !== null) {
    search.found.add({ arrival: now + start.walkSeconds, chance: certain, decideBy: now, last: null });
  }
  for (const gate of gates) enterGate(search, gate);
}

/** Boards every vehicle that departs there: one that departs later leaves more time to decide. */
function enterGate(search: OptionSearch, gate: StartGate): void {
  const { network, getExpectedEvent, start, boardView: view } = search;
  const { base } = network.task.raptorRoutes;
  const ready = arriveOnFoot(gate.ready + base);
  forEachBoarding(network, view, gate.place, gate.ready, network.maxRides, (index, from, departs, earliestEnd) => {
    const departure = getExpectedEvent(view, index, from, 'departure');
    const isCertain = isCaughtForCertain(ready.expected, start.now + base, departure);
    const chance = isCertain ? certain : judgeTransfer(search, ready, departure, 0);
    const decideBy = Math.max(start.now, departs - gate.walkSeconds);
    const label = { chance, decideBy, rideCount: 1 };
    addRide(search, { index, from, earliestEnd }, label, { kind: 'gate', gate });
    return true;
  });
}

/** The chance to catch the vehicle in `boardView`. */
function judgeTransfer(
  search: OptionSearch,
  arrival: ReportedEvent,
  departure: ReportedEvent,
  seconds: number,
): Chance {
  const { findChance, priors, boardView, network } = search;
  const product = getProduct(network, boardView);
  const spare = departure.expected - arrival.expected - seconds;
  const found = findChance(arrival, departure, seconds);
  if (found?.estimate) priors.note(product, spare, found.estimate.probability);
  return toChance(found, () => priors.expect(product, spare));
}

/** @returns -1 for a trip that realtime has added */
function getProduct({ timetable: { tables } }: RideNetwork, { pattern, isExtraPattern }: RouteView): number {
  return isExtraPattern ? -1 : tables.routes.product[tables.patterns.route[pattern]!]!;
}

// ---- Rides -------------------------------------------------------------------------------------

type RideStart = Pick<OptionRide, 'index' | 'from' | 'earliestEnd'>;
type RideLabel = Pick<OptionRide, 'chance' | 'decideBy' | 'rideCount'>;

function toRide(
  { network }: OptionSearch,
  view: RouteView,
  at: RideStart,
  label: RideLabel,
  entry: RideEntry,
): OptionRide {
  return {
    route: view.route,
    ...at,
    ...label,
    entry,
    grade: label.chance.grade,
    isKnown: label.chance.isKnown,
    decisionStep: toDecisionStep(label.decideBy),
    mayContinue: mayContinue(network, view),
  };
}

/** Adds a ride on the vehicle in `boardView`. */
function addRide(search: OptionSearch, at: RideStart, label: RideLabel, entry: RideEntry): void {
  if (search.found.isBeaten(at.earliestEnd, label.chance, label.decideBy)) return;
  enqueue(search, toRide(search, search.boardView, at, label, entry));
}

/** Puts a ride on the queue, unless another one dominates it. */
function enqueue(search: OptionSearch, ride: OptionRide): void {
  const { queue, rides, start } = search;
  if (!rides.add(ride.route, ride)) return;
  const weight = weighAtLeast(ride.earliestEnd, ride.grade);
  // A following label may have a lower bound than its predecessor, whose bound is then the better one.
  const minute = Math.max(search.minute, Math.floor((weight - start.now) / 60));
  queue[minute] ??= [];
  queue[minute]!.push(ride);
}

/** Leaves the vehicle at each later call: to the destination, or to another vehicle. */
function follow(search: OptionSearch, view: RouteView, ride: OptionRide): void {
  const { network, rides, start } = search;
  // Another ride in this route, or an option, may have been found since.
  if (ride.entry.kind !== 'start' && !rides.has(ride.route, ride)) return;
  if (search.found.isBeaten(ride.earliestEnd, ride, ride.decideBy)) return;
  checkTime(search);
  const { task, limit, maxRides, latest } = network;
  openRoute(view, network.timetable.tables, task, ride.route);
  const { leftSeconds, leftRides } = task.bounds;
  const isStart = ride.entry.kind === 'start';
  for (let position = ride.from + 1; position < view.callCount; position++) {
    const place = view.leaveAt[view.firstCall + position]!;
    if (place < 0 || task.isBlocked?.[place] === 1) continue;
    const time = isStart
      ? findLeaveTime(view, ride.index, position, start.now)
      : getLeaveTime(view, ride.index, position);
    if (time < start.now) continue;
    const decideBy = ride.decideBy === UNDECIDED ? time : ride.decideBy;
    // Where no vehicle was boarded yet, the search back has not been.
    const bound = ride.rideCount === 0 ? 0 : latest.boundAlighting(place, time, maxRides - ride.rideCount);
    const end = Math.max(time + leftSeconds[place]!, bound);
    if (end > limit || leftRides[place]! + ride.rideCount > maxRides) continue;
    if (search.found.isBeaten(end, ride, decideBy)) continue;
    const alighting: Alighting = { ride, position, place, time };
    reachEnd(search, alighting, decideBy);
    if (ride.rideCount < maxRides) followTransfers(search, view, alighting, decideBy);
  }
  stayOnBoard(search, view, ride);
}

/** @throws PlanTimeout when the query has used up its time */
function checkTime(search: OptionSearch): void {
  if (--search.scansUntilCheck >= 0) return;
  search.scansUntilCheck = CHECK_EVERY_SCANS;
  if (search.isSpent()) throw new PlanTimeout();
}

function reachEnd({ network, found }: OptionSearch, last: Alighting, decideBy: number): void {
  const { egress, timedEgress } = network.task;
  const seconds = egress[last.place]!;
  if (seconds < 0) return;
  const arrival = findEgressEnd(timedEgress, last.place, last.time, seconds);
  if (arrival <= network.limit) found.add({ arrival, chance: last.ride.chance, decideBy, last });
}

/** Transfers to every vehicle that may be reached: a later one is useful only if it is more likely to be reached. */
function followTransfers(search: OptionSearch, view: RouteView, after: Alighting, decideBy: number): void {
  const { network, found, getExpectedEvent, boardView } = search;
  const { task, limit, latest, timetable } = network;
  const { transfers, transferStarts } = timetable.tables;
  const { chance: before, rideCount } = after.ride;
  const ridesLeft = network.maxRides - rideCount;
  const arrival = foreseeAlighting(search, view, after);
  const decisionStep = toDecisionStep(decideBy);
  for (let row = transferStarts.transfer[after.place]!; row < transferStarts.transfer[after.place + 1]!; row++) {
    const seconds = task.transferSeconds[row]!;
    const to = transfers.to[row]!;
    if (seconds === NO_TRANSFER || task.isBlocked?.[to] === 1) continue;
    const ready = after.time + seconds;
    // It decides whether a vehicle is caught; the published minimum decides which vehicles are tried.
    const needed = findNeededSeconds(walkSeconds(transfers.meters[row]!, usualWalker.walkSpeedKmh), seconds);
    const end = Math.max(ready + task.bounds.readySeconds[to]!, latest.boundBoarding(to, ready, ridesLeft));
    if (end > limit || found.isBeaten(end, before, decideBy)) continue;
    const isGuaranteed = transfers.kind[row] === TIMED;
    const { grade, isKnown } = before;
    const label = { time: ready, walked: after.time + needed, grade, isKnown, decisionStep, rideCount };
    // A guaranteed transfer beats an earlier one that is not.
    if (!isGuaranteed && !search.ready.add(to, label)) continue;
    const best = { ...label, index: 0, from: 0, rideCount: rideCount + 1, mayContinue: false };
    forEachBoarding(network, boardView, to, ready, ridesLeft, (index, from, _, earliestEnd) => {
      // An estimate only lowers the chance: what is beaten with certainty, and all later ones of the route, need none.
      if (found.isBeaten(earliestEnd, before, decideBy)) return false;
      [best.index, best.from] = [index, from];
      if (search.rides.dominates(boardView.route, best)) return mayContinue(network, boardView);
      if (boardView.route === after.ride.route && index === after.ride.index) return true;
      const departure = getExpectedEvent(boardView, index, from, 'departure');
      const made = isGuaranteed ? certain : judgeTransfer(search, arrival, departure, needed);
      const chance = both(before, made);
      const entry = { kind: 'transfer', transfer: row, after } as const;
      addRide(search, { index, from, earliestEnd }, { chance, decideBy, rideCount: rideCount + 1 }, entry);
      // A later vehicle may have a probability that is shown.
      return made.grade < 1 || !made.isKnown;
    });
  }
}

/** A traveller on a vehicle that is at the stop already alights now, for certain. */
function foreseeAlighting(
  { getExpectedEvent, network }: OptionSearch,
  view: RouteView,
  { ride, position, time }: Alighting,
): ReportedEvent {
  const arrival = getExpectedEvent(view, ride.index, position, 'arrival');
  const alights = time + network.task.raptorRoutes.base;
  return alights > arrival.expected ? arriveOnFoot(alights) : arrival;
}

/** The vehicle continues as another trip, with its passengers on board. */
function stayOnBoard(search: OptionSearch, view: RouteView, ride: OptionRide): void {
  if (!ride.mayContinue) return;
  const { timetable, task, limit } = search.network;
  const { end } = getEnds(view);
  const after = { ride, position: end, place: -1, time: getLeaveTime(view, ride.index, end) };
  const next = createRouteView();
  forEachContinuation(timetable, task, view, ride.index, next, (_trip, index) => {
    const left = next.isExtraPattern ? 0 : task.bounds.callSeconds[next.firstCall]!;
    const earliestEnd = Math.max(getEnterTime(next, index, 0) + left, ride.earliestEnd);
    if (earliestEnd > limit) return;
    const { chance, decideBy, rideCount } = ride;
    const entry = { kind: 'staying', after } as const;
    enqueue(search, toRide(search, next, { index, from: 0, earliestEnd }, { chance, decideBy, rideCount }, entry));
  });
}

/** Whether trips of a route continue as others. A pattern of realtime may have been one whose trips do. */
function mayContinue({ timetable, task }: RideNetwork, { isExtraPattern, pattern }: RouteView): boolean {
  if (timetable.tables.continuations.fromTrip.length === 0) return false;
  return isExtraPattern || task.direction.hasContinuation[pattern] === 1;
}
