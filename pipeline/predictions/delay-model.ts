import type { QuantileForecasts } from './calibrate.ts';
import { type Forest, predictForest } from './forest.ts';
import { type ForestSettings, trainForest } from './train-forest.ts';

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
  mostTrees: 250,
  mostLeaves: 64,
  leastRows: 100,
  learningRate: 0.08,
  rowShare: 0.5,
  columnShare: 0.5,
  patience: 20,
  seed: 1,
};

/** Ends of intervals are calibrated afterwards, and need fewer trees. */
const endSettings: ForestSettings = {
  ...medianSettings,
  mostTrees: 70,
  mostLeaves: 32,
  leastRows: 200,
  learningRate: 0.15,
  rowShare: 0.3,
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
