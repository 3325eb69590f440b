import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Duckdb, openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import { buildDay } from '../../../../pipeline/history/marts/build-day.ts';
import { declaredChecks } from '../../../../pipeline/history/marts/declared-checks.ts';
import { listDefinitions } from '../../../../pipeline/history/marts/definitions.ts';
import { castTo, countColumns } from '../../../../pipeline/history/marts/mart-tables.ts';
import { planMonths } from '../../../../pipeline/history/marts/plan-months.ts';
import { readMartSql } from '../../../../pipeline/history/marts/read-mart-sql.ts';
import {
  type CheckName,
  dayChecks,
  monthChecks,
  runChecks,
  stepChecks,
} from '../../../../pipeline/history/marts/run-checks.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { limits, publishDay } from '../../../support/worlds/marts.ts';
import { cancelCall, type StopEventRow } from '../../../support/worlds/stop-events.ts';

const date = '2026-01-15' as ServiceDate;
const checks = [...stepChecks, ...dayChecks, ...monthChecks];

/**
 * A trip of line A, 33 minutes after the previous one, then lines B and C, which leave five minutes after it arrives.
 */
function round(i: number): StopEventRow[] {
  const at = (seconds: number) => new Date(Date.parse(`${date}T01:00:00Z`) + (2000 * i + seconds) * 1000).toISOString();
  const row = { station_id: 'S', utc_offset_minutes: 60, product: 'metro' };
  const late = { delay_seconds: i < 15 ? 700 : 0 };
  const a = { ...row, ...late, trip_id: `a${i}`, trip_number: `A ${i}`, line_label: 'A' };
  const next = { ...row, delay_seconds: 30, scheduled_time: at(300) };
  return [
    { ...a, position: 0, stop_id: 'start', station_id: 'R', scheduled_time: at(-600) },
    { ...a, position: 1, stop_id: 's1', scheduled_time: at(0), event: 'arrival' },
    { ...next, trip_id: `b${i}`, line_label: 'B', stop_id: 's2' },
    { ...next, trip_id: `c${i}`, line_label: 'C', stop_id: 's3', delay_seconds: i < 5 ? 0 : 600 },
  ];
}

/** One source reports three lines, and another A again; some calls are cancelled or not observed. */
async function publish(dataDir: string): Promise<void> {
  const rounds = Array.from({ length: 30 }, (_, i) => round(i)).flat();
  const row = { product: 'metro', utc_offset_minutes: 60 };
  const silent = { evidence: 'unknown', delay_seconds: null, observed_time: null };
  const rest: StopEventRow[] = [
    { ...row, trip_id: 'x1', line_label: 'A', stop_id: 's1', ...cancelCall() },
    { ...row, trip_id: 'x2', line_label: 'B', stop_id: 's2', ...silent },
    { ...row, trip_id: 'x3', line_label: 'N', stop_id: 'n', ...silent },
  ];
  await publishDay(dataDir, 'live', date, [...rounds, ...rest]);
  await publishDay(
    dataDir,
    'other',
    date,
    rounds.filter(({ line_label }) => line_label === 'A').map((row) => ({ ...row, delay_seconds: 45 })),
  );
}

let dataDir: string;
let db: Duckdb;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-checks-'));
  await publish(dataDir);
  db = await openDuckdb({ threads: 1 });
  const [plan] = await planMonths({ dataDir, rules: '', from: null, to: null, isForced: false });
  const place = { dataDir, folder: dataDir, definitions: listDefinitions(limits, '180/600'), remote: null };
  await buildDay(db, place, date, plan!.made.get(date)!);
  const worst = castTo('worst_connections', await readMartSql('worst_connections', 'duckdb'));
  await db.run(`create temp table worst_connections as ${worst}`);
});

afterAll(async () => {
  db.close();
  await rm(dataDir, { recursive: true });
});

/** The findings of a check after a change, which is reverted; null if there are none. */
async function findAfter(check: CheckName, change: string): Promise<string | null> {
  await db.run('begin');
  try {
    await db.run(change);
    await runChecks(db, [check], 'a day');
    return null;
  } catch (error) {
    expect(error, String(error)).toMatchObject({ code: 'mart_check_failed' });
    return String(error);
  } finally {
    await db.run('rollback');
  }
}

