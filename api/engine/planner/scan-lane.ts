import { forEachContinuation } from './continuations.ts';
import { rowOf, setEnd, setReach } from './labels.ts';
import {
  createLaneView,
  findCaught,
  getEnds,
  getEnterTime,
  getLeaveTime,
  getRow,
  getTrip,
  type LaneView,
  openLane,
} from './lane-view.ts';
import { markRidden } from './ridden-trips.ts';
import {
  CHECK_EVERY_SCANS,
  isBlockedAt,
  isOfProduct,
  isTripBarred,
  type LaneScan,
  PlanTimeout,
  type Search,
} from './search.ts';

const NO_TIMES = new Int32Array(0);

/**
 * Scans a lane from one of its calls on: boards the first trip that is caught, switches to an earlier one where
 * possible, and sets the labels that it improves. The inner loop of "traverse each route" in RAPTOR's Algorithm 1.
 */
export function scanLane(search: Search, stage: number, round: number, lane: number, from: number): void {
  const scan = openScan(search, stage, round, lane, 0);
  const { view, row, bound } = scan;
  const { sign, firstCall, callCount, enterAt, leaveAt, count } = view;
  const { reach, ready } = search.labels;
  const rowBefore = row - search.labels.placeCount;
  const isVia = getViaStops(search, stage);
  const end = sign > 0 ? callCount : -1;
  // A local copy of the ridden trip's fields, which every call of every lane reads.
  let { current, leaveTimes, leaveRow, dayStart } = scan;
  for (let position = from; position !== end; position += sign) {
    const call = firstCall + position;
    const leaves = current < count ? leaveAt[call]! : -1;
    if (leaves >= 0) {
      const time = sign * (leaveTimes[leaveRow + position]! + dayStart);
      // From here on this trip is of no use; another one may be, boarded further on.
      if (time >= bound) current = leaveVehicle(scan);
      else if (time < reach[row + leaves]!) alight(search, scan, leaves, time, position);
    }
    const enters = current > 0 ? enterAt[call]! : -1;
    if (enters >= 0) {
      const readyAt = ready[rowBefore + enters]!;
      // In most cases the previous trip alone shows that no binary search is needed.
      const mayCatch = readyAt < bound && (current === count || getEnterTime(view, current - 1, position) >= readyAt);
      if (mayCatch && board(search, scan, position, readyAt)) ({ current, leaveTimes, leaveRow, dayStart } = scan);
    }
    if (isVia !== null && current < count && scan.passedAt < 0) passVia(search, scan, isVia, position);
  }
  if (current < count && mayContinue(search, view)) followAll(search, scan);
}

/**
 * Rides one dated trip with the traveller on board from one of its calls on, and sets the labels that it improves.
 * @param boarded its index in the lane, @param segment of the ride
 * @param depth number of trips in which the traveller has stayed on board before, in this ride
 */
export function rideAboard(
  search: Search,
  stage: number,
  round: number,
  lane: number,
  from: number,
  boarded: number,
  segment: number,
  depth: number,
): void {
  const scan = openScan(search, stage, round, lane, depth);
  scan.segment = segment;
  rideTrip(scan, boarded);
  const { view, row, bound } = scan;
  const { sign, firstCall, callCount, leaveAt } = view;
  const { reach } = search.labels;
  const isVia = getViaStops(search, stage);
  const boardedAt = search.segments.enterPosition(segment);
  const end = sign > 0 ? callCount : -1;
  for (let position = from; position !== end; position += sign) {
    // A traveller who passes the via where the ride begins does not alight there.
    const place = position === boardedAt ? -1 : leaveAt[firstCall + position]!;
    if (place >= 0) {
      const time = sign * (scan.leaveTimes[scan.leaveRow + position]! + scan.dayStart);
      if (time >= bound) return;
      if (time < reach[row + place]!) alight(search, scan, place, time, position);
    }
    if (isVia !== null && scan.passedAt < 0) passVia(search, scan, isVia, position);
  }
  if (mayContinue(search, view)) follow(search, stage, round, view, boarded, segment, depth);
}

/** @throws PlanTimeout when the query has used up its time */
function openScan(search: Search, stage: number, round: number, lane: number, depth: number): LaneScan {
  if (--search.scansUntilCheck < 0) {
    search.scansUntilCheck = CHECK_EVERY_SCANS;
    if (search.task.isSpent()) throw new PlanTimeout();
  }
  const scan = scanAt(search, depth);
  openLane(scan.view, search.timetable.tables, search.task, lane);
  scan.stage = stage;
  scan.round = round;
  scan.row = rowOf(search.labels, stage, round);
  scan.bound = search.labels.limits[round]!;
  scan.current = scan.view.count;
  scan.segment = -1;
  scan.enterPosition = -1;
  scan.passedAt = -1;
  return scan;
}

function scanAt({ scans }: Search, depth: number): LaneScan {
  const known = scans[depth];
  if (known !== undefined) return known;
  const scan: LaneScan = {
    view: createLaneView(),
    stage: 0,
    round: 0,
    row: 0,
    bound: 0,
    current: 0,
    leaveTimes: NO_TIMES,
    leaveRow: 0,
    dayStart: 0,
    segment: -1,
    enterPosition: -1,
    passedAt: -1,
  };
  scans[depth] = scan;
  return scan;
}

/** By stop: 1 at the via of a stage; null in the last stage. */
function getViaStops({ task, labels }: Search, stage: number): Uint8Array | null {
  return stage === labels.stageCount - 1 ? null : task.vias[stage]!.isStop;
}

// ---- At a call ---------------------------------------------------------------------------------

