import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import parquet from 'parquetjs-lite';
import { describe, expect, it } from 'vitest';
import { openDuckdb, type SqlRow, sqlText } from '../../pipeline/effects/duckdb.ts';
import { publishStopEvents } from '../../pipeline/history/stop-events/stop-event-store.ts';
import { lakeFolder, martFile } from '../../pipeline/lake/paths.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { cancelCall, dayFacts, type StopEventRow, selectRows } from '../support/worlds/stop-events.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

/** Two days; one of their rows has unusual values. */
const days: Readonly<Record<string, readonly StopEventRow[]>> = {
  '2026-01-15': [
    { trip_key: '-9223372036854775808', stop_name: 'Wähing "Ost", 1', lat: 48.2, lon: -16.35, position: 0 },
    { trip_id: 't2', line_label: null, position: 65_535, delay_seconds: null, evidence: 'unknown', ...cancelCall() },
    { trip_id: 't3', line_label: 'U2', delay_seconds: -30, utc_offset_minutes: -210, platform: '', position: 3 },
  ],
  '2026-01-16': [{ trip_id: 't4', line_label: 'U2', scheduled_time: '2026-01-16 23:59:59', is_platform_changed: true }],
};

async function world(): Promise<string> {
  const dataDir = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  for (const [date, rows] of Object.entries(days)) {
    const facts = dayFacts({ serviceDate: date as ServiceDate, rowsIn: rows.length });
    await publishStopEvents(db, dataDir, path.join(dataDir, 'tmp', date), selectRows(rows), facts);
  }
  const mart = martFile(dataDir, 'punctuality_cube', '2026-01');
  await mkdir(path.dirname(mart), { recursive: true });
  await db.run(`copy (
    select
      date '2026-01-15' + i::integer as service_date, if(i = 0, '*', 'live') as source, 'U1' as line,
      7::utinyint as dow, 4294967295::uinteger as scheduled, -9000000000::bigint as delay_sum_seconds,
      [{'delay_minutes': -1::smallint, 'events': 2::uinteger}] as delay_histogram
    from range(3) as t(i)) to ${sqlText(mart)} (format parquet, compression zstd)`);
  db.close();
  return dataDir;
}

const run = (dataDir: string, ...options: string[]) => runCommand(['export', ...options], { dataDir });

/** The rows of a table from DuckDB as plain values: instants and dates as JSON, wide numbers as texts. */
async function queryTable(dataDir: string, from: string): Promise<Record<string, unknown>[]> {
  const db = await openDuckdb({ threads: 1 });
  const rows = await db.query(`from read_parquet(${sqlText(path.join(dataDir, from))}, hive_partitioning = true)`);
  db.close();
  return rows.map(toPlain);
}

function toPlain(row: SqlRow | Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toPlainValue(name, value)]));
}

function toPlainValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (name === 'delay_histogram') return '[{"delay_minutes":-1,"events":2}]';
  if (name === 'trip_key') return String(value);
  if (/_time$|_date$/.test(name)) {
    if (value instanceof Date) return value.toISOString().replace(/T00:00:00.000Z$/, '');
    const text = String(value).replace(/\+00$/, '');
    return text.length === 10 ? text : `${text.replace(' ', 'T')}.000Z`;
  }
  return typeof value === 'bigint' ? Number(value) : value;
}

async function readPortable(file: string, columns: readonly string[]): Promise<Record<string, unknown>[]> {
  const reader = await parquet.ParquetReader.openFile(file);
  const rows: Record<string, unknown>[] = [];
  const cursor = reader.getCursor();
  for (let row = await cursor.next(); row; row = await cursor.next()) {
    const whole = row;
    rows.push(toPlain(Object.fromEntries(columns.map((name) => [name, whole[name] ?? null]))));
  }
  expect(String(reader.getRowCount())).toBe(String(rows.length));
  await reader.close();
  return rows;
}

const STOP_EVENTS = 'lake/stop_events/*/*/*.parquet';
const CUBE = 'marts/punctuality_cube/*/*.parquet';

