import assert from 'node:assert';
import type { Duckdb } from '../effects/duckdb.ts';
import { toEpochDay } from '../model/service-time.ts';
import { measureGroups } from './ablation.ts';
import { buildFeatures } from './build-features.ts';
import { choosePairs, pickPairs } from './choose-pairs.ts';
import { trainDelayModel } from './delay-model.ts';
import { findGrid } from './find-grid.ts';
import { forecastByTables } from './forecast-by-tables.ts';
import { type Forecaster, type ForecastTable, type ForecastUnit, OURS, PERSISTENCE } from './forecast-table.ts';
import { forecastTest } from './forecast-test.ts';
import { forgetHistory } from './forget-history.ts';
import { type EvaluationOptions, type Layout, UnfitWindowError, type UnitEvaluation } from './layout.ts';
import { loadPlRail } from './load-pl-rail.ts';
import { describePairs, type PairSet, takeRows } from './pair-set.ts';
import { type RunTable, splitMinutes, toWholeMinutes } from './run-table.ts';
import { type DayShares, giveRoles, JUDGE, LEARN, listPlaces, shareOutDays, TEST, UNUSED } from './share-out-days.ts';

const SEED = 20250324;

/** Archives of final times, replayed. @see prediction-evaluation, layout `pl_rail` */
export const plRailLayout: Layout = {
  name: 'pl_rail',
  buckets: [
    { name: '0-5 min', from: 0, to: 300 },
    { name: '5-15 min', from: 300, to: 900 },
    { name: '15-30 min', from: 900, to: 1800 },
    { name: '30-60 min', from: 1800, to: 3600 },
    { name: '60 min and more', from: 3600, to: Number.POSITIVE_INFINITY },
  ],
  evaluate: async (db, file, window, options) => {
    options.onStep('load');
    const days = shareOutDays(toEpochDay(window.from), toEpochDay(window.testFrom), toEpochDay(window.testTo));
    const { table: told, implausible } = await loadPlRail(db, file, window.from, window.testTo);
    return [
      { ...(await evaluateUnit(db, told, 'raw', days, options)), implausible },
      { ...(await evaluateUnit(db, toWholeMinutes(told), 'wholeMinutes', days, options)), implausible },
    ];
  },
};

/** Learns from the days before the test, and forecasts all of its pairs. */
async function evaluateUnit(
  db: Duckdb,
  told: RunTable,
  unit: ForecastUnit,
  days: DayShares,
  options: EvaluationOptions,
): Promise<Omit<UnitEvaluation, 'implausible'>> {
  options.onStep('tables');
  // Before anything else, because the engine and the features together would take more memory.
  const tables = await forecastByTables(db, unit === 'wholeMinutes' ? 60 : 1, days.testFrom, days.testTo);
  options.onStep('train');
  const gridSeconds = unit === 'wholeMinutes' ? 60 : findGrid(told, days.testFrom);
  const table = gridSeconds === 60 ? splitMinutes(told) : told;
  const set = buildPairSet(table, days);
  if (![LEARN, JUDGE, TEST].every((role) => set.roles.includes(role))) {
    throw new UnfitWindowError('the file has no trips on the days to learn from, or none on those of the test');
  }
  const learn = takeRows(set, listPlaces(set.roles, LEARN));
  const judge = takeRows(set, listPlaces(set.roles, JUDGE));
  const model = trainDelayModel(set.features.columns, learn, judge, gridSeconds);
  options.onStep('forecast');
  const test = listPlaces(set.roles, TEST);
  assert(tables.incrementTable.median.length === test.length, 'the tables forecast other pairs than the model');
  const ours = forecastTest(table, set, model, days);
  const facts = describePairs(told, pickPairs(set.pairs, test));
  const forecasters: Forecaster[] = [
    { name: 'schedule', median: new Float32Array(test.length), low: null, high: null },
    { name: PERSISTENCE, median: facts.current, low: null, high: null },
    tables.historicalMedian,
    tables.incrementTable,
    { name: OURS, ...ours },
  ];
  const result: ForecastTable = { unit, count: test.length, ...facts, forecasters };
  options.onStep('ablation');
  const ablation = options.hasAblation ? measureGroups(set, model) : [];
  options.onStep('done');
  return { table: result, learntPairs: learn.truth.length, trees: model.median.treeStart.length - 1, ablation };
}

/** The pairs that are learnt from, judged by and forecast, with their features. */
function buildPairSet(table: RunTable, days: DayShares): PairSet {
  const all = choosePairs(table);
  const allRoles = giveRoles(table, all, days, SEED);
  const places = allRoles.reduce<number[]>((used, role, place) => {
    if (role !== UNUSED) used.push(place);
    return used;
  }, []);
  const kept = Int32Array.from(places);
  const pairs = pickPairs(all, kept);
  const roles = Uint8Array.from(kept, (place) => allRoles[place]!);
  const features = buildFeatures(table, pairs, forgetHistory(table, pairs, roles, SEED));
  return { pairs, roles, features, ...describePairs(table, pairs) };
}
