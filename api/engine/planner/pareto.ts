import type { Itinerary, PlanQuery } from './itinerary.ts';

// Dominance of itineraries. Travellers read whole minutes, so a difference of seconds decides nothing: departures are
// rounded down and arrivals up, and of itineraries that are equal in both and in transfers only the shortest stays.
// This is a strict order: first by the rounded values, where it is the usual dominance, and among equals by one total
// order.
//
// Times are not rounded beyond the requested time. A traveller who asks at 08:00:30 cannot take a departure at
// 08:00:10, and that must not hide one at 08:00:40. Rounding stays monotone, which is all that the following needs.
//
// A search by exact seconds suffices. An itinerary that it leaves out leaves no later, arrives no earlier and has no
// fewer transfers than one that it finds. Rounding keeps that order, so the latter beats it, or equals it in minutes
// and is no longer.

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

/**
 * Whether `one` is no worse in rounded departure, rounded arrival and transfers, and better in one, or else shorter.
 */
export function beats(asked: Asked, one: Compared, other: Compared): boolean {
  const [a, b] = [roundTimes(asked, one), roundTimes(asked, other)];
  const gains = [a.departure - b.departure, b.arrival - a.arrival, other.transfers - one.transfers];
  if (gains.some((gain) => gain < 0)) return false;
  if (gains.some((gain) => gain > 0)) return true;
  const secondsLess = secondsOf(other) - secondsOf(one);
  return secondsLess > 0 || (secondsLess === 0 && one.departure > other.departure);
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

/** Those that no other one beats. */
export function keepUnbeaten<Kept extends Compared>(asked: Asked, those: readonly Kept[]): Kept[] {
  return those.filter((one) => !those.some((other) => beats(asked, other, one)));
}
