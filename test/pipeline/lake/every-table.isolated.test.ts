import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readCodeVersion } from '../../../pipeline/effects/project-files.ts';
import { listLakeViews } from '../../../pipeline/guide/write-lake-guide.ts';
import { LAKE_SCHEMA_VERSION } from '../../../pipeline/lake/parquet-facts.ts';
import { writeEveryTable } from '../../support/worlds/every-table-world.ts';
import { at } from '../../support/worlds/observations.ts';

// Half a day from UTC, so that any dependence on the machine's time zone shows.
vi.hoisted(() => {
  process.env.TZ = 'Asia/Tokyo';
});

/** Tables by the name in their files, with the part of their source. */
const published = ['agency', 'routes', 'stops', 'trips', 'stop_times', 'calendar'];
const expectedTables: readonly string[] = [
  ...published.map((name) => `gtfs.${name}`),
  ...listLakeViews().map(({ schema, name }) => (schema === 'main' ? name : `${schema}.${name}`)),
  'prediction_features',
];

let dataDir: string;
const files = new Map<string, string>();

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-tables-'));
  await writeEveryTable(dataDir);
  for (const name of await readdir(dataDir, { recursive: true })) {
    const [root, first = '', second = ''] = name.split(path.sep);
    if (!name.endsWith('.parquet') || (root !== 'lake' && root !== 'marts')) continue;
    const isNested = root === 'lake' && (first === 'gtfs' || first === 'timetable');
    const table = root === 'marts' ? `marts.${first}` : isNested ? `${first}.${second}` : first;
    files.set(table, path.join(dataDir, name));
  }
}, 120_000);

afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function readMetadata(table: string) {
  return parquetMetadataAsync(await asyncBufferFromFile(files.get(table)!));
}

async function readRows(table: string) {
  return parquetReadObjects({ file: await asyncBufferFromFile(files.get(table)!), compressors });
}

test('all tables are written, and no other', () => {
  expect([...files.keys()].sort()).toEqual([...new Set(expectedTables)].sort());
});

describe.each(expectedTables)('%s', (table) => {
  test('describes itself, its source, licence and code', async () => {
    const { key_value_metadata: pairs = [] } = await readMetadata(table);
    const isOfTimetable = /^(gtfs|timetable)\./.test(table);
    expect(Object.fromEntries(pairs.map(({ key, value }) => [key, value]))).toMatchObject({
      table,
      ...(isOfTimetable
        ? { source: 'at', attribution: 'Data of "A"; Austria', licence: 'unknown' }
        : { source: 'live', attribution: "Verkehr d'Or", licence: 'CC BY 4.0' }),
      schema_version: String(LAKE_SCHEMA_VERSION),
      code_version: await readCodeVersion(),
    });
  });

  test('has instants with a UTC type, and only portable numbers', async () => {
    const { schema } = await readMetadata(table);
    const leaves = schema.filter(({ type }) => type !== undefined);
    expect(leaves.length).toBeGreaterThan(0);
    const wrong = leaves.filter(({ name, type, converted_type, logical_type }) => {
      if (converted_type === 'UINT_64' || type === 'INT96') return true;
      if (converted_type?.startsWith('UINT_') && !table.startsWith('timetable.')) return true;
      if (converted_type === 'TIME_MICROS') return true;
      const isInstant = logical_type?.type === 'TIMESTAMP' && logical_type.isAdjustedToUTC;
      if (logical_type?.type === 'TIMESTAMP') return isInstant === name.endsWith('_local');
      // As published, times are texts.
      return /_(time|at)$/.test(name) && name !== 'on_time' && !table.startsWith('gtfs.');
    });
    expect(wrong).toEqual([]);
  });

  test('has rows that another reader reads', async () => {
    const { num_rows } = await readMetadata(table);
    expect(await readRows(table)).toHaveLength(Number(num_rows));
  });
});

test('instants are as written, in any time zone of the machine', async () => {
  const date = (seconds: number) => new Date(at(seconds) * 1000);
  const [observation] = await readRows('observations');
  expect(observation).toMatchObject({
    scheduled_time: date(0),
    estimated_time: date(30),
    recorded_at: date(1),
    first_seen_at: date(10),
  });
  const [event] = await readRows('stop_events');
  expect(event).toMatchObject({ scheduled_time: date(0), observed_time: date(600) });
  const [prediction] = await readRows('predictions');
  expect(prediction).toMatchObject({ made_at: date(60), observed_at: date(30) });
  const [feature] = await readRows('prediction_features');
  expect(feature).toMatchObject({ asked_at: date(30), known_at: date(600) });
});

test('keys exist in every table that has one', async () => {
  for (const table of ['stop_events', 'observations']) {
    const keys = (await readRows(table)).map(({ trip_key }) => trip_key);
    expect([table, keys.every((key) => typeof key === 'bigint')]).toEqual([table, true]);
  }
});
