import assert from 'node:assert';
import { type Duckdb, readSql, sqlPath, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { readColumns } from '../../../pipeline/effects/read-columns.ts';
import { toEpochDay } from '../../../pipeline/model/service-time.ts';
import { buildDatedTripTable, type DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import {
  type ComparisonTable,
  OURS,
  PERSISTENCE,
  type PredictionMethod,
} from '../../../pipeline/predictions/measured/comparison-table.ts';
import type { QuantileColumns } from '../../../pipeline/predictions/model/calibrate.ts';
import { UnfitWindowError } from '../../../pipeline/predictions/model/share-out-days.ts';
import { withDaysOf } from '../days-of-zone.ts';
import type { CompanionFiles, EvaluationWindow, Layout } from '../layout.ts';
import {
  chooseForecasts,
  forecastWithoutPositions,
  measureSnapshotGroups,
  type SnapshotModels,
  trainSnapshotModels,
} from './snapshot-model.ts';
import {
  buildSnapshotSet,
  describeSnapshotPairs,
  keepPairs,
  listSnapshotPlaces,
  type SnapshotDays,
  type SnapshotSet,
  shareOutSnapshotDays,
} from './snapshot-set.ts';
import { buildSnapshotTable, findPosition, type PositionTable, type SnapshotTable } from './snapshot-table.ts';

/** The positions as if their feed had stopped at a instant. */
export function cutPositions(positions: PositionTable, until: number): PositionTable {
  const datedTripCount = positions.start.length - 1;
  const kept: number[] = [];
  const start = new Int32Array(datedTripCount + 1);
  for (let datedTrip = 0; datedTrip < datedTripCount; datedTrip++) {
    const last = findPosition(positions, datedTrip, until);
    for (let place = positions.start[datedTrip]!; place <= last; place++) kept.push(place);
    start[datedTrip + 1] = kept.length;
  }
  const pick = (column: Float64Array) => Float64Array.from(kept, (place) => column[place]!);
  return {
    start,
    seenAt: pick(positions.seenAt),
    delay: pick(positions.delay),
    latitude: pick(positions.latitude),
    longitude: pick(positions.longitude),
  };
}

const POSITION_COLUMNS = 'obs_utc, elvira_id, delay_min, lat, lon';
/** An empty table for missing position files. */
const NO_POSITIONS = `select null::timestamp as obs_utc, null::varchar as elvira_id, null::double as delay_min,
  null::double as lat, null::double as lon where false`;

/** Reads the snapshots of a window with their plan, the final delays, and the positions of vehicles. */
export async function loadHuSnapshots(
  db: Duckdb,
  file: string,
  companions: CompanionFiles,
  window: EvaluationWindow,
): Promise<SnapshotTable> {
  const positions = companions.positions.map(sqlPath).join(', ');
  await db.run(`create or replace temp view archive as from read_parquet(${sqlPath(file)});
    create or replace temp view final_archive as from read_parquet(${sqlPath(companions.finals)});
    create or replace temp view position_archive as
      ${positions === '' ? NO_POSITIONS : `select ${POSITION_COLUMNS} from read_parquet([${positions}])`};
    create or replace temp table window_days as
      select date ${sqlText(window.from)} as first_day, date ${sqlText(window.testTo)} as last_day;
    create or replace temp table split_day as select date ${sqlText(window.testFrom)} as day`);
  for (const table of ['hu_rows', 'hu_finals', 'hu_calls', 'hu_polled', 'hu_positions']) {
    await db.run(`create or replace temp table ${table} as ${await readSql(`test/evaluation/sql/${table}.sql`)}`);
  }
  const plan = await readPlan(db);
  const table = buildSnapshotTable(
    { ...plan, positions: await readPositions(db, plan.datedTrips.datedTripCount) },
    await readPolled(db),
  );
  await db.run(
    'drop table hu_rows; drop table hu_finals; drop table hu_calls; drop table hu_polled; drop table hu_positions',
  );
  return table;
}

async function readPlan(
  db: Duckdb,
): Promise<{ datedTrips: DatedTripTable; isTarget: Uint8Array; truth: Float64Array }> {
  const count = await countRows(db, 'hu_calls');
  const columns = await readColumns(
    db,
    {
      datedTrip: ['i32', 'run'],
      serviceDay: ['i32', 'service_day'],
      train: ['i32', 'train'],
      stop: ['i32', 'stop'],
      sequence: ['i32', 'call'],
      scheduled: ['f64', 'scheduled_at'],
      isTarget: ['u8', 'is_target'],
      truth: ['f64', 'truth'],
    },
    'from hu_calls order by call',
    count,
  );
  // Each call has one planned time, and there are neither routes nor operators.
  const none = new Int32Array(count);
  const unknown = new Float64Array(count).fill(Number.NaN);
  const plan = buildDatedTripTable({
    ...columns,
    route: none,
    operator: none,
    scheduledArrival: columns.scheduled,
    scheduledDeparture: columns.scheduled,
    arrivalDelay: unknown,
    departureDelay: unknown,
    isInstant: new Uint8Array(count),
  });
  const datedTrips = withDaysOf('Europe/Budapest', plan);
  return { datedTrips, isTarget: columns.isTarget, truth: columns.truth };
}

async function readPolled(db: Duckdb) {
  const columns = await readColumns(
    db,
    {
      polledAt: ['f64', 'polled_at'],
      datedTrip: ['i32', 'run'],
      call: ['i32', 'call'],
      arrival: ['i32', 'arrival_minutes * 60'],
      departure: ['i32', 'departure_minutes * 60'],
      hasArrival: ['u8', 'has_arr'],
    },
    'from hu_polled order by row',
    await countRows(db, 'hu_polled'),
  );
  return {
    ...columns,
    arrival: Float32Array.from(columns.arrival),
    departure: Float32Array.from(columns.departure),
  };
}

async function readPositions(db: Duckdb, datedTripCount: number): Promise<PositionTable> {
  const { datedTrip, ...columns } = await readColumns(
    db,
    {
      datedTrip: ['i32', 'run'],
      seenAt: ['f64', 'seen_at'],
      delay: ['f64', 'delay_minutes * 60'],
      latitude: ['f64', 'latitude'],
      longitude: ['f64', 'longitude'],
    },
    'from hu_positions order by run, seen_at',
    await countRows(db, 'hu_positions'),
  );
  const start = new Int32Array(datedTripCount + 1);
  for (const one of datedTrip) start[one + 1]!++;
  for (let one = 0; one < datedTripCount; one++) start[one + 1]! += start[one]!;
  return { start, ...columns };
}

async function countRows(db: Duckdb, table: string): Promise<number> {
  const [row] = (await db.query(`select count(*)::integer as rows from ${table}`)) as [{ rows: number }];
  return row.rows;
}

/** Names of forecasters that show the benefit of positions. */
const WITHOUT_POSITIONS = 'no positions';
export const POSITIONS_CUT = 'positions cut';

/** Live snapshots of running trips. @see prediction-evaluation, layout `hu_snapshots` */
export const huSnapshotsLayout: Layout = {
  name: 'hu_snapshots',
  buckets: [
    { name: 'overdue', from: Number.NEGATIVE_INFINITY, to: 0 },
    { name: '0-5 min', from: 0, to: 300 },
    { name: '5-15 min', from: 300, to: 900 },
    { name: '15-30 min', from: 900, to: 1800 },
    { name: '30-60 min', from: 1800, to: 3600 },
    { name: '60-90 min', from: 3600, to: Number.POSITIVE_INFINITY },
  ],
  evaluate: async (db, file, window, options) => {
    assert(options.companions, 'snapshots are evaluated with their final values');
    options.onStep('load');
    const days = shareOutSnapshotDays(toEpochDay(window.from), toEpochDay(window.testFrom), toEpochDay(window.testTo));
    const table = await loadHuSnapshots(db, file, options.companions, window);
    options.onStep('train');
    const set = buildSnapshotSet(table, days);
    const has = (from: number, to: number) => set.day.some((day) => day >= from && day < to);
    if (
      !has(days.from, days.validationFrom) ||
      !has(days.validationFrom, days.testFrom) ||
      !has(days.testFrom, days.testTo + 1)
    ) {
      throw new UnfitWindowError('the files have no pairs on the days to learn from, or none on those of the test');
    }
    const models = trainSnapshotModels(set, days);
    options.onStep('forecast');
    const withoutPositions = forecastWithoutPositions(set, models, days);
    const ours = chooseForecasts(set, models, days, withoutPositions);
    const cut = models.withPositions === null ? null : forecastCut(table, set, models, days, withoutPositions);
    const result = buildForecastTable(set, days, { ours, withoutPositions, cut });
    options.onStep('ablation');
    const ablation = options.hasAblation ? measureSnapshotGroups(set, days) : [];
    options.onStep('done');
    const learntPairs = set.count - result.count;
    return [
      {
        table: result,
        learntPairs,
        trees: models.withoutPositions.median.treeStart.length - 1,
        ablation,
        implausible: null,
      },
    ];
  },
};

/** The same forecasts as if the feed of positions had stopped half way through the test. */
function forecastCut(
  table: SnapshotTable,
  set: SnapshotSet,
  models: SnapshotModels,
  days: SnapshotDays,
  withoutPositions: QuantileColumns,
): QuantileColumns {
  const places = listSnapshotPlaces(set, (place) => set.day[place]! >= days.validationFrom);
  const tested = set.requestedAt.filter((_, place) => set.day[place]! >= days.testFrom);
  const middle = (tested[0]! + tested.at(-1)!) / 2;
  const cut = { ...table, positions: cutPositions(table.positions, middle) };
  return chooseForecasts(describeSnapshotPairs(cut, keepPairs(set, places)), models, days, withoutPositions);
}

function buildForecastTable(
  set: SnapshotSet,
  days: SnapshotDays,
  {
    ours,
    withoutPositions,
    cut,
  }: { ours: QuantileColumns; withoutPositions: QuantileColumns; cut: QuantileColumns | null },
): ComparisonTable {
  const facts = keepPairs(
    set,
    listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom),
  );
  const forecasters: PredictionMethod[] = [
    { name: 'schedule', median: new Float32Array(facts.count), low: null, high: null },
    { name: PERSISTENCE, median: facts.current, low: null, high: null },
    ...(cut === null
      ? []
      : [
          { name: WITHOUT_POSITIONS, ...withoutPositions },
          { name: POSITIONS_CUT, ...cut },
        ]),
    { name: OURS, ...ours },
  ];
  return {
    unit: 'wholeMinutes',
    count: facts.count,
    truth: facts.truth,
    current: facts.current,
    horizonSeconds: facts.horizonSeconds,
    secondsToArrival: facts.horizonSeconds.map((seconds, pair) => seconds + facts.truth[pair]!),
    forecasters,
  };
}
