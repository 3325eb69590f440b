import { isBetterPlan, type NaiveAskedTime } from './naive-plan-beating.ts';
import { findDirectSeconds, isThere, type NaivePlanQuestion } from './naive-plan-places.ts';
import type { NaiveNetwork } from './naive-plan-runs.ts';
import { listItineraries, type NaiveItinerary } from './naive-planner.ts';

/** What one asks for first: who leaves at `time` or later, or arrives at `time` or earlier. */
export interface NaivePageQuestion extends NaiveAskedTime {
  readonly limit: number;
}

export interface NaivePageItem extends NaiveItinerary {
  readonly isWalk: boolean;
}

const DAY = 86_400;
const HORIZON_SECONDS = 2 * DAY;
const MINUTE = 60;

/** The first page of an answer: the best of a day, and the way on foot where no ride is better. */
export function listFirstPage(
  network: NaiveNetwork,
  question: NaivePlanQuestion,
  asked: NaivePageQuestion,
): NaivePageItem[] {
  const { time, timeMode, limit } = asked;
  if (isThere(network.feed, question)) return [];
  const isForward = timeMode === 'departure';
  // A day on, to the end of the minute.
  const [from, to] = isForward
    ? [time, Math.ceil((time + DAY) / MINUTE) * MINUTE]
    : [time - DAY - HORIZON_SECONDS, time];
  const walk = listWalk(network, question, asked);
  const riding = listRides(network, question, asked, walk, from, to)
    .filter(({ arrival }) => isForward || (arrival <= time && arrival > time - DAY))
    .map((ride) => ({ ...ride, isWalk: false }));
  const room = limit - walk.length;
  const shown = isForward
    ? riding.slice(0, room)
    : riding.sort(byOrder(timeMode)).slice(Math.max(0, riding.length - room));
  return [...shown, ...walk].sort(byOrder(timeMode));
}

export function byOrder(timeMode: 'departure' | 'arrival') {
  return (a: NaiveItinerary, b: NaiveItinerary) =>
    (timeMode === 'departure'
      ? a.departure - b.departure || a.arrival - b.arrival
      : a.arrival - b.arrival || a.departure - b.departure) || a.transfers - b.transfers;
}

/** Rides of an answer that leave in `[from, to)`: those that nothing beats, and that are worth it beside the walk. */
export function listRides(
  network: NaiveNetwork,
  question: NaivePlanQuestion,
  asked: NaiveAskedTime,
  walks: readonly NaivePageItem[],
  from: number,
  to: number,
): NaiveItinerary[] {
  const isWorthIt = (ride: NaiveItinerary) =>
    walks.every(
      (walk) => ride.arrival - ride.departure < walk.arrival - walk.departure && !isBetterPlan(walk, ride, asked),
    );
  return listItineraries(network, question, asked, from, to).filter(isWorthIt);
}

/** The way on foot at the asked time; none where it is too far, or where a ride is better. */
export function listWalk(network: NaiveNetwork, question: NaivePlanQuestion, asked: NaiveAskedTime): NaivePageItem[] {
  const { time, timeMode } = asked;
  const seconds = findDirectSeconds(network.feed, question);
  if (seconds === null) return [];
  const [departure, arrival] = timeMode === 'departure' ? [time, time + seconds] : [time - seconds, time];
  const walk = { departure, arrival, transfers: 0, isWalk: true };
  const rides = listItineraries(network, question, asked, departure - MINUTE, arrival + MINUTE);
  return rides.some((ride) => isBetterPlan(ride, walk, asked)) ? [] : [walk];
}
