/** Forecast quantiles of pairs, in seconds of delay: p10, p50, p90; one place per pair in each. */
export interface QuantileForecasts {
  readonly low: Float32Array;
  readonly median: Float32Array;
  readonly high: Float32Array;
}

/** Pairs by service day and kind, as calibration looks at them. */
export interface CalibrationPairs {
  /** Days since 1970, by pair. */
  readonly day: Int32Array;
  /** Kind of pair, from 0: intervals of one kind are widened alike. */
  readonly kind: Uint16Array;
  /** UTC seconds of the instant, and of the arrival, from which on the truth is known; by pair. */
  readonly askedAt: Float64Array;
  readonly knownAt: Float64Array;
  /** What came; seconds. */
  readonly truth: Float32Array;
}

/** Days before a day that its intervals learn from. */
export const CALIBRATION_DAYS = 7;
/** What a second of a miss costs against a second of width, where a tenth may lie beyond each end. */
const MISS_COST = 10;
/** Pairs that a kind must have; else all pairs of these days stand for it. */
const MIN_KIND_PAIRS = 300;
/** Shifts that are tried, outwards; seconds. */
const SHIFTS = Array.from({ length: 49 }, (_, one) => -60 + 7.5 * one);

/** How far the ends of an interval are moved outwards; negative is inwards. Seconds. */
export interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Puts the forecasts of some days on the grid of the truths, with the ends of the intervals moved so that they would
 * have been best on the seven days before: by Winkler's score, which weighs width against misses and is least where a
 * tenth lies beyond each end; kind by kind, each end by itself. What came on the day itself, or after its first instant,
 * has no influence.
 * @param days those that are wanted; the pairs of others are only learnt from, and stay as they are
 * @param gridSeconds of the truths
 */
export function calibrateIntervals(
  pairs: CalibrationPairs,
  forecasts: QuantileForecasts,
  days: readonly number[],
  gridSeconds: number,
): QuantileForecasts {
  const told = {
    low: Float32Array.from(forecasts.low),
    median: forecasts.median.map((seconds) => toGrid(seconds, gridSeconds)),
    high: Float32Array.from(forecasts.high),
  };
  const placesByDay = groupPlaces(pairs.day);
  for (const day of days) {
    const past = listPast(pairs, placesByDay, day);
    const shifts = findShifts(pairs, forecasts, past, gridSeconds);
    for (const place of placesByDay.get(day) ?? []) {
      settleForecast(forecasts, place, shifts(pairs.kind[place]!), gridSeconds, told);
    }
  }
  return told;
}

/** Puts the forecast at a place on the grid, its ends moved, but never beyond the median. */
export function settleForecast(
  forecasts: QuantileForecasts,
  place: number,
  { down, up }: Shift,
  gridSeconds: number,
  told: QuantileForecasts,
): void {
  const median = toGrid(forecasts.median[place]!, gridSeconds);
  told.median[place] = median;
  told.low[place] = Math.min(median, toGrid(forecasts.low[place]! - down, gridSeconds));
  told.high[place] = Math.max(median, toGrid(forecasts.high[place]! + up, gridSeconds));
}

/** Pairs of the days before whose truth was known when the first pair of the day was asked for. */
export function listPast(
  pairs: Pick<CalibrationPairs, 'askedAt' | 'knownAt'>,
  placesByDay: ReadonlyMap<number, number[]>,
  day: number,
): number[] {
  let firstAsked = Number.POSITIVE_INFINITY;
  for (const place of placesByDay.get(day) ?? []) firstAsked = Math.min(firstAsked, pairs.askedAt[place]!);
  const past: number[] = [];
  for (let before = day - CALIBRATION_DAYS; before < day; before++) {
    for (const place of placesByDay.get(before) ?? []) if (pairs.knownAt[place]! <= firstAsked) past.push(place);
  }
  return past;
}

/** The shifts that would have been best for past pairs, by kind; none where there are no pairs. */
export function findShifts(
  pairs: CalibrationPairs,
  forecasts: QuantileForecasts,
  past: readonly number[],
  gridSeconds: number,
): (kind: number) => Shift {
  const byKind = new Map<number, number[]>();
  for (const place of past) {
    const places = byKind.get(pairs.kind[place]!);
    if (places) places.push(place);
    else byKind.set(pairs.kind[place]!, [place]);
  }
  const shiftOf = (places: readonly number[]): Shift => ({
    down: findShift(places, -1, forecasts.low, forecasts.median, pairs.truth, gridSeconds),
    up: findShift(places, 1, forecasts.high, forecasts.median, pairs.truth, gridSeconds),
  });
  const overall = shiftOf(past);
  const shifts = new Map<number, Shift>();
  for (const [kind, places] of byKind) if (places.length >= MIN_KIND_PAIRS) shifts.set(kind, shiftOf(places));
  return (kind) => shifts.get(kind) ?? overall;
}

/** The shift of one end with the least cost: its distance from the median, and what lies beyond it. */
function findShift(
  places: readonly number[],
  outwards: 1 | -1,
  end: Float32Array,
  median: Float32Array,
  truth: Float32Array,
  gridSeconds: number,
): number {
  const middles = places.map((place) => toGrid(median[place]!, gridSeconds));
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const shift of SHIFTS) {
    let cost = 0;
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      const moved = toGrid(end[place]! + outwards * shift, gridSeconds);
      const distance = Math.max(0, outwards * (moved - middles[i]!));
      const miss = outwards * (truth[place]! - middles[i]!) - distance;
      cost += distance + (miss > 0 ? MISS_COST * miss : 0);
    }
    if (cost < least) {
      least = cost;
      best = shift;
    }
  }
  return places.length === 0 ? 0 : best;
}

function toGrid(seconds: number, gridSeconds: number): number {
  return Math.round(seconds / gridSeconds) * gridSeconds;
}

/** Places of the pairs of each day. */
export function groupPlaces(day: Int32Array): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (let place = 0; place < day.length; place++) {
    const known = places.get(day[place]!);
    if (known) known.push(place);
    else places.set(day[place]!, [place]);
  }
  return places;
}
