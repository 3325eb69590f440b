import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { stopEventColumns } from '../../../../pipeline/history/stop-events/stop-event-table.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import { martFile } from '../../../../pipeline/lake/paths.ts';
import type { EpochDay, Instant } from '../../../../pipeline/model/service-time.ts';
import { compactPredictions } from '../../../../pipeline/predictions/live/compact-predictions.ts';
import type { LoggedPrediction } from '../../../../pipeline/predictions/live/prediction-log.ts';
import { storePredictions } from '../../../../pipeline/predictions/live/prediction-store.ts';
import {
  evaluateDay,
  listPredictedDays,
  loadMeasuredPairs,
  toPredictionTable,
} from '../../../../pipeline/predictions/measured/evaluate-day.ts';
import { listMeasuredDays } from '../../../../pipeline/predictions/measured/measured-days.ts';
import { type MetricTable, metricTables } from '../../../../pipeline/predictions/measured/metric-tables.ts';
import { rewriteMetricTables } from '../../../../pipeline/predictions/measured/store-metric-rows.ts';
import { rewriteInSchema2 } from '../../../support/worlds/former-schema.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../../../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../../support/worlds/run-world.ts';

const DATE = '2026-03-02';

/** Files of one day of trip `t`, as rows of SQL values. */
async function writeFiles(
  db: Duckdb,
  folder: string,
  { predictions, stopEvents, observations }: Record<'predictions' | 'stopEvents' | 'observations', readonly string[]>,
) {
  const write = async (name: string, columns: string, rows: readonly string[], further = '') => {
    const file = path.join(folder, `${name}.parquet`);
    const values = rows.map((row) => `(${row})`).join(', ');
    const from = rows.length > 0 ? `from (values ${values}) as rows(${columns})` : '';
    if (from === '') return [];
    await db.run(`copy (select * ${from} ${further}) to ${sqlText(file)} (format parquet)`);
    return [file];
  };
  const [file] = await write(
    'stop-events',
    `trip_id, position, event, scheduled_time, scheduled_departure_time, observed_time, delay_seconds,
     departure_delay_seconds, evidence, is_cancelled, is_added`,
    stopEvents,
    // As in files of schema 3.
    `union all by name select ${listOtherColumns()} where false`,
  );
  return {
    predictions: await write(
      'predictions',
      'trip_id, made_at, from_position, position, current_delay_seconds, low_seconds, median_seconds, high_seconds',
      predictions,
    ),
    stopEvents: file!,
    observations: await write(
      'observations',
      'trip_id, position, event, channel, first_seen_at, evidence, delay_seconds',
      observations,
    ),
  };
}

/** Columns of stop events that the rows omit. */
function listOtherColumns(): string {
  const others = Object.entries(stopEventColumns).filter(([name]) => !name.endsWith('_is_cancelled'));
  return others.map(([name, [type]]) => `null::${type} as ${name}`).join(', ');
}

const at = (clock: string) => `timestamp '${DATE} ${clock}'`;
const call = (
  position: number,
  planned: string,
  observed: string | null,
  delay: number | null,
  left: number | null = null,
) =>
  `'t', ${position}, '${position === 0 ? 'departure' : 'arrival'}', ${at(planned)}, ${at(planned)},
   ${observed === null ? 'null' : at(observed)}, ${delay ?? 'null'}, ${left ?? 'null::integer'},
   '${observed === null ? 'unknown' : 'observed_actual'}', false, false`;
const forecast = (made: string, from: number, position: number, current: number, median: number) =>
  `'t', ${at(made)}, ${from}, ${position}, ${current}, ${median - 30}, ${median}, ${median + 30}`;
const reported = (position: number, seen: string, delay: number | null, evidence = 'forecast', event = 'arrival') =>
  `'t', ${position}, '${event}', 'stop_events', ${at(seen)}, '${evidence}', ${delay ?? 'null'}`;

const trip = [
  call(0, '08:00:00', '08:01:00', 60),
  call(1, '08:10:00', '08:11:30', 90),
  call(2, '08:20:00', '08:22:00', 120),
  call(3, '08:30:00', null, null),
];

async function load(files: Parameters<typeof writeFiles>[2]) {
  const folder = await temporaryFolder();
  const db = await openDuckdb();
  try {
    return await loadMeasuredPairs(db, await writeFiles(db, folder, files));
  } finally {
    db.close();
  }
}

