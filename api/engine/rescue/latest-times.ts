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
  /** Makes the bounds tighter for arrivals until then; later ones are infinite. */
  refine(latest: number): void;
}

/** Instants after the earliest arrival, seconds. Each costs a search, and most rescues need no more. */
const STEPS = [0, 120, 300, 600, 1200, 1800, 3600];
/** Between the instants of a rescue that does: most of its steps would have the bound of one instant. */
const REFINED_SECONDS = 300;

/**
 * Searches from the destination back, from one instant on to the next later one (rRAPTOR).
 * @param back scope of the query against time, to where the traveller can board
 * @param now no time before it is of use
 * @param earliest no way arrives earlier
 * @param limit the last instant
 */
export function findLatestTimes(back: ProfileScope, now: number, earliest: number, limit: number): LatestTimes {
  const { placeCount } = back.search.labels;
  const { maxRounds } = back.task;
  const search = (last: number, steps: readonly number[]) => {
    const instants = steps.map((seconds) => earliest + seconds).filter((instant) => instant < last);
    return searchBack(back, now, [...instants, last]);
  };
  let found = search(limit, STEPS);
  const bound = (latest: readonly Int32Array[], place: number, time: number, rides: number) => {
    const row = Math.min(rides, maxRounds) * placeCount + place;
    for (let at = 0; at < latest.length; at++) {
      if (time <= -latest[at]![row]!) return at === 0 ? earliest : found.instants[at - 1]! + 1;
    }
    return Number.POSITIVE_INFINITY;
  };
  return {
    boundAlighting: (place, time, rides) => bound(found.alighting, place, time, rides),
    boundBoarding: (place, time, rides) => bound(found.boarding, place, time, rides),
    refine(latest) {
      const last = Math.min(limit, latest);
      const count = Math.max(0, Math.ceil((last - earliest) / REFINED_SECONDS));
      const steps = Array.from({ length: count }, (_, i) => i * REFINED_SECONDS);
      found = search(last, steps);
    },
  };
}

/** Signed latest times by place and rides left, for each instant of arrival. */
interface LatestByInstant {
  readonly instants: readonly number[];
  readonly alighting: readonly Int32Array[];
  readonly boarding: readonly Int32Array[];
}

function searchBack(
  { search, task, entries }: ProfileScope,
  now: number,
  instants: readonly number[],
): LatestByInstant {
  const { labels } = search;
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
  return { instants, alighting, boarding };
}
