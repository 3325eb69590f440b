import type { Pairs } from '../features/build-features.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { LEARN, UNUSED } from '../model/share-out-days.ts';

/** Final forecasts that stand in for observations that are missing. */
export interface FinalForecasts {
  /** 1 where the delay of a call is a final forecast; by call. */
  readonly isForecast: Uint8Array;
  /** Weight of such a delay in training; that of an observed one is 1. Above 0, below 1. */
  readonly weight: number;
}

/** Difference between the final forecast and the observed time of the same call. */
export interface ForecastNoise {
  /** Calls with both. */
  readonly pairs: number;
  /** Median of the absolute difference; 0 without pairs. */
  readonly medianSeconds: number;
}

export const UNKNOWN_NOISE: ForecastNoise = { pairs: 0, medianSeconds: 0 };

/** Typical error of a prediction for the next call. Forecasts with as much noise have the weight 0.5. */
const USUAL_ERROR_SECONDS = 30;
/** With fewer pairs, the noise of a source is unknown. */
const MIN_PAIRS = 200;
const UNKNOWN_WEIGHT = 0.5;

/** Weight of final forecasts in training: 1 without noise, less the larger their noise is beside the error of predictions. */
export function weighForecasts({ pairs, medianSeconds }: ForecastNoise): number {
  if (pairs < MIN_PAIRS) return UNKNOWN_WEIGHT;
  return USUAL_ERROR_SECONDS ** 2 / (USUAL_ERROR_SECONDS ** 2 + medianSeconds ** 2);
}

/**
 * Excludes pairs with a final forecast from validation, calibration and the comparison of models. Of those for training,
 * it keeps a random share equal to their weight.
 * @returns the new roles, by pair
 */
export function limitForecasts(
  pairs: Pairs,
  roles: Uint8Array,
  { isForecast, weight }: FinalForecasts,
  seed: number,
): Uint8Array {
  const random = seededRandom(seed);
  return roles.map((role, pair) => {
    const isOfForecast = isForecast[pairs.to[pair]!] === 1 || isForecast[pairs.from[pair]!] === 1;
    if (!isOfForecast) return role;
    return role === LEARN && random() < weight ? role : UNUSED;
  });
}
