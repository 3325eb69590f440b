import { isAsLikely } from './undominated.ts';

// Dominance between rides on the vehicles of a route, and between ways to a stop.

/** The criteria by which rides of one route are compared. */
export interface RideRank {
  /** Of the dated trip in its route, in the order of search. */
  readonly index: number;
  /** Position of boarding; of the last call passed where the traveller is on board from the start. */
  readonly from: number;
  /** Rides boarded so far, staying on board not counted. */
  readonly rideCount: number;
  /** Of the chance, and of the time to decide. */
  readonly grade: number;
  readonly isKnown: boolean;
  readonly decisionStep: number;
  /** Whether the route has continuing trips. */
  readonly mayContinue: boolean;
}

/**
 * Whether a ride makes another one of its route useless: an earlier vehicle arrives nowhere later. A vehicle that continues
 * as another trip is compared only with itself.
 */
export function isRideAsGood(one: RideRank, other: RideRank): boolean {
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
 * Whether one way to a transfer place dominates another. It assumes that an earlier arrival makes the next transfer no less
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
