import { forEachContinuation } from '../planner/continuations.ts';
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
import { board, listTransfers, listVehicles } from './board-vehicles.ts';
import { findLeaveTime, forEachBoarding, type RideNetwork } from './boardings.ts';
import { certain } from './chances.ts';
import { createMinuteQueue } from './minute-queue.ts';
import { arriveOnFoot, isCaughtForCertain } from './on-foot.ts';
import {
  type Alighting,
  type Estimates,
  type FoundOption,
  judgeTransfer,
  type OptionRide,
  type OptionSearch,
  type Start,
  type StartGate,
  type Step,
  UNDECIDED,
} from './option-search.ts';
import { addRide, enqueue, enqueueStep, takeStep, toRide } from './option-steps.ts';
import { isReadyAsGood, isRideAsGood } from './ride-ranks.ts';
import type { Undominated } from './undominated.ts';

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
    queue: createMinuteQueue(),
    later: [],
    isSpent,
    boardView: createRouteView(),
    // The first scan checks, since with kept bounds nothing before it does.
    scansUntilCheck: 0,
  };
  enterStart(search);
  const view = createRouteView();
  let minute = -1;
  for (let step = takeStep(search); step; step = takeStep(search)) {
    if (search.queue.minute() > minute) {
      minute = search.queue.minute();
      found.settle(start.now + minute * 60);
    }
    follow(search, view, step);
  }
}

function follow(search: OptionSearch, view: RouteView, step: Step): void {
  checkTime(search);
  if (step.kind === 'ride') followRide(search, view, step);
  else if (step.kind === 'boarding') board(search, step);
  else if (step.kind === 'exit') listTransfers(search, view, step);
  else listVehicles(search, step);
}

function enterStart(search: OptionSearch): void {
  const { start } = search;
  const { aboard, gates, now } = start;
  if (aboard) {
    const { route, index, position } = aboard;
    const view = openRoute(createRouteView(), search.network.timetable.tables, search.network.task, route);
    const label = { chance: certain, decideBy: UNDECIDED, rideCount: 0 };
    // It dominates no other: how late it can be left depends on where.
    const ride = toRide(search, view, { index, from: position, earliestEnd: now, leastEnd: now }, label, {
      kind: 'start',
    });
    search.queue.push(0, 0, ride);
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
  forEachBoarding(
    network,
    view,
    gate.place,
    gate.ready,
    network.maxRides,
    ({ position: from, leftSeconds }, index, departs, earliestEnd) => {
      const departure = getExpectedEvent(view, index, from, 'departure');
      const isCertain = isCaughtForCertain(ready.expected, start.now + base, departure);
      const chance = isCertain ? certain : judgeTransfer(search, ready, departure, 0);
      const decideBy = Math.max(start.now, departs - gate.walkSeconds);
      const label = { chance, decideBy, rideCount: 1 };
      const leastEnd = departs + leftSeconds;
      addRide(search, { index, from, earliestEnd, leastEnd }, label, { kind: 'gate', gate });
      return true;
    },
  );
}

/** Leaves the vehicle at each later call: to the destination, or to another vehicle. */
function followRide(search: OptionSearch, view: RouteView, ride: OptionRide): void {
  const { network, rides, start } = search;
  // Another ride in this route, or an option, may have been found since.
  if (ride.entry.kind !== 'start' && !rides.has(ride.route, ride)) return;
  if (search.found.isBeaten(ride.earliestEnd, ride, ride.decideBy)) return;
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
    const leastEnd = time + leftSeconds[place]!;
    const end = Math.max(leastEnd, bound);
    if (end > limit || leftRides[place]! + ride.rideCount > maxRides) continue;
    if (search.found.isBeaten(end, ride, decideBy)) continue;
    const alighting: Alighting = { ride, position, place, time };
    reachEnd(search, alighting, decideBy);
    if (ride.rideCount < maxRides) {
      enqueueStep(search, { kind: 'exit', after: alighting, decideBy, earliestEnd: end, leastEnd });
    }
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

/** The vehicle continues as another trip, with its passengers on board. */
function stayOnBoard(search: OptionSearch, view: RouteView, ride: OptionRide): void {
  if (!ride.mayContinue) return;
  const { timetable, task, limit } = search.network;
  const { end } = getEnds(view);
  const after = { ride, position: end, place: -1, time: getLeaveTime(view, ride.index, end) };
  const next = createRouteView();
  forEachContinuation(timetable, task, view, ride.index, next, (_trip, index) => {
    const left = next.isExtraPattern ? 0 : task.bounds.callSeconds[next.firstCall]!;
    const leastEnd = getEnterTime(next, index, 0) + left;
    const earliestEnd = Math.max(leastEnd, ride.earliestEnd);
    if (earliestEnd > limit) return;
    const { chance, decideBy, rideCount } = ride;
    const entry = { kind: 'staying', after } as const;
    enqueue(
      search,
      toRide(search, next, { index, from: 0, earliestEnd, leastEnd }, { chance, decideBy, rideCount }, entry),
    );
  });
}
