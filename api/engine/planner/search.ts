import type { Timetable } from '../read/timetable.ts';
import { createLabels, type Labels, REACHED, resetLabels, rowOf, setReady } from './labels.ts';
import { createLaneQueue, type LaneQueue, resetLaneQueue } from './lane-queue.ts';
import { createLaneView, type LaneSource, type LaneView } from './lane-view.ts';
import type { LowerBounds } from './lower-bounds.ts';
import { createPassages, type Passage, type Passages, resetPassages } from './passages.ts';
import { createRiddenTrips, type RiddenTrips, resetRiddenTrips } from './ridden-trips.ts';

/** The parameters of one query, the same for all of its departures. */
export interface SearchTask extends LaneSource {
  /** Seconds by row of `changes`; `NO_CHANGE` where there is none. */
  readonly changeSeconds: Int32Array;
  /** Maximum number of rides. */
  readonly maxRounds: number;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  /** By change place: 1 where a wheelchair can neither board nor alight; null for a query without a wheelchair. */
  readonly isBlocked: Uint8Array | null;
  /** By stage but the last: the via to pass. */
  readonly vias: readonly Passage[];
  /** By change place: seconds on foot to the end of the search, -1 where it is too far. */
  readonly egress: Int32Array;
  /** Lower bounds of the remaining time in the last stage. */
  readonly bounds: LowerBounds;
  /** Returns true when the query has used up its time; called at intervals. */
  readonly isSpent: () => boolean;
}

/** What may be ridden and where one may change, without what guides a search. */
export type RideTask = Omit<SearchTask, 'bounds'>;

/** Number of scanned lanes between two checks of the time limit. */
export const CHECK_EVERY_SCANS = 512;

/** Thrown when a query has used up its time. */
export class PlanTimeout extends Error {}

/**
 * The arrays of a search by RAPTOR (Delling, Pajor, Werneck, "Round-Based Public Transit Routing", doi
 * 10.1287/trsc.2014.0534, Algorithm 1): round k finds what is reached with k rides. The paper's route is a lane here,
 * the paper's stop a change place. Labels stay from one departure to the next, earlier one, so that only improvements
 * are searched (the paper's rRAPTOR). Stages are copies of the network, one more for each via that was passed.
 *
 * A search is begun by `resetSearch`, entered by `enterPlace` or `enterLane`, and run by `runRounds`.
 */
export interface Search {
  readonly timetable: Timetable;
  readonly stopCount: number;
  readonly patternCount: number;
  readonly labels: Labels;
  readonly segments: Segments;
  readonly passages: Passages;
  task: SearchTask;
  /** Lanes to be scanned in this round and stage: Q of the paper. */
  readonly queue: LaneQueue;
  /** By stage: lane and call of each departure, alternating. */
  departures: number[][];
  /**
   * By stage: trips on which the traveller passed the previous via, as lane, index in it, call, segment, alternating.
   */
  aboard: number[][];
  readonly ridden: RiddenTrips;
  readonly markView: LaneView;
  /** A continuing trip is scanned while the lane of the trip before it is still open: one scan for each depth. */
  readonly scans: LaneScan[];
  /** The time limit is checked when this is below 0. */
  scansUntilCheck: number;
}

/** A lane during its scan, and the dated trip of it that is ridden: r and t of the paper. */
export interface LaneScan {
  readonly view: LaneView;
  stage: number;
  round: number;
  /** First label of the stage and round. */
  row: number;
  /** Arrivals at this signed time or later are of no use. */
  bound: number;
  /** Index of the dated trip in the lane; `view.count` while none is ridden. */
  current: number;
  /** Arrays of its times, and their offsets. */
  leaveTimes: Int32Array;
  leaveRow: number;
  dayStart: number;
  /** The recorded segment of the ride; -1 until it improves a label. */
  segment: number;
  /** Where it was boarded; and where the via of the stage was passed on board, -1 if nowhere. */
  enterPosition: number;
  passedAt: number;
}

/** @param placeCount change places of the timetable */
export function createSearch(timetable: Timetable, placeCount: number): Search {
  const { stops, patterns } = timetable.tables;
  return {
    timetable,
    stopCount: stops.source.length,
    patternCount: patterns.route.length,
    labels: createLabels(placeCount),
    segments: createSegments(),
    passages: createPassages(),
    // Never read before `resetSearch` sets it.
    task: undefined as unknown as SearchTask,
    queue: createLaneQueue(),
    departures: [[]],
    aboard: [[]],
    ridden: createRiddenTrips(),
    markView: createLaneView(),
    scans: [],
    scansUntilCheck: CHECK_EVERY_SCANS,
  };
}

