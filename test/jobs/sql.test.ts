import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { versionPartition } from '../../pipeline/lake/paths.ts';
import type { FeedVersion } from '../../pipeline/model/ids.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { selectRows } from '../support/worlds/stop-events.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

let dataDir: string;

/** A lake with two sources; the second one has one more column. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-sql-'));
  const duckdb = await openDuckdb();
  const parts = [
    ['a', "select '1' stop_id, 'Praterstern' stop_name union all select '2', 'Landstraße, \"Wien\"'"],
    ['b', "select '3' stop_id, 'Übelbach' stop_name, '' zone_id"],
  ] as const;
  for (const [source, select] of parts) {
    const folder = versionPartition(dataDir, 'gtfs', 'stops', toSourceId(source), '0000000000000001' as FeedVersion);
    await mkdir(folder, { recursive: true });
    await duckdb.run(`copy (${select}) to ${sqlText(path.join(folder, 'part-0.parquet'))} (format parquet)`);
  }
  duckdb.close();
});
afterAll(() => rm(dataDir, { recursive: true }));

async function sql(...argv: string[]) {
  return runCommand(['sql', ...argv], { dataDir });
}

const STOPS = 'select stop_id, stop_name, zone_id, source, feed_version from gtfs.stops order by stop_id';

describe('output', () => {
  it('is a block per row where the terminal is narrower than the table', async () => {
    const printed = async (columns: number) => {
      const statement = "select 1 as id, 'Wien Mitte-Landstraße' as stop_name";
      return (await runCommand(['sql', statement], { dataDir, columns })).stdout;
    };
    expect(await printed(25)).toBe('id  stop_name\n--  ---------------------\n 1  Wien Mitte-Landstraße\n');
    expect(await printed(24)).toBe('-- row 1 --\nid         1\nstop_name  Wien Mitte-Landstraße\n');
  });

  it('is an aligned table', async () => {
    expect((await sql(STOPS)).stdout).toBe(`stop_id  stop_name           zone_id  source  feed_version
-------  ------------------  -------  ------  ----------------
1        Praterstern         NULL     a       0000000000000001
2        Landstraße, "Wien"  NULL     a       0000000000000001
3        Übelbach                     b       0000000000000001
`);
  });

  it('right-aligns numbers', async () => {
    expect(
      (await sql('select 7 as n, 1.50 as d, true as b union all select 1234, 20.25, false order by n')).stdout,
    ).toBe(
      `   n      d  b
----  -----  -----
   7    1.5  true
1234  20.25  false
`,
    );
  });

  it('keeps a cell on its line', async () => {
    expect((await sql("select e'a\\nb\\x1b[31m' as t")).stdout).toBe(
      't\n------------\na\\nb\\u001b[31m\n'.replace('------------', '-'.repeat(14)),
    );
  });

  it('is CSV, which distinguishes null from the empty text', async () => {
    expect((await sql('--csv', STOPS)).stdout).toBe(`stop_id,stop_name,zone_id,source,feed_version
1,Praterstern,,a,0000000000000001
2,"Landstraße, ""Wien""",,a,0000000000000001
3,Übelbach,"",b,0000000000000001
`);
  });

  it('is JSON, with numbers if they are exact', async () => {
    const { stdout } = await sql(
      '--json',
      "select count(*) n, 9007199254740993 big, sum(1) s, avg(1) v, null z, date '2026-03-01' d, [1, 2] l from gtfs.stops",
    );
    expect(JSON.parse(stdout)).toEqual([
      { n: 3, big: '9007199254740993', s: 3, v: 1, z: null, d: '2026-03-01', l: [1, 2] },
    ]);
    expect(JSON.parse((await sql('--json', 'from gtfs.stops limit 0')).stdout)).toEqual([]);
  });

  it('of a table ends at the limit, and says so', async () => {
    const { stdout, stderr } = await sql('--limit', '2', STOPS);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(stderr).toBe('Only the first 2 rows are shown; see --limit, --csv and --json.\n');
    expect((await sql('--limit', '3', STOPS)).stderr).toBe('');
  });

  it('of a long result is complete', async () => {
    const { stdout } = await sql('--csv', 'from range(10000)');
    expect(stdout.split('\n')).toHaveLength(10_002);
  });
});

describe('Parquet output', () => {
  const write = async (statement: string) => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'rows.parquet');
    return { folder, file, ...(await sql('--parquet', file, statement)) };
  };

  it('is a file with all rows of the query', async () => {
    const { file, stdout, folder } = await write(`${STOPS}; -- by id`);
    expect(stdout).toBe(`wrote 3 rows to ${file}\n`);
    expect(await readdir(folder)).toEqual(['rows.parquet']);
    const duckdb = await openDuckdb();
    const rows = await duckdb.query(`select string_agg(stop_name, '|') as names from ${sqlText(file)}`);
    duckdb.close();
    expect(rows).toEqual([{ names: 'Praterstern|Landstraße, "Wien"|Übelbach' }]);
  });

  it.each([
    ['create table t as select 1', 'anything but one query is not allowed'],
    ["copy (select 1) to 'LAKE/x.parquet'", 'anything but one query is not allowed'],
    ['select 1; select 2', 'anything but one query is not allowed'],
    ['select stop_nam from gtfs.stops', 'Referenced column "stop_nam" not found'],
    ["select * from read_text('/etc/hostname')", 'Permission Error'],
  ])('%s leaves no file', async (statement, message) => {
    const { code, stderr, folder } = await write(statement.replace('LAKE', path.join(dataDir, 'lake')));
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('excludes others', async () => {
    const { code, stderr } = await sql('--parquet', 'x.parquet', '--csv', 'select 1');
    expect([code, stderr]).toEqual([2, 'error: --csv and --parquet exclude each other\n']);
  });
});

describe('stop events and marts', () => {
  it('are views, with days as dates', async () => {
    const folder = await temporaryFolder();
    const duckdb = await openDuckdb();
    const files = {
      'lake/stop_events/source=live/service_date=2026-01-15/part-0.parquet': selectRows([{}]),
      'marts/line_daily/month=2026-01/part-0.parquet': "select date '2026-01-15' as service_date, 'U1' as line",
      'marts/worst_connections/month=2026-01/part-0.parquet': "select date '2026-01-01' as month",
    };
    for (const [name, select] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await duckdb.run(`copy (${select}) to ${sqlText(path.join(folder, name))} (format parquet)`);
    }
    duckdb.close();
    const question = `
      select source, service_date + 1 as next, line, month
      from stop_events join marts.line_daily using (service_date) cross join marts.worst_connections`;
    expect((await runCommand(['sql', '--csv', question], { dataDir: folder })).stdout).toBe(
      'source,next,line,month\nlive,2026-01-16,U1,2026-01-01\n',
    );
  });
});

describe('statements', () => {
  it('are read from stdin too, in sequence', async () => {
    const stdin = 'create table t as select 42 as n; from t;\nselect n + 1 as m from t';
    const { stdout } = await runCommand(['sql', '--csv'], { dataDir, stdin });
    expect(stdout).toBe('n\n42\nm\n43\n');
  });

  it('can query metadata', async () => {
    const { stdout } = await sql('--json', 'select schema, name from (show all tables)');
    expect(JSON.parse(stdout)).toContainEqual({ schema: 'gtfs', name: 'stops' });
    expect((await sql('describe gtfs.stops')).stdout).toContain('feed_version');
    expect((await sql('explain analyze select count(*) from gtfs.stops')).code).toBe(0);
  });

  it('with an error end with 1 and the message of DuckDB', async () => {
    const { code, stderr, stdout } = await sql('select stop_nam from gtfs.stops');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: Binder Error: Referenced column "stop_nam" not found/);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each(['', ' \n'])('must be more than %j', async (statement) => {
    const { code, stderr } = await sql(statement);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the statement is empty')]);
  });

  const refused: readonly [statement: string, message: string][] = [
    ["copy (select 1) to 'LAKE/x.parquet'", 'copy is not allowed here: the lake is only read'],
    ["explain analyze copy (select 1) to 'LAKE/x.parquet'", 'explaining anything but one query is not allowed'],
    ["explain (analyze) copy (select 1) to 'LAKE/x.parquet'", 'explaining anything but one query is not allowed'],
    ["select 1; explain analyze copy (select 1) to 'LAKE/x.parquet'", 'explaining anything but one query'],
    ["attach 'LAKE/x.db'", 'attach is not allowed here'],
    ['set enable_external_access = true', 'set is not allowed here'],
    ["select * from read_text('/etc/hostname')", 'Permission Error'],
    ["select * from read_csv('package.json')", 'Permission Error'],
    ["create view v as from read_parquet('https://example.org/x.parquet')", 'Error'],
  ];
  it.each(refused)('%s is rejected', async (statement, message) => {
    const lake = path.join(dataDir, 'lake');
    const { code, stderr } = await sql(statement.replace('LAKE', lake));
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(await readdir(lake)).toEqual(['gtfs']);
  });
});

it('an empty lake is reported, but expressions can be queried', async () => {
  const { code, stdout, stderr } = await runCommand(['sql', 'select 1 + 1 as two'], {
    dataDir: await temporaryFolder(),
  });
  expect([code, stdout]).toEqual([0, 'two\n---\n  2\n']);
  expect(stderr).toContain('is empty. Run "taktgeber run ingest-timetable"');
});

describe('tables without files', () => {
  it.each([
    ['observations', 'observations'],
    ['stop_events', 'stop_events'],
    ['counted_calls', 'counted_calls where is_observed'],
    ['predictions', 'predictions'],
    ['a mart', 'marts.line_daily'],
    ['a table of timetables', 'timetable.stops'],
  ])('%s is empty', async (_title, from) => {
    const { code, stdout } = await sql('--json', `select count(*) as rows from ${from}`);
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ rows: 0 }]]);
  });

  it('have the columns of the guide', async () => {
    const { stdout } = await sql('--json', 'select line_label, count(*) from observations group by 1');
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('a table that does not exist', () => {
  it.each([
    ['observation', 'there is no table observation: did you mean observations?'],
    ['settings', 'there is no table settings: "show all tables" lists all'],
  ])('%s gets a suggestion among our tables', async (name, message) => {
    const { code, stderr } = await sql(`select * from ${name}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/Did you mean|pg_|Catalog Error/);
  });
});

describe('the time limit', () => {
  const endless = 'select count(*) from range(10000000) a, range(10000000) b where a.range * b.range = 7';

  it.each([
    ['a cross join', [endless]],
    ['the second statement', [`select 1; ${endless}`]],
    ['a file of rows', ['--parquet', 'LAKE/endless.parquet', endless]],
    ['a result that is printed', ['--csv', 'select a.range from range(10000000) a, range(10000) b']],
  ])('stops %s', async (_title, argv) => {
    const folder = await temporaryFolder();
    const { code, stderr } = await runCommand(['sql', ...argv.map((one) => one.replace('LAKE', folder))], {
      dataDir,
      environment: { TAKTGEBER_SQL_TIME_LIMIT_SECONDS: '0.3' },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The query was stopped after 0.3 s.')]);
    expect(stderr).toContain('sql.timeLimitSeconds');
    expect(await readdir(folder)).toEqual([]);
  });
});
