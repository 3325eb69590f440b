import { roundUp } from '../planner/pareto.ts';
import { type Chance, STEPS, toStep } from './chances.ts';

/** What options are compared by. Times in seconds of one origin. */
export interface Criteria {
  readonly arrival: number;
  readonly chance: Chance;
  /** The last instant at which it can be chosen. */
  readonly decideBy: number;
}

/**
 * The options that no other dominates: arriving no later, working no less often, and leaving no less time to decide.
 * Travellers read whole minutes, no estimate is better than a few percent, and five minutes make no difference to a decision:
 * what differs by less decides nothing; of those that are equal the exactly better one stays.
 */
export interface Undominated<Option extends Criteria> {
  /** Worth offering, the best first. */
  listBest(): Option[];
  /** What arrives later is not worth offering; infinite as long as nothing is found. */
  latestArrival(): number;
  add(option: Option): void;
  /** Whether nothing that arrives at the earliest then, with at most that chance and time, can be offered any more. */
  isBeaten(arrival: number, chance: Likelihood, decideBy: number): boolean;
}

/** Whoever has to decide within five minutes decides now. */
const DECISION_STEP_SECONDS = 300;

export function toDecisionStep(decideBy: number): number {
  return Math.floor(decideBy / DECISION_STEP_SECONDS);
}

/** What chances are compared by. */
type Likelihood = Pick<Chance, 'grade' | 'isKnown'>;

/** Whether a chance is at least as good as another: one that is only assumed is never better than a known one. */
export function isAsLikely(one: Likelihood, other: Likelihood): boolean {
  return one.grade >= other.grade && (one.isKnown || !other.isKnown);
}

/** Options that are known to work less often are not offered. */
const MIN_PROBABILITY = 0.2;
const MIN_STEPS = toStep(MIN_PROBABILITY);
/** What a failed option costs: for the order alone, it is not shown. */
const FAILURE_SECONDS = 3600;
const FAILED_STEP_SECONDS = FAILURE_SECONDS / STEPS;
/** What an option weighs more at most than its arrival. */
export const MOST_RISK_SECONDS = (STEPS - MIN_STEPS) * FAILED_STEP_SECONDS;
/** Options that are worse than the best one by more are not offered: by arrival, with the cost of failing. */
export const WORSE_SECONDS = 3600;

interface Rounded {
  readonly arrival: number;
  readonly steps: number;
  readonly isKnown: boolean;
  readonly decideBy: number;
  readonly weight: number;
}

export function collectUndominated<Option extends Criteria>(): Undominated<Option> {
  const options: Option[] = [];
  const rounded: Rounded[] = [];
  /** Nothing that weighs more is offered. It only falls, and a dominated option never weighs less than its better. */
  let heaviest = Number.POSITIVE_INFINITY;
  const isBeatenBy = (one: Omit<Rounded, 'weight'>, by: Rounded) =>
    by.arrival <= one.arrival && by.steps >= one.steps && (by.isKnown || !one.isKnown) && by.decideBy >= one.decideBy;
  return {
    listBest() {
      const offered = options.filter((_, i) => isLikely(rounded[i]!) && rounded[i]!.weight <= heaviest);
      return offered.sort((a, b) => weigh(a) - weigh(b) || b.decideBy - a.decideBy);
    },
    latestArrival: () => heaviest,
    // Asked for each vehicle that is looked at.
    isBeaten(arrival, { grade, isKnown }, decideBy) {
      const [whole, steps] = [roundUp(arrival), toStep(grade)];
      if (weighRounded(whole, steps) > heaviest) return true;
      const one = { arrival: whole, steps, isKnown, decideBy: toDecisionStep(decideBy) };
      for (const by of rounded) if (isBeatenBy(one, by)) return true;
      return false;
    },
    add(option) {
      const one = roundCriteria(option);
      const isLost = rounded.some(
        (by, i) => isBeatenBy(one, by) && (!isBeatenBy(by, one) || !isExactlyBetter(option, options[i]!)),
      );
      if (isLost) return;
      for (let i = options.length - 1; i >= 0; i--) {
        if (!isBeatenBy(rounded[i]!, one)) continue;
        options.splice(i, 1);
        rounded.splice(i, 1);
      }
      options.push(option);
      rounded.push(one);
      if (isLikely(one)) heaviest = Math.min(heaviest, one.weight + WORSE_SECONDS);
    },
  };
}

function roundCriteria({ arrival, chance, decideBy }: Criteria): Rounded {
  const [whole, steps] = [roundUp(arrival), toStep(chance.grade)];
  const weight = weighRounded(whole, steps);
  return { arrival: whole, steps, isKnown: chance.isKnown, decideBy: toDecisionStep(decideBy), weight };
}

function weighRounded(arrival: number, steps: number): number {
  return arrival + (STEPS - Math.max(steps, MIN_STEPS)) * FAILED_STEP_SECONDS;
}

/** Lower bound of the weight of an option, by the earliest arrival and the greatest grade that it may have. */
export function weighAtLeast(arrival: number, grade: number): number {
  return weighRounded(roundUp(arrival), toStep(grade));
}

function isLikely({ steps, isKnown }: Rounded): boolean {
  return !isKnown || steps >= MIN_STEPS;
}

/** By arrival, and an hour later for each certain failure. */
export function weigh({ arrival, chance: { probability } }: Pick<Criteria, 'arrival' | 'chance'>): number {
  return arrival + (1 - Math.max(probability, MIN_PROBABILITY)) * FAILURE_SECONDS;
}

/** A total order of options that are equal in whole minutes and steps. */
function isExactlyBetter(one: Criteria, other: Criteria): boolean {
  const [a, b] = [one.chance.probability, other.chance.probability];
  return (one.arrival - other.arrival || b - a || other.decideBy - one.decideBy) < 0;
}
