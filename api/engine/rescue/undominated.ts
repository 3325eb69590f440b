import { roundUp } from '../planner/pareto.ts';
import { type Chance, toStep } from './chances.ts';

/** What options are compared by. Times in seconds of one origin. */
export interface Criteria {
  readonly arrival: number;
  readonly chance: Chance;
  /** The last moment at which it can be chosen. */
  readonly decideBy: number;
}

/**
 * The options that no other dominates: arriving no later, working no less often, and leaving no less time to decide.
 * Travellers read whole minutes, no estimate is better than a few percent, and
 * five minutes are none for a decision: what differs by less decides nothing; of those that are equal the exactly better
 * one stays.
 */
export interface Undominated<Option extends Criteria> {
  readonly options: readonly Option[];
  /** @returns false for one that is dominated */
  add(option: Option): boolean;
  /** Whether nothing that arrives at the earliest then, with at most that chance and time, can be added any more. */
  isBeaten(arrival: number, chance: Chance, decideBy: number): boolean;
}

/** Whoever has to decide within five minutes decides now. */
const DECISION_STEP_SECONDS = 300;

export function toDecisionStep(decideBy: number): number {
  return Math.floor(decideBy / DECISION_STEP_SECONDS);
}

interface Rounded {
  readonly arrival: number;
  readonly steps: number;
  readonly decideBy: number;
}

export function collectUndominated<Option extends Criteria>(): Undominated<Option> {
  const options: Option[] = [];
  const rounded: Rounded[] = [];
  const isBeatenBy = (one: Rounded, by: Rounded) =>
    by.arrival <= one.arrival && by.steps >= one.steps && by.decideBy >= one.decideBy;
  return {
    options,
    isBeaten(arrival, chance, decideBy) {
      const one = roundCriteria({ arrival, chance, decideBy });
      return rounded.some((by) => isBeatenBy(one, by));
    },
    add(option) {
      const one = roundCriteria(option);
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
  return { arrival: roundUp(arrival), steps: toStep(chance.grade), decideBy: toDecisionStep(decideBy) };
}

/** A total order of options that are equal in whole minutes and steps. */
function isExactlyBetter(one: Criteria, other: Criteria): boolean {
  const [a, b] = [one.chance.probability, other.chance.probability];
  return (one.arrival - other.arrival || b - a || other.decideBy - one.decideBy) < 0;
}
