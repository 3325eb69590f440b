import type { TransferEstimate } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import type { TransferChance } from '../predictions/transfer-chances.ts';

/** How likely a transfer, or all transfers of an option, are made. */
export interface Chance {
  /** 0 to 1; a transfer of which nothing is known counts as the mean of what is known of such transfers. */
  readonly probability: number;
  /** The same with each transfer in steps of five percent, by which options are compared: smaller differences do not count. */
  readonly grade: number;
  /** Whether there is an estimate of all of it that may be shown. Only then is the probability shown. */
  readonly isKnown: boolean;
  /** Past cases behind the weakest estimate; infinite where nothing had to be estimated. */
  readonly sampleSize: number;
}

/**
 * Of something that cannot fail: staying on board, a guaranteed transfer, a departure for which the traveller is in
 * time.
 */
export const certain: Chance = { probability: 1, grade: 1, isKnown: true, sampleSize: Number.POSITIVE_INFINITY };

/** Chances are compared in steps of five percent. */
export const STEPS = 20;

/** The chance of one transfer. */
export function gradeTransfer({
  probability,
  sampleSize,
}: Pick<TransferEstimate, 'probability' | 'sampleSize'>): Chance {
  return { probability, grade: toStep(probability) / STEPS, isKnown: true, sampleSize };
}

/** The chance of a transfer whose probability is not shown. */
export function assumeChance(probability: number): Chance {
  return { ...gradeTransfer({ probability, sampleSize: 0 }), isKnown: false };
}

/**
 * The chance of a transfer by what was found out about it. What may not be shown counts for the order like an
 * assumption.
 * @param expect the chance where nothing is known
 */
export function toChance(found: TransferChance | null, expect: () => number): Chance {
  if (found?.estimate) return gradeTransfer(found.estimate);
  return assumeChance(found ? found.probability : expect());
}

/** Transfers are taken as independent of one another: each is judged from both of its vehicles. */
export function both(one: Chance, other: Chance): Chance {
  return {
    probability: one.probability * other.probability,
    grade: one.grade * other.grade,
    isKnown: one.isKnown && other.isKnown,
    sampleSize: Math.min(one.sampleSize, other.sampleSize),
  };
}

/** Whole steps of five percent. */
export function toStep(probability: number): number {
  return Math.round(probability * STEPS);
}

/** What is shown: whole percent, and no number of cases where none had to be counted. */
export function presentChance({ probability, isKnown, sampleSize }: Chance): {
  readonly successProbability?: number;
  readonly sampleSize: number;
} {
  if (!isKnown) return { sampleSize: 0 };
  const successProbability = Math.round(probability * 100) / 100;
  return { successProbability, sampleSize: Number.isFinite(sampleSize) ? sampleSize : 0 };
}

// ---- Unknown chances ---------------------------------------------------------------------------

/** Stands for the unknown probability of a transfer: by product of the departing vehicle and spare seconds. */
export interface Priors {
  /** Takes in a known probability. */
  note(product: number, spareSeconds: number, probability: number): void;
  /** Mean of the known ones of that product and spare; of that spare; else by the spare alone. */
  expect(product: number, spareSeconds: number): number;
}

/** Lower limits of the classes of spare seconds, and the probability of a transfer in each if nothing is known. */
const SPARE_CLASSES = [
  { from: Number.NEGATIVE_INFINITY, probability: 0.3 },
  { from: 0, probability: 0.6 },
  { from: 120, probability: 0.75 },
  { from: 300, probability: 0.9 },
  { from: 600, probability: 0.95 },
] as const;

/** Priors of one answer: its own known probabilities. */
export function openPriors(): Priors {
  const ofSpare = openMeans();
  const ofProduct = openMeans();
  const keyOf = (product: number, spare: number) => product * SPARE_CLASSES.length + spare;
  return {
    note(product, spareSeconds, probability) {
      const spare = findClass(spareSeconds);
      ofSpare.add(spare, probability);
      ofProduct.add(keyOf(product, spare), probability);
    },
    expect(product, spareSeconds) {
      const spare = findClass(spareSeconds);
      return ofProduct.find(keyOf(product, spare)) ?? ofSpare.find(spare) ?? SPARE_CLASSES[spare]!.probability;
    },
  };
}

function openMeans() {
  const sums = new Map<number, { sum: number; count: number }>();
  return {
    add(key: number, value: number) {
      const known = sums.get(key);
      if (known) [known.sum, known.count] = [known.sum + value, known.count + 1];
      else sums.set(key, { sum: value, count: 1 });
    },
    find(key: number): number | null {
      const known = sums.get(key);
      return known ? known.sum / known.count : null;
    },
  };
}

function findClass(spareSeconds: number): number {
  return SPARE_CLASSES.findLastIndex(({ from }) => spareSeconds >= from);
}