type Marts = readonly ('punctuality_cube' | 'operator_hourly' | 'network_hourly' | 'line_daily' | 'stop_daily')[];
const counted: Marts = ['punctuality_cube', 'operator_hourly', 'network_hourly', 'line_daily', 'stop_daily'];

/** Only the first row that matches. */
const first = (mart: string, where = 'observed > 1') => `rowid = (select min(rowid) from ${mart} where ${where})`;
const update = (mart: string, set: string, where?: string) => `update ${mart} set ${set} where ${first(mart, where)}`;
const twice = (mart: string) => `insert into ${mart} from ${mart} where ${first(mart, 'true')}`;
const lose = (mart: string, where = 'true') => `delete from ${mart} where ${first(mart, where)}`;
const another = (replaced: string) => `insert into int_names select * replace (${replaced}) from int_names limit 1`;
const sums = countColumns;
const addOne = (mart: string, column: string) => update(mart, `${column} = ${column} + 1`);

/** Every way in which the lines and the details of a mart can differ. */
function breakLines(details: 'punctuality_cube' | 'stop_daily'): string[] {
  return ([details, 'line_daily'] as const).flatMap((mart) => [
    ...sums.map((column) => addOne(mart, column)),
    lose(mart),
    lose(mart, "source = '*'"),
    // A line that the other mart lacks, and one that only it contains.
    `delete from ${mart} where line = 'N'`,
    update(mart, "line = 'other'"),
    update(mart, "product = 'other'"),
    update(mart, "operator = 'other'"),
    update(mart, "source = 'another'"),
    update(mart, 'late_min_delay_seconds = 1200'),
    update(mart, 'early_min_seconds = -120'),
  ]);
}

