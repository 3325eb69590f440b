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
/** Minimum of pairs for a kind to be calibrated by itself; below it, all pairs of these days are used. */
const MIN_KIND_PAIRS = 300;
/** Target share of truths outside an interval, and the largest share above it. */
export const OUTSIDE = 0.155;
export const MAX_ABOVE = 0.11;
/** No end moves further inwards: it is at the median before. Seconds. */
const MAX_INWARDS = 3600;

/** Outward shifts of the ends of an interval; negative is inwards. Seconds. */
export interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Puts the forecasts of some days on the grid of the truths, and shifts the ends of the intervals so that they would have
 * covered five sixths of the truths of the seven previous days, kind by kind. Outcomes of the day itself, or after its
 * first instant, have no influence.
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

/** Finds how to shift the intervals of each kind by the outcomes of past pairs. Without pairs, ends stay where they are. */
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
  const middle = forecasts.median.map((seconds) => toGrid(seconds, gridSeconds));
  const shiftOf = (places: readonly number[]) =>
    findShift(places, { ...forecasts, median: middle }, truth, gridSeconds);
  const overall = shiftOf(past);
  const shifts = new Map<number, Shift>();
  for (const [kind, places] of byKind) if (places.length >= MIN_KIND_PAIRS) shifts.set(kind, shiftOf(places));
  return (kind) => shifts.get(kind) ?? overall;
}

/**
 * The conformal shifts of both ends: the smallest by which the wanted share of truths is not missed. Ends that differ by
 * less than the grid become equal on it, so the score of a pair is the shift from which its truth is covered after that,
 * not the distance to it. Where so many truths equal the median that fewer than half of `OUTSIDE` can lie below, more may
 * lie above.
 * @param forecasts whose median is on the grid
 */
function findShift(
  places: readonly number[],
  { low, median, high }: QuantileColumns,
  truth: Float32Array,
  gridSeconds: number,
): Shift {
  if (places.length === 0) return { down: 0, up: 0 };
  const half = coveredBefore(gridSeconds);
  const downs = Float64Array.from(places, (place) =>
    truth[place]! >= median[place]! ? Number.NEGATIVE_INFINITY : low[place]! - truth[place]! - half,
  ).sort();
  const down = rank(downs, 1 - OUTSIDE / 2);
  const below = downs.filter((shift) => shift > down).length / places.length;
  const ups = Float64Array.from(places, (place) =>
    truth[place]! <= median[place]! ? Number.NEGATIVE_INFINITY : truth[place]! - high[place]! - half,
  ).sort();
  return { down, up: rank(ups, 1 - Math.min(MAX_ABOVE, OUTSIDE - below)) };
}

/** An end covers a truth on the grid if it is this far inside of it at most; seconds. */
export function coveredBefore(gridSeconds: number): number {
  return (gridSeconds - 1) / 2;
}

function rank(sorted: Float64Array, share: number): number {
  const place = Math.min(sorted.length - 1, Math.ceil(share * (sorted.length + 1)) - 1);
  return Math.max(-MAX_INWARDS, sorted[place]!);
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
