import type { Instant } from '../../../pipeline/model/service-time.ts';
import { type EstimateRides, openRideEstimates } from '../predictions/ride-estimates.ts';
import type { Published } from '../read/realtime.ts';
import { openChoiceList, type TakenChoices, takeBackward, takeForward } from './choice-list.ts';
import { chooseEqual } from './choose-equal.ts';
import { rideDirectly, rideOnDemand } from './direct-ways.ts';
import { type Choice, comparePositions, type DirectedQuery, type ListPosition, toChoice } from './directed-query.ts';
import type { Itinerary, PlanCursor, PlanPage, PlanPlace, PlanQuery } from './itinerary.ts';
import type { Planner } from './open-planner.ts';
import { minuteOf, roundDown, roundUp } from './pareto.ts';
import { PAGE_SPAN_SECONDS } from './profile.ts';
import type { PlanPageRequest, TimeLimit } from './scope.ts';
import { isWalkBeaten, openDirectedQuery } from './windows.ts';

function findFirstPage(request: PlanPageRequest, estimate: EstimateRides, until: number): PlanPage {
  const directedQuery = openDirectedQuery(request, estimate, null);
  const { time } = directedQuery;
  const direct = listDirect(directedQuery);
  const found = findForward(directedQuery, time, null, request.query.limit - direct.length, until);
  const shown = direct.length > 0 ? [...found.shown, ...direct].sort(comparePositions) : found.shown;
  const before = { beyond: found.shown[0] ?? null, time };
  return toPage(directedQuery, shown, before, beyondLast(found));
}

/** The direct walk, and the direct ways on wheels that no ride dominates; at most as many as the page has room for. */
function listDirect(directedQuery: DirectedQuery): Choice[] {
  const { request, walk } = directedQuery;
  // A ride that the walk hides still hides a slower way on wheels.
  const riding = { ...directedQuery, walk: null };
  const onWheels = rideDirectly(request.query, walk?.itinerary ?? null)
    .map((itinerary) => toChoice(riding, itinerary))
    .filter((choice) => !isWalkBeaten(riding, choice));
  // An on-demand ride may begin later than requested: compare it with the rides from then on.
  const onDemand = rideOnDemand(request.query, walk?.itinerary ?? null)
    .map((itinerary) => ({ choice: toChoice(riding, itinerary), from: beginOf(riding, itinerary) }))
    .filter(({ choice, from }) => !isWalkBeaten({ ...riding, time: from }, choice))
    .map(({ choice }) => choice);
  return [...(walk ? [walk] : []), ...onDemand, ...onWheels].slice(0, request.query.limit);
}

function beginOf({ sign }: DirectedQuery, { departure, arrival }: Itinerary): number {
  return sign > 0 ? departure : -arrival;
}

/** The page of a query whose ends are out of reach of all stops: the direct ways on wheels. */
function showDirectOnly(query: PlanQuery): PlanPage {
  const itineraries = [...rideOnDemand(query, null), ...rideDirectly(query, null)].slice(0, query.limit);
  itineraries.sort((a, b) => a.departure - b.departure || a.arrival - b.arrival);
  return { itineraries, earlier: null, later: null };
}

function findNextPage(request: PlanPageRequest, estimate: EstimateRides, cursor: PlanCursor): PlanPage {
  const { direction, beyond, time, hasWalk } = cursor;
  const directedQuery = openDirectedQuery(request, estimate, hasWalk);
  const { sign } = directedQuery;
  const isForward = (direction === 'later') === sign > 0;
  const last = beyond === null ? null : { begin: sign * beyond[0], end: sign * beyond[1] };
  const from = sign * time;
  const wanted = request.query.limit;
  if (isForward) {
    const found = findForward(directedQuery, from, last, wanted);
    // The opposite direction continues at the last itinerary that was shown.
    const before = found.shown[0] ?? (last && { begin: last.begin, end: last.end + 1 });
    return toPage(directedQuery, found.shown, { beyond: before, time: from }, beyondLast(found));
  }
  const found = findBackward(directedQuery, from, last, wanted);
  const before = found.hasMore
    ? { beyond: found.shown[0] ?? null, time: from }
    : { beyond: null, time: found.searchedTo };
  const after = found.shown.at(-1) ?? (last && { begin: last.begin, end: last.end - 1 });
  return toPage(directedQuery, found.shown, before, { beyond: after, time: from });
}

interface SearchedRange {
  readonly shown: readonly Choice[];
  /** Whether more choices may follow the last one shown: there were as many as wanted, or time ran out. */
  readonly hasMore: boolean;
  /** Signed. All choices to be shown between here and the begin of the search are in `shown`, unless it has more. */
  readonly searchedTo: number;
}

function toRange({ choices, isCut }: TakenChoices, wanted: number, searchedTo: number): SearchedRange {
  return { shown: choices, hasMore: isCut || choices.length === wanted, searchedTo };
}

/**
 * Finds the first `wanted` choices from a signed time on, or after the last one shown, within the span of a page.
 * @param until signed; later begins are not searched
 */
