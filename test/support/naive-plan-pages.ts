import { findDirectSeconds, isThere, type NaivePlanQuestion } from './naive-plan-places.ts';
import type { NaiveNetwork } from './naive-plan-runs.ts';
import { listItineraries, type NaiveItinerary } from './naive-planner.ts';

/** What one asks for first: who leaves at `time` or later, or arrives at `time` or earlier. */
export interface NaivePageQuestion {
  readonly time: number;
  readonly timeMode: 'departure' | 'arrival';
  readonly limit: number;
}

export interface NaivePageItem extends NaiveItinerary {
  readonly isWalk: boolean;
}

const DAY = 86_400;
const HORIZON_SECONDS = 2 * DAY;

/** The first page of an answer: the best of a day, and the way on foot where nobody rides as well. */
export function listFirstPage(
  network: NaiveNetwork,
  question: NaivePlanQuestion,
  { time, timeMode, limit }: NaivePageQuestion,
): NaivePageItem[] {
  if (isThere(network.feed, question)) return [];
  const isForward = timeMode === 'departure';
  const [from, to] = isForward ? [time, time + DAY] : [time - DAY - HORIZON_SECONDS, time];
  const riding = listItineraries(network, question, from, to)
    .filter(({ arrival }) => isForward || (arrival <= time && arrival > time - DAY))
    .map((ride) => ({ ...ride, isWalk: false }));
  const walk = listWalk(network, question, { time, timeMode }, riding);
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

export function listWalk(
  network: NaiveNetwork,
  question: NaivePlanQuestion,
  { time, timeMode }: Omit<NaivePageQuestion, 'limit'>,
  riding: readonly NaiveItinerary[],
): NaivePageItem[] {
  const seconds = findDirectSeconds(network.feed, question);
  if (seconds === null) return [];
  const [departure, arrival] = timeMode === 'departure' ? [time, time + seconds] : [time - seconds, time];
  const isAsGood = (ride: NaiveItinerary) =>
    ride.transfers === 0 && (timeMode === 'departure' ? ride.arrival <= arrival : ride.departure >= departure);
  return riding.some(isAsGood) ? [] : [{ departure, arrival, transfers: 0, isWalk: true }];
}
