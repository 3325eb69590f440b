import type { EstimateRides } from '../predictions/ride-estimates.ts';
import type { Itinerary } from './itinerary.ts';
import { SPAN_SECONDS } from './lanes.ts';
import { minuteOf, roundUp } from './pareto.ts';
import type { ProfileScope } from './profile.ts';
import type { Asked, RideScope } from './scope.ts';
import type { Sign } from './side.ts';

// For a query by departure, itineraries are ordered by departure, then arrival; by arrival, the other way round, back
// in time. Both are one order with signed times in whole minutes: `begin` is the departure or minus the arrival, `end`
// the other one. No two choices that are not beaten have both in common. Dominance is decided within a minute and
// against later ones (see pareto.ts), so no search begins or ends within a minute.

/** A choice, by one itinerary, and its signed times: seconds since 1970 in whole minutes, see `minuteOf`. */
export interface Found {
  readonly begin: number;
  readonly end: number;
  readonly itinerary: Itinerary;
}

export type Place = Pick<Found, 'begin' | 'end'>;

/** A query, the direction of its search, and its scopes by span of lanes: in that direction, and against it. */
export interface Searched {
  readonly asked: Asked;
  readonly sign: Sign;
  /** The requested time, signed. */
  readonly time: number;
  /** The direct walk from then on; null where there is none, or where a ride beats it. */
  readonly walk: Found | null;
  readonly scopeOf: (span: number) => ProfileScope;
  readonly scopeAgainst: (span: number) => ProfileScope;
  /** Rides against the direction of search. */
  readonly ridesAgainst: (span: number) => RideScope;
  /** Decides between equal itineraries. */
  readonly estimate: EstimateRides;
}

export function place({ sign, time }: Pick<Searched, 'sign' | 'time'>, itinerary: Itinerary): Found {
  const { departure, arrival } = itinerary;
  const [begin, end] = sign > 0 ? [departure, arrival] : [-arrival, -departure];
  return { begin: minuteOf(time, begin).from, end: roundUp(end), itinerary };
}

export function compare(a: Place, b: Place): number {
  return a.begin - b.begin || a.end - b.end;
}

/** The span of a begin at a signed time; at a border, the next one in the direction of search. */
export function spanOn(sign: Sign, begin: number): number {
  return sign > 0 ? Math.floor(begin / SPAN_SECONDS) : Math.ceil(-begin / SPAN_SECONDS) - 1;
}
