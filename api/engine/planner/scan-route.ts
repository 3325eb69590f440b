import { forEachContinuation } from './continuations.ts';
import { rowOf, setEnd, setReach } from './labels.ts';
import { markRidden } from './ridden-trips.ts';
import {
  createRouteView,
  findEarliestTrip,
  getEnds,
  getEnterTime,
  getLeaveTime,
  getScheduledBegin,
  getTrip,
  openRoute,
  type RouteView,
} from './route-view.ts';
import {
  barsTrips,
  CHECK_EVERY_SCANS,
  isBlockedAt,
  isTripBarred,
  isTripWanted,
  PlanTimeout,
  type RouteScan,
  type Search,
} from './search.ts';
import { findEgressEnd } from './timed-gates.ts';

const NO_TIMES = new Int32Array(0);

/**
 * Scans a route from one of its calls on: boards the earliest trip, switches to an earlier one when possible, and
 * updates the labels that it improves. The inner loop of "traverse each route" in RAPTOR's Algorithm 1.
 */
export function scanRoute(search: Search, layer: number, round: number, route: number, from: number): void {
  const scan = openScan(search, layer, round, route, 0);
  const { view, row, bound } = scan;
  const { sign, firstCall, callCount, enterAt, leaveAt, count } = view;
  const { reach, ready } = search.labels;
  const rowBefore = row - search.labels.placeCount;
  const isVia = getViaStops(search, layer);
  const end = sign > 0 ? callCount : -1;
  // Local copies of the current trip's fields, which every call of every route reads.
  let { current, leaveTimes, leaveRow, begin } = scan;
  for (let position = from; position !== end; position += sign) {
    const call = firstCall + position;
    const leaves = current < count ? leaveAt[call]! : -1;
    if (leaves >= 0) {
      const time = sign * (leaveTimes[leaveRow + position]! + begin);
      // This trip cannot improve anything from here on; a trip boarded further along may.
      if (time >= bound) current = leaveVehicle(scan);
      else if (time < reach[row + leaves]!) alight(search, scan, leaves, time, position);
    }
    const enters = current > 0 ? enterAt[call]! : -1;
    if (enters >= 0) {
      const readyAt = ready[rowBefore + enters]!;
      // In most cases a look at the previous trip makes the binary search unnecessary.
      const mayBoard = readyAt < bound && (current === count || getEnterTime(view, current - 1, position) >= readyAt);
      if (mayBoard && board(search, scan, position, readyAt)) ({ current, leaveTimes, leaveRow, begin } = scan);
    }
    if (isVia !== null && current < count && scan.passedAt < 0) passVia(search, scan, isVia, position);
  }
  if (current < count && mayContinue(search, view)) followAll(search, scan);
}

/**
 * Rides one dated trip with the traveller on board from one of its calls on, and updates the labels that it improves.
 * @param boarded index of the trip in the route, @param segment of the ride
 * @param depth number of continuations before it in this ride
 */
export function rideAboard(
  search: Search,
  layer: number,
  round: number,
  route: number,
  from: number,
  boarded: number,
  segment: number,
  depth: number,
): void {
  const scan = openScan(search, layer, round, route, depth);
  scan.segment = segment;
  rideTrip(scan, boarded);
  const { view, row, bound } = scan;
  const { sign, firstCall, callCount, leaveAt } = view;
  const { reach } = search.labels;
  const isVia = getViaStops(search, layer);
  const boardedAt = search.segments.enterPosition(segment);
  const end = sign > 0 ? callCount : -1;
  for (let position = from; position !== end; position += sign) {
    // The traveller does not alight where the ride begins, even if the via is passed there.
    const place = position === boardedAt ? -1 : leaveAt[firstCall + position]!;
    if (place >= 0) {
      const time = sign * (scan.leaveTimes[scan.leaveRow + position]! + scan.begin);
      if (time >= bound) return;
      if (time < reach[row + place]!) alight(search, scan, place, time, position);
    }
    if (isVia !== null && scan.passedAt < 0) passVia(search, scan, isVia, position);
  }
  if (mayContinue(search, view)) follow(search, layer, round, view, boarded, segment, depth);
}

