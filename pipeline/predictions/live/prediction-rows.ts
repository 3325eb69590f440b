import type { DatedTripTable } from '../features/dated-trip-table.ts';
import type { QuantileColumns } from '../model/calibrate.ts';
import type { PredictedTrip, Progress } from './live-trips.ts';

/** Feature rows, grouped by trip, and the starting values of the model; one row per later call. */
export interface PredictionRows {
  /** The trips that are predicted. */
  readonly trips: readonly PredictedTrip[];
  readonly values: Float32Array;
  readonly current: Float32Array;
  /** Expected seconds beyond the grid. */
  readonly offsets: Uint8Array;
  readonly horizonSeconds: Float32Array;
}

/** Turns feature rows of one source into delays. */
export interface RowForecaster {
  /** Name of the model, for the lake. */
  readonly modelId: string;
  /** Delays of its features are multiples of this; seconds. */
  readonly gridSeconds: number;
  /** Whether trips without any past data are left out. */
  readonly needsPast: boolean;
  /** Delays to publish, by row; seconds. */
  forecast(rows: PredictionRows, table: DatedTripTable): QuantileColumns;
  /** Called after each update of a trip, with its last observed event. */
  observe(progress: Progress, table: DatedTripTable): void;
}