describe('the pairs of a day', () => {
  it('are predictions with the actual time, the persistence baseline, and the horizon', async () => {
    const pairs = await load({
      predictions: [forecast('08:01:10', 0, 1, 60, 80), forecast('08:01:10', 0, 2, 60, 100)],
      stopEvents: trip,
      observations: [],
    });
    expect({ ...pairs, reported: [...pairs.reported] }).toMatchObject({
      truth: Float32Array.of(90, 120),
      current: Float32Array.of(60, 60),
      horizonSeconds: Float32Array.of(600, 1200),
      secondsToArrival: Float32Array.of(620, 1250),
      low: Float32Array.of(50, 70),
      median: Float32Array.of(80, 100),
      high: Float32Array.of(110, 130),
      reported: [Number.NaN, Number.NaN],
    });
  });

  it.each<[reason: string, predictions: readonly string[], medians: readonly number[]]>([
    [
      'a repeated prediction for the same instant counts once',
      [forecast('08:01:10', 0, 1, 60, 80), forecast('08:02:00', 0, 1, 60, 85)],
      [85],
    ],
    ['a forecast before the prediction does not count', [forecast('08:11:30', 0, 1, 60, 80)], []],
    ['an event without an observation cannot be measured', [forecast('08:22:10', 2, 3, 120, 110)], []],
  ])('%s', async (_reason, predictions, medians) => {
    const pairs = await load({ predictions, stopEvents: trip, observations: [] });
    expect([...pairs.median]).toEqual(medians);
  });

  it.each<[reason: string, observations: readonly string[], expected: number]>([
    [
      'its last forecast by then',
      [reported(1, '07:50:00', 10), reported(1, '08:01:05', 40), reported(1, '08:05:00', 95)],
      40,
    ],
    ['none if it withdrew it', [reported(1, '07:50:00', 10), reported(1, '08:01:00', null, 'unknown')], Number.NaN],
    ['none of the departure', [reported(1, '07:50:00', 10, 'forecast', 'departure')], Number.NaN],
    ['none if it reported later', [reported(1, '08:01:11', 10)], Number.NaN],
  ])('include the forecast of the source: %s', async (_reason, observations, expected) => {
    const pairs = await load({ predictions: [forecast('08:01:10', 0, 1, 60, 80)], stopEvents: trip, observations });
    expect([...pairs.reported]).toEqual([expected]);
    expect(toPredictionTable(pairs, 'toldBySource', 'raw').count).toBe(Number.isNaN(expected) ? 0 : 1);
    expect(toPredictionTable(pairs, 'all', 'raw').count).toBe(1);
  });

  it.each<[reason: string, stopEvents: readonly string[], truths: readonly number[], codes: object]>([
    [
      'a call that left eleven minutes early',
      [trip[0]!, call(1, '08:10:00', '08:11:30', 90, -660), trip[2]!],
      [120],
      { early_departure: 1, before_previous_event: 0 },
    ],
    [
      'a call before the preceding one',
      [trip[0]!, trip[1]!, call(2, '08:20:00', '08:09:00', -660)],
      [90],
      { early_departure: 0, before_previous_event: 1 },
    ],
    [
      'a wrong first departure',
      [call(0, '08:00:00', '07:49:00', -660), trip[1]!, trip[2]!],
      [],
      { early_departure: 1, before_previous_event: 0 },
    ],
  ])('omit implausible calls, and count them: %s', async (_reason, stopEvents, truths, codes) => {
    const pairs = await load({
      predictions: [forecast('08:01:10', 0, 1, 60, 80), forecast('08:01:10', 0, 2, 60, 100)],
      stopEvents,
      observations: [],
    });
    expect([...pairs.truth]).toEqual(truths);
    expect(pairs.implausible).toEqual(codes);
  });

  it('are counted in whole minutes too', async () => {
    const pairs = await load({
      predictions: [forecast('08:01:10', 0, 1, 61, 119)],
      stopEvents: trip,
      observations: [reported(1, '08:00:00', -1)],
    });
    const table = toPredictionTable(pairs, 'toldBySource', 'wholeMinutes');
    expect([...table.truth, ...table.current]).toEqual([60, 60]);
    expect(table.forecasters.map(({ name, median }) => [name, median[0]])).toEqual([
      ['schedule', 0],
      ['persistence', 60],
      ['source', -60],
      ['ours', 60],
    ]);
  });
});