/** @throws PlanTimeout when the query exceeds its time limit */
function openScan(search: Search, layer: number, round: number, route: number, depth: number): RouteScan {
  search.work.routes++;
  if (--search.scansUntilCheck < 0) {
    search.scansUntilCheck = CHECK_EVERY_SCANS;
    if (search.task.isSpent()) throw new PlanTimeout();
  }
  const scan = scanAt(search, depth);
  openRoute(scan.view, search.timetable.tables, search.task, route);
  scan.layer = layer;
  scan.round = round;
  scan.row = rowOf(search.labels, layer, round);
  scan.bound = search.labels.limits[round]!;
  scan.current = scan.view.count;
  scan.segment = -1;
  scan.enterPosition = -1;
  scan.passedAt = -1;
  return scan;
}

function scanAt({ scans }: Search, depth: number): RouteScan {
  const known = scans[depth];
  if (known !== undefined) return known;
  const scan: RouteScan = {
    view: createRouteView(),
    layer: 0,
    round: 0,
    row: 0,
    bound: 0,
    current: 0,
    leaveTimes: NO_TIMES,
    leaveRow: 0,
    begin: 0,
    segment: -1,
    enterPosition: -1,
    passedAt: -1,
  };
  scans[depth] = scan;
  return scan;
}

/** Returns, by stop, 1 at the via of a layer; `null` in the last layer. */
function getViaStops({ task, labels }: Search, layer: number): Uint8Array | null {
  return layer === labels.layerCount - 1 ? null : task.vias[layer]!.isStop;
}

// ---- At a call ---------------------------------------------------------------------------------

/** Boards the earliest trip, et(r, p) of the paper. @returns false if no trip is useful */
function board(search: Search, scan: RouteScan, position: number, readyAt: number): boolean {
  const { view, current } = scan;
  let earliest = findEarliestTrip(view, position, readyAt, current);
  if (barsTrips(search.task)) {
    while (earliest < current && isTripBarred(search, getTrip(view, search.task.live, earliest))) earliest++;
  }
  if (earliest === current) return false;
  const enters = getEnterTime(view, earliest, position);
  if (enters >= scan.bound || isTooLate(search, scan, position, enters)) return false;
  scan.segment = -1;
  scan.enterPosition = position;
  scan.passedAt = -1;
  rideTrip(scan, earliest);
  return true;
}

/** Whether a trip entered at a signed time cannot improve the end, even by the lower bounds. */
function isTooLate({ task, labels }: Search, { view, layer, round }: RouteScan, position: number, enters: number) {
  if (view.isExtraPattern || layer < labels.layerCount - 1) return false;
  const { callRides, callSeconds } = task.bounds;
  const call = view.firstCall + position;
  return enters + callSeconds[call]! >= labels.limits[round - 1 + callRides[call]!]!;
}

/** Makes a dated trip of the route the current trip. */
function rideTrip(scan: RouteScan, place: number): void {
  const { view } = scan;
  const at = view.origin + view.sign * place;
  const trip = view.trips[at]!;
  const isLive = trip < 0;
  scan.current = place;
  scan.leaveTimes = isLive ? view.liveLeaveTimes : view.leaveTimes;
  scan.leaveRow = isLive ? view.liveTripStart[~trip]! : view.tripRows[trip]!;
  scan.begin = isLive ? 0 : getScheduledBegin(view, at);
}

/** @returns the index for "no current trip" */
function leaveVehicle(scan: RouteScan): number {
  scan.current = scan.view.count;
  scan.segment = -1;
  return scan.current;
}

