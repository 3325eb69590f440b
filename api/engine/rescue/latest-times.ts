import type { ProfileScope } from '../planner/profile-scope.ts';
import { runRounds } from '../planner/rounds.ts';
import { enterPlace, resetSearch } from '../planner/search.ts';

/**
 * How late one may be anywhere and still arrive by some instants. It bounds arrivals by the timetable of the day, where
 * the planner's lower bounds know minimum times alone: at night no trip goes on when nothing runs. As in Delling,
 * Dibbelt, Pajor, "Fast and Exact Public Transit Routing with Restricted Pareto Sets" (2019), with several instants.
 */
export interface LatestTimes {
  /**
   * Lower bound of the arrival when alighting at a place then, with this many rides left; infinite beyond the last.
   * Not known for the vehicle of the start, which no way from where the traveller can board leads to.
   */
  boundAlighting(place: number, time: number, rides: number): number;
  /** The same for a traveller who boards a vehicle there that departs then; that ride is one of those left. */
  boundBoarding(place: number, time: number, rides: number): number;
}

/** Instants after the earliest arrival, seconds. Each costs a search; twice as many find hardly fewer rides too late. */
const STEPS = [0, 120, 300, 600, 1200, 1800, 3600];

/**
 * Searches from the destination back, from one instant on to the next later one (rRAPTOR).
 * @param back scope of the query against time, to where the traveller can board
 * @param now no time before it is of use
 * @param earliest no way arrives earlier
 * @param limit the last instant
 */
export function findLatestTimes(back: ProfileScope, now: number, earliest: number, limit: number): LatestTimes {
  const { search, task, entries } = back;
  const { labels } = search;
  const instants = [...STEPS.map((seconds) => earliest + seconds).filter((instant) => instant < limit), limit];
  // Signed times fall from one instant to the next.
  resetSearch(search, task, 1 - now);
  const alighting: Int32Array[] = [];
  const boarding: Int32Array[] = [];
  for (const instant of instants) {
    for (const { layer, place, seconds } of entries) enterPlace(search, layer, place, seconds - instant);
    runRounds(search);
    const count = labels.stride * labels.placeCount;
    alighting.push(labels.ready.slice(0, count));
    boarding.push(labels.reach.slice(0, count));
  }
  const { placeCount, rounds } = labels;
  const bound = (latest: readonly Int32Array[], place: number, time: number, rides: number) => {
    const row = Math.min(rides, rounds) * placeCount + place;
    const at = latest.findIndex((signed) => time <= -signed[row]!);
    if (at < 0) return Number.POSITIVE_INFINITY;
    return at === 0 ? earliest : instants[at - 1]! + 1;
  };
  return {
    boundAlighting: (place, time, rides) => bound(alighting, place, time, rides),
    boundBoarding: (place, time, rides) => bound(boarding, place, time, rides),
  };
}
