import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { History, V1History } from '../../../api/contract/definitions.ts';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { listLakeViews, writeLakeGuide } from '../../../pipeline/guide/write-lake-guide.ts';
import { lakeFolder } from '../../../pipeline/lake/paths.ts';
import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { historyUrl, openHistoryApp, publishOnce } from '../../api/history/open-history-app.ts';
import { publishFeeds } from '../../support/worlds/board-world.ts';
import type { HistoryCall } from '../../support/worlds/history-calls.ts';
import { publishCalls } from '../../support/worlds/history-world.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';

/** Five weeks of four lines and two sources, with late, early, cancelled, missing and added calls. */
const calls: HistoryCall[] = Array.from({ length: 400 }, (_, n) => ({
  source: n % 7 === 0 ? 'trias' : 'live',
  day: addDays('2025-12-20' as ServiceDate, n % 35),
  trip: `t${n % 11}`,
  position: n % 13,
  line: ['U1', 'S 40', "d'Or", null][n % 4]!,
  product: ['subway', null, 'bus'][n % 3]!,
  operator: n % 8 === 0 ? null : ['City', 'Land "B"'][n % 2]!,
  stop: 'a',
  station: 'a',
  hour: (n * 5) % 27,
  delay: n % 9 === 0 || n % 17 === 0 ? null : ((n * 37) % 1000) - 150,
  isCancelled: n % 17 === 0,
  isAdded: n % 29 === 0,
  feed: n % 5 === 0 ? null : 'at',
})).filter(
  ({ source, day, trip, position }, n, all) =>
    all.findIndex(
      (one) =>
        JSON.stringify([one.source, one.day, one.trip, one.position]) === JSON.stringify([source, day, trip, position]),
    ) === n,
);

type Row = Record<string, unknown>;

/** A plain DuckDB after `-init catalog.sql`, as an analyst uses it. */
async function openCatalog(dataDir: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  // By name, so that a lake below the folder of the test run does not count.
  await connection.run(`set variable lake = '${lakeFolder(dataDir)}'`);
  await connection.run(await readFile(path.join(lakeFolder(dataDir), 'catalog.sql'), 'utf8'));
  return async (sql: string): Promise<Row[]> => (await connection.runAndReadAll(sql)).getRowObjectsJS();
}

/** The SQL of a readme by the heading above it; the second block under a heading is `<heading> 2`. */
function findBlocks(readme: string): Map<string, string> {
  const blocks = new Map<string, string>();
  for (const section of readme.split(/^#{2,3} /m)) {
    const [heading = ''] = section.split('\n');
    const found = [...section.matchAll(/^```sql\n([\s\S]*?)^```$/gm)];
    for (const [i, [, sql]] of found.entries()) blocks.set(i === 0 ? heading : `${heading} ${i + 1}`, sql!);
  }
  return blocks;
}

/** Integers are BIGINT, days are dates. */
const plain = (value: unknown) =>
  typeof value === 'bigint' ? Number(value) : value instanceof Date ? value.toISOString().slice(0, 10) : value;
const plainRows = (rows: readonly Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));

