import { minuteOf, roundDown, roundUp } from './pareto.ts';
import { runRounds } from './rounds.ts';
import { enterPlace, resetSearch } from './search.ts';
import { type Found, type Searched, spanOn } from './searched.ts';

/** The times of equal itineraries: they depart in `[from, to)` and arrive by `latest`. Seconds since 1970. */
export interface EqualTimes {
  readonly from: number;
  readonly to: number;
  readonly latest: number;
}

/** The minutes of a choice, cut off at the requested time. */
export function findEqualTimes({ sign, time }: Pick<Searched, 'sign' | 'time'>, { itinerary }: Found): EqualTimes {
  const { departure, arrival } = itinerary;
  if (sign > 0) return { ...minuteOf(time, departure), latest: roundUp(arrival) };
  const from = roundDown(departure);
  return { from, to: from + 60, latest: -minuteOf(time, -arrival).from };
}

/** The latest times from which the destination is reached in time, with so many further rides; -Infinity: from none. */
export interface LatestTimes {
  /** Of an arrival on board at a change place. */
  alighting(stage: number, rides: number, place: number): number;
  /** Of a departure on board from a change place; that ride is one of those that follow. */
  boarding(stage: number, rides: number, place: number): number;
}

/**
 * Searches from the end of equal itineraries back to their departures. It finds no ends, so that nothing but the time
 * of departure limits it.
 * @param rides of the itineraries
 */
export function findLatestTimes(searched: Searched, { from, latest }: EqualTimes, rides: number): LatestTimes {
  const { sign, scopeOf, scopeAgainst } = searched;
  const { search, task, entries } = (sign > 0 ? scopeAgainst : scopeOf)(spanOn(-1, -latest));
  const { base } = task.lanes;
  const vias = task.vias.map((via, i) => (i === task.vias.length - 1 ? { ...via, nextSeconds: null } : via));
  const egress = new Int32Array(task.egress.length).fill(-1);
  resetSearch(search, { ...task, vias, egress, maxRounds: rides }, base - from + 1);
  for (const { stage, place, seconds } of entries) enterPlace(search, stage, place, base - latest + seconds);
  runRounds(search);
  const { labels } = search;
  const read = (times: Int32Array, stage: number, left: number, place: number) => {
    // Back in time, stages count the vias from the end.
    const signed = times[((vias.length - stage) * labels.stride + left) * labels.placeCount + place]!;
    return signed <= base - from ? base - signed : Number.NEGATIVE_INFINITY;
  };
  return {
    alighting: (stage, left, place) => read(labels.ready, stage, left, place),
    boarding: (stage, left, place) => read(labels.reach, stage, left, place),
  };
}
