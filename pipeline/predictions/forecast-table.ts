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

/** Names of forecasters that figures are measured against. */
export const PERSISTENCE = 'persistence';
export const INCREMENT_TABLE = 'increment table';
export const OURS = 'ours';
