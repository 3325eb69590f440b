import { isAhead } from './clock-tolerance.ts';
import type { Product } from './product.ts';
import type { EpochDay, Instant } from './service-time.ts';

/** A dated trip in progress with the observations of a source so far. Times are instants. */
export interface ObservedTrip {
  /** As `trips.key` of the timetable. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  readonly tripId: string;
  readonly routeId: string;
  readonly product: Product;
  /** Scheduled departure: seconds from the midnight of its service day, as local clocks show it. */
  readonly departureOfDay: number;
  /** By position, as are all members below. */
  readonly stopIds: readonly string[];
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  /** NaN without an observation, or where the call is cancelled. */
  readonly arrival: Float64Array;
  readonly departure: Float64Array;
  /** 1 for an observation from a vehicle position, 0 from a stop event. */
  readonly isFromPosition: Uint8Array;
}

/** Maximum age of the observation behind a prediction; seconds. @see interface specification, GET /v1/predictions */
export const MAX_PREDICTION_AGE_SECONDS = 8 * 60;

/**
 * Confidence by the width of the calibrated interval from p10 to p90; seconds. Predictions with a wider interval are
 * not published.
 */
const confidenceWidths = { high: 120, medium: 300 } as const;
export type Confidence = keyof typeof confidenceWidths;

/** Minimum width of an interval of which no confidence is published; seconds. */
export const WITHHELD_WIDTH_SECONDS = confidenceWidths.medium + 1;

/** The prediction for one dated trip from its newest observation. Delays in seconds; early is negative. */
export interface TripPrediction {
  /** As `trips.key` of the timetable. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  /** The source of the observation and of the model's training data. */
  readonly sourceId: string;
  /** Position of the last observed call. */
  readonly position: number;
  readonly observedAt: Instant;
  readonly delaySeconds: number;
  /** `positions`: a vehicle was seen standing there. */
  readonly channel: 'stop_events' | 'positions';
  /** Arrival delays at all later calls in travel order: p10, p50 and p90. */
  readonly low: Int16Array;
  readonly median: Int16Array;
  readonly high: Int16Array;
}

/** A model that predicts delays of the trips of one source. */
export interface PredictionModelState {
  readonly sourceId: string;
  /** Name of the model in the lake. */
  readonly model: string;
  /** The last service date of its training data. */
  readonly lastDay: string;
  /** Its errors on the last days, on which it was not trained; absent in snapshots of older versions. */
  readonly test?: ModelTest;
}

/** Mean absolute errors in seconds. */
interface ModelTest {
  readonly pairs: number;
  readonly errorSeconds: number;
  /** Of the assumption that the delay stays as it is. */
  readonly persistenceErrorSeconds: number;
  /** Share of arrivals within the interval. */
  readonly coveredShare: number;
}

/** Whether its observation is recent enough for the prediction to be shown. */
export function isFreshPrediction({ observedAt }: Pick<TripPrediction, 'observedAt'>, now: Instant): boolean {
  return now - observedAt <= MAX_PREDICTION_AGE_SECONDS && !isAhead(observedAt, now);
}

/** @returns null for an interval too wide to be published */
export function findConfidence(widthSeconds: number): Confidence | null {
  if (widthSeconds <= confidenceWidths.high) return 'high';
  return widthSeconds <= confidenceWidths.medium ? 'medium' : null;
}
