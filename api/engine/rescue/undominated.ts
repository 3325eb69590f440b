import { roundDown, roundUp } from '../planner/pareto.ts';
import { type Chance, toPercent, UNKNOWN } from './chances.ts';

/** What options are compared by. Times in seconds of one origin. */
export interface Criteria {
  readonly arrival: number;
  readonly chance: Chance;
  /** The last moment at which it can be chosen. */
  readonly decideBy: number;
}

/** Options that are missed more often are not offered. */
const MIN_PERCENT = 20;

/**
 * The options that no other dominates: arriving no later, working no less often, and leaving no less time to decide.
 * Travellers read whole minutes and percent, so what differs by less decides nothing; of those that are equal the
 * exactly better one stays.
 */
export interface Undominated<Option extends Criteria> {
  readonly options: readonly Option[];
  /** @returns false for one that is dominated or too unlikely */
  add(option: Option): boolean;
  /** Whether nothing that arrives at the earliest then, with at most that chance and time, can be added any more. */
  isBeaten(arrival: number, chance: Chance, decideBy: number): boolean;
}

interface Rounded {
  readonly arrival: number;
  readonly percent: number;
  readonly decideBy: number;
}

export function collectUndominated<Option extends Criteria>(): Undominated<Option> {
  const options: Option[] = [];
  const rounded: Rounded[] = [];
  const isBeatenBy = (one: Rounded, by: Rounded) =>
    by.arrival <= one.arrival && by.percent >= one.percent && by.decideBy >= one.decideBy;
  return {
    options,
    isBeaten(arrival, chance, decideBy) {
      const one = roundCriteria({ arrival, chance, decideBy });
      return isUnlikely(one) || rounded.some((by) => isBeatenBy(one, by));
    },
    add(option) {
      const one = roundCriteria(option);
      if (isUnlikely(one)) return false;
      const isLost = rounded.some(
        (by, i) => isBeatenBy(one, by) && (!isBeatenBy(by, one) || !isExactlyBetter(option, options[i]!)),
      );
      if (isLost) return false;
      for (let i = options.length - 1; i >= 0; i--) {
        if (!isBeatenBy(rounded[i]!, one)) continue;
        options.splice(i, 1);
        rounded.splice(i, 1);
      }
      options.push(option);
      rounded.push(one);
      return true;
    },
  };
}

function roundCriteria({ arrival, chance, decideBy }: Criteria): Rounded {
  return { arrival: roundUp(arrival), percent: toPercent(chance.probability), decideBy: roundDown(decideBy) };
}

function isUnlikely({ percent }: Rounded): boolean {
  return percent !== UNKNOWN && percent < MIN_PERCENT;
}

/** A total order of options that are equal in whole minutes and percent. */
function isExactlyBetter(one: Criteria, other: Criteria): boolean {
  const [a, b] = [one.chance.probability, other.chance.probability];
  return (one.arrival - other.arrival || b - a || other.decideBy - one.decideBy) < 0;
}
