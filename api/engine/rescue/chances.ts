import type { Foreseen } from '../trips/timeline.ts';

/** How likely a change, or all changes of an option, are made. */
export interface Chance {
  /** 0 to 1; `UNKNOWN` where nothing is known of one of them. */
  readonly probability: number;
  /** Past cases behind the weakest estimate; `CERTAIN_CASES` where nothing had to be estimated. */
  readonly sampleSize: number;
}

/** Less than any known probability: an option of unknown probability never beats a known one. */
export const UNKNOWN = -1;
const CERTAIN_CASES = Number.POSITIVE_INFINITY;

/** Of what cannot fail: staying on board, a vehicle that waits, a departure at which the traveller stands in time. */
export const certain: Chance = { probability: 1, sampleSize: CERTAIN_CASES };
export const unknown: Chance = { probability: UNKNOWN, sampleSize: 0 };

/**
 * Estimates whether a traveller who arrives with one vehicle and needs some seconds catches another; null where nothing
 * is known of either.
 */
export type EstimateChange = (arrival: Foreseen, departure: Foreseen, changeSeconds: number) => Chance | null;

/** Changes are taken as independent of one another: each is judged from both of its vehicles. */
export function both(one: Chance, other: Chance): Chance {
  if (one.probability === UNKNOWN || other.probability === UNKNOWN) return unknown;
  return {
    probability: one.probability * other.probability,
    sampleSize: Math.min(one.sampleSize, other.sampleSize),
  };
}

/** What is shown: whole percent, and no number of cases where none had to be counted. */
export function presentChance({ probability, sampleSize }: Chance): {
  readonly successProbability?: number;
  readonly sampleSize: number;
} {
  if (probability === UNKNOWN) return { sampleSize: 0 };
  return { successProbability: toPercent(probability) / 100, sampleSize: Number.isFinite(sampleSize) ? sampleSize : 0 };
}

/** Options are compared in whole percent. */
export function toPercent(probability: number): number {
  return probability === UNKNOWN ? UNKNOWN : Math.round(probability * 100);
}