describe('the queries of the readme', () => {
  const period = { from: '2025-12-28', to: '2026-01-19' };
  /** Queried once, by the first test that needs it. */
  let results: Promise<{ v1: V1History; v2: History; answers: Map<string, Row[]> }> | null = null;
  const queryAll = () => {
    results ??= (async () => {
      const dataDir = await publishOnce(calls);
      await writeLakeGuide(dataDir);
      const app = await openHistoryApp(calls);
      const v1: V1History = (await app.inject({ url: historyUrl('v1', period) })).json();
      const v2: History = (await app.inject({ url: historyUrl('v2', period) })).json();
      const blocks = findBlocks(await readFile(path.join(lakeFolder(dataDir), 'README.md'), 'utf8'));
      const query = await openCatalog(dataDir);
      await query(blocks.get('Questions')!);
      await query(`set variable first_day = date '${period.from}'; set variable last_day = date '${period.to}'`);
      blocks.delete('Questions');
      const answers = new Map<string, Row[]>();
      for (const [heading, sql] of blocks) answers.set(heading, plainRows(await query(sql)));
      return { v1, v2, answers };
    })();
    return results;
  };

  test.each(['Totals', 'Totals, call by call'])('%s', async (heading) => {
    const { v1, v2, answers } = await queryAll();
    const { onTimeShare, earlyShare, late10Share, avgDelayMin, events, expected, cancelled, replaced } = v1.totals;
    expect(events).toBeGreaterThan(100);
    expect(answers.get(heading)).toEqual([
      {
        events,
        expected,
        cancelled,
        replaced,
        on_time_share: onTimeShare,
        early_share: earlyShare,
        late10_share: late10Share,
        avg_delay_minutes: avgDelayMin,
      },
    ]);
    expect(v2.totals).toMatchObject({ onTimeShare, earlyShare, late10Share, avgDelayMinutes: avgDelayMin });
  });

  test('Both rates', async () => {
    const { v1, answers } = await queryAll();
    const { onTimeShare, observed, cancelled, expected } = v1.totals;
    const onTime = Math.round(onTimeShare! * observed);
    expect(cancelled).toBeGreaterThan(0);
    expect(answers.get('Both rates')).toEqual([
      {
        of_observed: onTimeShare,
        of_observed_and_cancelled: onTime / (observed + cancelled),
        coverage: observed / expected,
      },
    ]);
  });

  test('Daily', async () => {
    const { v1, answers } = await queryAll();
    expect(answers.get('Daily')).toEqual(v1.officialRealtime.daily);
  });

  test('Lines', async () => {
    const { v1, v2, answers } = await queryAll();
    const found = answers.get('Lines')!;
    expect(found.map(({ avg_delay_minutes: _, ...line }) => line)).toEqual(v1.officialRealtime.lines);
    expect(
      found.map(({ line, product, operator, events, avg_delay_minutes: avgDelayMinutes }) => ({
        line,
        ...(product === null ? {} : { product }),
        ...(operator === null ? {} : { operator }),
        events,
        avgDelayMinutes,
      })),
    ).toEqual(v2.lines.map(({ onTimeShare: _, ...line }) => line));
  });

  test('Heatmap', async () => {
    const { v1, answers } = await queryAll();
    expect(answers.get('Heatmap')).toEqual(v1.officialRealtime.heatmap);
  });

  test('Median and 90th percentile', async () => {
    const { answers } = await queryAll();
    const found = answers.get('Median and 90th percentile')!;
    expect(found.length).toBe(4);
    expect(found).toEqual(answers.get('Median and 90th percentile 2'));
  });

  test('are all run', async () => {
    const { answers } = await queryAll();
    expect([...answers.keys()]).toEqual([
      'Totals',
      'Totals, call by call',
      'Both rates',
      'Daily',
      'Lines',
      'Heatmap',
      'Median and 90th percentile',
      'Median and 90th percentile 2',
      'Forecasts',
      'Predictions',
      'Predictions 2',
    ]);
  });
});