describe('a day of predictions', () => {
  const table = makeDatedTripTable(61, { days: 2, trains: 6, calls: 6 });
  const row = (over: Partial<LoggedPrediction>): LoggedPrediction => ({
    day: FIRST_DAY as EpochDay,
    tripId: 't0',
    madeAt: 0 as Instant,
    model: 'm',
    fromPosition: 0,
    observedAt: 0,
    isFromPosition: false,
    delaySeconds: 0,
    position: 1,
    low: 0,
    median: 0,
    high: 0,
    priors: [3, 10, 0, Number.NaN, Number.POSITIVE_INFINITY, 4],
    ...over,
  });
  /** Everything after the first departure of each trip of the day, off by ten seconds. */
  const rows = Array.from({ length: table.datedTripCount }, (_, datedTrip) => datedTrip).flatMap((datedTrip) => {
    const [start, end] = [table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!];
    return Array.from({ length: end - start - 1 }, (_, i) => {
      const truth = table.arrivalDelay[start + 1 + i]!;
      const madeAt = table.departureTime[start]! as Instant;
      const day = table.serviceDay[datedTrip]! as EpochDay;
      const delaySeconds = table.departureDelay[start]!;
      const quantiles = { low: truth - 20, median: truth + 10, high: truth + 40 };
      return row({
        day,
        tripId: `t${table.train[datedTrip]}`,
        madeAt,
        observedAt: madeAt,
        delaySeconds,
        position: i + 1,
        ...quantiles,
      });
    });
  });
  const evaluate = (dataDir: string, day: number, isForced = false) =>
    withEngine(dataDir, ENGINE, (db, folder) =>
      evaluateDay(db, folder, {
        dataDir,
        source: RECORDED,
        serviceDate: dateOf(day),
        isForced,
        isDryRun: false,
        measuredAt: '2026-03-03T04:00:00.000Z',
      }),
    );
  const store = (dataDir: string, kept: readonly LoggedPrediction[]) =>
    withEngine(dataDir, ENGINE, (db, folder) => storePredictions(db, dataDir, folder, RECORDED, kept));
  const runQuery = async (sql: string) => {
    const db = await openDuckdb();
    try {
      return await db.query(sql);
    } finally {
      db.close();
    }
  };

  it('is stored by service date, unchanged', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    await store(dataDir, []);
    const days = [FIRST_DAY, FIRST_DAY + 1].map((day) => ({ source: RECORDED, serviceDate: dateOf(day) }));
    expect(await listPredictedDays(dataDir)).toEqual(days);
    const [stored] = await runQuery(
      `select count(*)::int as n, min(train_runs) as runs, any_value(pattern_change_seconds) as pattern,
       any_value(leg_values) as legs, min(made_at)::varchar as made
       from read_parquet(${sqlText(`${dataDir}/lake/predictions/*/*/*.parquet`)})`,
    );
    const first = rows.reduce((least, { madeAt }) => Math.min(least, madeAt), Number.POSITIVE_INFINITY);
    const made = new Date(first * 1000).toISOString().replace('T', ' ').slice(0, 19).concat('+00');
    expect(stored).toEqual({ n: rows.length, runs: 3, pattern: null, legs: 0, made });
  });

  it('is measured once when it is over, and again when more data is available', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('notOver');
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('measured');
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('unchanged');
    expect(await evaluate(dataDir, FIRST_DAY, true)).toBe('measured');
    expect(await evaluate(dataDir, FIRST_DAY + 1)).toBe('measured');
    await store(dataDir, [row({ madeAt: 1 as Instant })]);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('measured');

    const file = sqlText(martFile(dataDir, 'prediction_daily', dateOf(FIRST_DAY).slice(0, 7)));
    const all = await runQuery(`select service_date::varchar as day, pairs, mean_error_seconds as error, covered
      from read_parquet(${file})
      where pairs_of = 'all' and unit = 'raw' and slice = 'all' and forecaster = 'ours' order by day`);
    const count = (day: number) => rows.filter((one) => one.day === day).length;
    expect(all).toEqual([
      { day: dateOf(FIRST_DAY), pairs: count(FIRST_DAY), error: 10, covered: 1 },
      { day: dateOf(FIRST_DAY + 1), pairs: count(FIRST_DAY + 1), error: 10, covered: 1 },
    ]);
    const [last] = await listMeasuredDays(dataDir, RECORDED, 1);
    expect(last).toMatchObject({ serviceDate: dateOf(FIRST_DAY + 1) });
    const classes = sqlText(martFile(dataDir, 'prediction_classes_daily', dateOf(FIRST_DAY).slice(0, 7)));
    const [high] = await runQuery(`select share, within_60 from read_parquet(${classes})
      where pairs_of = 'all' and unit = 'raw' and confidence = 'high' limit 1`);
    expect(high).toEqual({ share: 1, within_60: 1 });
  });

  it('is not measured again when its predictions are compacted', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    await store(dataDir, [row({ madeAt: 1 as Instant })]);
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('measured');
    const day = { source: RECORDED, serviceDate: dateOf(FIRST_DAY) };
    const compact = () => withEngine(dataDir, ENGINE, (db, folder) => compactPredictions(db, dataDir, folder, day));
    expect(await compact()).toBe(2);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('unchanged');
    await store(dataDir, [row({ madeAt: 2 as Instant })]);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('measured');
    expect(await compact()).toBe(2);
    expect(await evaluate(dataDir, FIRST_DAY)).toBe('unchanged');
  });

  it('stores a day again and again in one run', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    const request = { dataDir, source: RECORDED, serviceDate: dateOf(FIRST_DAY), isDryRun: false, measuredAt: 'now' };
    const measure = (folder: string, db: Duckdb) => evaluateDay(db, folder, { ...request, isForced: true });
    const outcomes = await withEngine(dataDir, ENGINE, async (db, folder) => [
      await measure(folder, db),
      await measure(folder, db),
      await measure(folder, db),
    ]);
    expect(outcomes).toEqual(['measured', 'measured', 'measured']);
  });

  it('migrates metrics of schema 2 with the same rows', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    await evaluate(dataDir, FIRST_DAY);
    const month = dateOf(FIRST_DAY).slice(0, 7);
    const files = (Object.keys(metricTables) as MetricTable[]).map((name) => martFile(dataDir, name, month));
    const look = async () => {
      const texts = [];
      for (const file of files) {
        const columns = (await runQuery(`describe from ${sqlText(file)}`)).map(({ column_type: type }) => type);
        texts.push([columns, await runQuery(`select t::varchar as t from ${sqlText(file)} as t order by all`)]);
      }
      return texts;
    };
    const before = await look();
    await rewriteInSchema2(files);
    expect(await look()).not.toEqual(before);
    const renew = (isWanted = (_: string) => true) =>
      withEngine(dataDir, ENGINE, (db, folder) => rewriteMetricTables(db, dataDir, folder, isWanted));
    expect(await renew((name) => name !== month)).toBe(0);
    expect(await look()).not.toEqual(before);
    expect(await renew((name) => name === month)).toBe(files.length);
    expect(await look()).toEqual(before);
    expect([await renew(), await evaluate(dataDir, FIRST_DAY)]).toEqual([0, 'unchanged']);
  });

  it('is stored prediction by prediction: known data, prediction and actual time, the same every time', async () => {
    const dataDir = await temporaryFolder();
    await store(dataDir, rows);
    await recordRuns(dataDir, table, FIRST_DAY + 1);
    await evaluate(dataDir, FIRST_DAY);
    const file = sqlText(martFile(dataDir, 'prediction_examples', dateOf(FIRST_DAY).slice(0, 7)));
    const read = () => runQuery(`from read_parquet(${file}) order by example, position`);
    const examples = await read();
    const trips = new Set(rows.filter(({ day }) => day === FIRST_DAY).map(({ tripId }) => tripId));
    expect(new Set(examples.map(({ trip_id: trip }) => trip))).toEqual(trips);
    for (const { position, from_position: from, delay_seconds: delay, ...row } of examples) {
      const isForecast = (position as number) > (from as number);
      expect([row.low_seconds, row.median_seconds, row.high_seconds]).toEqual(
        isForecast ? [-20, 10, 40].map((off) => (delay as number) + off) : [null, null, null],
      );
      expect(row.current_delay_seconds).toBe(
        examples.find(({ example, position: at }) => example === row.example && at === from)!.delay_seconds,
      );
    }
    await evaluate(dataDir, FIRST_DAY, true);
    expect(await read()).toEqual(examples);
  });
});
