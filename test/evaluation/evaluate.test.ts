import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { runEvaluation } from './run-evaluation.ts';

let folder: string;
let file: string;
let changes: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-evaluate-'));
  file = path.join(folder, 'delays.parquet');
  changes = path.join(folder, 'changes.parquet');
  const db = await openDuckdb({ threads: 1 });
  // Twelve trains a day that leave with some delay and lose half of it in five stops; a call is cancelled now and then.
  await db.run(`copy (
    select day::date as service_date, 'train ' || train as trip_name, 'id ' || train || day::date as trip_id,
      'R' || (train % 3) as route, train::varchar as train_no, 'op' as operator, seq::smallint as seq,
      'stop ' || (train % 3) || ' ' || seq as stop,
      day + to_minutes((360 + train * 40 + seq * 6)::integer) as arr_sched_utc,
      day + to_minutes((361 + train * 40 + seq * 6)::integer) as dep_sched_utc,
      (60 * (start * (10 - seq) // 10))::bigint as arr_delay_s,
      (60 * (start * (10 - seq) // 10))::bigint as dep_delay_s,
      (train + seq + dayofmonth(day)) % 37 = 0 as cancelled
    from (select unnest(generate_series(timestamp '2026-01-01', timestamp '2026-01-24', interval 1 day)) as day)
    cross join (select unnest(range(12)) as train)
    cross join (select unnest(range(1, 7)) as seq)
    cross join lateral (select (hash(day::varchar || train) % 12)::integer as start)
  ) to ${sqlText(file)} (format parquet)`);
  // Twelve trains a day that meet at one stop, every seven minutes, and leave it in other directions.
  await db.run(`copy (
    select day::date as service_date, 'train ' || train as trip_name, 'id ' || train || day::date as trip_id,
      'R' || train as route, train::varchar as train_no, 'op' as operator, seq::smallint as seq,
      if(seq = 3, 'hub', 'stop ' || train || ' ' || seq) as stop,
      day + to_minutes((360 + train * 7 + seq * 20)::integer) as arr_sched_utc,
      day + to_minutes((361 + train * 7 + seq * 20)::integer) as dep_sched_utc,
      (60 * start)::bigint as arr_delay_s, (60 * start)::bigint as dep_delay_s, false as cancelled
    from (select unnest(generate_series(timestamp '2026-01-01', timestamp '2026-01-24', interval 1 day)) as day)
    cross join (select unnest(range(12)) as train)
    cross join (select unnest(range(1, 6)) as seq)
    cross join lateral (select (hash(day::varchar || train) % 12)::integer as start)
  ) to ${sqlText(changes)} (format parquet)`);
  db.close();
});

afterAll(() => rm(folder, { recursive: true }));

const run = (options: readonly string[]) => runEvaluation(options, folder);

const window = ['--layout', 'pl_rail', '--from', '2026-01-01', '--test-from', '2026-01-20', '--test-to', '2026-01-24'];