describe('the catalog', () => {
  test('describes every table and column, even before anything is written', async () => {
    const dataDir = await temporaryFolder();
    await writeLakeGuide(dataDir);
    const query = await openCatalog(dataDir);
    const columns = await query(`select schema_name, table_name, column_name, data_type, comment from duckdb_columns()
      where table_name in (select view_name from duckdb_views() where not internal) and table_name <> 'counted_calls'
      order by schema_name, table_name, column_index`);
    const declared = listLakeViews().flatMap(({ schema, name, folderColumns, columns: own }) =>
      Object.entries({ ...folderColumns, ...own }).map(([column, [, comment]]) => [schema, name, column, comment]),
    );
    const described = columns.map((row) => [row.schema_name, row.table_name, row.column_name, row.comment]);
    expect(new Set(described.map(String))).toEqual(new Set(declared.map(String)));
    expect(described.length).toBe(declared.length);
    expect(await query('select view_name from duckdb_views() where not internal and comment is null')).toEqual([]);
    expect(await query('select column_name from duckdb_columns() where not internal and comment is null')).toEqual([]);
    for (const { schema, name } of listLakeViews()) {
      expect((await query(`select count(*)::int as n from ${schema}.${name}`))[0]).toEqual({ n: 0 });
    }
  });

  test('shows the contents of the files, with the declared types', async () => {
    const dataDir = await temporaryFolder();
    await publishFeeds({ at: soundFeed }, { dataDir });
    await writeLakeGuide(dataDir);
    const query = await openCatalog(dataDir);
    expect(await query('select stop_name from timetable.stops order by 1')).toHaveLength(3);
    expect(await query('select distinct source from timetable.calls')).toEqual([{ source: 'at' }]);
    const tables = await readdir(path.join(lakeFolder(dataDir), 'timetable'));
    const declared = listLakeViews().filter(({ schema }) => schema === 'timetable');
    expect(declared.map(({ name }) => name).sort()).toEqual(tables.sort());
    for (const { name, columns } of declared) {
      const files = path.join(lakeFolder(dataDir), 'timetable', name, '*', '*', '*.parquet');
      const found = await query(`describe from read_parquet('${files}', hive_partitioning = false)`);
      expect(found.map((row) => [row.column_name, row.column_type])).toEqual(
        Object.entries(columns).map(([column, [type]]) => [column, type]),
      );
    }
  });

  test('finds the marts and the days of the lake', async () => {
    const dataDir = await publishOnce(calls);
    await writeLakeGuide(dataDir);
    const query = await openCatalog(dataDir);
    const [row] = await query(
      `select count(*)::int as events, count(distinct source)::int as sources from stop_events`,
    );
    expect(row).toEqual({ events: calls.length, sources: 2 });
    for (const { schema, name, folderColumns, columns } of listLakeViews().filter(({ schema }) => schema === 'marts')) {
      const found = await query(`describe ${schema}.${name}`);
      const types = Object.entries({ ...folderColumns, ...columns }).map(([column, [type]]) => [column, type]);
      expect(found.map((one) => [one.column_name, one.column_type])).toEqual(types);
    }
  });
});

/** The lake that the catalog finds in a separate process and folder. */
async function findLakeFrom(folder: string, catalog: string): Promise<string> {
  const script = `
    import { readFile } from 'node:fs/promises';
    import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))};
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(await readFile(${JSON.stringify(catalog)}, 'utf8'));
    const reader = await connection.runAndReadAll("select getvariable('lake') as lake, count(*)::int from stop_events");
    process.stdout.write(reader.getRows()[0].join(' '));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
  });
  return stdout;
}

test('the catalog finds its lake from the project, the data, the lake and anywhere else', async () => {
  const project = await temporaryFolder();
  const dataDir = path.join(project, 'data');
  await publishCalls(dataDir, calls.slice(0, 1));
  await writeLakeGuide(dataDir);
  const lake = lakeFolder(dataDir);
  const catalog = path.join(lake, 'catalog.sql');
  expect(await findLakeFrom(project, catalog)).toBe('data/lake 1');
  expect(await findLakeFrom(dataDir, catalog)).toBe('lake 1');
  expect(await findLakeFrom(lake, catalog)).toBe('. 1');
  expect(await findLakeFrom(path.join(lake, 'stop_events'), catalog)).toBe(`${lake} 1`);
});

test('the guide is written once, and again when it changes', async () => {
  const dataDir = await temporaryFolder();
  const written = await writeLakeGuide(dataDir);
  expect(written.map((file) => path.basename(file))).toEqual(['README.md', 'catalog.sql']);
  const before = await Promise.all(written.map(async (file) => (await stat(file)).ino));
  expect(await writeLakeGuide(dataDir)).toEqual([]);
  expect(await Promise.all(written.map(async (file) => (await stat(file)).ino))).toEqual(before);
});

test('the example of the analysts answers each of its questions', async () => {
  const dataDir = await publishOnce(calls);
  await writeLakeGuide(dataDir);
  const query = await openCatalog(dataDir);
  const sql = await readProjectFile('examples/analysts/punctuality.sql');
  const statements = sql.split(';').filter((statement) => /^select/m.test(statement));
  expect(statements).toHaveLength(3);
  const [days, , hours] = await Promise.all(statements.map((statement) => query(statement)));
  expect(days).toHaveLength(14);
  expect(hours!.length).toBeGreaterThan(10);
});
