import type { Itinerary, PlanQuery } from './itinerary.ts';

// Dominance of itineraries. Travellers read whole minutes, so a difference of seconds decides nothing: departures are
// rounded down and arrivals up. Itineraries that are equal in both and in transfers are one choice, of which one
// itinerary is shown: the one most likely to work out, then the one with less walking, then the shorter one.
//
// Times are not rounded beyond the requested time. A traveller who asks at 08:00:30 cannot take a departure at
// 08:00:10, and that must not hide one at 08:00:40. Rounding stays monotone, which is all that the following needs.
//
// A search by exact seconds finds every choice. An itinerary that it leaves out leaves no later, arrives no earlier and
// has no fewer transfers than one that it finds. Rounding keeps that order, so the latter dominates it, or is the same
// choice. Which of the equal ones is shown is decided afterwards, for the choices on a page (see `choose-equal.ts`).

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

/** The signed begins that are rounded to the same value: a minute, or its part on one side of the requested time. */
export function minuteOf(askedTime: number, begin: number): Minute {
  const from = roundDown(begin);
  const to = from + MINUTE_SECONDS;
  if (askedTime <= from || askedTime >= to) return { from, to };
  return begin < askedTime ? { from, to: askedTime } : { from: askedTime, to };
}

/** The latest end that is rounded to an earlier value than the given end. */
export function endBefore(end: number): number {
  return roundUp(end) - MINUTE_SECONDS;
}

type Asked = Pick<PlanQuery, 'time' | 'timeMode'>;
type Compared = Pick<Itinerary, 'departure' | 'arrival' | 'transfers'>;

/** Whether `one` is no worse in rounded departure, rounded arrival and transfers, and better in one of them. */
export function beats(asked: Asked, one: Compared, other: Compared): boolean {
  const gains = listGains(asked, one, other);
  return gains.every((gain) => gain >= 0) && gains.some((gain) => gain > 0);
}

/** Whether both are the same in rounded departure, rounded arrival and transfers. */
export function isEqual(asked: Asked, one: Compared, other: Compared): boolean {
  return listGains(asked, one, other).every((gain) => gain === 0);
}

function listGains(asked: Asked, one: Compared, other: Compared): number[] {
  const [a, b] = [roundTimes(asked, one), roundTimes(asked, other)];
  return [a.departure - b.departure, b.arrival - a.arrival, other.transfers - one.transfers];
}

function roundTimes({ time, timeMode }: Asked, { departure, arrival }: Compared) {
  const rounded = { departure: roundDown(departure), arrival: roundUp(arrival) };
  if (timeMode === 'departure') {
    return departure < time ? rounded : { ...rounded, departure: Math.max(rounded.departure, time) };
  }
  return arrival > time ? rounded : { ...rounded, arrival: Math.min(rounded.arrival, time) };
}

export function secondsOf({ departure, arrival }: Pick<Itinerary, 'departure' | 'arrival'>): number {
  return arrival - departure;
}

/** Every choice that no other one beats, by the shortest of its itineraries given, the last of those. */
export function keepUnbeaten<Kept extends Compared>(asked: Asked, those: readonly Kept[]): Kept[] {
  const isShorter = (one: Kept, other: Kept) =>
    secondsOf(one) < secondsOf(other) || (secondsOf(one) === secondsOf(other) && one.departure > other.departure);
  return those.filter(
    (one) => !those.some((other) => beats(asked, other, one) || (isEqual(asked, other, one) && isShorter(other, one))),
  );
}

// ---- Equal itineraries -------------------------------------------------------------------------

/** What decides between itineraries that are equal in minutes and transfers. */
export interface EqualRank {
  /** Probability that all transfers are made, 0 to 1. */
  readonly chance: number;
  /** On foot. */
  readonly meters: number;
  readonly departure: number;
  readonly arrival: number;
}

/** Negative where `one` is to be shown: probabilities are compared in whole percent, as they are shown. */
export function compareEqual(one: EqualRank, other: EqualRank): number {
  return (
    Math.round(other.chance * 100) - Math.round(one.chance * 100) ||
    one.meters - other.meters ||
    one.arrival - one.departure - (other.arrival - other.departure) ||
    other.departure - one.departure
  );
}

// ---- Folding -----------------------------------------------------------------------------------

/** Arriving earlier by so much does not make up for leaving earlier, or for more transfers. */
export const FOLD_ARRIVAL_SECONDS = 180;
const FOLD_DEPARTURE_SECONDS = 600;

/**
 * Whether `one` makes the other hardly worth showing: it leaves no earlier, has no more transfers and arrives at most
 * three minutes later, and it leaves at least ten minutes later or has fewer transfers. As in dominance, one that is too
 * late for the request does not stand in for one that is not.
 */
export function folds(asked: Asked, one: Compared, other: Compared): boolean {
  const later = roundDown(one.departure) - roundDown(other.departure);
  const fewer = other.transfers - one.transfers;
  if (later < 0 || fewer < 0) return false;
  if (roundUp(one.arrival) - roundUp(other.arrival) > FOLD_ARRIVAL_SECONDS) return false;
  if (isInTime(asked, other) && !isInTime(asked, one)) return false;
  return later >= FOLD_DEPARTURE_SECONDS || fewer > 0;
}

function isInTime({ time, timeMode }: Asked, { departure, arrival }: Compared): boolean {
  return timeMode === 'departure' ? departure >= time : arrival <= time;
}
