import { describe, expect, test } from 'vitest';
import type { PredictionData } from '../../../api/contract/site-charts.ts';
import type { MetricRow } from '../../../pipeline/predictions/measured/metric-tables.ts';
import { runShownSql } from '../../support/checks/shown-sql.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import {
  openPredictionMetrics,
  publishStoredMetrics,
  type StoredMetrics,
} from '../../support/worlds/measured-world.ts';
import { town } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

const DATA_URL = '/site/data/predictions';

const error = (slice: string, forecaster: string, pairs: number, mean: number, over: MetricRow = {}): MetricRow => ({
  pairs_of: 'all',
  unit: 'raw',
  slice,
  forecaster,
  pairs,
  mean_error_seconds: mean,
  covered: forecaster === 'ours' ? 0.8 : null,
  mean_width_seconds: forecaster === 'ours' ? 100 : null,
  ...over,
});

const change = (status: string, bin: number | null, pairs: number, held: number | null, sum: number | null) => ({
  minutes_before: 15,
  status,
  method: status === 'measured' ? 'learnt' : null,
  bin,
  pairs,
  held,
  probability_sum: sum,
  squared_error_sum: sum,
});

const call = (example: number, position: number, over: MetricRow = {}): MetricRow => ({
  example,
  trip_id: `t${example}`,
  line: 'S1',
  direction: null,
  made_at: '2026-03-02T07:01:10Z',
  model: 'm',
  from_position: 1,
  observed_at: '2026-03-02T07:01:00Z',
  current_delay_seconds: -20,
  position,
  stop_name: `Stop "${position}", it's`,
  scheduled_time: `2026-03-02T07:0${position}:00Z`,
  delay_seconds: position === 3 ? null : 10 * position,
  ...over,
});

const predictionMetrics: readonly StoredMetrics[] = [
  {
    source: 'live',
    serviceDate: '2026-02-27',
    rows: {
      prediction_daily: [
        error('all', 'ours', 100, 30),
        error('all', 'persistence', 100, 50),
        error('all', 'ours', 7, 1, { pairs_of: 'toldBySource' }),
        error('all', 'ours', 100, 0, { unit: 'wholeMinutes' }),
      ],
      prediction_classes_daily: [
        { pairs_of: 'all', unit: 'raw', confidence: 'high', pairs: 10, covered: 1, within_60: 1 },
      ],
      transfer_predictions: [change('measured', 9, 30, 27, 28.5), change('cancelled', null, 4, null, null)],
    },
  },
  {
    source: 'live',
    serviceDate: '2026-03-02',
    rows: {
      prediction_daily: [
        error('all', 'ours', 300, 10),
        error('5-15 min', 'ours', 20, 12),
        error('0-5 min', 'ours', 10, 5),
      ],
      prediction_classes_daily: [
        { pairs_of: 'all', unit: 'raw', confidence: 'high', pairs: 30, covered: 0.6, within_60: 0.5 },
      ],
      transfer_predictions: [change('measured', 9, 10, 10, 9.1), change('measured', 2, 8, 2, 2)],
      prediction_examples: [
        ...[0, 1, 2, 3].map((position) =>
          call(1, position, position > 1 ? { low_seconds: 1, median_seconds: 2, high_seconds: 9 } : {}),
        ),
        call(2, 1),
      ],
    },
  },
  { source: 'bus', serviceDate: '2026-03-01', rows: { prediction_daily: [error('all', 'ours', 1, 1)] } },
];

async function open(stored: readonly StoredMetrics[] = predictionMetrics) {
  const dataDir = await publishStoredMetrics(stored);
  const app = await openService(await openWorld(town), { predictionMetrics: await openPredictionMetrics(dataDir) });
  const getData = async (query = ''): Promise<PredictionData> => (await app.inject({ url: DATA_URL + query })).json();
  return { app, dataDir, getData };
}

