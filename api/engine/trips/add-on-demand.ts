import { comparePositions, type ListPosition, toChoice } from '../planner/directed-query.ts';
import type { Itinerary, PlanCursor, PlanPage, PlanQuery } from '../planner/itinerary.ts';
import { dominates, isEqual } from '../planner/pareto.ts';

/**
 * Adds trips with on-demand access or egress to a page of trips without. They replace none of these; trips past the end
 * of the page or past the limit are left to the next one.
 * @param further the page of the same query with on-demand access and egress
 * @param cursor of both pages
 */
export function addOnDemand(query: PlanQuery, page: PlanPage, further: PlanPage, cursor: PlanCursor | null): PlanPage {
  const sign = query.timeMode === 'departure' ? 1 : -1;
  const away = cursor?.direction ?? (sign > 0 ? 'later' : 'earlier');
  const isForward = (away === 'later') === sign > 0;
  const place = (itinerary: Itinerary) => toChoice({ sign, time: sign * query.time }, itinerary);
  // Only the first page has direct legs. They belong to no time, so they are on it whatever it covers.
  const shown = page.itineraries.filter((itinerary) => cursor === null || !isDirect(itinerary));
  const direct = shown.filter(isDirect).map(place);
  const added = further.itineraries.filter(
    (one) => isOnDemand(one) && !shown.some((other) => dominates(query, other, one) || isEqual(query, other, one)),
  );
  const order = isForward ? 1 : -1;
  const edges = [page[away], further[away]].map((edge) => toPosition(edge, sign, isForward));
  const edge = order * comparePositions(edges[0]!, edges[1]!) <= 0 ? 0 : 1;
  const choices = [...shown.filter((itinerary) => !isDirect(itinerary)), ...added]
    .map(place)
    .filter((choice) => order * comparePositions(choice, edges[edge]!) <= 0)
    .sort((a, b) => order * comparePositions(a, b));
  const kept = [...direct, ...choices].sort((a, b) => order * comparePositions(a, b)).slice(0, query.limit);
  const last = kept.findLast(({ itinerary }) => !isDirect(itinerary)) ?? null;
  const isCut = kept.length < direct.length + choices.length && choices.length > 0;
  const toward = away === 'later' ? 'earlier' : 'later';
  const itineraries = kept.map(({ itinerary }) => itinerary);
  const hasWalk = (page.later ?? page.earlier ?? further.later ?? further.earlier)?.hasWalk ?? false;
  return {
    itineraries: isForward === sign > 0 ? itineraries : itineraries.reverse(),
    earlier: null,
    later: null,
    [toward]: page[toward] ?? further[toward],
    [away]: isCut ? toCursor(query, away, last, { sign, hasWalk, first: choices[0]! }) : [page, further][edge]![away],
  };
}

function isDirect({ parts }: Itinerary): boolean {
  return parts.every(({ kind }) => kind === 'walk');
}

function isOnDemand(itinerary: Itinerary): boolean {
  return !isDirect(itinerary) && itinerary.parts.some((part) => part.kind === 'walk' && part.onDemand);
}

/** Signed position up to which a page is complete; Infinity at the end of the timetable. */
function toPosition(edge: PlanCursor | null, sign: number, isForward: boolean): ListPosition {
  const farthest = isForward ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (edge === null) return { begin: farthest, end: farthest };
  if (edge.beyond !== null) return { begin: sign * edge.beyond[0], end: sign * edge.beyond[1] };
  // Trips that begin exactly at the time are on the next page in a forward search, and on this one in a backward search.
  return { begin: sign * edge.time, end: Number.NEGATIVE_INFINITY };
}

/** @param last the last trip on the page; `null` if it is full of direct ones: the next page begins with the first */
function toCursor(
  query: PlanQuery,
  direction: PlanCursor['direction'],
  last: ListPosition | null,
  { sign, hasWalk, first }: { readonly sign: number; readonly hasWalk: boolean; readonly first: ListPosition },
): PlanCursor {
  const time = (sign * (last ?? first).begin) as PlanCursor['time'];
  const beyond: PlanCursor['beyond'] = last && [time, sign * last.end];
  return { direction, beyond, time, requestedTime: query.time, hasWalk };
}
