import { isAsLikely } from './undominated.ts';

// What is of no use beside another: rides on the vehicles of a lane, and ways to a stop.

/**
 * Adds a label to those of its place that no other dominates, and drops those that it dominates.
 * @returns false where another one dominates it
 */
export function addUndominated<Label>(
  labels: Map<number, Label[]>,
  at: number,
  label: Label,
  dominates: (one: Label, other: Label) => boolean,
): boolean {
  const known = labels.get(at);
  if (!known) {
    labels.set(at, [label]);
    return true;
  }
  for (const other of known) if (dominates(other, label)) return false;
  let count = 0;
  for (const other of known) if (!dominates(label, other)) known[count++] = other;
  known.length = count;
  known.push(label);
  return true;
}

/** What rides of one lane are compared by. */
export interface RideRank {
  /** Of the dated trip in its lane, in the order of search. */
  readonly index: number;
  /** Position of boarding; of the last call passed where the traveller is on board from the start. */
  readonly from: number;
  /** Rides boarded so far, staying on board not counted. */
  readonly rideCount: number;
  /** Of the chance, and of the time to decide. */
  readonly grade: number;
  readonly isKnown: boolean;
  readonly decisionStep: number;
  /** Whether the lane has continuing trips. */
  readonly mayContinue: boolean;
}

/**
 * Whether a ride is of no use beside another one in its lane: an earlier vehicle is nowhere later. One that continues as
 * another trip is comparable with itself alone.
 */
export function dominates(one: RideRank, other: RideRank): boolean {
  return (
    (one.mayContinue ? one.index === other.index : one.index <= other.index) &&
    one.from <= other.from &&
    one.rideCount <= other.rideCount &&
    isAsLikely(one, other) &&
    one.decisionStep >= other.decisionStep
  );
}

export interface ReadyLabel {
  readonly time: number;
  /** When the walk there ends, by which chances are estimated. */
  readonly walked: number;
  readonly grade: number;
  readonly isKnown: boolean;
  readonly decisionStep: number;
  readonly rideCount: number;
}

/**
 * Whether a way to a change place dominates another, by the rule that who is there earlier makes the next change no less
 * often, whatever the forecasts of the vehicles say.
 */
export function isReadyAsGood(one: ReadyLabel, other: ReadyLabel): boolean {
  return (
    one.time <= other.time &&
    one.walked <= other.walked &&
    isAsLikely(one, other) &&
    one.decisionStep >= other.decisionStep &&
    one.rideCount <= other.rideCount
  );
}
