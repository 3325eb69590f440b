import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, it } from 'vitest';
import { ingestFeeds, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

/** Reads a table of the lake without DuckDB. */
async function readTable(dataDir: string, schema: string, table: string): Promise<Record<string, unknown>[]> {
  const folder = path.join(dataDir, 'lake', schema, table);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.parquet'));
  expect(names, `${schema}.${table}`).toHaveLength(1);
  const file = await asyncBufferFromFile(path.join(folder, names[0]!));
  const rows = await parquetReadObjects({ file, compressors });
  expect(rows).toHaveLength(Number((await parquetMetadataAsync(file)).num_rows));
  return rows;
}

it('another reader of Parquet reads every table with its rows and values', async () => {
  const dataDir = await temporaryFolder();
  const stops = 'stop_id,stop_name,colour\na, Währing ,red\nb,"Two\nlines",\nc,,blue\nc,again,\n';
  const { outcome } = await ingestFeeds({ test: withFiles(soundFeed, { 'stops.txt': stops }) }, { dataDir });
  const read = (schema: string, table: string) => readTable(dataDir, schema, table);

  // As published: every column, known or not, with its spaces.
  expect(await read('gtfs', 'stops')).toEqual([
    { stop_id: 'a', stop_name: ' Währing ', colour: 'red', __surplus: null },
    { stop_id: 'b', stop_name: 'Two\nlines', colour: null, __surplus: null },
    { stop_id: 'c', stop_name: null, colour: 'blue', __surplus: null },
    { stop_id: 'c', stop_name: 'again', colour: null, __surplus: null },
  ]);
  expect((await read('timetable', 'stops')).map(({ stop_index, stop_name }) => [stop_index, stop_name])).toEqual([
    [0, 'Währing'],
    [1, 'Two\nlines'],
    [2, 'c'],
  ]);
  expect((await read('timetable', 'calls'))[1]).toMatchObject({
    trip_index: 0,
    stop_index: 1,
    stop_sequence: 2,
    arrival_seconds: 29_400,
    departure_seconds: 29_460,
    is_interpolated: false,
  });
  expect((await read('timetable', 'service_dates'))[0]).toMatchObject({
    service_date: new Date('2026-03-02T00:00:00Z'),
  });
  expect(await read('timetable', 'refused')).toEqual([
    { table_name: 'stops', row_number: 4n, code: 'duplicate_id', detail: 'c' },
  ]);
  for (const { table, rowsIn } of outcome.feeds[0]!.tables)
    expect(await read('gtfs', table), table).toHaveLength(rowsIn);
});
