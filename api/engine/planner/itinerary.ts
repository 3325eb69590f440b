import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Point } from '../../../pipeline/streets/street-path.ts';
import type { StreetVehicle } from '../../../pipeline/streets/vehicle-router.ts';
import type { DatedTrip } from '../read/dated-trip.ts';
import type { OnDemandUse } from '../read/open-times.ts';
import type { SharingPlace } from '../sharing/open-sharing.ts';

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
  /** From fresh realtime data if available, otherwise as scheduled. */
  readonly departure: Instant;
  readonly arrival: Instant;
  /** The vehicle of the previous ride continues as this trip: passengers stay on board. */
  readonly isStaying: boolean;
}

type WalkRole = 'access' | 'transfer' | 'egress' | 'direct';

/** A ride on a shared bicycle, with the walks before and after it. */
export interface SharedRide {
  /** The sharing system; `url` is `null` if it publishes none. */
  readonly system: { readonly name: string; readonly url: string | null };
  /** Where the bicycle is taken, and where it is left. */
  readonly from: SharingPlace;
  readonly to: SharingPlace;
  readonly toBike: RideStretch;
  /** Includes renting and returning. */
  readonly ride: RideStretch;
  readonly fromBike: RideStretch;
  /** Total of the ride and both walks. */
  readonly seconds: number;
}

interface RideStretch {
  readonly meters: number;
  readonly seconds: number;
}

/** A way by bicycle or car instead of on foot. */
export interface VehicleUse {
  readonly vehicle: StreetVehicle;
  /** From the place to boarding, or from alighting to the place, with parking. */
  readonly seconds: number;
  /** Where the vehicle stays: at the stop, or at a car park with a walk to the stop. Absent: it does not. */
  readonly parked?: 'atStop' | Point;
  /** The ride on a shared bicycle; absent if the vehicle is the traveller's own. */
  readonly shared?: SharedRide;
}

/** A minimum stay at a via. */
export interface ViaStay {
  /** Added to the walk; of a transfer, to its minimum. */
  readonly seconds: number;
  /** Whether it is spent where the walk begins, and not where it ends. */
  readonly isBefore: boolean;
}

/** A walk before the first ride, between rides, or after the last ride; or the same on other wheels. */
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
  /** Absent if on foot, or if `onDemand` is set. */
  readonly vehicle?: VehicleUse;
  readonly onDemand?: OnDemandUse;
  /** Travel time, excluding waiting. */
  readonly seconds: number;
  readonly departure: Instant;
  /** End of the walk; the rest until the next departure is waiting. */
  readonly arrival: Instant;
  /** For a transfer: minimum seconds between arrival and departure; otherwise 0. */
  readonly transferSeconds: number;
  /** For a transfer: the minimum of the publisher or of the request; 0 where there is neither. */
  readonly requiredSeconds: number;
  /** The minimum stay at a via that it leaves, or that a transfer passes; absent: none. */
  readonly stay?: ViaStay;
  /** For a transfer: whether the next vehicle waits for this one (GTFS transfer type 1). */
  readonly isGuaranteed: boolean;
}

/**
 * One itinerary from place to place. Between two rides there is exactly one walk of role `transfer` (0 metres if both are
 * at one stop), unless passengers stay on board. A `via` that is reached on foot has an `egress` before it and an
 * `access` after it.
 */
export interface Itinerary {
  readonly departure: Instant;
  readonly arrival: Instant;
  /** Number of transfers; staying on board does not count. */
  readonly transfers: number;
  readonly parts: readonly (Ride | Walk)[];
}

/** A stop within reach of a place. */
export interface WalkableStop {
  /** Row of the timetable's stops; one with calls. */
  readonly stop: number;
  readonly meters: number;
  /** Absent if on foot, or if `onDemand` is set. */
  readonly vehicle?: VehicleUse;
  readonly onDemand?: OnDemandUse;
}

