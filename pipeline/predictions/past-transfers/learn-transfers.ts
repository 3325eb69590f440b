import { findPastDelay, type PastDelays, type PastEvent } from '../../snapshots/transfer-model/past-delays.ts';
import { type DatedTripTable, splitMinutes } from '../features/dated-trip-table.ts';
import { findDatedTrips } from '../features/sweep.ts';
import { type TrainedTransfers, trainTransferModel } from '../transfers/train-transfers.ts';
import { CaseFacts, type FindPast } from './case-facts.ts';
import { countPastDelays } from './count-past-delays.ts';
import { findTransfers } from './find-transfers.ts';
import { buildLearningRows, chooseInstants } from './learning-rows.ts';
import { buildSideFeatures, type DatedModel, openSidePredictions, predictSides } from './predict-sides.ts';
import { buildTransferCases, type TransferCases } from './transfer-cases.ts';

/** More do not improve the model, and take longer. */
const MAX_TRANSFERS = 150_000;
const MIN_DAYS = 3;

/** A model of transfers, and the cases that it has learnt. */
export interface LearntTransfers extends TrainedTransfers {
  readonly cases: TransferCases;
}

/**
 * Learns transfers from days that the delay models have not learnt: forecasts of days that a model has seen are too good,
 * and a model of these trusts later ones too much.
 * @param station of each stop of the table
 * @param models each for days that it has not learnt; transfers are learnt from the first day of the first one
 * @param lastDay days since 1970
 * @returns null where transfers were observed on fewer than three days
 */
export function learnTransfers(
  table: DatedTripTable,
  station: Int32Array,
  models: readonly DatedModel[],
  lastDay: number,
): LearntTransfers | null {
  const days = { from: models[0]!.from, to: lastDay };
  const transfers = findTransfers(table, { station, ...days, maxTransfers: MAX_TRANSFERS, isObserved: true });
  const cases = buildTransferCases(table, transfers, chooseInstants());
  if (new Set(cases.day).size < MIN_DAYS) return null;
  // A day must not be learnt from its own delays.
  const before = countPastDelays(table, station, days.from - 1);
  const rows = buildLearningRows(cases, describeCases(table, cases, models, before));
  return { cases, ...trainTransferModel(rows, countPastDelays(table, station, days.to)) };
}

/** What was known of cases, with the forecasts that a service would have published. */
export function describeCases(
  table: DatedTripTable,
  cases: TransferCases,
  models: readonly DatedModel[],
  past: PastDelays,
): CaseFacts {
  const gridded = models[0]!.delays.model.gridSeconds === 60 && table.gridSeconds === 1 ? splitMinutes(table) : table;
  const sides = buildSideFeatures(gridded, cases);
  return new CaseFacts(
    cases,
    openSidePredictions(sides, predictSides(gridded, sides, models)),
    lookUpPast(table, (event) => findPastDelay(past, event)),
  );
}

/** The delays of past days at the calls of a table. */
export function lookUpPast(
  table: DatedTripTable,
  find: (event: PastEvent) => ReturnType<typeof findPastDelay>,
): FindPast {
  const datedTrip = findDatedTrips(table);
  return (call, isDeparture) => {
    const scheduled = isDeparture ? table.scheduledDeparture[call]! : table.scheduledArrival[call]!;
    const one = datedTrip[call]!;
    const secondOfDay = scheduled - table.dayStart[one]!;
    return find({ route: table.route[one]!, stop: table.stop[call]!, isDeparture, secondOfDay });
  };
}
