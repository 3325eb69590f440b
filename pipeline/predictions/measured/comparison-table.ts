/** Unit of delays: as they are, or all floored to the whole minute. */
export const delayUnits = ['raw', 'wholeMinutes'] as const;
export type DelayUnit = (typeof delayUnits)[number];

/** The delays by one prediction method, by pair; seconds. */
export interface PredictionMethod {
  readonly name: string;
  readonly median: Float32Array;
  /** p10 and p90; null for a method without intervals. */
  readonly low: Float32Array | null;
  readonly high: Float32Array | null;
}

/** The pairs of a test with their outcomes and the delays by each method: the input of all metrics. */
export interface ComparisonTable {
  readonly unit: DelayUnit;
  readonly count: number;
  /** Delay of the predicted arrival, seconds. */
  readonly truth: Float32Array;
  /** Delay at the instant, which is the prediction of persistence; seconds. */
  readonly current: Float32Array;
  /** As the layout defines it; buckets are ranges of it. */
  readonly horizonSeconds: Float32Array;
  /** From the instant to the actual arrival. */
  readonly secondsToArrival: Float32Array;
  readonly forecasters: readonly PredictionMethod[];
}

/** Horizons from `from` on and below `to`, seconds. */
export interface HorizonBucket {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Buckets of the horizon, shared by the metrics of a service and of an archive. */
export const horizonBuckets: readonly HorizonBucket[] = [
  { name: '0-5 min', from: 0, to: 300 },
  { name: '5-15 min', from: 300, to: 900 },
  { name: '15-30 min', from: 900, to: 1800 },
  { name: '30-60 min', from: 1800, to: 3600 },
  { name: '60 min and more', from: 3600, to: Number.POSITIVE_INFINITY },
];

/** Names of prediction methods in metrics. */
export const PERSISTENCE = 'persistence';
export const INCREMENT_TABLE = 'increment table';
export const OURS = 'ours';
