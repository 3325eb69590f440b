import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Published } from '../read/realtime.ts';
import type { PlanCursor, PlanPage, PlanPlace, PlanQuery } from './itinerary.ts';
import type { Planner } from './open-planner.ts';
import type { Asked } from './scope.ts';
import { compare, type Found, type Looked, openSearched, type Searched, searchBack, searchOn } from './windows.ts';

function findFirstPage(asked: Asked): PlanPage {
  const searched = openSearched(asked, null);
  const { time, walk } = searched;
  const wanted = asked.query.limit - (walk ? 1 : 0);
  const found = searchOn(searched, time, null, wanted);
  const shown = walk ? [...found.shown, walk].sort(compare) : found.shown;
  const before = { beyond: found.shown[0] ?? null, time };
  return toPage(searched, shown, before, beyondLast(found, wanted));
}

function findNextPage(asked: Asked, { direction, beyond, time, hasWalk }: PlanCursor): PlanPage {
  const searched = openSearched(asked, hasWalk);
  const { sign } = searched;
  const isOn = (direction === 'later') === sign > 0;
  const last = beyond === null ? null : { begin: sign * beyond[0], end: sign * beyond[1] };
  const from = sign * time;
  const wanted = asked.query.limit;
  if (isOn) {
    const found = searchOn(searched, from, last, wanted);
    // After an empty page, the way back starts at the last itinerary shown.
    const before = found.shown[0] ?? (last && { begin: last.begin, end: last.end + 1 });
    return toPage(searched, found.shown, { beyond: before, time: from }, beyondLast(found, wanted));
  }
  const found = searchBack(searched, from, last, wanted);
  const isFull = found.shown.length === wanted;
  const before = isFull ? { beyond: found.shown[0]!, time: from } : { beyond: null, time: found.lookedTo };
  const after = found.shown.at(-1) ?? (last && { begin: last.begin, end: last.end - 1 });
  return toPage(searched, found.shown, before, { beyond: after, time: from });
}

/** End of a page: after the last itinerary shown, or the time up to which it was searched. */
interface Edge {
  readonly beyond: Pick<Found, 'begin' | 'end'> | null;
  /** Signed. */
  readonly time: number;
}

function beyondLast({ shown, lookedTo }: Looked, wanted: number): Edge {
  if (shown.length < wanted) return { beyond: null, time: lookedTo };
  const last = shown.at(-1);
  return { beyond: last ?? null, time: last?.begin ?? lookedTo };
}

function toPage(searched: Searched, shown: readonly Found[], before: Edge, after: Edge): PlanPage {
  const { sign } = searched;
  const { planner } = searched.asked;
  const { begin, end } = planner.timetable;
  const [earlier, later] = sign > 0 ? [before, after] : [after, before];
  const itineraries = shown.map(({ itinerary }) => itinerary);
  const real = ({ beyond, time }: Edge) => sign * (beyond?.begin ?? time);
  return {
    itineraries: sign > 0 ? itineraries : itineraries.reverse(),
    earlier: real(earlier) <= begin ? null : toCursor('earlier', searched, earlier),
    later: real(later) >= end ? null : toCursor('later', searched, later),
  };
}

function toCursor(
  direction: PlanCursor['direction'],
  { asked, sign, walk }: Searched,
  { beyond, time }: Edge,
): PlanCursor {
  return {
    direction,
    beyond: beyond === null ? null : [sign * beyond.begin, sign * beyond.end],
    time: (sign * (beyond?.begin ?? time)) as Instant,
    askedTime: asked.query.time,
    hasWalk: walk !== null,
  };
}

/**
 * One page of the answer to a query: see `PlanPage` for its order.
 * @param moment decides which realtime is fresh
 * @param cursor of the previous page; null for the first page
 * @param isSpent returns true when the query has used up its time
 * @throws PlanTimeout then
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

/** Whether the destination is the origin, so that no trip is needed. */
function isThereAlready({ from, to, via }: PlanQuery): boolean {
  return via.length === 0 && from.members.some((stop) => to.members.includes(stop));
}

/** Whether there are no stops in walking range of an end, and the next place is too far on foot. */
function isOutOfReach({ from, to, stretchMeters }: PlanQuery): boolean {
  const isFar = ({ members, reach }: PlanPlace) => members.length + reach.length === 0;
  return (isFar(from) && stretchMeters[0] === null) || (isFar(to) && stretchMeters.at(-1) === null);
}
