import { expectDeparture, type FeatureTable, horizonSeconds, type Pairs } from '../features/build-features.ts';
import type { RunTable } from '../features/run-table.ts';
import { type Forest, predictForest } from '../forest/forest.ts';
import { type ForestSettings, trainForest } from '../forest/train-forest.ts';
import type { QuantileForecasts } from './calibrate.ts';

/** Pairs to learn from or to be asked: their features, what holds now, and what came. */
export interface ModelRows {
  /** Row after row. */
  readonly values: Float32Array;
  /** What the forecast starts from: the current delay, seconds. */
  readonly current: Float32Array;
  /** Delay that came, seconds; unused when forecasting. */
  readonly truth: Float32Array;
}

/** Three forests: how far the delay of a later arrival is from the current one, as p10, p50 and p90. */
export interface DelayModel {
  readonly columns: readonly string[];
  readonly low: Forest;
  readonly median: Forest;
  readonly high: Forest;
  /** Forecast delays are multiples of this; seconds. */
  readonly gridSeconds: number;
}

const medianSettings: ForestSettings = {
  quantile: 0.5,
  maxTrees: 250,
  mostLeaves: 64,
  minSamplesLeaf: 100,
  learningRate: 0.08,
  subsample: 0.5,
  columnShare: 0.5,
  patience: 20,
  seed: 1,
};

/** Ends of intervals are calibrated afterwards, and need fewer trees. */
const endSettings: ForestSettings = {
  ...medianSettings,
  maxTrees: 70,
  mostLeaves: 32,
  minSamplesLeaf: 200,
  learningRate: 0.15,
  subsample: 0.3,
  patience: 10,
};

/**
 * Trains the three forests.
 * @param judge later rows, which say when to stop
 * @param gridSeconds of the truths: 60 where a source tells whole minutes
 */
export function trainDelayModel(
  columns: readonly string[],
  learn: ModelRows,
  judge: ModelRows,
  gridSeconds: number,
): DelayModel {
  const train = (settings: ForestSettings) =>
    trainForest(columns.length, toLearning(learn), toLearning(judge), settings).forest;
  return {
    columns,
    median: trainMedian(columns, learn, judge),
    low: train({ ...endSettings, quantile: 0.1, seed: 2 }),
    high: train({ ...endSettings, quantile: 0.9, seed: 3 }),
    gridSeconds,
  };
}

/** The forest of the median alone. */
export function trainMedian(columns: readonly string[], learn: ModelRows, judge: ModelRows): Forest {
  return trainForest(columns.length, toLearning(learn), toLearning(judge), medianSettings).forest;
}

/** Median delays on the grid. */
export function forecastMedian(forest: Forest, rows: ModelRows, gridSeconds: number): Float32Array {
  const change = predictForest(forest, rows.values);
  return change.map((seconds, row) => Math.round((rows.current[row]! + seconds) / gridSeconds) * gridSeconds);
}

function toLearning({ values, current, truth }: ModelRows): { values: Float32Array; targets: Float32Array } {
  return { values, targets: truth.map((delay, row) => delay - current[row]!) };
}

/** The forecasts before calibration, in order and not yet on the grid. */
export function forecastDelays(model: DelayModel, rows: Pick<ModelRows, 'values' | 'current'>): QuantileForecasts {
  const forecast = (forest: Forest) => {
    const change = predictForest(forest, rows.values);
    return change.map((seconds, row) => rows.current[row]! + seconds);
  };
  const median = forecast(model.median);
  const low = forecast(model.low);
  const high = forecast(model.high);
  for (let row = 0; row < median.length; row++) {
    low[row] = Math.min(low[row]!, median[row]!);
    high[row] = Math.max(high[row]!, median[row]!);
  }
  return { low, median, high };
}

/**
 * Kinds of pairs whose intervals are calibrated apart: limits of the horizon, and of the current delay; seconds. Where
 * the vehicle stands is another kind again: nobody knows how long it will.
 */
const HORIZONS = [300, 900, 1800, 3600];
const DELAYS = [60, 180, 600];

const MOVING_KINDS = (HORIZONS.length + 1) * (DELAYS.length + 1);
export const KIND_COUNT = 2 * MOVING_KINDS;

/** @returns a number below `KIND_COUNT` */
export function kindOfPair(horizonSeconds: number, currentDelay: number, isStanding: boolean): number {
  const kind = placeAmong(HORIZONS, horizonSeconds) * (DELAYS.length + 1) + placeAmong(DELAYS, currentDelay);
  return isStanding ? MOVING_KINDS + kind : kind;
}

function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}

/** What pairs are measured by; one place per pair, seconds. */
interface PairFacts {
  /** Delay of the arrival that was to be predicted. */
  readonly truth: Float32Array;
  /** Delay of the departure at the instant; of a vehicle that stands, the least that it will be. */
  readonly current: Float32Array;
  readonly horizonSeconds: Float32Array;
  /** From the instant to the arrival as it came. */
  readonly secondsToArrival: Float32Array;
}

/** Pairs of a window with their role, their features and their facts. */
export interface PairSet extends PairFacts {
  readonly pairs: Pairs;
  readonly roles: Uint8Array;
  readonly features: FeatureTable;
}

export function describePairs(table: RunTable, pairs: Pairs): PairFacts {
  const ofPairs = (read: (from: number, to: number, pair: number) => number) =>
    Float32Array.from(pairs.from, (from, pair) => read(from, pairs.to[pair]!, pair));
  return {
    truth: ofPairs((_, to) => table.arrivalDelay[to]!),
    current: ofPairs((from, _, pair) =>
      pairs.isStanding[pair] === 1 ? expectDeparture(table, from).delay : table.departureDelay[from]!,
    ),
    horizonSeconds: ofPairs((from, to) => horizonSeconds(table, from, to)),
    secondsToArrival: ofPairs((_, to, pair) => table.arrivalTime[to]! - askedAt(table, pairs, pair)),
  };
}

/** UTC seconds of the instant. */
export function askedAt(table: RunTable, { from, isStanding }: Pairs, pair: number): number {
  return (isStanding[pair] === 1 ? table.arrivalTime : table.departureTime)[from[pair]!]!;
}

/** The rows of some pairs, for the model. */
export function takeRows({ features, truth, current }: PairSet, places: Int32Array): ModelRows {
  const width = features.columns.length;
  const values = new Float32Array(places.length * width);
  places.forEach((place, row) => {
    values.set(features.values.subarray(place * width, (place + 1) * width), row * width);
  });
  return {
    values,
    truth: Float32Array.from(places, (place) => truth[place]!),
    current: Float32Array.from(places, (place) => current[place]!),
  };
}