/** Clears all labels. @param latest arrivals after this signed time are ignored */
export function resetSearch(search: Search, task: SearchTask, latest: number): void {
  const { labels, timetable } = search;
  const stageCount = task.vias.length + 1;
  search.task = task;
  resetLaneQueue(search.queue, task.side.sign, task.lanes.count + (task.live?.ownPattern.length ?? 0));
  resetLabels(labels, stageCount, task.maxRounds, latest);
  labels.bounds = task.bounds;
  resetPassages(search.passages, labels, task.vias, task.isBlocked);
  search.departures = Array.from({ length: stageCount }, () => []);
  search.aboard = Array.from({ length: stageCount }, () => []);
  if (timetable.tables.continuations.fromTrip.length > 0) {
    resetRiddenTrips(search.ridden, stageCount, task.lanes.trips.length + (task.live?.trips.length ?? 0));
  }
}

/** Starts the search at a place where the traveller may board any departure from a signed time on. */
export function enterPlace({ task, labels }: Search, stage: number, place: number, time: number): void {
  if (isBlockedAt(task, place)) return;
  setReady(labels, stage, 0, place, time, REACHED.access, labels.marked[stage]!);
}

/** Starts the search with the departure of a lane at one of its calls, at exactly this signed time. */
export function enterLane(
  { labels, departures }: Search,
  stage: number,
  place: number,
  time: number,
  lane: number,
  position: number,
): void {
  setReady(labels, stage, 0, place, time, REACHED.access, null);
  // A departure that does not improve the label is skipped.
  if (labels.ready[rowOf(labels, stage, 0) + place]! <= time) departures[stage]!.push(lane, position);
}

/** Whether the query is for a wheelchair and the place is not accessible. */
export function isBlockedAt({ isBlocked }: SearchTask, place: number): boolean {
  return isBlocked !== null && isBlocked[place] === 1;
}

/** Whether the query includes a product. */
export function isOfProduct({ products }: RideTask, product: number): boolean {
  return products === null || (products & (1 << product)) !== 0;
}

const WHEELCHAIR_IMPOSSIBLE = 2;

/** Whether the query is for a wheelchair and the trip is not accessible. @param trip -1: not of the timetable */
export function isTripBarred(
  { task, timetable }: { readonly task: RideTask; readonly timetable: Timetable },
  trip: number,
): boolean {
  if (task.isBlocked === null || trip < 0) return false;
  return timetable.tables.trips.wheelchairAccessible[trip] === WHEELCHAIR_IMPOSSIBLE;
}

/** Rides of a search, from which itineraries are reconstructed: append only, emptied for the next departure. */
interface Segments {
  /** @returns its number */
  add(lane: number, entry: number, enterPosition: number, before: number, stage: number, round: number): number;
  clear(): void;
  /** Lane and dated trip; the call of boarding, and the previous segment if the traveller stayed on board, else -1. */
  lane(segment: number): number;
  entry(segment: number): number;
  enterPosition(segment: number): number;
  before(segment: number): number;
  /** Stage and round of boarding. */
  stage(segment: number): number;
  round(segment: number): number;
}

const FIELDS = 6;

function createSegments(): Segments {
  let fields = new Int32Array(FIELDS * 1024);
  let used = 0;
  return {
    add(lane, entry, enterPosition, before, stage, round) {
      if (used + FIELDS > fields.length) {
        const larger = new Int32Array(fields.length * 2);
        larger.set(fields);
        fields = larger;
      }
      fields[used] = lane;
      fields[used + 1] = entry;
      fields[used + 2] = enterPosition;
      fields[used + 3] = before;
      fields[used + 4] = stage;
      fields[used + 5] = round;
      used += FIELDS;
      return used / FIELDS - 1;
    },
    clear() {
      used = 0;
    },
    lane: (segment) => fields[segment * FIELDS]!,
    entry: (segment) => fields[segment * FIELDS + 1]!,
    enterPosition: (segment) => fields[segment * FIELDS + 2]!,
    before: (segment) => fields[segment * FIELDS + 3]!,
    stage: (segment) => fields[segment * FIELDS + 4]!,
    round: (segment) => fields[segment * FIELDS + 5]!,
  };
}