/** An on-demand ride from `from` to `to`. */
export interface OnDemandWay {
  readonly meters: number;
  readonly onDemand: OnDemandUse;
}

/** A way from `from` past each `via` to `to` by bicycle or car, from place to place. */
export interface DirectWay {
  readonly vehicle: StreetVehicle;
  readonly stretches: readonly (RideStretch & Pick<VehicleUse, 'shared'>)[];
}

export interface PlanPlace {
  /** Stops that belong to the place and need no walk: the requested stop, or all platforms of the station. */
  readonly members: readonly number[];
  /** Other stops within reach, each once; a walk has the same distance in both directions. */
  readonly reach: readonly WalkableStop[];
}

/** Lines, operators and stops that no ride of an itinerary uses. */
export interface Avoidance {
  /** Labels and ids of lines. */
  readonly lines: ReadonlySet<string>;
  /** Names. */
  readonly operators: ReadonlySet<string>;
  /** Where nobody boards or alights: rows of `stops`. Vehicles may pass. */
  readonly stops: readonly number[];
}

/** A query to the planner, with all ids resolved to rows. */
export interface PlanQuery {
  readonly from: PlanPlace;
  readonly to: PlanPlace;
  readonly via: readonly PlanPlace[];
  /** Minimum stay at each via, between arrival and departure; absent: none. */
  readonly viaStaySeconds?: readonly number[];
  /** Walking distance from each place to the next (`from`, `via` …, `to`); `null` if it is too far or unknown. */
  readonly stretchMeters: readonly (number | null)[];
  /** The requested earliest departure or latest arrival, the same on every page. */
  readonly time: Instant;
  readonly timeMode: 'departure' | 'arrival';
  readonly limit: number;
  readonly maxTransfers: number;
  /** Minimum duration of every transfer except guaranteed ones and staying on board. */
  readonly minTransferSeconds: number;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  /** Absent: nothing. */
  readonly avoid?: Avoidance;
  /**
   * Stops that travellers can neither reach nor leave, except by transfers without steps or lifts. Rows of `stops`,
   * ascending. Absent if there are none.
   */
  readonly closedStops?: readonly number[];
  /** Trips that the traveller has booked, whose deadlines no longer matter; absent: none. */
  readonly booked?: readonly DatedTrip[];
  readonly walkSpeedKmh: number;
  readonly maxWalkMeters: number;
  readonly wheelchair: boolean;
  /** Whether a bicycle is taken along; absent: no. */
  readonly bikeOnBoard?: boolean;
  /** Whether the direct walk is left out; absent: no. */
  readonly withoutDirectWalk?: boolean;
  /** Direct ways on wheels, those of the simpler vehicle first; absent: none. */
  readonly directWays?: readonly DirectWay[];
  /** On-demand rides from origin to destination; absent if there are none. */
  readonly directRides?: readonly OnDemandWay[];
  /** Whether to show folded choices too; see `folds` in pareto.ts. */
  readonly all?: boolean;
}

/** Where the next page continues. Plain data, which the client receives as an encrypted token. */
export interface PlanCursor {
  readonly direction: 'earlier' | 'later';
  /**
   * The last itinerary at this end of the page in list order, in whole minutes, so that the position does not depend on
   * which of several equal itineraries was shown. `null` if the page was empty; the next page then continues at `time`.
   */
  readonly beyond: readonly [primary: number, secondary: number] | null;
  readonly time: Instant;
  /** `PlanQuery.time` of the first page. Dominance depends on it, so all pages use the same value. */
  readonly requestedTime: Instant;
  /** Whether the first page shows the direct walk; if so, it dominates rides on all pages. */
  readonly hasWalk: boolean;
}

export interface PlanPage {
  /** Sorted by departure, then arrival, in whole minutes; for a query by arrival, by arrival, then departure. */
  readonly itineraries: readonly Itinerary[];
  /** null at the end of the timetable. */
  readonly earlier: PlanCursor | null;
  readonly later: PlanCursor | null;
}
