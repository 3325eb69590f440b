import assert from 'node:assert';
import { type Duckdb, readSql, sqlPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { readColumns } from '../../pipeline/effects/read-columns.ts';
import { type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { buildFeatures, choosePairs, pickPairs } from '../../pipeline/predictions/features/build-features.ts';
import {
  type DatedTripTable,
  findGrid,
  splitMinutes,
  toWholeMinutes,
} from '../../pipeline/predictions/features/dated-trip-table.ts';
import { type FeatureGroup, featureGroups } from '../../pipeline/predictions/features/instant-rows.ts';
import { type ReadDatedTrips, readDatedTripTable } from '../../pipeline/predictions/features/read-dated-trip-table.ts';
import type { AblationMetric, UnitEvaluation } from '../../pipeline/predictions/measured/build-prediction-metrics.ts';
import {
  type ComparisonTable,
  type DelayUnit,
  horizonBuckets,
  INCREMENT_TABLE,
  OURS,
  PERSISTENCE,
  type PredictionMethod,
} from '../../pipeline/predictions/measured/comparison-table.ts';
import { calibrateIntervals, type QuantileColumns } from '../../pipeline/predictions/model/calibrate.ts';
import {
  type DelayModel,
  describePairs,
  kindOfPair,
  type ModelRows,
  type PairSet,
  predictDelays,
  predictMedian,
  takeRows,
  trainDelayModel,
  trainMedian,
} from '../../pipeline/predictions/model/delay-model.ts';
import { forgetHistory } from '../../pipeline/predictions/model/forget-history.ts';
import {
  type DayShares,
  giveRoles,
  LEARN,
  listPlaces,
  shareOutDays,
  TEST,
  UNUSED,
  UnfitWindowError,
  VALIDATION,
} from '../../pipeline/predictions/model/share-out-days.ts';
import { withDaysOf } from './days-of-zone.ts';
import type { EvaluationOptions, Layout } from './layout.ts';

/** Error of the median without each group of features, retrained without it; on the grid of the model. */
function measureGroups(set: PairSet, { columns, gridSeconds }: DelayModel): AblationMetric[] {
  const rowsOf = (role: number) => takeRows(set, listPlaces(set.roles, role));
  const [learn, validation, test] = [rowsOf(LEARN), rowsOf(VALIDATION), rowsOf(TEST)];
  return listDrops().map((groups) => {
    const names: readonly string[] = groups.flatMap((group) => featureGroups[group]);
    const dropped = columns.flatMap((name, column) => (names.includes(name) ? [column] : []));
    const blank = (rows: ModelRows) => blankColumns(rows, columns.length, dropped);
    const forest = trainMedian(columns, blank(learn), blank(validation));
    const forecast = predictMedian(forest, blank(test), gridSeconds);
    const error = forecast.reduce((sum, delay, row) => sum + Math.abs(delay - test.truth[row]!), 0);
    return { without: groups.join(', ') || 'nothing', meanError: error / test.truth.length };
  });
}

/** Groups that are dropped together: none, each, and both groups of past trips, as each can replace the other. */
function listDrops(): FeatureGroup[][] {
  const groups = Object.keys(featureGroups) as FeatureGroup[];
  return [[], ...groups.map((group) => [group]), ['train', 'pattern'], ['train', 'pattern', 'legs']];
}

/** Rows with some columns set to unknown. */
function blankColumns(rows: ModelRows, width: number, columns: readonly number[]): ModelRows {
  const values = Float32Array.from(rows.values);
  for (const column of columns) for (let at = column; at < values.length; at += width) values[at] = Number.NaN;
  return { ...rows, values };
}

/** Forecasts from tables of the past, for all pairs of the test in the order of the trip table. */
interface TableForecasts {
  readonly incrementTable: PredictionMethod;
  readonly historicalMedian: PredictionMethod;
}

/**
 * Forecasts by SQL alone, as a baseline for ours. Reads `run_calls`.
 * @param gridSeconds 60 for whole minutes, 1 for delays as they are
 * @param firstDay of the test, days since 1970; `lastDay` is included
 */
async function forecastByTables(
  db: Duckdb,
  gridSeconds: number,
  firstDay: number,
  lastDay: number,
): Promise<TableForecasts> {
  await db.run(`create or replace temp table delay_grid as select ${gridSeconds} as seconds;
    create or replace temp table test_days as select ${firstDay} as first_day, ${lastDay} as last_day`);
  for (const table of ['pair_rows', 'increment_table']) {
    await db.run(`create or replace temp table ${table} as ${await readSql(`test/evaluation/sql/${table}.sql`)}`);
  }
  const [{ rows }] = (await db.query('select count(*)::integer as rows from increment_table')) as [{ rows: number }];
  const columns = await readColumns(
    db,
    { middle: ['f64', 'middle'], low: ['f64', 'low'], high: ['f64', 'high'], usual: ['f64', 'usual'] },
    'from increment_table',
    rows,
  );
  await db.run('drop table pair_rows; drop table increment_table');
  return {
    incrementTable: {
      name: INCREMENT_TABLE,
      median: Float32Array.from(columns.middle),
      low: Float32Array.from(columns.low),
      high: Float32Array.from(columns.high),
    },
    historicalMedian: { name: 'historical median', median: Float32Array.from(columns.usual), low: null, high: null },
  };
}

/** Forecasts of the pairs of the test, in order, as they would be published: seconds of delay. */
export function predictTestSet(
  table: DatedTripTable,
  set: PairSet,
  model: DelayModel,
  days: DayShares,
): QuantileColumns {
  const places = listPlaces(
    set.roles.map((role) => (role === TEST || role === VALIDATION ? 1 : 0)),
    1,
  );
  const forecasts = predictDelays(model, takeRows(set, places));
  const requested = {
    day: places.map((place) => table.serviceDay[set.pairs.datedTrip[place]!]!),
    kind: Uint16Array.from(places, (place) => kindOfPair(set.horizonSeconds[place]!, set.current[place]!, false)),
    requestedAt: Float64Array.from(places, (place) => table.departureTime[set.pairs.from[place]!]!),
    knownAt: Float64Array.from(places, (place) => table.arrivalTime[set.pairs.to[place]!]!),
    truth: Float32Array.from(places, (place) => set.truth[place]!),
  };
  const testDays = Array.from({ length: days.testTo - days.testFrom + 1 }, (_, one) => days.testFrom + one);
  const gridded = calibrateIntervals(requested, forecasts, testDays, model.gridSeconds);
  // The seconds that the grid left out are added last, because they move the whole forecast.
  const isTest = places.map((place) => (set.roles[place] === TEST ? 1 : 0));
  const addOffsets = (quantile: Float32Array) =>
    Float32Array.from(
      listPlaces(Uint8Array.from(isTest), 1),
      (row) => quantile[row]! + set.features.offsets[places[row]!]!,
    );
  return { low: addOffsets(gridded.low), median: addOffsets(gridded.median), high: addOffsets(gridded.high) };
}

/**
 * Reads an archive of final times in the layout `pl_rail`: one row per call, planned times in UTC and delays in
 * seconds. Of rows that the protocol excludes (cancelled, delays of four hours and more, or none, implausible) only the
 * plan is used: a later cancellation is not known at an instant.
 * @param from first service date, `to` the last one, both included
 */
export async function loadPlRail(
  db: Duckdb,
  file: string,
  from: ServiceDate,
  to: ServiceDate,
): Promise<ReadDatedTrips> {
  await db.run(`create or replace temp view archive as from read_parquet(${sqlPath(file)})`);
  await db.run(`create or replace temp table window_days as
    select date ${sqlText(from)} as first_day, date ${sqlText(to)} as last_day`);
  const select = await readSql('test/evaluation/sql/pl_rail_calls.sql');
  await db.run(`create or replace temp table run_calls as ${select}`);
  const { table, implausible } = await readDatedTripTable(db);
  return { table: withDaysOf('Europe/Warsaw', table), implausible };
}

const SEED = 20250324;

/** Archives of final times, replayed. @see prediction-evaluation, layout `pl_rail` */
export const plRailLayout: Layout = {
  name: 'pl_rail',
  buckets: horizonBuckets,
  evaluate: async (db, file, window, options) => {
    options.onStep('load');
    const days = shareOutDays(toEpochDay(window.from), toEpochDay(window.testFrom), toEpochDay(window.testTo));
    const { table: reported, implausible } = await loadPlRail(db, file, window.from, window.testTo);
    return [
      { ...(await evaluateUnit(db, reported, 'raw', days, options)), implausible },
      { ...(await evaluateUnit(db, toWholeMinutes(reported), 'wholeMinutes', days, options)), implausible },
    ];
  },
};

/** Trains on the days before the test, and forecasts all pairs of the test. */
async function evaluateUnit(
  db: Duckdb,
  reported: DatedTripTable,
  unit: DelayUnit,
  days: DayShares,
  options: EvaluationOptions,
): Promise<Omit<UnitEvaluation, 'implausible'>> {
  options.onStep('tables');
  // First of all, because the engine and the features at the same time would take more memory.
  const tables = await forecastByTables(db, unit === 'wholeMinutes' ? 60 : 1, days.testFrom, days.testTo);
  options.onStep('train');
  const gridSeconds = unit === 'wholeMinutes' ? 60 : findGrid(reported, days.testFrom);
  const table = gridSeconds === 60 ? splitMinutes(reported) : reported;
  const set = buildPairSet(table, days);
  if (![LEARN, VALIDATION, TEST].every((role) => set.roles.includes(role))) {
    throw new UnfitWindowError('the file has no trips on the days to learn from, or none on those of the test');
  }
  const learn = takeRows(set, listPlaces(set.roles, LEARN));
  const validation = takeRows(set, listPlaces(set.roles, VALIDATION));
  const model = trainDelayModel(set.features.columns, learn, validation, gridSeconds);
  options.onStep('forecast');
  const test = listPlaces(set.roles, TEST);
  assert(tables.incrementTable.median.length === test.length, 'the tables forecast other pairs than the model');
  const ours = predictTestSet(table, set, model, days);
  const facts = describePairs(reported, pickPairs(set.pairs, test));
  const forecasters: PredictionMethod[] = [
    { name: 'schedule', median: new Float32Array(test.length), low: null, high: null },
    { name: PERSISTENCE, median: facts.current, low: null, high: null },
    tables.historicalMedian,
    tables.incrementTable,
    { name: OURS, ...ours },
  ];
  const result: ComparisonTable = { unit, count: test.length, ...facts, forecasters };
  options.onStep('ablation');
  const ablation = options.hasAblation ? measureGroups(set, model) : [];
  options.onStep('done');
  return { table: result, learntPairs: learn.truth.length, trees: model.median.treeStart.length - 1, ablation };
}

/** The pairs of training, validation and test, with their features. */
function buildPairSet(table: DatedTripTable, days: DayShares): PairSet {
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
