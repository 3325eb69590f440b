import type { EstimateRides } from '../predictions/ride-estimates.ts';
import type { Itinerary } from './itinerary.ts';
import { minuteOf, roundUp } from './pareto.ts';
import type { ProfileScope } from './profile-scope.ts';
import { SPAN_SECONDS } from './raptor-routes.ts';
import type { PlanPageRequest, RideScope } from './scope.ts';
import type { Sign } from './search-direction.ts';

// Queries by departure list itineraries by departure, then arrival; queries by arrival list them by arrival, then
// departure, backward in time. Signed times in whole minutes make both the same order: `begin` is the departure or
// minus the arrival, `end` the other one. No two undominated choices share both. Dominance is decided within a minute
// and against later minutes (see pareto.ts), so no search begins or ends within a minute.

/**
 * A choice, represented by one of its itineraries, with signed times: seconds since 1970 in whole minutes, see
 * `minuteOf`.
 */
export interface Choice {
  readonly begin: number;
  readonly end: number;
  readonly itinerary: Itinerary;
}

export type ListPosition = Pick<Choice, 'begin' | 'end'>;

/** A query, the direction of its search, and its scopes by span: in that direction and in the opposite one. */
export interface DirectedQuery {
  readonly request: PlanPageRequest;
  readonly sign: Sign;
  /** The requested time, signed. */
  readonly time: number;
  /** The direct walk from that time on; `null` if it is too far or a ride dominates it. */
  readonly walk: Choice | null;
  readonly scopeOf: (span: number) => ProfileScope;
  readonly scopeAgainst: (span: number) => ProfileScope;
  /** For following rides in the opposite direction. */
  readonly ridesAgainst: (span: number) => RideScope;
  /** Decides between equal itineraries. */
  readonly estimate: EstimateRides;
}

export function toChoice({ sign, time }: Pick<DirectedQuery, 'sign' | 'time'>, itinerary: Itinerary): Choice {
  const { departure, arrival } = itinerary;
  const [begin, end] = sign > 0 ? [departure, arrival] : [-arrival, -departure];
  return { begin: minuteOf(time, begin).from, end: roundUp(end), itinerary };
}

export function comparePositions(a: ListPosition, b: ListPosition): number {
  return a.begin - b.begin || a.end - b.end;
}

/** Returns the span of a signed begin; on a boundary, the next span in the direction of search. */
export function spanOn(sign: Sign, begin: number): number {
  return sign > 0 ? Math.floor(begin / SPAN_SECONDS) : Math.ceil(-begin / SPAN_SECONDS) - 1;
}
