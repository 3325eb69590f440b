import { type CalibrationPairs, groupPlaces, listPast, type QuantileForecasts } from '../calibrate.ts';

/** Pairs as the calibration looks at them, with the least delay that each can still have; seconds. */
export interface CoverPairs extends CalibrationPairs {
  readonly least: Float32Array;
}

/** What may lie outside of an interval, and of that at least and at most above. */
const OUTSIDE = 0.2;
const LEAST_ABOVE = 0.05;
const MOST_ABOVE = 0.15;
/** Pairs that a kind must have; else all pairs stand for it. */
const ENOUGH_PAIRS = 500;
const MINUTE = 60;

/** Seconds that the ends of an interval are moved outwards by; negative is inwards. */
interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Puts the forecasts of some days on whole minutes, no earlier than an arrival can still be, with the ends of the
 * intervals moved so that four fifths of the truths of past days would have lain inside: kind by kind, a tenth beyond
 * each end as far as the floor allows. What came on the day itself, or after its first instant, has no influence.
 * @param days those that are wanted; the pairs of others are only learnt from
 */
export function coverIntervals(
  pairs: CoverPairs,
  forecasts: QuantileForecasts,
  days: readonly number[],
): QuantileForecasts {
  const median = forecasts.median.map((seconds, place) => tell(seconds, pairs.least[place]!));
  const low = Float32Array.from(forecasts.low);
  const high = Float32Array.from(forecasts.high);
  const placesByDay = groupPlaces(pairs.day);
  for (const day of days) {
    const shifts = findShifts(pairs, forecasts, listPast(pairs, placesByDay, day));
    for (const place of placesByDay.get(day) ?? []) {
      const { down, up } = shifts(pairs.kind[place]!);
      const least = pairs.least[place]!;
      low[place] = Math.min(median[place]!, tell(forecasts.low[place]! - down, least));
      high[place] = Math.max(median[place]!, tell(forecasts.high[place]! + up, least));
    }
  }
  return { low, median, high };
}

/** A delay as it is told: in whole minutes, and with the arrival still ahead. */
export function tell(seconds: number, least: number): number {
  return Math.max(least, Math.round(seconds / MINUTE) * MINUTE);
}

function findShifts(pairs: CoverPairs, forecasts: QuantileForecasts, past: readonly number[]): (kind: number) => Shift {
  const byKind = new Map<number, number[]>();
  for (const place of past) {
    const places = byKind.get(pairs.kind[place]!);
    if (places) places.push(place);
    else byKind.set(pairs.kind[place]!, [place]);
  }
  const overall = findShift(pairs, forecasts, past);
  const shifts = new Map<number, Shift>();
  for (const [kind, places] of byKind) {
    if (places.length >= ENOUGH_PAIRS) shifts.set(kind, findShift(pairs, forecasts, places));
  }
  return (kind) => shifts.get(kind) ?? overall;
}

function findShift({ truth, least }: CoverPairs, forecasts: QuantileForecasts, places: readonly number[]): Shift {
  if (places.length === 0) return { down: 0, up: 0 };
  // A shift of more than this many seconds takes the pair in; half a minute is what rounding does.
  const downs = Float64Array.from(places, (place) => forecasts.low[place]! - truth[place]! - MINUTE / 2).sort();
  const down = rank(downs, 1 - OUTSIDE / 2);
  const isBelow = (place: number) =>
    truth[place]! < tell(Math.min(forecasts.low[place]! - down, forecasts.median[place]!), least[place]!);
  const below = places.filter(isBelow).length / places.length;
  // Where the floor keeps truths from lying below, more may lie above.
  const above = Math.min(MOST_ABOVE, Math.max(LEAST_ABOVE, OUTSIDE - below));
  const ups = Float64Array.from(places, (place) =>
    truth[place]! <= least[place]! ? Number.NEGATIVE_INFINITY : truth[place]! - MINUTE / 2 - forecasts.high[place]!,
  ).sort();
  const up = rank(ups, 1 - above);
  return { down, up: Number.isFinite(up) ? up : 0 };
}

function rank(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
