import { roundUp } from '../planner/pareto.ts';
import { type Chance, STEPS, toStep } from './chances.ts';

const MINUTE_SECONDS = 60;

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
  /** Takes note that `weighAtLeast` of all options that are still to be added is at least that. */
  settle(least: number): void;
}

/** How many of the best options suffice. The others need not be found: `listBest` may then lack them. */
export interface Sufficient<Option> {
  /** Of options with different rides. */
  readonly count: number;
  readonly isSameRides: (one: Option, other: Option) => boolean;
  /** Options that arrive by then and are at least as probable are wanted however much they weigh; null: none is. */
  readonly preferred: { readonly arrival: number; readonly probability: number } | null;
  /** Maximum of transfers of an option, that to its first vehicle included. */
  readonly maxTransfers: number;
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

/** @param sufficient null: all are wanted */
export function collectUndominated<Option extends Criteria>(
  sufficient: Sufficient<Option> | null,
): Undominated<Option> {
  const options: Option[] = [];
  const rounded: Rounded[] = [];
  /** Nothing that weighs more is offered. It only falls, and a dominated option never weighs less than its better. */
  let heaviest = Number.POSITIVE_INFINITY;
  const need = sufficient && openNeed(sufficient);
  const isBeatenBy = (one: Omit<Rounded, 'weight'>, by: Rounded) =>
    by.arrival <= one.arrival && by.steps >= one.steps && (by.isKnown || !one.isKnown) && by.decideBy >= one.decideBy;
  const listOffered = (least: number) =>
    options.filter((_, i) => isLikely(rounded[i]!) && rounded[i]!.weight <= heaviest && rounded[i]!.weight < least);
  return {
    listBest: () =>
      listOffered(Number.POSITIVE_INFINITY).sort((a, b) => weigh(a) - weigh(b) || b.decideBy - a.decideBy),
    latestArrival: () => heaviest,
    // Asked for each vehicle that is looked at.
    isBeaten(arrival, { grade, isKnown }, decideBy) {
      const [whole, steps] = [roundUp(arrival), toStep(grade)];
      if (weighRounded(whole, steps) > heaviest || need?.isMet(whole, steps)) return true;
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
    // An option that dominates another one weighs no more: these stay.
    settle: (least) => need?.settle(listOffered(least)),
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
export function weigh({ arrival, chance }: Pick<Criteria, 'arrival' | 'chance'>): number {
  return weighExactly(arrival, chance.probability);
}

function weighExactly(arrival: number, probability: number): number {
  return arrival + (1 - Math.max(probability, MIN_PROBABILITY)) * FAILURE_SECONDS;
}

// ---- Enough options ----------------------------------------------------------------------------

/** Whether enough options are found that come before all others. */
function openNeed<Option extends Criteria>({ count, isSameRides, preferred, maxTransfers }: Sufficient<Option>) {
  /** Exact weight of the last one that is needed; infinite as long as there are too few. */
  let enough = Number.POSITIVE_INFINITY;
  const mostProbable = Array.from({ length: STEPS + 1 }, (_, steps) => boundProbability(steps, maxTransfers));
  return {
    /**
     * Of options with these criteria at most, not of a single one: it may weigh more by exact times and probabilities
     * than one that it dominates.
     */
    isMet(whole: number, steps: number): boolean {
      const [after, probability] = [whole - MINUTE_SECONDS, mostProbable[steps]!];
      if (weighExactly(after, probability) < enough) return false;
      return preferred === null || after >= preferred.arrival || probability < preferred.probability;
    },
    /** @param options which no later one dominates */
    settle(options: readonly Option[]): void {
      const different: Option[] = [];
      for (const option of options.toSorted((a, b) => weigh(a) - weigh(b))) {
        if (!different.some((other) => isSameRides(other, option))) different.push(option);
        if (different.length < count) continue;
        enough = weigh(option);
        return;
      }
    },
  };
}

/** Maximum probability of options of a grade in whole steps: those of the transfers are rounded, and their product. */
function boundProbability(steps: number, maxTransfers: number): number {
  let uncertain = 0;
  while (uncertain < maxTransfers && toStep((1 - 1 / STEPS) ** (uncertain + 1)) >= steps) uncertain++;
  const roundings = uncertain < 2 ? 1 : uncertain + 1;
  return Math.min(1, (steps + roundings / 2) / STEPS);
}

/** A total order of options that are equal in whole minutes and steps. */
function isExactlyBetter(one: Criteria, other: Criteria): boolean {
  const [a, b] = [one.chance.probability, other.chance.probability];
  return (one.arrival - other.arrival || b - a || other.decideBy - one.decideBy) < 0;
}