describe('evaluate', () => {
  it('prints all metrics as JSON, the same every time', async () => {
    const repeat = () => run(['--data', file, ...window, '--json', '--ablation']);
    const { code, stdout } = await repeat();
    expect(code).toBe(0);
    const { units, cost, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ layout: 'pl_rail', from: '2026-01-01', testFrom: '2026-01-20', testTo: '2026-01-24' });
    expect(units.map(({ unit }: { unit: string }) => unit)).toEqual(['raw', 'wholeMinutes']);
    for (const { pairs, errors, intervals, etaBenchmark, ablation } of units) {
      expect(pairs).toBeGreaterThan(100);
      expect(errors[0].againstPersistence.ours).toBeLessThan(0);
      expect(intervals.filter(({ forecaster }: { forecaster: string }) => forecaster === 'ours')).toHaveLength(7);
      expect(etaBenchmark).toHaveLength(5);
      expect(ablation.map(({ without }: { without: string }) => without)).toContain('legs');
    }
    expect(cost.seconds.train).toHaveLength(2);
    expect(JSON.parse((await repeat()).stdout).units).toEqual(units);
  });

  it('prints tables', async () => {
    const { code, stdout } = await run(['--data', file, ...window]);
    expect(code).toBe(0);
    for (const text of ['persistence', 'increment table', 'ETA benchmark', 'p10 to p90', 'training took']) {
      expect(stdout).toContain(text);
    }
  });

  it('prints the metrics of transfers, the same every time', async () => {
    const repeat = () => run(['--task', 'transfers', '--data', changes, ...window, '--json']);
    const { code, stdout, stderr } = await repeat();
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const { cost, slices, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ task: 'transfers', layout: 'pl_rail', testTo: '2026-01-24' });
    expect(cost.seconds.train).toHaveLength(1);
    expect(rest.estimated).toBeGreaterThan(0);
    for (const minutes of [60, 30, 15, 5]) {
      const pairsOf = (name: string) =>
        slices.find((one: { minutes: number; slice: string }) => one.minutes === minutes && one.slice === name)
          ?.pairs ?? 0;
      expect(pairsOf('8 min or less')).toBeGreaterThan(0);
      expect(pairsOf('live') + pairsOf('history')).toBe(pairsOf('all'));
    }
    for (const { pairs, forecasters } of slices) {
      expect(pairs).toBeGreaterThan(0);
      expect(forecasters.map(({ name }: { name: string }) => name)).toEqual([
        'share by planned minutes',
        'rule',
        'table',
        'independence',
        'ours',
      ]);
    }
    expect(JSON.parse((await repeat()).stdout).slices).toEqual(slices);
  });

  it('prints tables of transfers', async () => {
    const { code, stdout } = await run(['--task', 'transfers', '--data', changes, ...window]);
    expect(code).toBe(0);
    for (const text of ['60 min', '8 min or less', 'independence', 'largest deviation', 'training took']) {
      expect(stdout).toContain(text);
    }
  });

  it('prints the errors on the first days of a source', async () => {
    const days = [
      '--layout',
      'pl_rail',
      '--from',
      '2026-01-01',
      '--test-from',
      '2026-01-20',
      '--test-to',
      '2026-01-20',
    ];
    const { code, stdout } = await run(['--task', 'first-days', '--data', file, ...days, '--json']);
    expect(code).toBe(0);
    const { rows } = JSON.parse(stdout) as { rows: { days: number; result: { error: number; persistence: number } }[] };
    expect(rows.map((row) => row.days)).toEqual([0, 1, 2, 4, 6, 12]);
    expect(rows.at(-1)!.result.error).toBeLessThan(rows.at(-1)!.result.persistence);
  });

  it('refuses a file without transfers', async () => {
    const { code, stderr } = await run(['--task', 'transfers', '--data', file, ...window]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no changes')]);
  });

  it.each([
    [['--task', 'transfers', '--data', 'x', ...window, '--ablation'], '--ablation belongs to --task delays'],
    [
      ['--task', 'transfers', '--data', 'x', '--layout', 'hu_snapshots', ...window.slice(2)],
      '--task transfers needs --layout pl_rail',
    ],
    [['--task', 'prior', '--data', 'x', ...window], '--task prior needs --kingston'],
    [['--data', 'x', '--kingston', 'y', ...window], '--kingston belongs to --task prior'],
    [['--task', 'final-forecasts', '--data', 'x', ...window], '--task final-forecasts needs --layout kingston'],
    [
      ['--task', 'delays', '--data', 'x', '--layout', 'kingston'],
      '--task delays needs --layout pl_rail or hu_snapshots',
    ],
    [['--data', 'x', ...window.slice(0, 2)], '--from is missing'],
    [
      ['--task', 'first-days', '--data', 'rome', '--layout', 'made_up_city', ...window.slice(2)],
      '--data: there is no style rome of a city',
    ],
    [['--task', 'weather', '--data', 'x', ...window], 'Allowed choices are delays, transfers'],
    [['--data', 'nowhere.parquet', ...window], 'there is no file'],
    [['--data', 'x', '--layout', 'other', ...window.slice(2)], 'pl_rail'],
    [['--data', 'x', ...window.slice(0, 2), '--from', 'soon', ...window.slice(4)], '--from must be a date'],
    [
      ['--data', 'x', ...window.slice(0, 4), '--test-from', '2025-01-01', ...window.slice(6)],
      '--test-from must lie after',
    ],
    [['--data', 'x', ...window.slice(0, 6), '--test-to', '2026-01-02'], '--test-to lies before'],
    [window, "'--data <file>' not specified"],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await run(options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('reports a file of another layout or format', async () => {
    const [text, other] = [path.join(folder, 'text.parquet'), path.join(folder, 'other.parquet')];
    await writeFile(text, 'no Parquet');
    const db = await openDuckdb({ threads: 1 });
    await db.run(`copy (select 1 as one) to ${sqlText(other)} (format parquet)`);
    db.close();
    for (const [wrong, sentence] of [
      [text, `a Parquet file is damaged: File '${text}' too small to be a Parquet file`],
      [other, `${other} does not have the layout pl_rail: `],
    ] as const) {
      const { code, stderr } = await run(['--data', wrong, ...window]);
      expect([wrong, code]).toEqual([wrong, 1]);
      expect(stderr).toContain(`error: ${sentence}`);
      expect(stderr).not.toContain('bug');
    }
  });

  it('refuses a period too short to train on', async () => {
    const early = [...window.slice(0, 4), '--test-from', '2026-01-08', '--test-to', '2026-01-09'];
    const { code, stderr } = await run(['--data', file, ...early]);
    expect(code).toBe(2);
    expect(stderr).toContain('12 days');
  });
});
