import {
  isBetterPlan,
  isEqualPlan,
  isShorterPlan,
  type NaivePlan,
  type NaiveRequestedTime,
} from './naive-plan-beating.ts';
import { beginUntil, mayBoard, mayRide, type NaivePlanQuery } from './naive-plan-places.ts';
import type { NaiveNetwork } from './naive-plan-runs.ts';
import { HORIZON_SECONDS, leaveAt, listEntries, openSearch } from './naive-plan-search.ts';

/**
 * An independent planner: in each round it boards everything that departs where the traveller has alighted or nearby,
 * and rides it to its end. It uses neither patterns nor compiled transfers: each transfer is looked up between the two
 * trips.
 */
export interface NaiveItinerary extends NaivePlan {}

/**
 * Earliest arrival when leaving at `time` or later, with at least one ride.
 * @param within maximum duration in seconds; null if it would take longer
 */
export function findEarliestArrival(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  time: number,
  within = HORIZON_SECONDS,
): number | null {
  // A shorter horizon is searched first, which is faster.
  return findArrival(network, question, time, within / 8) ?? findArrival(network, question, time, within);
}

function findArrival(network: NaiveNetwork, question: NaivePlanQuery, time: number, longest: number): number | null {
  const search = openSearch(network, question);
  if (search === null) return null;
  leaveAt(search, time, longest);
  const arrival = search.best.at(-1)!;
  return arrival <= time + longest ? arrival : null;
}

/**
 * Latest departure to arrive at `time` or earlier.
 * @param notBefore null if the departure would have to be earlier
 */
export function findLatestDeparture(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  time: number,
  notBefore: number,
): number | null {
  const instants = listInstants(network, question, notBefore, time);
  const isInTime = (instant: number) => findArrival(network, question, instant, time - instant) !== null;
  // A later departure never arrives earlier, so binary search finds the last one in time.
  let [low, high] = [-1, instants.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isInTime(instants[middle]!)) low = middle;
    else high = middle;
  }
  return low < 0 ? null : instants[low]!;
}

/**
 * All rides that are not beaten, leaving in `[from, to)`, the shortest of equal ones: by departure, arrival, transfers.
 */
export function listItineraries(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  requested: NaiveRequestedTime,
  from: number,
  to: number,
): NaiveItinerary[] {
  // Everything in the same minute counts, on either side.
  const { found, later } = listExact(network, question, from - MINUTE, to + MINUTE);
  const rivals = [...found, ...later];
  return found
    .filter(({ departure }) => departure >= from && departure < to)
    .filter((one) => !rivals.some((rival) => isBetterPlan(rival, one, requested)))
    .filter((one) => !rivals.some((rival) => isEqualPlan(rival, one, requested) && isShorterPlan(rival, one)))
    .sort((a, b) => a.departure - b.departure || a.arrival - b.arrival || a.transfers - b.transfers);
}

const MINUTE = 60;

/**
 * All rides that leave in `[from, to)` and are not beaten to the second; and what is possible when leaving later.
 * Departures are processed in descending order, so an arrival counts only if it is earlier than those of all later
 * departures.
 */
function listExact(network: NaiveNetwork, question: NaivePlanQuery, from: number, to: number) {
  const search = openSearch(network, question);
  if (search === null) return { found: [], later: [] };
  const found: NaiveItinerary[] = [];
  leaveAt(search, to);
  const later = search.best.map((arrival, transfers) => ({ departure: to, arrival, transfers }));
  for (const departure of listInstants(network, question, from, to).reverse()) {
    const before = [...search.best];
    leaveAt(search, departure);
    search.best.forEach((arrival, transfers) => {
      const isNews = arrival < before[transfers]! && arrival < (search.best[transfers - 1] ?? Number.POSITIVE_INFINITY);
      if (isNews && arrival - departure <= HORIZON_SECONDS) found.push({ departure, arrival, transfers });
    });
  }
  return { found, later };
}

/** Every instant in `[from, to)` at which a traveller might leave to catch a ride just in time. */
function listInstants(network: NaiveNetwork, question: NaivePlanQuery, from: number, to: number): number[] {
  const search = openSearch(network, question);
  const instants = new Set<number>();
  for (const { stop, since } of search ? listEntries(search) : []) {
    for (const { time, run, place } of network.departures[stop]!) {
      const isWithin = time - since >= from && time - since < to;
      if (isWithin && mayRide(run, question) && mayBoard(network.feed, run.calls[place]!, question)) {
        instants.add(time - since);
      }
    }
  }
  for (const [stop, rides] of search?.from.onDemand ?? []) {
    for (const { time, run, place } of network.departures[stop]!) {
      const isCaught = mayRide(run, question) && mayBoard(network.feed, run.calls[place]!, question);
      const begins = isCaught ? rides.map((ride) => beginUntil(ride, time - ride.seconds)) : [];
      for (const begin of begins) if (begin >= from && begin < to) instants.add(begin);
    }
  }
  return [...instants].sort((a, b) => a - b);
}
