import { minuteOf, roundDown, roundUp } from './pareto.ts';
import { runRounds } from './rounds.ts';
import { enterPlace, resetSearch } from './search.ts';
import { type Found, type Searched, spanOn } from './searched.ts';

/**
 * The times of equal itineraries, against the direction of the query's search: they begin in `[from, to)` and end at
 * `latest` at the latest. Signed, seconds since 1970.
 */
export interface EqualTimes {
  readonly from: number;
  readonly to: number;
  readonly latest: number;
}

const MINUTE_SECONDS = 60;

/** The minutes of a choice, cut off at the requested time. */
export function findEqualTimes({ sign, time }: Pick<Searched, 'sign' | 'time'>, { itinerary }: Found): EqualTimes {
  const { departure, arrival } = itinerary;
  const from = sign > 0 ? -roundUp(arrival) : roundDown(departure);
  const latest = -minuteOf(time, sign > 0 ? departure : -arrival).from;
  return { from, to: from + MINUTE_SECONDS, latest };
}

/** The latest signed times from which the end is still reached, with so many further rides; -Infinity: from none. */
export interface LatestTimes {
  /** Where a ride is left at a change place. */
  leaving(stage: number, rides: number, place: number): number;
  /** Where a ride is entered at a change place; that ride is one of those that follow. */
  entering(stage: number, rides: number, place: number): number;
}

/**
 * Searches in the direction of the query, whose bounds are known, from where the itineraries end to where they begin. It
 * finds no ends itself, so that nothing but the time of their begin limits it.
 * @param rides of the itineraries
 */
export function findLatestTimes({ sign, scopeOf }: Searched, { from, latest }: EqualTimes, rides: number): LatestTimes {
  const { search, task, entries } = scopeOf(spanOn(sign, -latest));
  const base = sign * task.lanes.base;
  const vias = task.vias.map((via, i) => (i === task.vias.length - 1 ? { ...via, nextSeconds: null } : via));
  const egress = new Int32Array(task.egress.length).fill(-1);
  const limit = -from - base;
  resetSearch(search, { ...task, vias, egress, maxRounds: rides }, limit + 1);
  for (const { stage, place, seconds } of entries) enterPlace(search, stage, place, seconds - latest - base);
  runRounds(search);
  const { labels } = search;
  const read = (times: Int32Array, stage: number, left: number, place: number) => {
    // Against the search, stages count the vias from its end.
    const signed = times[((vias.length - stage) * labels.stride + left) * labels.placeCount + place]!;
    return signed <= limit ? -(signed + base) : Number.NEGATIVE_INFINITY;
  };
  return {
    leaving: (stage, left, place) => read(labels.ready, stage, left, place),
    entering: (stage, left, place) => read(labels.reach, stage, left, place),
  };
}
