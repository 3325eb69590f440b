import { toChance } from './to-chance.ts';

/** Cases with forecasts around one value. */
export interface CurveCases {
  /** Sums of the forecasts and of the outcomes, and number of cases. */
  readonly forecast: number;
  readonly held: number;
  readonly cases: number;
}

/** Log odds of the outcome: offset + a × ln p − b × ln (1 − p). The identity has 0, 1 and 1. */
type Parameters = [offset: number, a: number, b: number];

const IDENTITY: Parameters = [0, 1, 1];
/** Weights that hold the parameters at the identity: a few cases change little. */
const RIDGE: Parameters = [1, 5, 5];
const STEPS = 40;
/** Limit of the change of log odds in one step: larger ones may not converge. */
const MAX_STEP = 1;
/** A forecast counts as at least this far from impossible and from certain. */
const MIN_CHANCE = 0.0001;

/**
 * Fits a beta curve by the likelihood of the outcomes, with Newton's method.
 * @returns the probability of a forecast; null where it would fall while forecasts rise
 * @see Kull, Silva Filho, Flach: Beta calibration, AISTATS 2017
 */
export function fitBetaCurve(groups: readonly CurveCases[]): ((forecast: number) => number) | null {
  const known = groups.filter(({ cases }) => cases > 0);
  const rows = known.map(({ forecast, cases }) => describe(forecast / cases));
  let parameters = IDENTITY;
  for (let step = 0; step < STEPS; step++) {
    const slope: Parameters = [0, 0, 0];
    const curvature = [0, 0, 0].map((): Parameters => [0, 0, 0]);
    rows.forEach((row, i) => {
      const { held, cases } = known[i]!;
      const chance = toChance(dot(row, parameters));
      for (let j = 0; j < 3; j++) {
        slope[j]! += (held - cases * chance) * row[j]!;
        for (let k = 0; k < 3; k++) curvature[j]![k]! += cases * chance * (1 - chance) * row[j]! * row[k]!;
      }
    });
    for (let j = 0; j < 3; j++) {
      slope[j]! -= RIDGE[j]! * (parameters[j]! - IDENTITY[j]!);
      curvature[j]![j]! += RIDGE[j]!;
    }
    const change = solve(curvature, slope);
    const largest = rows.reduce((most, row) => Math.max(most, Math.abs(dot(row, change))), MAX_STEP);
    parameters = parameters.map((value, j) => value + (change[j]! * MAX_STEP) / largest) as Parameters;
  }
  if (!(parameters[1] >= 0 && parameters[2] >= 0)) return null;
  return (forecast) => toChance(dot(describe(forecast), parameters));
}

function describe(forecast: number): Parameters {
  const chance = Math.max(MIN_CHANCE, Math.min(1 - MIN_CHANCE, forecast));
  return [1, Math.log(chance), -Math.log(1 - chance)];
}

function dot(one: Parameters, other: Parameters): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

/** Solves a symmetric positive system of three equations by elimination. */
function solve(matrix: readonly Parameters[], right: Parameters): Parameters {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      if (j === i) continue;
      const factor = rows[j]![i]! / rows[i]![i]!;
      rows[j] = rows[j]!.map((value, k) => value - factor * rows[i]![k]!);
    }
  }
  return rows.map((row, i) => row[3]! / row[i]!) as Parameters;
}