/** Sets an earlier arrival at a place, if it can still improve the end: local and target pruning. */
function alight(search: Search, scan: RouteScan, place: number, time: number, position: number): void {
  const { task, labels } = search;
  const { layer, round } = scan;
  if (isBlockedAt(task, place)) return;
  const isLast = layer === labels.layerCount - 1;
  const { leftRides, leftSeconds } = task.bounds;
  if (isLast && time + leftSeconds[place]! >= labels.limits[round + leftRides[place]!]!) return;
  const segment = recordSegment(search, scan);
  search.work.labels++;
  setReach(labels, layer, round, place, time, segment, position);
  const walkSeconds = isLast ? task.egress[place]! : -1;
  if (walkSeconds < 0) return;
  setEnd(labels, round, findEgressEnd(task.timedEgress, place, time, walkSeconds), segment, position);
}

/** Records that the via of the layer is passed on board; the traveller rides on in the next layer. */
function passVia(search: Search, scan: RouteScan, isVia: Uint8Array, position: number): void {
  const { view } = scan;
  const stop = view.callStop[view.firstCall + position]!;
  const isServed = stop >= 0 && (!view.isExtraPattern || search.task.live!.isServed[view.firstCall + position] === 1);
  if (!isServed || isVia[stop] !== 1) return;
  search.aboard[scan.layer + 1]!.push(view.route, scan.current, position, recordSegment(search, scan));
  scan.passedAt = position;
}

/** @returns the segment of the current trip, which is recorded when it first improves a label */
function recordSegment({ segments }: Search, scan: RouteScan): number {
  const { view, current, enterPosition, layer, round } = scan;
  if (scan.segment < 0) {
    scan.segment = segments.add(view.route, view.origin + view.sign * current, enterPosition, -1, layer, round);
  }
  return scan.segment;
}

// ---- Trips that continue as others -------------------------------------------------------------

/** Returns whether a trip of the route may continue as another; always true for extra patterns. */
function mayContinue({ task, timetable, patternCount }: Search, { pattern }: RouteView): boolean {
  if (timetable.tables.continuations.fromTrip.length === 0) return false;
  return pattern >= patternCount || task.direction.hasContinuation[pattern] === 1;
}

/** Returns the index of a dated trip in `RiddenTrips`. */
function markOf({ task, ridden }: Search, layer: number, { isLive, origin, sign }: RouteView, i: number): number {
  return layer * ridden.entryCount + (isLive ? task.raptorRoutes.trips.length : 0) + origin + sign * i;
}

/**
 * Follows the continuations of the current trip and of all later ones of the route, which arrive later but may continue
 * as other trips. The paper has no continuations.
 */
function followAll(search: Search, { view, layer, round, current: first, enterPosition, passedAt }: RouteScan): void {
  const { labels, segments, ridden, task } = search;
  const { route, origin, sign, count } = view;
  const { end } = getEnds(view);
  for (let i = first; i < count; i++) {
    if (getLeaveTime(view, i, end) >= labels.ends[round]!) return;
    if (isTripBarred(search, getTrip(view, task.live, i))) continue;
    if (!markRidden(ridden, ridden.followed, markOf(search, layer, view, i), round)) continue;
    const segment = segments.add(route, origin + sign * i, enterPosition, -1, layer, round);
    follow(search, layer, round, view, i, segment, 0);
    // Later trips also pass the via.
    if (passedAt >= 0 && i > first) search.aboard[layer + 1]!.push(route, i, passedAt, segment);
  }
}

/** Rides the trips as which a dated trip continues with the traveller on board. */
function follow(
  search: Search,
  layer: number,
  round: number,
  view: RouteView,
  i: number,
  segment: number,
  depth: number,
): void {
  const { task, timetable, segments, ridden } = search;
  const next = scanAt(search, depth + 1).view;
  forEachContinuation(timetable, task, view, i, next, (trip, place) => {
    if (!isTripWanted(search, trip)) return;
    // A trip that was ridden from its first call after the same or a smaller number of rides is already scanned to its
    // end.
    if (!markRidden(ridden, ridden.fromBegin, markOf(search, layer, next, place), round)) return;
    const { begin } = getEnds(next);
    const seated = segments.add(next.route, next.origin + next.sign * place, begin, segment, layer, round);
    rideAboard(search, layer, round, next.route, begin, place, seated, depth + 1);
  });
}
