import type { Timetable } from '../timetable.ts';
import { NO_CHANGE } from './change-seconds.ts';
import { forEachContinuation } from './continuations.ts';
import { createLabels, type Labels, REACHED, resetLabels, rowOf, setEnd, setReach, setReady } from './labels.ts';
import {
  createLaneView,
  findCaught,
  getEnds,
  getEnterTime,
  getLeaveTime,
  getRow,
  getTrip,
  type LaneSource,
  type LaneView,
  openLane,
} from './lane-view.ts';
import type { LowerBounds } from './lower-bounds.ts';
import { createPassages, type Passage, type Passages } from './passages.ts';
import { createSegments, type Segments } from './segments.ts';

/** What one question searches: the same for all of its departures. */
export interface SearchTask extends LaneSource {
  /** Seconds by row of `changes`; `NO_CHANGE` where there is none. */
  readonly changeSeconds: Int32Array;
  /** Rides at most. */
  readonly maxRounds: number;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  /** By change place: 1 where a wheelchair can neither board nor alight; null when nobody asks. */
  readonly isBlocked: Uint8Array | null;
  /** By stage but the last: where the traveller has to pass. */
  readonly vias: readonly Passage[];
  /** By change place: seconds on foot to the end of the search, -1 where it is too far. */
  readonly egress: Int32Array;
  /** What is ahead at least, in the last stage. */
  readonly bounds: LowerBounds;
  /** Tells that the question has had its time; asked now and then. */
  readonly isSpent: () => boolean;
}

/** Thrown when a question has had its time. */
export class PlanTimeout extends Error {}

/**
 * Rounds of a search: the k-th finds what is reached with k rides. Labels stay from one departure to the next, earlier
 * one, so that only what becomes better is looked at (range RAPTOR: Delling, Pajor, Werneck, "Round-Based Public Transit
 * Routing", 2015, section 4.2). Stages are copies of the network, one more for each place on the way that was passed.
 */
export interface Search {
  readonly labels: Labels;
  readonly segments: Segments;
  readonly passages: Passages;
  /** Begins anew: forgets all labels. @param latest nothing beyond this signed time is of interest */
  reset(task: SearchTask, latest: number): void;
  /** A place from which the traveller may begin to ride, by whatever leaves from a signed time on. */
  enter(stage: number, place: number, time: number): void;
  /** The same where it is known what leaves: a lane, at one of its calls, at just this time. */
  enterLane(stage: number, place: number, time: number, lane: number, position: number): void;
  /** Runs all rounds from what was entered since the last run. */
  run(): void;
}

const CHECK_EVERY_SCANS = 512;
const WHEELCHAIR_IMPOSSIBLE = 2;

