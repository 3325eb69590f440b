import type { Duckdb } from '../../../pipeline/effects/duckdb.ts';
import { toEpochDay } from '../../../pipeline/model/service-time.ts';
import type { ImplausibleCounts } from '../../../pipeline/predictions/features/implausible-calls.ts';
import { shareOutDays, UnfitWindowError } from '../../../pipeline/predictions/model/share-out-days.ts';
import type { CaseFacts } from '../../../pipeline/predictions/past-transfers/case-facts.ts';
import { describeCases, learnTransfers } from '../../../pipeline/predictions/past-transfers/learn-transfers.ts';
import { onAllDays } from '../../../pipeline/predictions/past-transfers/predict-sides.ts';
import {
  buildTransferCases,
  instantMinutes,
  type TransferCases,
} from '../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import {
  findIndependence,
  isAnythingKnown,
  isEitherReported,
} from '../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import type { EvaluationStep, EvaluationWindow } from '../layout.ts';
import { loadPlRail } from '../pl-rail-layout.ts';
import { forecastTransferTest } from './forecast-test.ts';
import { pickSample, readTransfers } from './read-transfers.ts';
import { trainDelays } from './train-delays.ts';
import { ruleOfDelays, sharesByPlannedMinutes, tableOfDelays } from './transfer-baselines.ts';
import { type ChanceForecaster, measureInstant, TABLE, type TransferSlice } from './transfer-metrics.ts';

/** The metrics of an evaluation of transfers. */
export interface TransferEvaluation {
  readonly implausible: ImplausibleCounts;
  /** Cases that were learnt from, and trees of the model. */
  readonly learntCases: number;
  readonly trees: number;
  /** Share of the cases of the test that the service has an estimate of. */
  readonly estimated: number;
  /** By instant, and within it all changes and the short ones. */
  readonly slices: readonly TransferSlice[];
}

/**
 * Evaluates probabilities of transfers on an archive of final times, with the data of a running service: `ours` is learnt
 * by the code of the nightly job, and estimated by that of the api.
 * @see prediction-evaluation, section "Transfers"
 * @throws UnfitWindowError
 */
export async function evaluateTransfers(
  db: Duckdb,
  file: string,
  window: EvaluationWindow,
  onStep: (step: EvaluationStep) => void,
): Promise<TransferEvaluation> {
  onStep('load');
  const days = shareOutDays(toEpochDay(window.from), toEpochDay(window.testFrom), toEpochDay(window.testTo));
  const { table, implausible } = await loadPlRail(db, file, window.from, window.testTo);
  const cases = buildTransferCases(table, pickSample(await readTransfers(db)));
  const past = listPlaces(cases, (day) => day >= days.learnFrom && day < days.testFrom);
  const test = listPlaces(cases, (day) => day >= days.testFrom);
  if (past.length === 0 || test.length === 0) {
    throw new UnfitWindowError('the file has no changes on the days to learn from, or none on those of the test');
  }
  onStep('train');
  const delays = trainDelays(table, days);
  const station = Int32Array.from({ length: table.stopCount }, (_, stop) => stop);
  const { newest, older } = delays;
  const models = [...(older ? [older] : []), { from: days.validationFrom, delays: newest }];
  const learnt = learnTransfers(table, station, models, days.testFrom - 1);
  if (!learnt) throw new UnfitWindowError('too few changes on the days to learn from');
  onStep('forecast');
  const facts = describeCases(table, cases, onAllDays(newest), learnt.model.past.delays);
  const ours = forecastTransferTest(table, learnt, cases, facts, test);
  onStep('tables');
  const slices = instantMinutes.flatMap((minutes) => {
    const isRequested = (place: number) => cases.secondsToArrival[place] === 60 * minutes;
    const [before, requested] = [past.filter(isRequested), test.filter(isRequested)];
    return measureInstant(cases, minutes, requested, listForecasters(cases, facts, before, requested, ours));
  });
  return {
    implausible,
    learntCases: learnt.cases.count,
    trees: learnt.model.forest.treeStart.length - 1,
    estimated: test.filter((place) => isAnythingKnown(facts.get(place))).length / test.length,
    slices,
  };
}

function listPlaces({ day }: TransferCases, isWanted: (day: number) => boolean): Int32Array {
  return Int32Array.from(Array.from(day.keys()).filter((place) => isWanted(day[place]!)));
}

/** All forecasters of one instant; where nothing is known of either side, independence has the share held. */
function listForecasters(
  cases: TransferCases,
  facts: CaseFacts,
  past: Int32Array,
  requested: Int32Array,
  ours: (place: number) => number,
): ChanceForecaster[] {
  const planned = sharesByPlannedMinutes(cases, past, requested);
  const independent = Float32Array.from(requested, (place, row) => {
    const known = facts.get(place);
    return isEitherReported(known) ? findIndependence(known) : planned[row]!;
  });
  return [
    { name: 'share by planned minutes', probability: planned },
    { name: 'rule', probability: ruleOfDelays(cases, past, requested) },
    { name: TABLE, probability: tableOfDelays(cases, past, requested) },
    { name: 'independence', probability: independent },
    { name: 'ours', probability: Float32Array.from(requested, ours) },
  ];
}
