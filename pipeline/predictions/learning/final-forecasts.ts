import type { Pairs } from '../features/build-features.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { LEARN, UNUSED } from '../model/share-out-days.ts';

/** Final forecasts that stand in for observations that are missing. */
export interface FinalForecasts {
  /** 1 where the delay of a call is a final forecast; by call. */
  readonly isForecast: Uint8Array;
  /** How much such a delay counts in training, compared with an observed one; above 0, below 1. */
  readonly weight: number;
}

/** Difference of final forecasts and observations, where a record has both. */
export interface ForecastNoise {
  readonly pairs: number;
  /** Median of the absolute difference; 0 without pairs. */
  readonly medianSeconds: number;
}

/** Typical error of a prediction for the next call: noise of this size halves the weight. */
const USUAL_ERROR_SECONDS = 30;
/** With fewer pairs, the noise of a source counts as unknown. */
const MIN_PAIRS = 200;
const UNKNOWN_WEIGHT = 0.5;

/** Weight of final forecasts in training: that of a measurement with this noise beside the error of predictions. */
export function weighForecasts({ pairs, medianSeconds }: ForecastNoise): number {
  if (pairs < MIN_PAIRS) return UNKNOWN_WEIGHT;
  return USUAL_ERROR_SECONDS ** 2 / (USUAL_ERROR_SECONDS ** 2 + medianSeconds ** 2);
}

/**
 * Roles of pairs without those that final forecasts must not have: they are for training only, never for validation,
 * calibration and the comparison of models. A weight is the share of pairs that are kept.
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