function findForward(
  directedQuery: DirectedQuery,
  time: number,
  beyond: ListPosition | null,
  wanted: number,
  until = Number.POSITIVE_INFINITY,
): SearchedRange {
  const from = beyond === null ? time : beyond.begin;
  // If no choices are wanted, the next page begins here.
  const searchedTo = wanted === 0 ? from : roundUp(Math.min(from + PAGE_SPAN_SECONDS, until + 1));
  const taken = takeForward(openChoiceList(directedQuery, from), beyond, searchedTo, wanted);
  return toRange(taken, wanted, searchedTo);
}

/** Finds the last `wanted` choices before a signed time, or before the first one shown, within the span of a page. */
function findBackward(
  directedQuery: DirectedQuery,
  time: number,
  beyond: ListPosition | null,
  wanted: number,
): SearchedRange {
  const to = beyond === null ? time : minuteOf(directedQuery.time, beyond.begin).to;
  const searchedTo = roundDown(to - PAGE_SPAN_SECONDS);
  const taken = takeBackward(openChoiceList(directedQuery, to), beyond, searchedTo, wanted);
  return toRange(taken, wanted, searchedTo);
}

/** The end of a page: the last itinerary shown, or the time up to which it was searched. */
interface Edge {
  readonly beyond: ListPosition | null;
  /** Signed. */
  readonly time: number;
}

function beyondLast({ shown, hasMore, searchedTo }: SearchedRange): Edge {
  if (!hasMore) return { beyond: null, time: searchedTo };
  const last = shown.at(-1);
  return { beyond: last ?? null, time: last?.begin ?? searchedTo };
}

function toPage(directedQuery: DirectedQuery, shown: readonly Choice[], before: Edge, after: Edge): PlanPage {
  const { sign } = directedQuery;
  const { planner } = directedQuery.request;
  const { begin, end } = planner.timetable;
  const [earlier, later] = sign > 0 ? [before, after] : [after, before];
  const itineraries = shown.map((found) =>
    isDirect(found.itinerary) ? found.itinerary : chooseEqual(directedQuery, found),
  );
  const real = ({ beyond, time }: Edge) => sign * (beyond?.begin ?? time);
  return {
    itineraries: sign > 0 ? itineraries : itineraries.reverse(),
    earlier: real(earlier) <= begin ? null : toCursor('earlier', directedQuery, earlier),
    later: real(later) >= end ? null : toCursor('later', directedQuery, later),
  };
}

function toCursor(
  direction: PlanCursor['direction'],
  { request, sign, walk }: DirectedQuery,
  { beyond, time }: Edge,
): PlanCursor {
  return {
    direction,
    beyond: beyond === null ? null : [sign * beyond.begin, sign * beyond.end],
    time: (sign * (beyond?.begin ?? time)) as Instant,
    requestedTime: request.query.time,
    hasWalk: walk !== null,
  };
}

interface ItineraryRequest {
  readonly planner: Planner;
  readonly published: Published;
  /** Determines which realtime data is fresh. */
  readonly instant: Instant;
  readonly query: PlanQuery;
  /** From the previous page; `null` for the first page. */
  readonly cursor: PlanCursor | null;
  /** For the first page of a query by departure: itineraries that begin in a later minute are not needed. */
  readonly until?: Instant;
  /**
   * Returns true once the query has exceeded its time limit, or a share of it. A page that has some choices by then is
   * not filled further.
   */
  readonly isSpent?: (share: number) => boolean;
  /** Decides between itineraries that are equal in minutes and transfers. */
  readonly estimate?: EstimateRides;
}

/**
 * Finds one page of itineraries for a query; see `PlanPage` for the order.
 * @throws PlanTimeout when `isSpent` returns true and there is nothing to show
 */
export function findItineraries({
  planner,
  published,
  instant,
  query,
  cursor,
  until,
  isSpent = () => false,
  estimate = openRideEstimates(published, instant),
}: ItineraryRequest): PlanPage {
  if (isThereAlready(query)) return { itineraries: [], earlier: null, later: null };
  if (isOutOfReach(query)) return showDirectOnly(query);
  const timeLimit: TimeLimit = { getShare: () => 1 };
  const isRequestSpent = () => isSpent(timeLimit.getShare());
  const request = { planner, realtime: published.realtime, instant, query, isSpent: isRequestSpent, timeLimit };
  if (cursor === null) return findFirstPage(request, estimate, until ?? Number.POSITIVE_INFINITY);
  return findNextPage({ ...request, query: { ...query, time: cursor.requestedTime } }, estimate, cursor);
}

function isDirect({ parts }: Itinerary): boolean {
  return parts.every(({ kind }) => kind === 'walk');
}

/** Returns whether origin and destination share a stop, so that no itinerary is needed. */
function isThereAlready({ from, to, via }: PlanQuery): boolean {
  return via.length === 0 && from.members.some((stop) => to.members.includes(stop));
}

/** Returns whether an end has no stops in walking range and the next place is too far to walk to. */
function isOutOfReach({ from, to, stretchMeters }: PlanQuery): boolean {
  const isFar = ({ members, reach }: PlanPlace) => members.length + reach.length === 0;
  return (isFar(from) && stretchMeters[0] === null) || (isFar(to) && stretchMeters.at(-1) === null);
}
