import { type Forest, predictForest } from './forest.ts';
import type { NamedPastDelays } from './past-delays.ts';
import { toChance } from './to-chance.ts';
import { type CalibratedChance, calibrateChance, type TransferCalibration } from './transfer-calibration.ts';
import {
  findProbabilitySource,
  isAnythingKnown,
  type ProbabilitySource,
  type TransferFacts,
  transferColumns,
  writeTransferFacts,
} from './transfer-facts.ts';

/** Learnt probability that a transfer is made. */
export interface TransferModel {
  readonly columns: readonly string[];
  readonly forest: Forest;
  /** Log odds of an average transfer, to which the forest adds. */
  readonly startLogOdds: number;
  readonly calibration: TransferCalibration;
  readonly past: NamedPastDelays;
}

/** The forecasts of rows of `transferColumns` before calibration. */
export function predictChances(
  { forest, startLogOdds }: Pick<TransferModel, 'forest' | 'startLogOdds'>,
  values: Float32Array,
) {
  return predictForest(forest, values).map((sum) => toChance(startLogOdds + sum));
}

/** A probability, the number of similar past cases, and what was known of the two vehicles. */
export interface TransferEstimate extends CalibratedChance {
  readonly from: ProbabilitySource;
}

/**
 * Estimates the probability that a traveller catches the departure of a transfer. It takes about ten microseconds.
 * @returns with the number of past cases that it is based on; null where nothing is known of either vehicle
 */
export function estimateTransfer(model: TransferModel, facts: TransferFacts): TransferEstimate | null {
  if (!isAnythingKnown(facts)) return null;
  const row = new Float32Array(transferColumns.length);
  writeTransferFacts(facts, row);
  const from = findProbabilitySource(facts);
  const calibrated = calibrateChance(
    model.calibration,
    { secondsToArrival: facts.secondsToArrival, isLive: from === 'live' },
    predictChances(model, row)[0]!,
  );
  return calibrated && { ...calibrated, from };
}
