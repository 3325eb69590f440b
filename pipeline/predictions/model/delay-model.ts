import { type Forest, predictForest } from '../../snapshots/transfer-model/forest.ts';
import { expectDeparture, type FeatureTable, horizonSeconds, type Pairs } from '../features/build-features.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { takeValues } from '../features/take-values.ts';
import { trafficColumns } from '../features/traffic-features.ts';
import { type ForestSettings, trainForest } from '../forest/train-forest.ts';
import { type PredictForests, prepareForests } from './binned-forests.ts';
import type { QuantileColumns } from './calibrate.ts';

/** Pairs for training or forecasting: their features, the current delay, and the outcome. */
export interface ModelRows {
  /** Row after row. */
  readonly values: Float32Array;
  /** Starting value of the forecast: the current delay, seconds. */
  readonly current: Float32Array;
  /** Observed delay, seconds; unused when forecasting. */
  readonly truth: Float32Array;
}

/** Three forests for the change of delay until a later arrival: p10, p50 and p90. */
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
  maxTrees: 300,
  maxLeaves: 128,
  minSamplesLeaf: 100,
  learningRate: 0.06,
  subsample: 0.5,
  columnShare: 0.5,
  patience: 20,
  seed: 1,
};

/** The ends of intervals are calibrated afterwards, and need fewer trees. */
const endSettings: ForestSettings = {
  ...medianSettings,
  maxTrees: 150,
  maxLeaves: 32,
  minSamplesLeaf: 200,
  learningRate: 0.1,
  patience: 10,
};

/** Other vehicles foretell long delays, but neither the median nor the lower end: only p90 is split by their columns. */
export function listOwnColumns(columns: readonly string[]): number[] {
  const ofTraffic: ReadonlySet<string> = new Set(trafficColumns);
  return columns.flatMap((name, column) => (ofTraffic.has(name) ? [] : [column]));
}

/**
 * Trains the three forests.
 * @param validation later rows, on which training decides when to stop
 * @param gridSeconds of the truths: 60 where a source reports whole minutes
 */
export function trainDelayModel(
  columns: readonly string[],
  learn: ModelRows,
  validation: ModelRows,
  gridSeconds: number,
): DelayModel {
  const train = (settings: ForestSettings) =>
    trainForest(columns.length, toLearning(learn), toLearning(validation), settings).forest;
  return {
    columns,
    median: trainMedian(columns, learn, validation),
    low: train({ ...endSettings, quantile: 0.1, seed: 2, columns: listOwnColumns(columns) }),
    high: train({ ...endSettings, quantile: 0.9, seed: 3 }),
    gridSeconds,
  };
}

/** Trains only the forest of the median. */
export function trainMedian(columns: readonly string[], learn: ModelRows, validation: ModelRows): Forest {
  const settings = { ...medianSettings, columns: listOwnColumns(columns) };
  return trainForest(columns.length, toLearning(learn), toLearning(validation), settings).forest;
}

/** Median delays on the grid. */
export function predictMedian(forest: Forest, rows: ModelRows, gridSeconds: number): Float32Array {
  const change = predictForest(forest, rows.values);
  return change.map((seconds, row) => Math.round((rows.current[row]! + seconds) / gridSeconds) * gridSeconds);
}

function toLearning({ values, current, truth }: ModelRows): { values: Float32Array; targets: Float32Array } {
  return { values, targets: truth.map((delay, row) => delay - current[row]!) };
}

/** The forests of each model in use, prepared for many rows. */
const prepared = new WeakMap<DelayModel, PredictForests>();

function preparedOf(model: DelayModel): PredictForests {
  const known = prepared.get(model);
  if (known) return known;
  const forests = prepareForests([model.low, model.median, model.high]);
  prepared.set(model, forests);
  return forests;
}

/** The forecasts before calibration, sorted by quantile and not yet on the grid. */
export function predictDelays(model: DelayModel, rows: Pick<ModelRows, 'values' | 'current'>): QuantileColumns {
  const { values, current } = rows;
  const [low, median, high] = preparedOf(model)(values) as [Float32Array, Float32Array, Float32Array];
  for (let row = 0; row < median.length; row++) {
    median[row] = current[row]! + median[row]!;
    low[row] = Math.min(Math.fround(current[row]! + low[row]!), median[row]!);
    high[row] = Math.max(Math.fround(current[row]! + high[row]!), median[row]!);
  }
  return { low, median, high };
}

/**
 * Kinds of pairs whose intervals are calibrated separately: limits of the horizon, and of the current delay; seconds.
 * Vehicles at a stop are separate kinds, because their departure is unknown.
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

/** Index of the first limit above the value; the number of limits if there is none. */
export function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}

/** What pairs are evaluated by; one entry per pair, seconds. */
interface PairFacts {
  /** Delay of the arrival that was to be predicted. */
  readonly truth: Float32Array;
  /** Delay of the departure at the instant; for a vehicle at the stop, the assumed minimum. */
  readonly current: Float32Array;
  readonly horizonSeconds: Float32Array;
  /** From the instant to the observed arrival. */
  readonly secondsToArrival: Float32Array;
}

/** Pairs of a window with their roles, features and facts. */
export interface PairSet extends PairFacts {
  readonly pairs: Pairs;
  readonly roles: Uint8Array;
  readonly features: FeatureTable;
}

export function describePairs(table: DatedTripTable, pairs: Pairs): PairFacts {
  const ofPairs = (read: (from: number, to: number, pair: number) => number) =>
    Float32Array.from(pairs.from, (from, pair) => read(from, pairs.to[pair]!, pair));
  return {
    truth: ofPairs((_, to) => table.arrivalDelay[to]!),
    current: ofPairs((from, _, pair) =>
      pairs.isStanding[pair] === 1 ? expectDeparture(table, from).delay : table.departureDelay[from]!,
    ),
    horizonSeconds: ofPairs((from, to) => horizonSeconds(table, from, to)),
    secondsToArrival: ofPairs((_, to, pair) => table.arrivalTime[to]! - requestedAt(table, pairs, pair)),
  };
}

/** UTC seconds of the instant. */
export function requestedAt(table: DatedTripTable, { from, isStanding }: Pairs, pair: number): number {
  return (isStanding[pair] === 1 ? table.arrivalTime : table.departureTime)[from[pair]!]!;
}

/** The rows of some pairs, for the model. */
export function takeRows({ features, truth, current }: PairSet, places: Int32Array): ModelRows {
  return {
    values: takeValues(features.values, places, features.columns.length),
    truth: Float32Array.from(places, (place) => truth[place]!),
    current: Float32Array.from(places, (place) => current[place]!),
  };
}
