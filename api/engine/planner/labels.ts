import { IntList, NEVER } from './int-list.ts';
import type { LowerBounds } from './lower-bounds.ts';

/**
 * How boarding at a place became possible, other than by a transfer (rows of `transfers`, 0 and more). From a via the
 * value is `via` minus one of `WALKERS` in passages.ts; by a transfer with a stay at a via it is `stay` minus the row.
 */
export const REACHED = { access: -2, via: -3, stay: -7 } as const;

/**
 * The labels τ of RAPTOR, by layer, number of rides and transfer place: row `(layer * stride + rides) * placeCount +
 * place`. A label is never worse than that of fewer rides. Times are signed.
 */
export interface Labels {
  layerCount: number;
  /** Maximum number of rides; the stride is one more. */
  rounds: number;
  stride: number;
  readonly placeCount: number;
  /** Arrival on board a vehicle, its segment, and the call where it is left. */
  reach: Int32Array;
  reachSegment: LabelOrigins['reachSegment'];
  reachPosition: LabelOrigins['reachPosition'];
  /**
   * Time from which a trip can be boarded, and where the traveller came from: a row of `transfers`, or one of `REACHED`.
   */
  ready: Int32Array;
  readyBy: LabelOrigins['readyBy'];
  /** The memory of `reachSegment`, `reachPosition` and `readyBy`. */
  readonly origins: LabelOrigins;
  /** By number of rides: arrival at the end of the search. */
  ends: Int32Array;
  /**
   * The same memory as `ends`, extended by entries beyond the maximum number of rides, which no label can improve on.
   */
  limits: Int32Array;
  /** By number of rides: whether this run improved the arrival with exactly that many. */
  isBetter: Uint8Array;
  /** Last segment, and the call where it is left; -1 if the last via is left on foot. */
  endSegment: Int32Array;
  endPosition: Int32Array;
  /**
   * Marked stops of RAPTOR by layer: places where boarding became possible earlier, each followed by the previous time.
   * For this round, and for the next one.
   */
  marked: IntList[];
  markedNext: IntList[];
  /** Places with an earlier arrival in this round, once each. */
  readonly improved: IntList;
  /** The last round in which a place was added to a list. */
  markStamp: Int32Array;
  improvedStamp: Int32Array;
  stamp: number;
  /** Lower bounds of the remaining time in the last layer. */
  bounds: LowerBounds | null;
}

/**
 * How the labels were reached, by the same rows. Only the labels of one run are traced, before another run begins, so
 * that the searches of a planner share this memory.
 */
export interface LabelOrigins {
  reachSegment: Int32Array;
  reachPosition: Uint16Array;
  readyBy: Int32Array;
}

const NONE = new Int32Array(0);

export function createLabelOrigins(): LabelOrigins {
  return { reachSegment: NONE, reachPosition: new Uint16Array(0), readyBy: NONE };
}

/** Exceeds any bound on the number of rides. */
const MANY_RIDES = 0x100;

/** @param origins not in use by another search while one of these labels runs and is traced */
export function createLabels(placeCount: number, origins: LabelOrigins): Labels {
  return {
    layerCount: 1,
    rounds: 0,
    stride: 1,
    placeCount,
    reach: NONE,
    reachSegment: origins.reachSegment,
    reachPosition: origins.reachPosition,
    ready: NONE,
    readyBy: origins.readyBy,
    origins,
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

/** Clears all labels. @param latest signed; arrivals at this time or later are ignored */
export function resetLabels(labels: Labels, layerCount: number, rounds: number, latest: number): void {
  const { placeCount } = labels;
  const stride = rounds + 1;
  const count = layerCount * stride * placeCount;
  if (labels.reach.length < count) {
    for (const column of ['reach', 'ready'] as const) labels[column] = new Int32Array(count);
    for (const column of ['markStamp', 'improvedStamp'] as const) {
      labels[column] = new Int32Array(layerCount * placeCount);
    }
    labels.stamp = 0;
  }
  setOrigins(labels, count);
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
  labels.layerCount = layerCount;
  labels.rounds = rounds;
  labels.stride = stride;
  for (const lists of [labels.marked, labels.markedNext]) {
    for (const list of lists) list.clear();
    while (lists.length < layerCount) lists.push(new IntList());
  }
  labels.improved.clear();
  labels.stamp++;
}

function setOrigins(labels: Labels, count: number): void {
  const { origins } = labels;
  if (origins.readyBy.length < count) {
    origins.reachSegment = new Int32Array(count);
    origins.reachPosition = new Uint16Array(count);
    origins.readyBy = new Int32Array(count);
  }
  Object.assign(labels, origins);
}

/** Returns the row of the first label of a layer and number of rides. */
export function rowOf({ stride, placeCount }: Labels, layer: number, rides: number): number {
  return (layer * stride + rides) * placeCount;
}

/** Returns whether boarding here can still improve the arrival at the end. */
function isWorthBoarding(labels: Labels, layer: number, rides: number, place: number, time: number): boolean {
  const { limits, bounds } = labels;
  if (time >= limits[rides]!) return false;
  if (bounds === null || layer < labels.layerCount - 1) return true;
  return time + bounds.readySeconds[place]! < limits[rides + bounds.readyRides[place]!]!;
}

/**
 * Sets the time from which a trip can be boarded at a place, if it is an improvement.
 * @param list of marked places, to which the place is added once; `null` to mark nothing
 */
export function setReady(
  labels: Labels,
  layer: number,
  rides: number,
  place: number,
  time: number,
  by: number,
  list: IntList | null,
): void {
  const { ready, readyBy, rounds, placeCount } = labels;
  let row = rowOf(labels, layer, rides) + place;
  if (time >= ready[row]! || !isWorthBoarding(labels, layer, rides, place, time)) return;
  const mark = layer * placeCount + place;
  if (list !== null && labels.markStamp[mark] !== labels.stamp) {
    labels.markStamp[mark] = labels.stamp;
    list.push(place);
    list.push(ready[row]!);
  }
  // A time reached with fewer rides bounds the later rounds too: they only keep earlier times.
  for (let k = rides; k <= rounds && ready[row]! > time; k++, row += placeCount) {
    ready[row] = time;
    readyBy[row] = by;
  }
}

/** Sets the arrival on board at a place; the caller has checked that it is an improvement. */
export function setReach(
  labels: Labels,
  layer: number,
  rides: number,
  place: number,
  time: number,
  segment: number,
  position: number,
): void {
  const { reach, reachSegment, reachPosition, rounds, placeCount } = labels;
  let row = rowOf(labels, layer, rides) + place;
  for (let k = rides; k <= rounds && reach[row]! > time; k++, row += placeCount) {
    reach[row] = time;
    reachSegment[row] = segment;
    reachPosition[row] = position;
  }
  const mark = layer * placeCount + place;
  if (labels.improvedStamp[mark] === labels.stamp) return;
  labels.improvedStamp[mark] = labels.stamp;
  labels.improved.push(place);
}

/** Sets the arrival at the end of the search, if it is an improvement. @param segment -1: on foot from the last via */
export function setEnd(labels: Labels, rides: number, time: number, segment: number, position: number): void {
  const { ends, rounds } = labels;
  if (time >= ends[rides]!) return;
  for (let k = rides; k <= rounds && ends[k]! > time; k++) ends[k] = time;
  labels.isBetter[rides] = 1;
  labels.endSegment[rides] = segment;
  labels.endPosition[rides] = position;
}