/** By check, every way to violate it. */
const breaks: Readonly<Record<CheckName, readonly string[]>> = {
  planned_calls_without_time: ['scheduled', 'dow', 'hour'].map((name) => update('int_calls', `${name} = null`, 'true')),
  keys_shared: [
    another(`'other' as stop_id`),
    another(`place_key + 1 as place_key, 'other' as product`),
    another(`place_key + 1 as place_key, 'other' as operator`),
    another(`place_key + 1 as place_key, line_key + 1 as line_key, 'other' as line`),
    another(`place_key + 1 as place_key, 'other' as station_id`),
  ],
  unique_punctuality_cube: [twice('punctuality_cube')],
  unique_network_hourly: [twice('network_hourly')],
  unique_operator_hourly: [twice('operator_hourly')],
  unique_line_daily: [twice('line_daily')],
  unique_stop_daily: [twice('stop_daily')],
  unique_trip_daily: [twice('trip_daily')],
  unique_connections_daily: [twice('connections_daily')],
  counts_add_up: counted.flatMap((mart) => [
    update(
      mart,
      'scheduled = 0, observed = 0, on_time = 0, early = 0, late = 0, late10 = 0, cancelled = 0, missing = 0, delay_sum_seconds = 0',
    ),
    addOne(mart, 'missing'),
    addOne(mart, 'late'),
    update(mart, 'derived = observed + 1'),
    update(mart, 'forecasts = 1'),
    update(mart, 'early = on_time + 1'),
    update(mart, 'late10 = late + 1'),
    update(
      mart,
      'missing = missing + observed, observed = 0, on_time = 0, early = 0, late = 0, late10 = 0',
      'delay_sum_seconds <> 0',
    ),
  ]),
  histogram_sums_to_observed: [
    addOne('punctuality_cube', 'observed'),
    update('punctuality_cube', 'delay_histogram = []'),
    update('punctuality_cube', 'delay_histogram = list_reverse(delay_histogram)', 'len(delay_histogram) > 1'),
    update(
      'punctuality_cube',
      `delay_histogram = [
        {'delay_minutes': delay_histogram[1].delay_minutes, 'events': 1},
        {'delay_minutes': delay_histogram[1].delay_minutes, 'events': observed - 1}]`,
    ),
  ],
  hours_sum_to_observed: [
    addOne('stop_daily', 'observed'),
    addOne('stop_daily', 'delay_sum_seconds'),
    update('stop_daily', 'hours = hours[2:]'),
  ],
  quantiles_in_order: [
    update('line_daily', 'p50_delay_seconds = p90_delay_seconds + 1'),
    update('line_daily', 'p50_delay_seconds = null'),
    update('line_daily', 'p90_delay_seconds = null'),
    update('line_daily', 'p50_delay_seconds = 0', 'observed = 0'),
    update('line_daily', 'p90_delay_seconds = 0', 'observed = 0'),
  ],
  line_daily_equals_punctuality_cube: breakLines('punctuality_cube'),
  line_daily_equals_stop_daily: breakLines('stop_daily'),
  operator_hourly_equals_line_daily: (['operator_hourly', 'line_daily'] as const).flatMap((mart) => [
    ...sums.map((column) => addOne(mart, column)),
    lose(mart),
    `delete from ${mart} where source = '*'`,
    update(mart, "operator = 'another'"),
    update(mart, 'early_min_seconds = -120'),
  ]),
  network_hourly_equals_line_daily: (['network_hourly', 'line_daily'] as const).flatMap((mart) => [
    ...sums.map((column) => addOne(mart, column)),
    lose(mart),
    `delete from ${mart} where source = '*'`,
    update(mart, "source = 'another'"),
  ]),
  cube_equals_stop_events: [
    addOne('punctuality_cube', 'scheduled'),
    addOne('punctuality_cube', 'cancelled'),
    lose('punctuality_cube', "source <> '*'"),
    `delete from punctuality_cube where source = 'other'`,
    `delete from punctuality_cube where source = 'live' and on_time_max_delay_seconds = 180`,
    `delete from input_counts where source = 'live'`,
  ].map((change) => change.replace('observed > 1', "observed > 1 and source <> '*'")),
  merged_counts_once: [
    update('punctuality_cube', 'scheduled = scheduled + 1', "source = '*'"),
    lose('punctuality_cube', "source = '*'"),
    `delete from punctuality_cube where source = '*'`,
    `delete from punctuality_cube where source = '*' and on_time_max_delay_seconds = 180`,
    // As if the two sources reported different calls.
    `insert into punctuality_cube select * replace ('*' as source) from punctuality_cube where source = 'other'`,
  ],
  changes_add_up: [
    update('connections_daily', 'planned = 0, observed = 0, missed = 0, cancelled = 0', 'true'),
    update('connections_daily', 'observed = planned + 1', 'true'),
    update('connections_daily', 'missed = observed + 1', 'true'),
    update('connections_daily', 'cancelled = missed + 1', 'true'),
  ],
  worst_connections_ranked: [
    update('worst_connections', 'missed_share = missed_share / 2', 'true'),
    update('worst_connections', 'missed = observed + 1, missed_share = (observed + 1) / observed', 'true'),
    update('worst_connections', 'planned = observed - 1', 'true'),
    'update worst_connections set rank = 3 - rank',
  ],
};

it('are all run', async () => {
  const files = await readdir(projectPath('pipeline/history/marts/checks'));
  const written = checks.filter((name) => !(name in declaredChecks));
  expect(files.sort()).toEqual(written.map((name) => `${name}.sql`).sort());
});

it('find nothing in a day as it was built', async () => {
  await runChecks(db, checks, 'a day');
  const rows = await db.query(
    [...counted, 'connections_daily', 'worst_connections']
      .map((mart) => `select count(*)::int as n from ${mart}`)
      .join(' union all '),
  );
  expect(Math.min(...rows.map(({ n }) => Number(n)))).toBeGreaterThan(1);
});

it.each(checks)('%s finds every violation', async (check) => {
  const missed: string[] = [];
  for (const change of breaks[check]) {
    const message = await findAfter(check, change);
    if (!message?.includes(`a day: the check ${check} found {`)) missed.push(change);
  }
  expect(missed).toEqual([]);
});

it.each([
  ['place', 0],
  ['line', 1],
  ['line', 2],
  ['label', 3],
  ['station', 4],
])('keys_shared finds a %s', async (kind, index) => {
  expect(await findAfter('keys_shared', breaks.keys_shared[index]!)).toMatch(
    new RegExp(`found {"kind":"${kind}"[^;]*$`),
  );
});
