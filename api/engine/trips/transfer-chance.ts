import type { DelayForecast } from '../predictions.ts';

/** An arrival or a departure, as far as it is foreseen. */
export interface Foreseen {
  /** When it takes place by the timetable, and by what is told of it otherwise. */
  readonly scheduled: number;
  readonly expected: number;
  /** null: it takes place when it is expected. */
  readonly delay: DelayForecast | null;
}

/** Departures that are looked at, each as likely as the others. */
const SAMPLES = 100;

/**
 * How likely it is that somebody who arrives with one vehicle and needs some seconds catches another, which leaves no
 * earlier than planned. What is forecast of the two is taken to be independent, for nobody knows better.
 * @returns 0 to 1; null where nothing is forecast of either
 */
export function findTransferChance(arrival: Foreseen, departure: Foreseen, changeSeconds: number): number | null {
  if (!arrival.delay && !departure.delay) return null;
  const arrives = arrival.delay ? arrival.scheduled : arrival.expected;
  const leaves = departure.delay ? departure.scheduled : departure.expected;
  const spare = leaves - arrives - changeSeconds;
  const chanceWithin = (seconds: number) => (arrival.delay ? findShare(arrival.delay, seconds) : Number(seconds >= 0));
  if (!departure.delay) return chanceWithin(spare);
  let sum = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const late = findQuantile(departure.delay, (i + 0.5) / SAMPLES);
    sum += chanceWithin(spare + Math.max(0, late));
  }
  return sum / SAMPLES;
}

// ---- Distributions -----------------------------------------------------------------------------

/** Between two of these shares, delays are equally likely. */
const shares = [0, 0.1, 0.5, 0.9, 1] as const;

/** The delays at those shares. Nobody forecasts the ends: each tail is as long as the half that it follows. */
function listDelays({ low, median, high }: DelayForecast): readonly number[] {
  return [2 * low - median, low, median, high, 2 * high - median];
}

/** Share of the delays that are not greater. */
export function findShare(forecast: DelayForecast, seconds: number): number {
  const delays = listDelays(forecast);
  // Where delays coincide, all of their share counts.
  const from = delays.findLastIndex((delay) => delay <= seconds);
  if (from < 0) return 0;
  return interpolate(delays, shares, from, seconds);
}

/** The delay that a share of them do not exceed. @param share 0 to 1 */
export function findQuantile(forecast: DelayForecast, share: number): number {
  const from = shares.findLastIndex((known) => known <= share);
  return interpolate(shares, listDelays(forecast), from, share);
}

function interpolate(xs: readonly number[], ys: readonly number[], from: number, x: number): number {
  if (from === xs.length - 1) return ys[from]!;
  const way = (x - xs[from]!) / (xs[from + 1]! - xs[from]!);
  return ys[from]! + way * (ys[from + 1]! - ys[from]!);
}