/** @param placeCount change places of the timetable */
export function createSearch(timetable: Timetable, placeCount: number): Search {
  const { tables } = timetable;
  const { patterns, routes, stops, stopCalls, trips, changePlaces } = tables;
  const stopCount = stops.source.length;
  const patternCount = patterns.route.length;
  const hasContinuations = tables.continuations.fromTrip.length > 0;
  const labels = createLabels(placeCount);
  const segments = createSegments();
  const passages = createPassages(labels);
  // A trip that goes on as another is ridden while its own lane is still open: one view for each depth.
  const views: LaneView[] = [];
  const markView = createLaneView();

  let task!: SearchTask;
  // Lanes to be scanned in this round, and from which call on.
  let laneFrom = new Int32Array(0);
  let queue = new Int32Array(0);
  let queued = 0;
  // Lane and call where the traveller sets out, in turn; by stage.
  let begun: number[][] = [[]];
  // Trips on board of which a place on the way was passed: lane, place in it, call, segment, in turn; by stage.
  let aboard: number[][] = [[]];
  // By stage and dated trip, the round in which it was ridden from its beginning, and what it goes on as was looked at; 0:
  // never. Few trips go on, so it is those that are forgotten one by one.
  let riddenIn = new Uint8Array(0);
  let followedIn = new Uint8Array(0);
  let noted: number[] = [];
  let entryCount = 0;
  let scansUntilCheck = CHECK_EVERY_SCANS;

  // ---- Beginning -------------------------------------------------------------------------------

  function reset(next: SearchTask, latest: number): void {
    task = next;
    const stageCount = next.vias.length + 1;
    // A search that was given up in the middle has left its queue behind.
    for (let i = 0; i < queued; i++) laneFrom[queue[i]!] = -1;
    queued = 0;
    resetLabels(labels, stageCount, next.maxRounds, latest);
    labels.bounds = next.bounds;
    passages.reset(next.vias, next.isBlocked);
    const laneCount = next.lanes.count + (next.live?.ownPattern.length ?? 0);
    if (laneFrom.length < laneCount) {
      laneFrom = new Int32Array(laneCount).fill(-1);
      queue = new Int32Array(laneCount);
    }
    begun = Array.from({ length: stageCount }, () => []);
    aboard = Array.from({ length: stageCount }, () => []);
    if (hasContinuations) forgetRidden(stageCount);
  }

  function forgetRidden(stageCount: number): void {
    entryCount = task.lanes.trips.length + (task.live?.trips.length ?? 0);
    const count = stageCount * entryCount;
    for (const mark of noted) {
      riddenIn[mark] = 0;
      followedIn[mark] = 0;
    }
    noted = [];
    if (riddenIn.length < count) {
      riddenIn = new Uint8Array(count);
      followedIn = new Uint8Array(count);
    }
  }

  /** @returns false when that was noted in this round, or an earlier one */
  function note(rounds: Uint8Array, mark: number, round: number): boolean {
    if (rounds[mark] !== 0 && rounds[mark]! <= round) return false;
    rounds[mark] = round;
    noted.push(mark);
    return true;
  }

  function enter(stage: number, place: number, time: number): void {
    if (isBlockedAt(place)) return;
    setReady(labels, stage, 0, place, time, REACHED.access, labels.marked[stage]!);
  }

  function enterLane(stage: number, place: number, time: number, lane: number, position: number): void {
    setReady(labels, stage, 0, place, time, REACHED.access, null);
    // Unless that leads nowhere.
    if (labels.ready[rowOf(labels, stage, 0) + place]! <= time) begun[stage]!.push(lane, position);
  }

  function isBlockedAt(place: number): boolean {
    return task.isBlocked !== null && task.isBlocked[place] === 1;
  }

  function isOfProduct(product: number): boolean {
    return task.products === null || (task.products & (1 << product)) !== 0;
  }

  // ---- Rounds ----------------------------------------------------------------------------------

  function run(): void {
    segments.clear();
    labels.isBetter.fill(0);
    for (let round = 1; round <= labels.rounds; round++) {
      labels.stamp++;
      let isIdle = true;
      for (let stage = 0; stage < labels.stageCount; stage++) {
        if (labels.marked[stage]!.length + begun[stage]!.length + aboard[stage]!.length > 0) isIdle = false;
        runStage(stage, round);
      }
      [labels.marked, labels.markedNext] = [labels.markedNext, labels.marked];
      if (isIdle) break;
    }
    for (const list of labels.marked) list.clear();
    labels.stamp++;
  }

  function runStage(stage: number, round: number): void {
    labels.improved.clear();
    markBegun(stage);
    markLanes(stage, round);
    for (let i = 0; i < queued; i++) {
      const lane = queue[i]!;
      const from = laneFrom[lane]!;
      laneFrom[lane] = -1;
      scan(stage, round, lane, from, -1, -1, 0);
    }
    queued = 0;
    const boarded = aboard[stage]!;
    for (let i = 0; i < boarded.length; i += 4) {
      scan(stage, round, boarded[i]!, boarded[i + 2]!, boarded[i + 1]!, boarded[i + 3]!, 0);
    }
    boarded.length = 0;
    if (round < labels.rounds) changeVehicles(stage, round);
    if (stage < labels.stageCount - 1) passages.passOnFoot(stage, round);
  }

  function mark(lane: number, position: number): void {
    const from = laneFrom[lane]!;
    if (from < 0) queue[queued++] = lane;
    if (from < 0 || (task.side.sign > 0 ? position < from : position > from)) laneFrom[lane] = position;
  }

  function markBegun(stage: number): void {
    const list = begun[stage]!;
    for (let i = 0; i < list.length; i += 2) mark(list[i]!, list[i + 1]!);
    list.length = 0;
  }

  /** Queues the lanes that can be entered at a marked place, each from the first such call on. */
  function markLanes(stage: number, round: number): void {
    const { side, lanes, live, liveSide } = task;
    const { enterAt } = side;
    const { callRides, callSeconds } = task.bounds;
    const { limits } = labels;
    const isLast = stage === labels.stageCount - 1;
    const ready = rowOf(labels, stage, round - 1);
    const marked = labels.marked[stage]!;
    for (let m = 0; m < marked.length; m += 2) {
      const [place, before] = [marked.items[m]!, marked.items[m + 1]!];
      const time = labels.ready[ready + place]!;
      const stop = place < stopCount ? place : changePlaces.stop[place - stopCount]!;
      const first = stops.firstStopCall[stop]!;
      for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
        const pattern = stopCalls.pattern[i]!;
        const position = stopCalls.position[i]!;
        const call = patterns.firstCall[pattern]! + position;
        if (enterAt[call] !== place) continue;
        // Most lines lead the wrong way.
        if (isLast && time + callSeconds[call]! >= limits[round - 1 + callRides[call]!]!) continue;
        if (!isOfProduct(routes.product[patterns.route[pattern]!]!)) continue;
        for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) {
          markIfCaught(lane, position, round, time, before);
        }
        if (live === null) continue;
        for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) {
          markIfCaught(lanes.count + own, position, round, time, before);
        }
      }
      const calls = liveSide?.enterCalls.get(place);
      if (!calls || live === null) continue;
      for (let i = 0; i < calls.length; i += 2) {
        const own = live.ownPattern[calls[i]! - lanes.count]! - patternCount;
        if (!isOfProduct(live.patternProduct[own]!)) continue;
        markIfCaught(calls[i]!, calls[i + 1]!, round, time, before);
      }
    }
    marked.clear();
  }

  /** A lane is worth a look if a trip is caught there that was not before: the others have been ridden. */
  function markIfCaught(lane: number, position: number, round: number, time: number, before: number): void {
    // It is queued already, from here or from further ahead.
    const from = laneFrom[lane]!;
    if (from >= 0 && (task.side.sign > 0 ? from <= position : from >= position)) return;
    openLane(markView, tables, task, lane);
    const caught = findCaught(markView, position, time, markView.count);
    if (caught === markView.count) return;
    const enters = getEnterTime(markView, caught, position);
    if (enters < before && enters < labels.ends[round]!) mark(lane, position);
  }

  /**
   * Rides a lane from one of its calls on: boards the first trip that is caught, changes to an earlier one where that is
   * possible, and notes where it leads.
   * @param boarded dated trip to be ridden alone, by `boardedSegment`; -1: whichever is caught
   */
  function scan(
    stage: number,
    round: number,
    lane: number,
    from: number,
    boarded: number,
    boardedSegment: number,
    depth: number,
  ): void {
    if (--scansUntilCheck < 0) {
      scansUntilCheck = CHECK_EVERY_SCANS;
      if (task.isSpent()) throw new PlanTimeout();
    }
    views[depth] ??= createLaneView();
    const view = openLane(views[depth]!, tables, task, lane);
    const { sign, firstCall, callCount, enterAt, leaveAt, count, origin } = view;
    const { reach, ready, limits } = labels;
    const row = rowOf(labels, stage, round);
    const rowBefore = row - placeCount;
    const isLast = stage === labels.stageCount - 1;
    const { leftRides, leftSeconds } = task.bounds;
    const isVia = isLast ? null : task.vias[stage]!.isStop;
    const isAlone = boarded >= 0;
    const boardedAt = isAlone ? segments.enterPosition(boardedSegment) : -1;
    const bound = limits[round]!;

    // The dated trip that is ridden, `count` while none is; and where its times lie.
    let current = isAlone ? boarded : count;
    let leaveTimes = view.leaveTimes;
    let leaveRow = 0;
    let start = 0;
    let isOpen = false;
    let segment = boardedSegment;
    let enterPosition = -1;
    let passedAt = -1;
    const end = sign > 0 ? callCount : -1;
    for (let position = from; position !== end; position += sign) {
      const call = firstCall + position;
      if (current < count) {
        // Who passes a place on the way where the ride begins is not let off there.
        const place = isAlone && position === boardedAt ? -1 : leaveAt[call]!;
        if (place >= 0) {
          if (!isOpen) {
            const at = origin + sign * current;
            const trip = view.trips[at]!;
            leaveTimes = trip < 0 ? view.liveLeaveTimes : view.leaveTimes;
            leaveRow = trip < 0 ? view.runStart[~trip]! : getRow(view, trip);
            start = trip < 0 ? 0 : view.dayStarts[view.zone + view.days[at]!]!;
            isOpen = true;
          }
          const time = sign * (leaveTimes[leaveRow + position]! + start);
          if (time >= bound) {
            // From here on the trip is of no use; another one may be, boarded further on.
            if (isAlone) return;
            current = count;
            segment = -1;
          } else if (time < reach[row + place]! && !isBlockedAt(place)) {
            if (!isLast || time + leftSeconds[place]! < limits[round + leftRides[place]!]!) {
              if (segment < 0) segment = segments.add(lane, origin + sign * current, enterPosition, -1, stage, round);
              setReach(labels, stage, round, place, time, segment, position);
              const walk = isLast ? task.egress[place]! : -1;
              if (walk >= 0) setEnd(labels, round, time + walk, segment, position);
            }
          }
        }
      }
      const place = isAlone ? -1 : enterAt[call]!;
      if (place >= 0 && current > 0) {
        const readyAt = ready[rowBefore + place]!;
        // Whether the trip just ahead is caught tells in most cases that there is nothing to search.
        if (readyAt < bound && (current === count || getEnterTime(view, current - 1, position) >= readyAt)) {
          let caught = findCaught(view, position, readyAt, current);
          if (task.isBlocked !== null) while (caught < current && isBanned(view, caught)) caught++;
          if (caught < current && getEnterTime(view, caught, position) < bound) {
            current = caught;
            segment = -1;
            enterPosition = position;
            passedAt = -1;
            isOpen = false;
          }
        }
      }
      if (
        isVia !== null &&
        current < count &&
        passedAt < 0 &&
        isServed(view, call) &&
        isVia[view.callStop[call]!] === 1
      ) {
        // Whoever is aboard has been there, and rides on in the next stage.
        if (segment < 0) segment = segments.add(lane, origin + sign * current, enterPosition, -1, stage, round);
        aboard[stage + 1]!.push(lane, current, position, segment);
        passedAt = position;
      }
    }
    if (current === count || !mayGoOn(view)) return;
    if (isAlone) goOn(stage, round, view, boarded, segment, depth);
    else goOnWithAll(stage, round, view, { first: current, enterPosition, passedAt }, depth);
  }

  function isServed({ hasOwnCalls, callStop }: LaneView, call: number): boolean {
    return callStop[call]! >= 0 && (!hasOwnCalls || task.live!.isServed[call] === 1);
  }

  function isBanned(view: LaneView, i: number): boolean {
    const trip = getTrip(view, task.live, i);
    return trip >= 0 && trips.wheelchairAccessible[trip] === WHEELCHAIR_IMPOSSIBLE;
  }

  function changeVehicles(stage: number, round: number): void {
    const { side, changeSeconds } = task;
    const { changeStarts, changeOrder, changeTo } = side;
    const { reach, ready } = labels;
    const row = rowOf(labels, stage, round);
    const list = labels.markedNext[stage]!;
    const { items: improved, length } = labels.improved;
    for (let at = 0; at < length; at++) {
      const from = improved[at]!;
      const time = reach[row + from]!;
      for (let i = changeStarts[from]!; i < changeStarts[from + 1]!; i++) {
        const change = changeOrder === null ? i : changeOrder[i]!;
        const seconds = changeSeconds[change]!;
        const place = changeTo[change]!;
        if (seconds === NO_CHANGE || time + seconds >= ready[row + place]! || isBlockedAt(place)) continue;
        setReady(labels, stage, round, place, time + seconds, change, list);
      }
    }
  }

  // ---- Trips that go on as others --------------------------------------------------------------

  function mayGoOn({ pattern }: LaneView): boolean {
    return hasContinuations && (pattern >= patternCount || task.side.mayGoOn[pattern] === 1);
  }

  /** Where a dated trip is noted in `riddenIn` and `followedIn`. */
  function markOf(stage: number, { isLive, origin, sign }: LaneView, i: number): number {
    return stage * entryCount + (isLive ? task.lanes.trips.length : 0) + origin + sign * i;
  }

  /** Later trips of a lane arrive later, but may go on as others: for that alone they are ridden too. */
  function goOnWithAll(
    stage: number,
    round: number,
    view: LaneView,
    { first, enterPosition, passedAt }: { first: number; enterPosition: number; passedAt: number },
    depth: number,
  ): void {
    const { end } = getEnds(view);
    const { lane, origin, sign } = view;
    for (let i = first; i < view.count; i++) {
      if (getLeaveTime(view, i, end) >= labels.ends[round]!) return;
      const mark = markOf(stage, view, i);
      if ((task.isBlocked !== null && isBanned(view, i)) || !note(followedIn, mark, round)) continue;
      const segment = segments.add(lane, origin + sign * i, enterPosition, -1, stage, round);
      goOn(stage, round, view, i, segment, depth);
      // They pass the place on the way too.
      if (passedAt >= 0 && i > first) aboard[stage + 1]!.push(lane, i, passedAt, segment);
    }
  }

  /** Rides on, still seated, in what a dated trip goes on as. */
  function goOn(stage: number, round: number, view: LaneView, i: number, segment: number, depth: number): void {
    views[depth + 1] ??= createLaneView();
    const next = views[depth + 1]!;
    forEachContinuation(timetable, task, view, i, next, (trip, place) => {
      if (task.isBlocked !== null && trips.wheelchairAccessible[trip] === WHEELCHAIR_IMPOSSIBLE) return;
      if (!isOfProduct(routes.product[patterns.route[trips.pattern[trip]!]!]!)) return;
      const mark = markOf(stage, next, place);
      // Ridden from its beginning with as few rides before: all of it is known.
      if (!note(riddenIn, mark, round)) return;
      const { begin } = getEnds(next);
      const seated = segments.add(next.lane, next.origin + next.sign * place, begin, segment, stage, round);
      scan(stage, round, next.lane, begin, place, seated, depth + 1);
    });
  }

  return { labels, segments, passages, reset, enter, enterLane, run };
}
