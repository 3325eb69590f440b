import { type Choice, type DirectedQuery, spanOn } from './directed-query.ts';
import { findEqualTimes, findLatestTimes } from './equal-bounds.ts';
import { listEqualItineraries } from './equal-itineraries.ts';
import type { EqualItinerary, EqualSearch } from './equal-labels.ts';
import { toParts } from './equal-parts.ts';
import type { Itinerary } from './itinerary.ts';
import { compareEqual, secondsOf } from './pareto.ts';
import { LONGEST_JOURNEY_SECONDS } from './profile.ts';
import { createRouteView } from './route-view.ts';
import { placeInTime } from './trace.ts';

/**
 * Returns the itinerary to show for a choice, of all that are equal in minutes and transfers: the one most likely to
 * work out, then with the least walking, then the shortest, then the latest. Itineraries that take as long as the
 * direct walk are left out.
 * @throws PlanTimeout
 */
export function chooseEqual(directedQuery: DirectedQuery, found: Choice): Itinerary {
  const { request, ridesAgainst, sign, walk, estimate } = directedQuery;
  const { transfers } = found.itinerary;
  const times = findEqualTimes(directedQuery, found);
  const isDirect = transfers === 0 && request.query.via.length === 0;
  const latestTimes = isDirect ? null : findLatestTimes(directedQuery, times, transfers + 1);
  const scope = ridesAgainst(spanOn(sign > 0 ? -1 : 1, times.from));
  const search: EqualSearch = {
    scope,
    timetable: request.planner.timetable,
    times,
    latestTimes,
    transfers,
    estimate,
    isSpent: request.isSpent,
    view: createRouteView(),
  };
  const longest = Math.min(LONGEST_JOURNEY_SECONDS, walk === null ? Infinity : secondsOf(walk.itinerary) - 1);
  const best = listEqualItineraries(search)
    .filter((itinerary) => secondsOf(itinerary) <= longest)
    .reduce<EqualItinerary | null>((one, other) => (one === null || compareEqual(other, one) < 0 ? other : one), null);
  // The search finds at least the itinerary that it was started for.
  if (best === null) throw new Error('no itinerary found for a choice');
  const { departure, arrival } = best;
  return { departure, arrival, transfers, parts: placeInTime(toParts(search, best), departure) };
}
