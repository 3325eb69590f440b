import type { Duckdb } from '../../effects/duckdb.ts';
import { toEpochDay } from '../../model/service-time.ts';
import { type DatedTripTable, findGrid, splitMinutes } from '../../predictions/features/dated-trip-table.ts';
import type { ImplausibleCounts } from '../../predictions/features/implausible-calls.ts';
import { findDatedTrips } from '../../predictions/features/sweep.ts';
import { seededRandom } from '../../predictions/forest/seeded-random.ts';
import { type DayShares, shareOutDays, UnfitWindowError } from '../../predictions/model/share-out-days.ts';
import { trainTransferModel } from '../../predictions/transfers/train-transfers.ts';
import { findIndependence, isAnythingKnown } from '../../predictions/transfers/transfer-facts.ts';
import type { EvaluationStep, EvaluationWindow } from '../layout.ts';
import { loadPlRail } from '../pl-rail-layout.ts';
import { CaseFacts } from './case-facts.ts';
import { crossFitDelays } from './cross-fit-delays.ts';
import { buildSideFeatures, forecastPairs } from './forecast-sides.ts';
import { forecastTransferTest } from './forecast-test.ts';
import { buildLearningRows } from './learning-rows.ts';
import { pickTransfers, readTransfers, type Transfers } from './read-transfers.ts';
import { ruleOfDelays, sharesByPlannedMinutes, tableOfDelays } from './transfer-baselines.ts';
import { buildTransferCases, instantMinutes, type TransferCases } from './transfer-cases.ts';
import { type ChanceForecaster, measureInstant, TABLE, type TransferSlice } from './transfer-figures.ts';

/** The figures of an evaluation of changes. */
export interface TransferEvaluation {
  readonly implausible: ImplausibleCounts;
  /** Cases that were learnt from, and trees of the model. */
  readonly learntCases: number;
  readonly trees: number;
  /** By instant, and within it all changes and the short ones. */
  readonly slices: readonly TransferSlice[];
}

/** Changes that are learnt from at most; the others of the learning days only add to the time. */
const MAX_LEARNT_TRANSFERS = 170_000;
const SEED = 20250505;

/**
 * Evaluates probabilities of changes on an archive of final times.
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
  const transfers = chooseTransfers(table, await readTransfers(db), days);
  const cases = buildTransferCases(table, transfers);
  const learn = listPlaces(cases, (day) => day < days.testFrom);
  const test = listPlaces(cases, (day) => day >= days.testFrom);
  if (learn.length === 0 || test.length === 0) {
    throw new UnfitWindowError('the file has no changes on the days to learn from, or none on those of the test');
  }
  onStep('train');
  const facts = describeCases(table, cases, days);
  const trained = trainTransferModel(buildLearningRows(cases, facts, learn));
  onStep('forecast');
  const ours = forecastTransferTest(table, cases, facts, trained, learn, test);
  onStep('tables');
  const sampled = learn.filter((place) => transfers.isSampled[Math.floor(place / instantMinutes.length)] === 1);
  const slices = instantMinutes.flatMap((minutes) => {
    const isAsked = (place: number) => cases.minutes[place] === minutes;
    const [past, asked] = [sampled.filter(isAsked), test.filter(isAsked)];
    return measureInstant(cases, minutes, asked, listForecasters(cases, facts, past, asked, ours));
  });
  return { implausible, learntCases: learn.length, trees: trained.model.forest.treeStart.length - 1, slices };
}

/** The sample of the test, and of the days before it as many as the model learns from, with all of their sample. */
function chooseTransfers(table: DatedTripTable, all: Transfers, days: DayShares): Transfers {
  const datedTrip = findDatedTrips(table);
  const dayOf = (place: number) => table.serviceDay[datedTrip[all.arrival[place]!]!]!;
  const isLearnt = (day: number) => day >= days.learnFrom && day < days.testFrom;
  let learnt = 0;
  for (let place = 0; place < all.count; place++) if (isLearnt(dayOf(place))) learnt++;
  const random = seededRandom(SEED);
  const kept: number[] = [];
  for (let place = 0; place < all.count; place++) {
    const isChosen = random() < MAX_LEARNT_TRANSFERS / learnt;
    const day = dayOf(place);
    if (day >= days.learnFrom && (all.isSampled[place] === 1 || (isChosen && isLearnt(day)))) kept.push(place);
  }
  return pickTransfers(all, Int32Array.from(kept));
}

function listPlaces({ day }: TransferCases, isWanted: (day: number) => boolean): Int32Array {
  return Int32Array.from(Array.from(day.keys()).filter((place) => isWanted(day[place]!)));
}

function describeCases(table: DatedTripTable, cases: TransferCases, days: DayShares): CaseFacts {
  const gridded = findGrid(table, days.testFrom) === 60 ? splitMinutes(table) : table;
  const modelOf = crossFitDelays(gridded, days);
  const sides = buildSideFeatures(gridded, cases);
  return new CaseFacts(cases, sides, forecastPairs(gridded, sides, modelOf));
}

/** All forecasters of one instant; where nothing is known of either side, independence has the share held. */
function listForecasters(
  cases: TransferCases,
  facts: CaseFacts,
  past: Int32Array,
  asked: Int32Array,
  ours: (place: number) => number,
): ChanceForecaster[] {
  const planned = sharesByPlannedMinutes(cases, past, asked);
  const independent = Float32Array.from(asked, (place, row) => {
    const known = facts.get(place);
    return isAnythingKnown(known) ? findIndependence(known) : planned[row]!;
  });
  return [
    { name: 'share by planned minutes', probability: planned },
    { name: 'rule', probability: ruleOfDelays(cases, past, asked) },
    { name: TABLE, probability: tableOfDelays(cases, past, asked) },
    { name: 'independence', probability: independent },
    { name: 'ours', probability: Float32Array.from(asked, ours) },
  ];
}
