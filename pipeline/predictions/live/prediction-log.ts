import type { TripPrediction } from '../../model/prediction.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { featureColumns } from '../features/instant-rows.ts';
import type { PredictedTrip } from './live-trips.ts';
import type { PredictionRows } from './prediction-rows.ts';

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

/** The predictions of one round, as columns: most of them wait for minutes until they are stored. */
export interface LoggedRound {
  readonly madeAt: Instant;
  readonly model: string;
  readonly trips: readonly LoggedTrip[];
  /** By trip and later call. */
  readonly quantiles: PackedQuantiles;
  /** By trip, later call and prior. */
  readonly priors: Float32Array;
}

interface LoggedTrip extends Pick<PredictedTrip, 'position' | 'observedAt' | 'isFromPosition' | 'targets'> {
  readonly day: EpochDay;
  readonly tripId: string;
  readonly delaySeconds: number;
}

/** Predicted delays of all trips of a round, one after another; seconds. */
interface PackedQuantiles {
  readonly low: Int16Array;
  readonly median: Int16Array;
  readonly high: Int16Array;
}

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

/** @param values rows of features, in the order of the trips and their later calls; only copied from */
export function logRound(
  { trips, values }: Pick<PredictionRows, 'trips' | 'values'>,
  predictions: readonly TripPrediction[],
  quantiles: PackedQuantiles,
  made: Pick<LoggedRound, 'model' | 'madeAt'>,
): LoggedRound {
  const width = priorPlaces.length;
  const priors = new Float32Array(quantiles.low.length * width);
  for (let row = 0; row < quantiles.low.length; row++) {
    const base = row * featureColumns.length;
    for (let place = 0; place < width; place++) priors[row * width + place] = values[base + priorPlaces[place]!]!;
  }
  const logged = trips.map(({ observed: { day, tripId }, position, observedAt, isFromPosition, targets }, i) => {
    return { day, tripId, position, observedAt, isFromPosition, targets, delaySeconds: predictions[i]!.delaySeconds };
  });
  return { ...made, trips: logged, quantiles, priors };
}

/** The predictions of a round, one by one. */
export function listLogged({ madeAt, model, trips, quantiles, priors }: LoggedRound): LoggedPrediction[] {
  const rows: LoggedPrediction[] = [];
  const width = priorPlaces.length;
  for (const { day, tripId, position, observedAt, isFromPosition, delaySeconds, targets } of trips) {
    for (let target = 1; target <= targets; target++) {
      const row = rows.length;
      rows.push({
        day,
        tripId,
        madeAt,
        model,
        fromPosition: position,
        observedAt,
        isFromPosition,
        delaySeconds,
        position: position + target,
        low: quantiles.low[row]!,
        median: quantiles.median[row]!,
        high: quantiles.high[row]!,
        priors: Array.from(priors.subarray(row * width, (row + 1) * width)),
      });
    }
  }
  return rows;
}
