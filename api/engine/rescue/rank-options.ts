import { UNKNOWN } from './chances.ts';
import type { Criteria } from './undominated.ts';

/** What a failed option costs, and how an unknown chance is weighed: for the order alone, neither is shown. */
const FAILURE_SECONDS = 3600;
const UNKNOWN_WEIGHT = 0.5;

/** The best first: by arrival, and an hour later for each certain failure; then the later decision first. */
export function rankOptions<Option extends Criteria>(options: readonly Option[]): Option[] {
  return [...options].sort((a, b) => weigh(a) - weigh(b) || b.decideBy - a.decideBy);
}

function weigh({ arrival, chance: { probability } }: Criteria): number {
  return arrival + (1 - (probability === UNKNOWN ? UNKNOWN_WEIGHT : probability)) * FAILURE_SECONDS;
}