/** Boards the first trip that is caught: et(r, p) of the paper. @returns false when there is no useful one */
function board(search: Search, scan: LaneScan, position: number, readyAt: number): boolean {
  const { view, current } = scan;
  let caught = findCaught(view, position, readyAt, current);
  if (search.task.isBlocked !== null) {
    while (caught < current && isTripBarred(search, getTrip(view, search.task.live, caught))) caught++;
  }
  if (caught === current || getEnterTime(view, caught, position) >= scan.bound) return false;
  scan.segment = -1;
  scan.enterPosition = position;
  scan.passedAt = -1;
  rideTrip(scan, caught);
  return true;
}

/** Makes a dated trip of the lane the ridden one. */
function rideTrip(scan: LaneScan, place: number): void {
  const { view } = scan;
  const at = view.origin + view.sign * place;
  const trip = view.trips[at]!;
  const isLive = trip < 0;
  scan.current = place;
  scan.leaveTimes = isLive ? view.liveLeaveTimes : view.leaveTimes;
  scan.leaveRow = isLive ? view.liveTripStart[~trip]! : getRow(view, trip);
  scan.dayStart = isLive ? 0 : view.dayStarts[view.zone + view.days[at]!]!;
}

/** @returns the index that means that no trip is ridden */
function leaveVehicle(scan: LaneScan): number {
  scan.current = scan.view.count;
  scan.segment = -1;
  return scan.current;
}

/** Sets an earlier arrival at a place, if that can still improve the end: local and target pruning. */
function alight(search: Search, scan: LaneScan, place: number, time: number, position: number): void {
  const { task, labels } = search;
  const { stage, round } = scan;
  if (isBlockedAt(task, place)) return;
  const isLast = stage === labels.stageCount - 1;
  const { leftRides, leftSeconds } = task.bounds;
  if (isLast && time + leftSeconds[place]! >= labels.limits[round + leftRides[place]!]!) return;
  const segment = noteSegment(search, scan);
  setReach(labels, stage, round, place, time, segment, position);
  const walkSeconds = isLast ? task.egress[place]! : -1;
  if (walkSeconds >= 0) setEnd(labels, round, time + walkSeconds, segment, position);
}

/** Records that the via of the stage is passed on board: the traveller rides on in the next stage. */
function passVia(search: Search, scan: LaneScan, isVia: Uint8Array, position: number): void {
  const { view } = scan;
  const stop = view.callStop[view.firstCall + position]!;
  const isServed = stop >= 0 && (!view.hasOwnCalls || search.task.live!.isServed[view.firstCall + position] === 1);
  if (!isServed || isVia[stop] !== 1) return;
  search.aboard[scan.stage + 1]!.push(view.lane, scan.current, position, noteSegment(search, scan));
  scan.passedAt = position;
}

/** @returns number of the segment of the ridden trip; added when it first improves a label */
function noteSegment({ segments }: Search, scan: LaneScan): number {
  const { view, current, enterPosition, stage, round } = scan;
  if (scan.segment < 0) {
    scan.segment = segments.add(view.lane, view.origin + view.sign * current, enterPosition, -1, stage, round);
  }
  return scan.segment;
}

// ---- Trips that continue as others -------------------------------------------------------------

/** Whether some trip of the lane may continue as another; unknown in advance for patterns that only realtime has. */
function mayContinue({ task, timetable, patternCount }: Search, { pattern }: LaneView): boolean {
  if (timetable.tables.continuations.fromTrip.length === 0) return false;
  return pattern >= patternCount || task.side.hasContinuation[pattern] === 1;
}

/** Index of a dated trip in `RiddenTrips`. */
function markOf({ task, ridden }: Search, stage: number, { isLive, origin, sign }: LaneView, i: number): number {
  return stage * ridden.entryCount + (isLive ? task.lanes.trips.length : 0) + origin + sign * i;
}

/**
 * Follows the continuations of the ridden trip and of all later ones of the lane: these arrive later, but may continue
 * as other trips. The paper has no continuations.
 */
function followAll(search: Search, { view, stage, round, current: first, enterPosition, passedAt }: LaneScan): void {
  const { labels, segments, ridden, task } = search;
  const { lane, origin, sign, count } = view;
  const { end } = getEnds(view);
  for (let i = first; i < count; i++) {
    if (getLeaveTime(view, i, end) >= labels.ends[round]!) return;
    if (isTripBarred(search, getTrip(view, task.live, i))) continue;
    if (!markRidden(ridden, ridden.followed, markOf(search, stage, view, i), round)) continue;
    const segment = segments.add(lane, origin + sign * i, enterPosition, -1, stage, round);
    follow(search, stage, round, view, i, segment, 0);
    // Later trips pass the via too.
    if (passedAt >= 0 && i > first) search.aboard[stage + 1]!.push(lane, i, passedAt, segment);
  }
}

/** Rides the trips as which a dated trip continues, with the traveller on board. */
function follow(
  search: Search,
  stage: number,
  round: number,
  view: LaneView,
  i: number,
  segment: number,
  depth: number,
): void {
  const { task, timetable, segments, ridden } = search;
  const { trips, routes, patterns } = timetable.tables;
  const next = scanAt(search, depth + 1).view;
  forEachContinuation(timetable, task, view, i, next, (trip, place) => {
    if (isTripBarred(search, trip)) return;
    if (!isOfProduct(task, routes.product[patterns.route[trips.pattern[trip]!]!]!)) return;
    // A trip ridden from its first call with at most as many rides before has been scanned to its end.
    if (!markRidden(ridden, ridden.fromBegin, markOf(search, stage, next, place), round)) return;
    const { begin } = getEnds(next);
    const seated = segments.add(next.lane, next.origin + next.sign * place, begin, segment, stage, round);
    rideAboard(search, stage, round, next.lane, begin, place, seated, depth + 1);
  });
}
