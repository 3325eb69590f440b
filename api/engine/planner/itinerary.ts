import type { Instant } from '../../../pipeline/model/service-time.ts';

/** A ride on one dated trip, from one of its calls to a later one. */
export interface Ride {
  readonly kind: 'ride';
  /** Row of the timetable's trips, or -1; then `addedTrip` is a row of the realtime snapshot's added trips, else -1. */
  readonly trip: number;
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
  /** Index of the calls in the trip, from 0. */
  readonly boardPosition: number;
  readonly alightPosition: number;
  /** From realtime where it is known and fresh, else as planned. */
  readonly departure: Instant;
  readonly arrival: Instant;
  /** The vehicle of the previous ride continues as this trip: passengers stay on board. */
  readonly isStaying: boolean;
}

type WalkRole = 'access' | 'change' | 'egress' | 'direct';

/** A part between rides, before the first or after the last one. */
export interface Walk {
  readonly kind: 'walk';
  readonly role: WalkRole;
  /** Rows of the timetable's stops, or -1: a place of the query (`from`, a `via`, `to`). */
  readonly fromStop: number;
  readonly toStop: number;
  /** Number of that place when a stop is -1: 0 `from`, 1 the first `via` …, the last `to`. */
  readonly fromPlace: number;
  readonly toPlace: number;
  readonly meters: number;
  /** Walking time, without waiting. */
  readonly seconds: number;
  readonly departure: Instant;
  /** End of the walk; the rest until the next departure is waiting. */
  readonly arrival: Instant;
  /** Of a change: minimum seconds between arrival and departure; 0 elsewhere. */
  readonly changeSeconds: number;
  /** Of a change: the next vehicle waits for this one (transfer type 1). */
  readonly isGuaranteed: boolean;
}

/**
 * One itinerary from place to place. Between two rides there is exactly one walk of role `change` (of 0 metres where
 * both are at one stop), unless the passengers stay on board; a `via` that is a place of its own is reached by an
 * `egress` and left by an `access`.
 */
export interface Itinerary {
  readonly departure: Instant;
  readonly arrival: Instant;
  /** Changes of vehicle; staying on board is none. */
  readonly transfers: number;
  readonly parts: readonly (Ride | Walk)[];
}

/** A stop within walking distance of a place. */
export interface Reach {
  /** Row of the timetable's stops; one with calls. */
  readonly stop: number;
  readonly meters: number;
}

export interface PlanPlace {
  /** Stops of the place itself, without a walk: the requested stop, or all platforms of the station. */
  readonly members: readonly number[];
  /** Stops within walking range, without members; the same distance holds in both directions. */
  readonly reach: readonly Reach[];
}

/** A query to the planner, all names resolved. */
export interface PlanQuery {
  readonly from: PlanPlace;
  readonly to: PlanPlace;
  readonly via: readonly PlanPlace[];
  /** Walking distance from each place to the next, `from`, `via`, `to`; null: too far, or unknown. */
  readonly stretchMeters: readonly (number | null)[];
  /** Earliest departure or latest arrival as requested, the same on every page. */
  readonly time: Instant;
  readonly timeMode: 'departure' | 'arrival';
  readonly limit: number;
  readonly maxTransfers: number;
  /** Minimum of every change, except guaranteed ones and staying on board. */
  readonly minTransferSeconds: number;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  readonly walkSpeedKmh: number;
  readonly maxWalkMeters: number;
  readonly wheelchair: boolean;
  /** Whether choices that another one makes hardly worth showing are shown too; see `folds` in pareto.ts. */
  readonly all?: boolean;
}

/** End of a page, where the next one continues: plain data, sealed and sent to the client. */
export interface PlanCursor {
  readonly direction: 'earlier' | 'later';
  /**
   * The last itinerary at this end, by the order of the list, in whole minutes: which of several equal ones was shown
   * does not move the end. null: the page is empty, and continues at `time`.
   */
  readonly beyond: readonly [primary: number, secondary: number] | null;
  readonly time: Instant;
  /** `PlanQuery.time` of the first page. Dominance depends on it, so all pages need the same. */
  readonly askedTime: Instant;
  /** Whether the direct walk was not dominated on the first page; then it counts against rides on all pages. */
  readonly hasWalk: boolean;
}

export interface PlanPage {
  /** Sorted by departure, then arrival, in whole minutes; for a query by arrival: by arrival, then departure. */
  readonly itineraries: readonly Itinerary[];
  /** null at the end of the timetable. */
  readonly earlier: PlanCursor | null;
  readonly later: PlanCursor | null;
}
