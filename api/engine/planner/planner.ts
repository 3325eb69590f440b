import type { Instant } from '../../../pipeline/model/service-time.ts';
import { type EstimateRides, openRideEstimates } from '../predictions/ride-estimates.ts';
import type { Published } from '../read/realtime.ts';
import { openChoiceList, takeBack, takeOn } from './choice-list.ts';
import { chooseEqual } from './choose-equal.ts';
import type { PlanCursor, PlanPage, PlanPlace, PlanQuery } from './itinerary.ts';
import type { Planner } from './open-planner.ts';
import { minuteOf, roundDown, roundUp } from './pareto.ts';
import { PAGE_SPAN_SECONDS } from './profile.ts';
import type { Asked } from './scope.ts';
import { compare, type Found, type Place, type Searched } from './searched.ts';
import { openSearched } from './windows.ts';

function findFirstPage(asked: Asked, estimate: EstimateRides): PlanPage {
  const searched = openSearched(asked, estimate, null);
  const { time, walk } = searched;
  const wanted = asked.query.limit - (walk ? 1 : 0);
  const found = searchOn(searched, time, null, wanted);
  const shown = walk ? [...found.shown, walk].sort(compare) : found.shown;
  const before = { beyond: found.shown[0] ?? null, time };
  return toPage(searched, shown, before, beyondLast(found, wanted));
}

function findNextPage(asked: Asked, estimate: EstimateRides, cursor: PlanCursor): PlanPage {
  const { direction, beyond, time, hasWalk } = cursor;
  const searched = openSearched(asked, estimate, hasWalk);
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

interface Looked {
  readonly shown: readonly Found[];
  /** Signed; between there and the begin of the search no choices are to be shown but these. */
  readonly lookedTo: number;
}

/** The first `wanted` choices from a signed time on, or after the last one shown, within the span of a page. */
function searchOn(searched: Searched, time: number, beyond: Place | null, wanted: number): Looked {
  const from = beyond === null ? time : beyond.begin;
  // With nothing wanted the next page begins here.
  const lookedTo = wanted === 0 ? from : roundUp(from + PAGE_SPAN_SECONDS);
  return { shown: takeOn(openChoiceList(searched, from), beyond, lookedTo, wanted), lookedTo };
}

/** The last `wanted` choices before a signed time, or before the first one shown, within the span of a page. */
function searchBack(searched: Searched, time: number, beyond: Place | null, wanted: number): Looked {
  const to = beyond === null ? time : minuteOf(searched.time, beyond.begin).to;
  const lookedTo = roundDown(to - PAGE_SPAN_SECONDS);
  return { shown: takeBack(openChoiceList(searched, to), beyond, lookedTo, wanted), lookedTo };
}

/** End of a page: after the last itinerary shown, or the time up to which it was searched. */
interface Edge {
  readonly beyond: Place | null;
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
  const itineraries = shown.map((found) => (found === searched.walk ? found.itinerary : chooseEqual(searched, found)));
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
 * @param estimate decides between itineraries that are equal in minutes and transfers
 * @throws PlanTimeout when it has
 */
export function findItineraries(
  planner: Planner,
  published: Published,
  moment: Instant,
  query: PlanQuery,
  cursor: PlanCursor | null,
  isSpent: () => boolean = () => false,
  estimate: EstimateRides = openRideEstimates(published, moment),
): PlanPage {
  if (isThereAlready(query) || isOutOfReach(query)) return { itineraries: [], earlier: null, later: null };
  const asked = { planner, realtime: published.realtime, moment, query, isSpent };
  if (cursor === null) return findFirstPage(asked, estimate);
  return findNextPage({ ...asked, query: { ...query, time: cursor.askedTime } }, estimate, cursor);
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
