import { isAhead } from './clock-tolerance.ts';
import type { EpochDay, Instant } from './service-time.ts';

/** A dated trip under way, with a source's observations so far. Times are instants in seconds. */
export interface ObservedTrip {
  /** As `trips.key` of the timetable. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  readonly tripId: string;
  readonly routeId: string;
  /** Scheduled departure: seconds from the midnight of its service day, as local clocks show it. */
  readonly departureOfDay: number;
  /** By position, as all that follow. */
  readonly stopIds: readonly string[];
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  /** NaN without an observation, or where the call is cancelled. */
  readonly arrival: Float64Array;
  readonly departure: Float64Array;
  /** 1 where a vehicle was seen there, 0 where a stop event reported it. */
  readonly isFromPosition: Uint8Array;
}

/** Maximum age of the observation behind a prediction; seconds. @see interface specification, GET /v1/predictions */
export const MAX_PREDICTION_AGE_SECONDS = 8 * 60;

/** Confidence by the width of the calibrated interval from p10 to p90; seconds. A wider one is not published. */
const confidenceWidths = { high: 120, medium: 300 } as const;
export type Confidence = keyof typeof confidenceWidths;

/** The forecast for one dated trip from its newest observation. Delays in seconds; early is negative. */
export interface TripPrediction {
  /** As `trips.key` of the timetable. */
  readonly tripKey: bigint;
  readonly day: EpochDay;
  /** The source that observed it, and whose records the model has learnt from. */
  readonly sourceId: string;
  /** Position of the last observed call. */
  readonly position: number;
  readonly observedAt: Instant;
  readonly delaySeconds: number;
  /** `positions`: a vehicle was seen standing there. */
  readonly channel: 'stop_events' | 'positions';
  /** Delays of the arrivals at all later calls, in their order: p10, p50 and p90. */
  readonly low: Int16Array;
  readonly median: Int16Array;
  readonly high: Int16Array;
}

/** A model that forecasts delays of the trips of a source. */
export interface PredictionModelState {
  readonly sourceId: string;
  /** Name of the model in the lake. */
  readonly model: string;
  /** The last service date of its training data. */
  readonly lastDay: string;
}

/** Whether it may still be shown: the observation behind it is fresh enough. */
export function isFreshPrediction({ observedAt }: Pick<TripPrediction, 'observedAt'>, now: Instant): boolean {
  return now - observedAt <= MAX_PREDICTION_AGE_SECONDS && !isAhead(observedAt, now);
}

/** @returns null for an interval that is too wide to publish */
export function findConfidence(widthSeconds: number): Confidence | null {
  if (widthSeconds <= confidenceWidths.high) return 'high';
  return widthSeconds <= confidenceWidths.medium ? 'medium' : null;
}
