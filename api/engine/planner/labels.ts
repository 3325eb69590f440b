import { IntList, NEVER } from './int-list.ts';
import type { LowerBounds } from './lower-bounds.ts';

/**
 * How a place came to be ready for boarding, where no change led there: rows of `changes` are 0 and more. From a place on
 * the way it is `via` less one of `WALKERS` of passages.ts.
 */
export const REACHED = { access: -2, via: -3 } as const;

/**
 * What a search knows, by stage, number of rides and change place: a label is row `(stage * stride + rides) * placeCount +
 * place`. A label is never worse than that of fewer rides. Times are signed.
 */
export interface Labels {
  stageCount: number;
  /** Rides at most; one more is the stride. */
  rounds: number;
  stride: number;
  readonly placeCount: number;
  /** When a place is reached on board, by which segment, and at which of its calls that is left. */
  reach: Int32Array;
  reachSegment: Int32Array;
  reachPosition: Uint16Array;
  /** When a trip can be boarded there, and what led there: row of `changes`, or one of `REACHED`. */
  ready: Int32Array;
  readyBy: Int32Array;
  /** By number of rides: when the end is reached. */
  ends: Int32Array;
  /** The same memory, and behind it what more rides than are allowed have to beat: nothing does. */
  limits: Int32Array;
  /** By number of rides: whether this run made the end better with exactly so many. */
  isBetter: Uint8Array;
  /** By which segment, left at which of its calls; -1: on foot from the last place on the way. */
  endSegment: Int32Array;
  endPosition: Int32Array;
  /** By stage, places at which boarding became possible earlier, and when it was before, in turn: now, and for the next round. */
  marked: IntList[];
  markedNext: IntList[];
  /** Places that are reached earlier in this round, once each. */
  readonly improved: IntList;
  /** Round in which a place was put on a list last. */
  markStamp: Int32Array;
  improvedStamp: Int32Array;
  stamp: number;
  /** What is ahead at least, in the last stage. */
  bounds: LowerBounds | null;
}

const NONE = new Int32Array(0);

/** More than bounds ever say. */
const MANY_RIDES = 0x100;

export function createLabels(placeCount: number): Labels {
  return {
    stageCount: 1,
    rounds: 0,
    stride: 1,
    placeCount,
    reach: NONE,
    reachSegment: NONE,
    reachPosition: new Uint16Array(0),
    ready: NONE,
    readyBy: NONE,
    ends: NONE,
    limits: NONE,
    isBetter: new Uint8Array(0),
    endSegment: NONE,
    endPosition: NONE,
    marked: [],
    markedNext: [],
    improved: new IntList(),
    markStamp: NONE,
    improvedStamp: NONE,
    stamp: 0,
    bounds: null,
  };
}

/** Forgets everything. @param latest signed; nothing that is reached no earlier is of interest */
export function resetLabels(labels: Labels, stageCount: number, rounds: number, latest: number): void {
  const { placeCount } = labels;
  const stride = rounds + 1;
  const count = stageCount * stride * placeCount;
  if (labels.reach.length < count) {
    for (const column of ['reach', 'reachSegment', 'ready', 'readyBy'] as const) {
      labels[column] = new Int32Array(count);
    }
    labels.reachPosition = new Uint16Array(count);
    for (const column of ['markStamp', 'improvedStamp'] as const) {
      labels[column] = new Int32Array(stageCount * placeCount);
    }
    labels.stamp = 0;
  }
  labels.reach.fill(NEVER, 0, count);
  labels.ready.fill(NEVER, 0, count);
  if (labels.stride !== stride || labels.ends === NONE) {
    labels.limits = new Int32Array(stride + MANY_RIDES).fill(-NEVER);
    labels.ends = labels.limits.subarray(0, stride);
    labels.isBetter = new Uint8Array(stride);
    labels.endSegment = new Int32Array(stride);
    labels.endPosition = new Int32Array(stride);
  }
  labels.ends.fill(latest);
  labels.stageCount = stageCount;
  labels.rounds = rounds;
  labels.stride = stride;
  for (const lists of [labels.marked, labels.markedNext]) {
    for (const list of lists) list.clear();
    while (lists.length < stageCount) lists.push(new IntList());
  }
  labels.improved.clear();
  labels.stamp++;
}

/** @returns row of the first label of a stage and number of rides */
export function rowOf({ stride, placeCount }: Labels, stage: number, rides: number): number {
  return (stage * stride + rides) * placeCount;
}

/** Whether being ready somewhere can still make the end better. */
function isWorthBoarding(labels: Labels, stage: number, rides: number, place: number, time: number): boolean {
  const { limits, bounds } = labels;
  if (time >= limits[rides]!) return false;
  if (bounds === null || stage < labels.stageCount - 1) return true;
  return time + bounds.readySeconds[place]! < limits[rides + bounds.readyRides[place]!]!;
}

/**
 * Notes when a trip can be boarded at a place, if that is news.
 * @param list of marked places, to which this one is added when it is new there; null: to none
 */
export function setReady(
  labels: Labels,
  stage: number,
  rides: number,
  place: number,
  time: number,
  by: number,
  list: IntList | null,
): void {
  const { ready, readyBy, rounds, placeCount } = labels;
  let row = rowOf(labels, stage, rides) + place;
  if (time >= ready[row]! || !isWorthBoarding(labels, stage, rides, place, time)) return;
  const mark = stage * placeCount + place;
  if (list !== null && labels.markStamp[mark] !== labels.stamp) {
    labels.markStamp[mark] = labels.stamp;
    list.push(place);
    list.push(ready[row]!);
  }
  // More rides may do what fewer do: no later round need look at what is no better.
  for (let k = rides; k <= rounds && ready[row]! > time; k++, row += placeCount) {
    ready[row] = time;
    readyBy[row] = by;
  }
}

/** Notes when a place is reached on board; that this is news, the caller has seen. */
export function setReach(
  labels: Labels,
  stage: number,
  rides: number,
  place: number,
  time: number,
  segment: number,
  position: number,
): void {
  const { reach, reachSegment, reachPosition, rounds, placeCount } = labels;
  let row = rowOf(labels, stage, rides) + place;
  for (let k = rides; k <= rounds && reach[row]! > time; k++, row += placeCount) {
    reach[row] = time;
    reachSegment[row] = segment;
    reachPosition[row] = position;
  }
  const mark = stage * placeCount + place;
  if (labels.improvedStamp[mark] === labels.stamp) return;
  labels.improvedStamp[mark] = labels.stamp;
  labels.improved.push(place);
}

/** Notes when the end is reached, if that is news. @param segment -1: on foot from the last place on the way */
export function setEnd(labels: Labels, rides: number, time: number, segment: number, position: number): void {
  const { ends, rounds } = labels;
  if (time >= ends[rides]!) return;
  for (let k = rides; k <= rounds && ends[k]! > time; k++) ends[k] = time;
  labels.isBetter[rides] = 1;
  labels.endSegment[rides] = segment;
  labels.endPosition[rides] = position;
}