describe('the portable profile', () => {
  it.each([
    ['stop_events', STOP_EVENTS],
    ['punctuality_cube', CUBE],
  ])('of %s is read by the simplest reader, with every value', async (table, files) => {
    const dataDir = await world();
    const out = path.join(dataDir, 'portable.parquet');
    const { code, stdout } = await run(dataDir, '--table', table, '--profile', 'portable', '--out', out);
    const expected = (await queryTable(dataDir, files)).map(({ month: _month, ...row }) => row);
    expect([code, stdout]).toEqual([0, `wrote ${expected.length} rows to ${out}\n`]);
    expect(await readPortable(out, Object.keys(expected[0]!))).toEqual(expected);
  });

  it('is snappy, without dictionaries, and with plain types only', async () => {
    const dataDir = await world();
    const out = path.join(dataDir, 'portable.parquet');
    await run(dataDir, '--profile', 'portable', '--out', out);
    const { row_groups, schema } = await parquetMetadataAsync(await asyncBufferFromFile(out));
    const columns = row_groups.flatMap((group) => group.columns.map(({ meta_data }) => meta_data!));
    expect(new Set(columns.map(({ codec }) => codec))).toEqual(new Set(['SNAPPY']));
    expect(new Set(columns.flatMap(({ encodings }) => encodings))).toEqual(new Set(['PLAIN']));
    const types = new Set(schema.flatMap(({ type, converted_type }) => (type ? [converted_type ?? type] : [])));
    expect([...types].sort()).toEqual(['BOOLEAN', 'DATE', 'DOUBLE', 'INT_32', 'INT_64', 'TIMESTAMP_MICROS', 'UTF8']);
  });

  it('is Parquet only', async () => {
    const wrong = await run(await world(), '--profile', 'portable', '--format', 'csv', '--out', 'x.csv');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--profile requires --format parquet')]);
  });
});

describe('Parquet of the lake', () => {
  it('is read by another reader as by DuckDB', async () => {
    const dataDir = await world();
    const folder = path.join(lakeFolder(dataDir), 'stop_events', 'source=live', 'service_date=2026-01-15');
    const file = await asyncBufferFromFile(path.join(folder, 'part-0.parquet'));
    const rows = (await parquetReadObjects({ file, compressors })).map(toPlain);
    const expected = await queryTable(dataDir, STOP_EVENTS);
    expect(rows).toEqual(expected.slice(0, 3).map(({ source: _source, service_date: _date, ...row }) => row));
  });

  it('is the default', async () => {
    const dataDir = await world();
    const out = path.join(dataDir, 'all.parquet');
    await run(dataDir, '--out', out);
    expect(await queryTable(dataDir, 'all.parquet')).toEqual(await queryTable(dataDir, STOP_EVENTS));
  });
});