describe('the metrics of the page', () => {
  test('default to the source measured last, its newest day and the month before', async () => {
    const { getData } = await open();
    const data = await getData();
    expect(data.question).toEqual({
      source: 'live',
      day: '2026-03-02',
      month: { from: '2026-02-01', to: '2026-03-02' },
      pairs: 'all',
      example: 1,
    });
    expect(data.day_errors.map(({ slice, pairs }) => [slice, pairs])).toEqual([
      ['0-5 min', 10],
      ['5-15 min', 20],
      ['all', 300],
    ]);
    const month = data.month_errors.filter(({ slice }) => slice === 'all');
    expect(month.map(({ forecaster, pairs, mean_error_seconds: mean }) => [forecaster, pairs, mean])).toEqual([
      ['ours', 400, 15],
      ['persistence', 100, 50],
    ]);
    expect(month.map(({ covered }) => covered)).toEqual([0.8, null]);
    expect(data.confidence).toEqual([
      { confidence: 'high', pairs: 40, covered: 0.7, within_60: 0.625, within_120: null, within_180: null },
    ]);
  });

  test('list every day of the month, also without metrics', async () => {
    const { getData } = await open();
    const { days } = await getData();
    expect(new Set(days.map(({ day }) => day)).size).toBe(30);
    const measured = days.filter(({ forecaster }) => forecaster !== null);
    expect(measured.map(({ day, forecaster }) => `${day} ${forecaster}`)).toEqual([
      '2026-02-27 ours',
      '2026-02-27 persistence',
      '2026-03-02 ours',
    ]);
    expect(days.find(({ day }) => day === '2026-03-01')).toEqual({
      day: '2026-03-01',
      forecaster: null,
      pairs: 0,
      mean_error_seconds: null,
    });
  });

  test('contain the calibration of transfers with its counts, and transfers that were not measured', async () => {
    const { getData } = await open();
    const { changes, change_counts: counts } = await getData();
    expect(changes.map(({ bin, pairs, held, mean_probability: p }) => [bin, pairs, held, p])).toEqual([
      [2, 8, 2, 0.25],
      [9, 40, 37, 0.94],
    ]);
    for (const { held_low: low, held_share: share, held_high: high } of changes) {
      expect(low).toBeLessThan(share);
      expect(share).toBeLessThan(high);
    }
    expect(counts.map(({ status, pairs }) => [status, pairs])).toEqual([
      ['cancelled', 4],
      ['measured', 48],
    ]);
  });

  test('explain one prediction of the day call by call', async () => {
    const { getData } = await open();
    const data = await getData();
    expect(data.examples).toBe(2);
    expect(data.example.map(({ position, median_seconds: median }) => [position, median])).toEqual([
      [0, null],
      [1, null],
      [2, 2],
      [3, 2],
    ]);
    expect(data.example[0]).toMatchObject({ made_at: '2026-03-02T07:01:10Z', scheduled_time: '2026-03-02T07:00:00Z' });
    expect((await getData('?example=2')).example).toHaveLength(1);
    expect((await getData('?example=3')).example).toEqual([]);
  });

  test('can be selected by source, day and pairs', async () => {
    const { getData } = await open();
    expect((await getData('?source=bus')).question).toMatchObject({ source: 'bus', day: '2026-03-01' });
    const before = await getData('?day=2026-02-27&pairs=toldBySource');
    expect(before.day_errors.map(({ pairs }) => pairs)).toEqual([7]);
    expect((await getData('?day=2026-03-01')).day_errors).toEqual([]);
  });

  test('equal the results of their SQL to the last digit', async () => {
    const { getData, dataDir } = await open();
    const data = await getData();
    const names = Object.keys(data.sql) as (keyof typeof data.sql)[];
    expect(names).toHaveLength(7);
    const results = await runShownSql(
      dataDir,
      names.map((name) => data.sql[name]!),
    );
    for (const [i, name] of names.entries()) expect([name, results[i]]).toEqual([name, data[name]]);
  });
});

test.each([
  ['source=nobody', 'invalid_parameter', 'source'],
  ['day=yesterday', 'invalid_parameter', 'day'],
  ['pairs=some', 'invalid_parameter', 'pairs'],
  ['example=0', 'invalid_parameter', 'example'],
  ['example=1.5', 'invalid_parameter', 'example'],
  ['table=forecasts', 'invalid_parameter', 'table'],
  ['table=days&format=xml', 'invalid_parameter', 'format'],
  ['line=S1', 'unknown_parameter', 'line'],
] as const)('refused is ?%s', async (query, code, parameter) => {
  const { app } = await open([]);
  expectProblem(await app.inject({ url: `${DATA_URL}?${query}` }), code, parameter);
});

test('are empty before anything is measured, while tables have their columns', async () => {
  const app = await openService(await openWorld(town));
  const { json, headers } = await app.inject({ url: DATA_URL });
  expect(json()).toMatchObject({ sources: [], question: null, days: [], example: [], examples: 0, sql: {} });
  expect(headers['data-version']).toBeUndefined();
  const csv = await app.inject({ url: `${DATA_URL}?table=days&format=csv` });
  expect(csv.body).toBe('day,forecaster,pairs,mean_error_seconds\r\n');
});

test('can be downloaded as tables', async () => {
  const { app } = await open();
  const csv = (await app.inject({ url: `${DATA_URL}?table=example&format=csv` })).body.trimEnd().split('\r\n');
  expect(csv).toHaveLength(5);
  expect(csv[1]).toContain('"Stop ""0"", it\'s",2026-03-02T07:00:00Z');
  const parquet = await app.inject({ url: `${DATA_URL}?table=example&format=parquet` });
  expect(parquet.rawPayload.subarray(0, 4).toString()).toBe('PAR1');
});
