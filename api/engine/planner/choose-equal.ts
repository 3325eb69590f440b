import { findEqualTimes, findLatestTimes } from './equal-bounds.ts';
import { type EqualSearch, type EqualWay, listEqualWays, toParts } from './equal-ways.ts';
import type { Itinerary } from './itinerary.ts';
import { compareEqual, secondsOf } from './pareto.ts';
import { LONGEST_JOURNEY_SECONDS } from './profile.ts';
import { type Found, type Searched, spanOn } from './searched.ts';
import { placeInTime } from './trace.ts';

/**
 * Of all itineraries that are equal to a choice in minutes and transfers, the one to be shown: the most likely to work
 * out, then the one with less walking, then the shortest, then the last. Beside the direct walk, none that takes as long.
 * @throws PlanTimeout
 */
export function chooseEqual(searched: Searched, found: Found): Itinerary {
  const { asked, ridesAgainst, sign, walk, estimate } = searched;
  const { transfers } = found.itinerary;
  const times = findEqualTimes(searched, found);
  const isDirect = transfers === 0 && asked.query.via.length === 0;
  const latestTimes = isDirect ? null : findLatestTimes(searched, times, transfers + 1);
  const scope = ridesAgainst(spanOn(sign > 0 ? -1 : 1, times.from));
  const search: EqualSearch = {
    scope,
    timetable: asked.planner.timetable,
    times,
    latestTimes,
    transfers,
    estimate,
    isSpent: asked.isSpent,
  };
  const longest = Math.min(LONGEST_JOURNEY_SECONDS, walk === null ? Infinity : secondsOf(walk.itinerary) - 1);
  const best = listEqualWays(search)
    .filter((way) => secondsOf(way) <= longest)
    .reduce<EqualWay | null>((one, other) => (one === null || compareEqual(other, one) < 0 ? other : one), null);
  // The search has found at least the itinerary that it was started for.
  if (best === null) throw new Error('a choice without an itinerary');
  const { departure, arrival } = best;
  return { departure, arrival, transfers, parts: placeInTime(toParts(search, best), departure) };
}
