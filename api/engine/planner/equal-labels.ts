import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { EstimateRides } from '../predictions/ride-estimates.ts';
import type { Timetable } from '../read/timetable.ts';
import type { EqualBounds, EqualTimes } from './equal-bounds.ts';
import type { Bag } from './label-bag.ts';
import type { EqualRank } from './pareto.ts';
import type { RouteView } from './route-view.ts';
import type { RideScope } from './scope.ts';
import type { Untimed } from './trace.ts';

// Labels of the search for equal itineraries, see `equal-itineraries.ts`.

/** Input of the search for the itineraries of one choice. */
export interface EqualSearch {
  readonly scope: RideScope;
  readonly timetable: Timetable;
  readonly times: EqualTimes;
  /** `null` for itineraries of one ride without vias, which need no bounds. */
  readonly latestTimes: EqualBounds | null;
  readonly transfers: number;
  readonly estimate: EstimateRides;
  readonly isSpent: () => boolean;
  /** Of the route that is being looked at; not kept while another one is opened. */
  readonly view: RouteView;
}

/**
 * How a ride is reached: by a walk from the begin, by a transfer or a walk from another ride, or by staying on board.
 */
export type Approach =
  | {
      readonly kind: 'access' | 'onFoot' | 'transfer';
      readonly after: Leaving | null;
      readonly walks: readonly Untimed[];
    }
  | { readonly kind: 'staying'; readonly after: Leaving };

/** The criteria of a label at a dated trip. */
export interface EqualCriteria {
  /** Probability that all transfers so far are made, 0 to 1. */
  readonly probability: number;
  /** Walking distance so far. */
  readonly meters: number;
  readonly begin: number;
}

export function isAsGood(one: EqualCriteria, other: EqualCriteria): boolean {
  return one.probability >= other.probability && one.meters <= other.meters && one.begin >= other.begin;
}

export type TripBag<Label extends EqualCriteria> = Bag<string, Label, EqualCriteria>;

/** A label at the call where a dated trip is entered. */
export interface Entering extends EqualCriteria {
  readonly layer: number;
  readonly route: number;
  readonly index: number;
  readonly position: number;
  readonly approach: Approach;
}

export interface Leaving extends EqualCriteria {
  readonly entering: Entering;
  /** Number of vias passed. */
  readonly layer: number;
  readonly position: number;
  readonly place: number;
  readonly time: number;
}

/** One itinerary. */
export interface EqualItinerary extends EqualRank {
  readonly departure: Instant;
  readonly arrival: Instant;
  readonly last: Leaving;
  /** Walks from the last ride to the end. */
  readonly walks: readonly Untimed[];
}
