import type { EstimateChange } from '../predictions/change-estimates.ts';

/** How likely a change, or all changes of an option, are made. */
export interface Chance {
  /** 0 to 1; `UNKNOWN` where nothing is known of one of them. */
  readonly probability: number;
  /** The same with each change in steps of five percent, by which options are compared: less is no difference. */
  readonly grade: number;
  /** Past cases behind the weakest estimate; infinite where nothing had to be estimated. */
  readonly sampleSize: number;
}

/** Less than any known probability: an option of unknown probability never beats a known one. */
export const UNKNOWN = -1;

/** Of what cannot fail: staying on board, a vehicle that waits, a departure at which the traveller stands in time. */
export const certain: Chance = { probability: 1, grade: 1, sampleSize: Number.POSITIVE_INFINITY };
export const unknown: Chance = { probability: UNKNOWN, grade: UNKNOWN, sampleSize: 0 };

/** Chances are compared in steps of five percent. */
export const STEPS = 20;

/** The chance of one change. */
export function gradeChange(estimate: ReturnType<EstimateChange>): Chance {
  if (estimate === null) return unknown;
  const { probability, sampleSize } = estimate;
  return { probability, grade: toStep(probability) / STEPS, sampleSize };
}

/** Changes are taken as independent of one another: each is judged from both of its vehicles. */
export function both(one: Chance, other: Chance): Chance {
  if (one.grade === UNKNOWN || other.grade === UNKNOWN) return unknown;
  return {
    probability: one.probability * other.probability,
    grade: one.grade * other.grade,
    sampleSize: Math.min(one.sampleSize, other.sampleSize),
  };
}

/** Whole steps of five percent; `UNKNOWN` as it is. */
export function toStep(probability: number): number {
  return probability === UNKNOWN ? UNKNOWN : Math.round(probability * STEPS);
}

/** What is shown: whole percent, and no number of cases where none had to be counted. */
export function presentChance({ probability, sampleSize }: Chance): {
  readonly successProbability?: number;
  readonly sampleSize: number;
} {
  if (probability === UNKNOWN) return { sampleSize: 0 };
  const successProbability = Math.round(probability * 100) / 100;
  return { successProbability, sampleSize: Number.isFinite(sampleSize) ? sampleSize : 0 };
}
