/** Forecast quantiles of pairs, in seconds of delay: p10, p50, p90; one entry per pair in each. */
export interface QuantileColumns {
  readonly low: Float32Array;
  readonly median: Float32Array;
  readonly high: Float32Array;
}

/** Pairs by service day and kind, the input of calibration. */
export interface CalibrationPairs {
  /** Days since 1970, by pair. */
  readonly day: Int32Array;
  /** Kind of pair, from 0: all intervals of one kind get the same shift. */
  readonly kind: Uint16Array;
  /** UTC seconds of the instant, and of the arrival, when the truth becomes known; by pair. */
  readonly requestedAt: Float64Array;
  readonly knownAt: Float64Array;
  /** Observed delays; seconds. */
  readonly truth: Float32Array;
}

/** Number of previous days on which the intervals of a day are calibrated. */
export const CALIBRATION_DAYS = 7;
/** Cost of a second of a miss in seconds of width, with a target of a tenth beyond each end. */
const MISS_COST = 10;
/** Minimum of pairs for a kind to be calibrated by itself; below it, all pairs of these days are used. */
const MIN_KIND_PAIRS = 300;
/** Candidate shifts, outwards; seconds. */
const SHIFTS = Array.from({ length: 49 }, (_, one) => -60 + 7.5 * one);

/** Outward shifts of the ends of an interval; negative is inwards. Seconds. */
export interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Puts the forecasts of some days on the grid of the truths, and shifts the ends of the intervals to the optimum of the
 * seven previous days by Winkler's score, which weighs width against misses and is least where a tenth lies beyond each
 * end; kind by kind, each end by itself. Outcomes of the day itself, or after its first instant, have no influence.
 * @param days to calibrate; the pairs of other days are only used as past, and stay unchanged
 * @param gridSeconds of the truths
 */
export function calibrateIntervals(
  pairs: CalibrationPairs,
  forecasts: QuantileColumns,
  days: readonly number[],
  gridSeconds: number,
): QuantileColumns {
  const settled = {
    low: Float32Array.from(forecasts.low),
    median: forecasts.median.map((seconds) => toGrid(seconds, gridSeconds)),
    high: Float32Array.from(forecasts.high),
  };
  const placesByDay = groupPlaces(pairs.day);
  for (const day of days) {
    const past = listPast(pairs, placesByDay, day);
    const shifts = findShifts(pairs, forecasts, past, gridSeconds);
    for (const place of placesByDay.get(day) ?? []) {
      settlePrediction(forecasts, place, shifts(pairs.kind[place]!), gridSeconds, settled);
    }
  }
  return settled;
}

/** Puts the forecast at a place on the grid with its ends shifted, but never beyond the median. */
export function settlePrediction(
  forecasts: QuantileColumns,
  place: number,
  { down, up }: Shift,
  gridSeconds: number,
  settled: QuantileColumns,
): void {
  const median = toGrid(forecasts.median[place]!, gridSeconds);
  settled.median[place] = median;
  settled.low[place] = Math.min(median, toGrid(forecasts.low[place]! - down, gridSeconds));
  settled.high[place] = Math.max(median, toGrid(forecasts.high[place]! + up, gridSeconds));
}

/** Pairs of the previous days whose truth was known at the first instant of the day. */
export function listPast(
  pairs: Pick<CalibrationPairs, 'requestedAt' | 'knownAt'>,
  placesByDay: ReadonlyMap<number, number[]>,
  day: number,
): number[] {
  let firstRequested = Number.POSITIVE_INFINITY;
  for (const place of placesByDay.get(day) ?? []) firstRequested = Math.min(firstRequested, pairs.requestedAt[place]!);
  const past: number[] = [];
  for (let before = day - CALIBRATION_DAYS; before < day; before++) {
    for (const place of placesByDay.get(before) ?? []) if (pairs.knownAt[place]! <= firstRequested) past.push(place);
  }
  return past;
}

/** The optimal shifts for past pairs, by kind; none where there are no pairs. */
export function findShifts(
  pairs: CalibrationPairs,
  forecasts: QuantileColumns,
  past: readonly number[],
  gridSeconds: number,
): (kind: number) => Shift {
  const byKind = new Map<number, number[]>();
  for (const place of past) {
    const places = byKind.get(pairs.kind[place]!);
    if (places) places.push(place);
    else byKind.set(pairs.kind[place]!, [place]);
  }
  const { truth } = pairs;
  const { median } = forecasts;
  const shiftOf = (places: readonly number[]): Shift => ({
    down: findShift(places, -1, { end: forecasts.low, median, truth, gridSeconds }),
    up: findShift(places, 1, { end: forecasts.high, median, truth, gridSeconds }),
  });
  const overall = shiftOf(past);
  const shifts = new Map<number, Shift>();
  for (const [kind, places] of byKind) if (places.length >= MIN_KIND_PAIRS) shifts.set(kind, shiftOf(places));
  return (kind) => shifts.get(kind) ?? overall;
}

interface ShiftedColumns {
  readonly end: Float32Array;
  readonly median: Float32Array;
  readonly truth: Float32Array;
  readonly gridSeconds: number;
}

/** The shift of one end with the least cost: distance from the median plus weighted misses. */
function findShift(
  places: readonly number[],
  outwards: 1 | -1,
  { end, median, truth, gridSeconds }: ShiftedColumns,
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