describe('other formats', () => {
  it('Arrow has the same values', async () => {
    const dataDir = await world();
    for (const [table, files] of [
      ['stop_events', STOP_EVENTS],
      ['punctuality_cube', CUBE],
    ] as const) {
      const out = path.join(dataDir, `${table}.arrow`);
      await run(dataDir, '--table', table, '--format', 'arrow', '--out', out);
      const rows = tableFromIPC(await readFile(out))
        .toArray()
        .map((row) => row.toJSON() as Record<string, unknown>);
      const instants = rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => {
            const isInstant = /_time$|_date$/.test(name) && value !== null;
            return [name, isInstant ? new Date(Number(value)) : value];
          }),
        ),
      );
      const expected = (await queryTable(dataDir, files)).map(({ month: _month, ...row }) => row);
      expect(instants.map(toPlain), table).toEqual(expected);
    }
  });

  it('Arrow is written in batches, for any length', async () => {
    const dataDir = await world();
    const db = await openDuckdb({ threads: 1 });
    const file = martFile(dataDir, 'line_daily', '2026-01');
    await mkdir(path.dirname(file), { recursive: true });
    await db.run(`copy (
      select date '2026-01-15' as service_date, 'live' as source, if(i % 7 = 0, null, 'Línea ' || i) as line, i::integer as n
      from range(150000) as t(i)) to ${sqlText(file)} (format parquet)`);
    db.close();
    const out = path.join(dataDir, 'long.arrow');
    await run(dataDir, '--table', 'line_daily', '--format', 'arrow', '--out', out);
    const table = tableFromIPC(await readFile(out));
    expect([table.numRows, table.batches.length]).toEqual([150_000, 3]);
    const [lines, numbers] = [table.getChild('line')!, table.getChild('n')!];
    for (const row of [0, 1, 7, 65_535, 65_536, 149_999]) {
      expect([row, lines.get(row), numbers.get(row)]).toEqual([row, row % 7 === 0 ? null : `Línea ${row}`, row]);
    }
  });

  it('Arrow without rows still contains the schema', async () => {
    const dataDir = await world();
    const out = path.join(dataDir, 'none.arrow');
    await run(dataDir, '--from', '2027-01-01', '--format', 'arrow', '--out', out);
    const table = tableFromIPC(await readFile(out));
    expect([table.numRows, table.schema.names.slice(0, 2)]).toEqual([0, ['trip_id', 'trip_key']]);
  });

  it('CSV has a header line, and lists as JSON', async () => {
    const dataDir = await world();
    const out = path.join(dataDir, 'cube.csv');
    await run(dataDir, '--table', 'punctuality_cube', '--source', '*', '--format', 'csv', '--out', out);
    expect(await readFile(out, 'utf8')).toBe(
      'service_date,source,line,dow,scheduled,delay_sum_seconds,delay_histogram\n' +
        '2026-01-15,*,U1,7,4294967295,-9000000000,"[{""delay_minutes"":-1,""events"":2}]"\n',
    );
  });
});

describe('exports', () => {
  it.each<[reason: string, options: string[], trips: string[]]>([
    ['all', [], ['t1', 't2', 't3', 't4']],
    ['from a day on', ['--from', '2026-01-16'], ['t4']],
    ['up to a day', ['--to', '2026-01-15'], ['t1', 't2', 't3']],
    ['a line', ['--line', 'U2'], ['t3', 't4']],
    ['some lines', ['--line', 'U2', 'U1', '--to', '2026-01-15'], ['t1', 't3']],
    ['a source', ['--source', 'live'], ['t1', 't2', 't3', 't4']],
    ['another source', ['--source', 'other'], []],
  ])('%s', async (_case, options, trips) => {
    const dataDir = await world();
    const { code } = await run(dataDir, ...options, '--out', path.join(dataDir, 'some.parquet'));
    expect(code).toBe(0);
    const rows = await queryTable(dataDir, 'some.parquet');
    expect(rows.map(({ trip_id }) => trip_id).sort()).toEqual(trips);
  });

  it('writes into a folder under its own name', async () => {
    const dataDir = await world();
    const options = ['--from', '2026-01-15', '--to', '2026-01-16', '--format', 'csv'];
    await run(dataDir, ...options, '--out', `${dataDir}/exports/`);
    expect(await readdir(`${dataDir}/exports`)).toEqual(['stop_events_2026-01-15_2026-01-16.csv']);
  });

  it.each<[reason: string, options: string[], code: number, message: string]>([
    [
      'another table',
      ['--table', 'stops', '--out', 'x'],
      1,
      'there is no table stops with rows; there are stop_events',
    ],
    ['a format', ['--format', 'xlsx', '--out', 'x'], 2, "'xlsx' is invalid"],
    ['a date', ['--from', 'today', '--out', 'x'], 2, '--from is "today", but must be a day as in 2026-03-29'],
    ['a period', ['--from', '2026-02-01', '--to', '2026-01-01', '--out', 'x'], 2, '--from lies after --to'],
    ['no file', [], 2, "required option '--out <path>' not specified"],
  ])('rejects %s', async (_case, options, code, message) => {
    const dataDir = await world();
    const { code: actual, stderr } = await run(dataDir, ...options);
    expect([actual, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('x'))).toEqual([]);
  });
});
