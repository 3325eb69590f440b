import type { TripPrediction } from '../../model/prediction.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { featureColumns } from '../features/instant-rows.ts';
import type { PredictedTrip } from './live-trips.ts';

/**
 * A prediction for one later call, with the data it is based on: the observation, the model, and the estimates and sample
 * counts from the past of the train, of its pattern and of the legs. Delays are seconds, times UTC seconds.
 */
export interface LoggedPrediction {
  readonly day: EpochDay;
  readonly tripId: string;
  readonly madeAt: Instant;
  readonly model: string;
  readonly fromPosition: number;
  readonly observedAt: number;
  readonly isFromPosition: boolean;
  readonly delaySeconds: number;
  readonly position: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  /** By `priorColumns`; NaN where unknown. */
  readonly priors: readonly number[];
}

export type LoggedPredictions = readonly LoggedPrediction[];

/** Features stored with a prediction, and their names in the lake. */
const priorColumns = {
  train_runs: 'train_runs',
  train_change_seconds: 'train_change_similar',
  pattern_runs: 'pattern_runs',
  pattern_change_seconds: 'pattern_change_similar',
  leg_values: 'least_known_leg',
  legs_change_seconds: 'change_typical_legs',
} as const;

const priorPlaces = Object.values(priorColumns).map((name) => featureColumns.indexOf(name));

/** @param values rows of features, in the order of the trips and their later calls */
export function logPredictions(
  trips: readonly PredictedTrip[],
  predictions: readonly TripPrediction[],
  values: Float32Array,
  model: string,
  madeAt: Instant,
): LoggedPredictions {
  const rows: LoggedPrediction[] = [];
  trips.forEach(({ observed, position, observedAt, isFromPosition, targets }, i) => {
    const { low, median, high, delaySeconds } = predictions[i]!;
    for (let target = 0; target < targets; target++) {
      const base = rows.length * featureColumns.length;
      rows.push({
        day: observed.day,
        tripId: observed.tripId,
        madeAt,
        model,
        fromPosition: position,
        observedAt,
        isFromPosition,
        delaySeconds,
        position: position + 1 + target,
        low: low[target]!,
        median: median[target]!,
        high: high[target]!,
        priors: priorPlaces.map((place) => values[base + place]!),
      });
    }
  });
  return rows;
}
