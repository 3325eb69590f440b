import type { Instant } from '../../../pipeline/model/service-time.ts';

/** A ride on one dated trip, from one of its calls to a later one. */
export interface Ride {
  readonly kind: 'ride';
  /** Row of the timetable's trips, or -1; then `addedTrip` is a row of the realtime snapshot's added trips, else -1. */
  readonly trip: number;
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
  /** Which calls of the trip, from 0. */
  readonly boardPosition: number;
  readonly alightPosition: number;
  /** As it runs: realtime where it is known and fresh, else as planned. */
  readonly departure: Instant;
  readonly arrival: Instant;
  /** The vehicle of the ride before goes on as this trip: nobody gets up. */
  readonly isStaying: boolean;
}

type WalkRole = 'access' | 'change' | 'egress' | 'direct';

/** What lies between rides, before the first and after the last. */
export interface Walk {
  readonly kind: 'walk';
  readonly role: WalkRole;
  /** Rows of the timetable's stops, or -1: the place that was asked for (`from`, a `via`, `to`). */
  readonly fromStop: number;
  readonly toStop: number;
  /** Which place that is when a stop is -1: 0 `from`, 1 the first `via` …, the last `to`. */
  readonly fromPlace: number;
  readonly toPlace: number;
  readonly meters: number;
  /** Of walking alone, without waiting. */
  readonly seconds: number;
  readonly departure: Instant;
  /** When the traveller is there; what is left until the next departure is waiting. */
  readonly arrival: Instant;
  /** Of a change: the least seconds between arriving and leaving; 0 elsewhere. */
  readonly changeSeconds: number;
  /** Of a change: the next vehicle waits for this one (transfer type 1). */
  readonly isGuaranteed: boolean;
}

/**
 * One way from place to place. Parts follow one another: between two rides lies exactly one walk of role `change` (of 0
 * metres where both are at one stop), unless the later one is staying seated; a `via` that is a place of its own is
 * reached by an `egress` and left by an `access`.
 */
export interface Itinerary {
  readonly departure: Instant;
  readonly arrival: Instant;
  /** Changes of vehicle; staying seated is none. */
  readonly transfers: number;
  readonly parts: readonly (Ride | Walk)[];
}

/** A stop that can be reached on foot from a place, or from which the place can be reached. */
export interface Reach {
  /** Row of the timetable's stops; one with calls. */
  readonly stop: number;
  readonly meters: number;
}

export interface PlanPlace {
  /** Stops where the place is reached without a walk: the stop asked for, or all platforms of the station. */
  readonly members: readonly number[];
  /** Stops within walking range, members left out; ways there and ways back are as long. */
  readonly reach: readonly Reach[];
}

/** A question to the planner, all names resolved. */
export interface PlanQuery {
  readonly from: PlanPlace;
  readonly to: PlanPlace;
  readonly via: readonly PlanPlace[];
  /** On foot from each place to the next, `from`, `via`, `to`; null: too far, or nobody knows. */
  readonly stretchMeters: readonly (number | null)[];
  /** Earliest departure, or latest arrival: as asked, on every page. */
  readonly time: Instant;
  readonly timeMode: 'departure' | 'arrival';
  readonly limit: number;
  readonly maxTransfers: number;
  /** Raises every change, save guaranteed ones and staying seated. */
  readonly minTransferSeconds: number;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  readonly walkSpeedKmh: number;
  readonly maxWalkMeters: number;
  readonly wheelchair: boolean;
}

/** Where a page ends, and the next one continues: plain data, to be sealed and sent along. */
export interface PlanCursor {
  readonly direction: 'earlier' | 'later';
  /** The last one shown at this end, by the order of the list; null: nothing was, and `time` is where to continue. */
  readonly beyond: readonly [primary: number, secondary: number] | null;
  readonly time: Instant;
  /** `PlanQuery.time` of the first page. It takes part in what beats what, so all pages need the same. */
  readonly askedTime: Instant;
  /** Whether nothing beat the direct walk on the first page; then it holds against rides on all pages. */
  readonly hasWalk: boolean;
}

export interface PlanPage {
  /** In the order of the list: departure, arrival, transfers; when asked by arrival: arrival, departure, transfers. */
  readonly itineraries: readonly Itinerary[];
  /** null at the end of the timetable. */
  readonly earlier: PlanCursor | null;
  readonly later: PlanCursor | null;
}
