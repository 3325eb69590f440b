import process from 'node:process';

const { TRIALS: factor = '1' } = process.env;

/** Number of random cases of a test; `TRIALS=10` tries ten times as many as `.ci/run`. */
export function trials(count: number): number {
  return Math.ceil(count * Number(factor));
}
