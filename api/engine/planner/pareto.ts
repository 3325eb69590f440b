import type { Itinerary, PlanQuery } from './itinerary.ts';

// Dominance of itineraries. Passengers read whole minutes, so a difference in seconds decides nothing: departures are
// rounded down and arrivals up. Itineraries that are equal in both and in transfers are one choice, for which one
// itinerary is shown: the one most likely to work out, then the one with less walking, then the shorter one.
//
// Times are not rounded across the requested time. A traveller who searches from 08:00:30 cannot take a departure at
// 08:00:10, and that departure must not hide one at 08:00:40. Rounding stays monotone, which the following relies on.
//
// A search by exact seconds finds every choice. An itinerary that it leaves out departs no later, arrives no earlier
// and has no fewer transfers than one that it finds. Rounding preserves that order, so the latter dominates it or is
// the same choice. Which of several equal itineraries is shown is decided afterwards, for the choices on a page (see
// `choose-equal.ts`).

const MINUTE_SECONDS = 60;

export function roundDown(seconds: number): number {
  return Math.floor(seconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}

export function roundUp(seconds: number): number {
  return Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}

interface Minute {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range of signed begins that round to the same value: a minute, or its part on one side of the requested
 * time.
 */
export function minuteOf(requestedTime: number, begin: number): Minute {
  const from = roundDown(begin);
  const to = from + MINUTE_SECONDS;
  if (requestedTime <= from || requestedTime >= to) return { from, to };
  return begin < requestedTime ? { from, to: requestedTime } : { from: requestedTime, to };
}

/** Returns the latest end that rounds to an earlier value than the given end. */
export function endBefore(end: number): number {
  return roundUp(end) - MINUTE_SECONDS;
}

type RequestedTime = Pick<PlanQuery, 'time' | 'timeMode'>;
type Compared = Pick<Itinerary, 'departure' | 'arrival' | 'transfers'>;

/**
 * Pareto dominance by rounded departure, rounded arrival and number of transfers: `one` is worse in none of them and
 * better in at least one.
 */
export function dominates(requested: RequestedTime, one: Compared, other: Compared): boolean {
  const gains = listGains(requested, one, other);
  return gains.every((gain) => gain >= 0) && gains.some((gain) => gain > 0);
}

/** Returns whether both are equal in rounded departure, rounded arrival and transfers. */
export function isEqual(requested: RequestedTime, one: Compared, other: Compared): boolean {
  return listGains(requested, one, other).every((gain) => gain === 0);
}

function listGains(requested: RequestedTime, one: Compared, other: Compared): number[] {
  const [a, b] = [roundTimes(requested, one), roundTimes(requested, other)];
  return [a.departure - b.departure, b.arrival - a.arrival, other.transfers - one.transfers];
}

function roundTimes({ time, timeMode }: RequestedTime, { departure, arrival }: Compared) {
  const rounded = { departure: roundDown(departure), arrival: roundUp(arrival) };
  if (timeMode === 'departure') {
    return departure < time ? rounded : { ...rounded, departure: Math.max(rounded.departure, time) };
  }
  return arrival > time ? rounded : { ...rounded, arrival: Math.min(rounded.arrival, time) };
}

export function secondsOf({ departure, arrival }: Pick<Itinerary, 'departure' | 'arrival'>): number {
  return arrival - departure;
}

/**
 * Returns the choices that no other one dominates, each by the shortest of the given itineraries, the latest of those.
 */
export function selectParetoOptimal<Option extends Compared>(
  requested: RequestedTime,
  options: readonly Option[],
): Option[] {
  const isShorter = (one: Option, other: Option) =>
    secondsOf(one) < secondsOf(other) || (secondsOf(one) === secondsOf(other) && one.departure > other.departure);
  return options.filter(
    (one) =>
      !options.some(
        (other) => dominates(requested, other, one) || (isEqual(requested, other, one) && isShorter(other, one)),
      ),
  );
}

// ---- Equal itineraries -------------------------------------------------------------------------

/** The criteria that decide between itineraries equal in minutes and transfers. */
export interface EqualRank {
  /** Probability that all transfers are made, 0 to 1. */
  readonly probability: number;
  /** Walking distance. */
  readonly meters: number;
  readonly departure: number;
  readonly arrival: number;
}

/**
 * Compares two equal itineraries; negative if `one` is to be shown. Probabilities are compared in whole percent, as
 * displayed.
 */
export function compareEqual(one: EqualRank, other: EqualRank): number {
  return (
    Math.round(other.probability * 100) - Math.round(one.probability * 100) ||
    one.meters - other.meters ||
    one.arrival - one.departure - (other.arrival - other.departure) ||
    other.departure - one.departure
  );
}

// ---- Folding -----------------------------------------------------------------------------------

/** An arrival that is earlier by up to this does not justify leaving earlier or transferring more often. */
export const FOLD_ARRIVAL_SECONDS = 180;
const FOLD_DEPARTURE_SECONDS = 600;

/**
 * Returns whether `one` makes the other hardly worth showing ("folds" it): it departs no earlier, has no more transfers
 * and arrives at most three minutes later, and it departs at least ten minutes later or has fewer transfers. As in
 * dominance, an itinerary outside the requested time does not replace one within it.
 */
export function folds(requested: RequestedTime, one: Compared, other: Compared): boolean {
  const later = roundDown(one.departure) - roundDown(other.departure);
  const fewer = other.transfers - one.transfers;
  if (later < 0 || fewer < 0) return false;
  if (roundUp(one.arrival) - roundUp(other.arrival) > FOLD_ARRIVAL_SECONDS) return false;
  if (isInTime(requested, other) && !isInTime(requested, one)) return false;
  return later >= FOLD_DEPARTURE_SECONDS || fewer > 0;
}

function isInTime({ time, timeMode }: RequestedTime, { departure, arrival }: Compared): boolean {
  return timeMode === 'departure' ? departure >= time : arrival <= time;
}
