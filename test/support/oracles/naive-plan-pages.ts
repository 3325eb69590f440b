import { listWays } from './naive-equal-plans.ts';
import {
  arrivalMinute,
  departureMinute,
  isBetterPlan,
  isEqualPlan,
  type NaiveEqualPlan,
  type NaivePlan,
  type NaiveRequestedTime,
  pickEqualPlan,
  withoutFolded,
} from './naive-plan-beating.ts';
import { findDirectSeconds, isThere, listStretches, type NaivePlanQuery, stayAt } from './naive-plan-places.ts';
import type { NaiveNetwork } from './naive-plan-runs.ts';
import { listItineraries, type NaiveItinerary } from './naive-planner.ts';

/** Query of the first page: departures at `time` or later, or arrivals at `time` or earlier. */
export interface NaivePageQuery extends NaiveRequestedTime {
  readonly limit: number;
  /** Whether folded plans are shown as well; by default they are not. */
  readonly all?: boolean;
}

export interface NaivePageItem extends NaiveItinerary {
  readonly isWalk: boolean;
}

const DAY = 86_400;
const HORIZON_SECONDS = 2 * DAY;
const MINUTE = 60;

/** The first page: the best plans of 24 hours, and the walk if no ride is better. */
export function listFirstPage(network: NaiveNetwork, question: NaivePlanQuery, query: NaivePageQuery): NaivePageItem[] {
  const { time, timeMode, limit } = query;
  if (isThere(network.feed, question)) return [];
  const isForward = timeMode === 'departure';
  // 24 hours later, to the end of the minute.
  const [from, to] = isForward
    ? [time, Math.ceil((time + DAY) / MINUTE) * MINUTE]
    : [time - DAY - HORIZON_SECONDS, time];
  const walk = listWalk(network, question, query);
  // A plan after the 24 hours can be the reason to fold one before their end.
  const riding = listShown(network, question, query, walk, [from, isForward ? to + DAY : to])
    .filter(({ departure, arrival }) => (isForward ? departure < to : arrival <= time && arrival > time - DAY))
    .sort(byOrder(timeMode));
  const room = limit - walk.length;
  const shown = (isForward ? riding.slice(0, room) : riding.slice(Math.max(0, riding.length - room))).map((ride) => ({
    ...pickOfEqual(network, question, query, ride, walk),
    isWalk: false,
  }));
  return [...shown, ...walk].sort(byOrder(timeMode));
}

/** Which trips a ride uses, if nothing is known about its transfers. */
function pickOfEqual(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  query: NaiveRequestedTime,
  ride: NaiveItinerary,
  walks: readonly NaivePageItem[],
): NaiveItinerary {
  return listWays(network, question, query, ride, () => 1)
    .filter((way) => walks.every((walk) => way.arrival - way.departure < walk.arrival - walk.departure))
    .reduce((one, other) => pickEqualPlan(one, other) ?? one);
}

/** Orders by whole minutes: two plans that are not beaten differ in at least one criterion. */
export function byOrder(timeMode: 'departure' | 'arrival') {
  return (a: NaiveItinerary, b: NaiveItinerary) => {
    const [leaves, ends] = [departureMinute(a) - departureMinute(b), arrivalMinute(a) - arrivalMinute(b)];
    return (timeMode === 'departure' ? leaves || ends : ends || leaves) || a.transfers - b.transfers;
  };
}

/** Rides that leave in `[from, to)`, without folded ones unless the query includes them. */
export function listShown(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  query: NaivePageQuery,
  walks: readonly NaivePageItem[],
  period: readonly [from: number, to: number],
): NaiveItinerary[] {
  const rides = listRides(network, question, query, walks, period);
  return query.all ? rides : withoutFolded(rides, query);
}

/** Rides that leave in `[from, to)`, are not beaten by others, and are better than the walk. */
function listRides(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  query: NaiveRequestedTime,
  walks: readonly NaivePageItem[],
  period: readonly [from: number, to: number],
): NaiveItinerary[] {
  const isWorthIt = (ride: NaiveItinerary) =>
    walks.every(
      (walk) =>
        ride.arrival - ride.departure < walk.arrival - walk.departure &&
        !isBetterPlan(walk, ride, query) &&
        !isEqualPlan(walk, ride, query),
    );
  return listItineraries(network, question, query, ...period).filter(isWorthIt);
}

/** The walk at the requested time; empty if it is too far, or if a ride is better. */
export function listWalk(network: NaiveNetwork, question: NaivePlanQuery, query: NaiveRequestedTime): NaivePageItem[] {
  const { time, timeMode } = query;
  const seconds = findDirectSeconds(network.feed, question);
  if (seconds === null) return [];
  const [departure, arrival] = timeMode === 'departure' ? [time, time + seconds] : [time - seconds, time];
  const walk = { departure, arrival, transfers: 0, isWalk: true };
  const rides = listItineraries(network, question, query, departure - MINUTE, arrival + MINUTE);
  const isBetter = (ride: NaiveItinerary) =>
    isBetterPlan(ride, walk, query) ||
    (isEqualPlan(ride, walk, query) && isBetterOnWheels(network, question, query, ride));
  return rides.some(isBetter) ? [] : [walk];
}

/**
 * The direct ways at the requested time, at most as many as a page has room for: the walk, and those by bicycle and car
 * that no ride beats. The walk and a bicycle hide what they beat, or equal.
 */
export function listDirect(network: NaiveNetwork, question: NaivePlanQuery, query: NaivePageQuery): NaivePageItem[] {
  const { time, timeMode } = query;
  const walk = listWalk(network, question, query);
  const simpler: NaivePlan[] = [...walk];
  const shown = [...walk];
  for (const name of ['bike', 'car']) {
    const way = question.modes?.direct?.ways.find(({ mode }) => mode === name);
    if (!way) continue;
    const stretches = way.seconds.slice(0, question.via.length + 1);
    const seconds = stretches.reduce((sum, each, place) => sum + each + stayAt(question, place), 0);
    const [departure, arrival] = timeMode === 'departure' ? [time, time + seconds] : [time - seconds, time];
    const plan = { departure, arrival, transfers: 0, isWalk: true };
    if (simpler.some((one) => isBetterPlan(one, plan, query) || isEqualPlan(one, plan, query))) continue;
    simpler.push(plan);
    const rides = listItineraries(network, question, query, departure - MINUTE, arrival + MINUTE);
    const direct: NaiveEqualPlan = { ...plan, chance: 1, meters: 0 };
    const isBetter = (ride: NaiveItinerary) =>
      isBetterPlan(ride, plan, query) ||
      (isEqualPlan(ride, plan, query) &&
        listWays(network, question, query, ride, () => 1).some((way) => pickEqualPlan(way, direct) === way));
    if (!rides.some(isBetter)) shown.push(plan);
  }
  return shown.slice(0, query.limit);
}

/** Whether a ride without transfers is preferred to the walk although both are equal in minutes. */
function isBetterOnWheels(
  network: NaiveNetwork,
  question: NaivePlanQuery,
  query: NaiveRequestedTime,
  ride: NaiveItinerary,
): boolean {
  const stretches = listStretches(network.feed, question) as number[];
  const seconds = findDirectSeconds(network.feed, question)!;
  const departure = query.timeMode === 'departure' ? query.time : query.time - seconds;
  const meters = stretches.reduce((sum, stretch) => sum + stretch, 0);
  const walk: NaiveEqualPlan = { departure, arrival: departure + seconds, transfers: 0, chance: 1, meters };
  return listWays(network, question, query, ride, () => 1).some((way) => pickEqualPlan(way, walk) === way);
}
