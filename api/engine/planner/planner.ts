import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Published } from '../realtime.ts';
import type { PlanCursor, PlanPage, PlanPlace, PlanQuery } from './itinerary.ts';
import type { Planner } from './open-planner.ts';
import { findFirstPage, findNextPage } from './pages.ts';

export { openPlanner, type Planner } from './open-planner.ts';
export { PlanTimeout } from './search.ts';

/**
 * One page of the answer to a question: see `PlanPage` for its order.
 * @param moment by which realtime is fresh
 * @param cursor of the page before; null for the first page
 * @param isSpent tells that the question has had its time
 * @throws PlanTimeout when it has
 */
export function findItineraries(
  planner: Planner,
  published: Published,
  moment: Instant,
  query: PlanQuery,
  cursor: PlanCursor | null,
  isSpent: () => boolean = () => false,
): PlanPage {
  if (isThereAlready(query) || isOutOfReach(query)) return { itineraries: [], earlier: null, later: null };
  const asked = { planner, realtime: published.realtime, moment, query, isSpent };
  if (cursor === null) return findFirstPage(asked);
  return findNextPage({ ...asked, query: { ...query, time: cursor.askedTime } }, cursor);
}

/** Whoever asks for the way to where they are need not go. */
function isThereAlready({ from, to, via }: PlanQuery): boolean {
  return via.length === 0 && from.members.some((stop) => to.members.includes(stop));
}

/** No stop is near enough to begin or to end with, and to the next place it is too far on foot. */
function isOutOfReach({ from, to, stretchMeters }: PlanQuery): boolean {
  const isFar = ({ members, reach }: PlanPlace) => members.length + reach.length === 0;
  return (isFar(from) && stretchMeters[0] === null) || (isFar(to) && stretchMeters.at(-1) === null);
}
