/** How delays are counted: as they are, or all replaced by the whole minute they are in. */
export const forecastUnits = ['raw', 'wholeMinutes'] as const;
export type ForecastUnit = (typeof forecastUnits)[number];

/** One way to forecast, by pair; delays in seconds. */
export interface Forecaster {
  readonly name: string;
  readonly median: Float32Array;
  /** p10 and p90; null where it tells no interval. */
  readonly low: Float32Array | null;
  readonly high: Float32Array | null;
}

/** The pairs of a test with what came and what was forecast: all that the figures are made of. */
export interface ForecastTable {
  readonly unit: ForecastUnit;
  readonly count: number;
  /** Delay of the predicted arrival, seconds. */
  readonly truth: Float32Array;
  /** What holds at the instant, and what persistence forecasts; seconds. */
  readonly current: Float32Array;
  /** As the layout defines it; what buckets are of. */
  readonly horizonSeconds: Float32Array;
  /** From the instant to the moment at which the vehicle did arrive. */
  readonly secondsToArrival: Float32Array;
  readonly forecasters: readonly Forecaster[];
}

/** Horizons from `from` on and below `to`, seconds. */
export interface HorizonBucket {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Horizons of calls ahead, as figures of a service and of an archive name them. */
export const horizonBuckets: readonly HorizonBucket[] = [
  { name: '0-5 min', from: 0, to: 300 },
  { name: '5-15 min', from: 300, to: 900 },
  { name: '15-30 min', from: 900, to: 1800 },
  { name: '30-60 min', from: 1800, to: 3600 },
  { name: '60 min and more', from: 3600, to: Number.POSITIVE_INFINITY },
];

/** Names of forecasters that figures are measured against. */
export const PERSISTENCE = 'persistence';
export const INCREMENT_TABLE = 'increment table';
export const OURS = 'ours';
