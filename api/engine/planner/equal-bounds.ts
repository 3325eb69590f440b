import { type Choice, type DirectedQuery, spanOn } from './directed-query.ts';
import { NEVER } from './int-list.ts';
import { minuteOf, roundDown, roundUp } from './pareto.ts';
import { runRounds } from './rounds.ts';
import { createTask, enterPlace, resetSearch } from './search.ts';
import { findGateEnd } from './timed-gates.ts';

/**
 * Bounds of equal itineraries in the direction opposite to the query's search: they begin in `[from, to)` and end no
 * later than `latest`. Signed, seconds since 1970.
 */
export interface EqualTimes {
  readonly from: number;
  readonly to: number;
  readonly latest: number;
}

const MINUTE_SECONDS = 60;

/** Returns the minutes of a choice, cut off at the requested time. */
export function findEqualTimes(
  { sign, time }: Pick<DirectedQuery, 'sign' | 'time'>,
  { itinerary }: Choice,
): EqualTimes {
  const { departure, arrival } = itinerary;
  const from = sign > 0 ? -roundUp(arrival) : roundDown(departure);
  const latest = -minuteOf(time, sign > 0 ? departure : -arrival).from;
  return { from, to: from + MINUTE_SECONDS, latest };
}

/**
 * The latest signed times from which the end can still be reached with a number of further rides; `-Infinity` if it
 * cannot.
 */
export interface EqualBounds {
  /** For a ride that is left at this transfer place. */
  leaving(layer: number, rides: number, place: number): number;
  /** For a ride that is entered at this transfer place; it counts as one of the further rides. */
  entering(layer: number, rides: number, place: number): number;
}

/**
 * Searches in the direction of the query, whose lower bounds are known, from the end of the itineraries to their begin.
 * The task has no egress, so the search is limited only by the time of the begin.
 * @param rides of the itineraries
 */
export function findLatestTimes(
  { sign, scopeOf }: DirectedQuery,
  { from, latest }: EqualTimes,
  rides: number,
): EqualBounds {
  const { search, task, entries } = scopeOf(spanOn(sign, -latest));
  const base = sign * task.raptorRoutes.base;
  const vias = task.vias.map((via, i) => (i === task.vias.length - 1 ? { ...via, nextSeconds: null } : via));
  const egress = new Int32Array(task.egress.length).fill(-1);
  const limit = -from - base;
  resetSearch(search, createTask({ ...task, vias, egress, maxRounds: rides }, task.bounds), limit + 1);
  for (const entry of entries) {
    const ready = findGateEnd(entry, -latest - base);
    if (ready < NEVER) enterPlace(search, entry.layer, entry.place, ready);
  }
  runRounds(search);
  const { labels } = search;
  const read = (times: Int32Array, layer: number, left: number, place: number) => {
    // The opposite search counts the vias from its end.
    const signed = times[((vias.length - layer) * labels.stride + left) * labels.placeCount + place]!;
    return signed <= limit ? -(signed + base) : Number.NEGATIVE_INFINITY;
  };
  return {
    leaving: (layer, left, place) => read(labels.ready, layer, left, place),
    entering: (layer, left, place) => read(labels.reach, layer, left, place),
  };
}
