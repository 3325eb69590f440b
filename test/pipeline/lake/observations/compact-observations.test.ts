import { cp, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { compactObservations } from '../../../../pipeline/lake/observations/compact-observations.ts';
import { observationColumns } from '../../../../pipeline/lake/observations/observation-table.ts';
import { finishSwaps, listObservationFiles, sortOut } from '../../../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, observationStateFolder } from '../../../../pipeline/lake/paths.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  lakeSettings,
  listParquet,
  live,
  observation,
  openStore,
  readRows,
  today,
} from '../../../support/worlds/observations.ts';

/** Parts of a day with one row each. */
async function writeParts(dataDir: string, count: number, from = 0): Promise<void> {
  const store = await openStore(dataDir);
  for (let i = from; i < from + count; i++) {
    const said = observation({ tripKey: BigInt(100 - i), tripId: `t${100 - i}`, platform: i % 2 ? '1' : null });
    await store.append(answer(i, { observations: [said] }));
    await store.append(answer(i, { ended: endOf(said) }));
    await store.flush(at(i));
  }
  await store.close();
}

const compact = (dataDir: string) => compactObservations(dataDir, live, today, lakeSettings);

const namesOf = async (dataDir: string) => (await listParquet(dataDir)).map((file) => path.basename(file));

describe('compacting', () => {
  it('makes one file of all, and again when more have come', async () => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    const rows = await readRows(dataDir);
    expect(await compact(dataDir)).toEqual({ files: 3, rows: 3 });
    expect(await namesOf(dataDir)).toEqual(['compact-0000000003.parquet']);
    expect(await readRows(dataDir)).toEqual(rows);
    await writeParts(dataDir, 2, 3);
    expect(await compact(dataDir)).toEqual({ files: 3, rows: 5 });
    expect(await namesOf(dataDir)).toEqual(['compact-0000000005.parquet']);
    expect(await readRows(dataDir)).toHaveLength(5);
  });

  it.each([0, 1])('does nothing with %i files', async (count) => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, count);
    const names = await namesOf(dataDir);
    expect(await compact(dataDir)).toBeNull();
    expect(await namesOf(dataDir)).toEqual(names);
  });

  it('leaves nothing behind, and nothing that another reader would find', async () => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    await compact(dataDir);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
    expect(await readdir(path.join(observationStateFolder(dataDir, live), 'swaps'))).toEqual([]);
    expect(await readdir(observationPartition(dataDir, live, today))).toEqual(['compact-0000000003.parquet']);
  });
});

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}

/** A swap cut off by a kill, by completed steps: none, and each of its renames. */
describe('a compaction that was cut off', () => {
  const swapOf = (dataDir: string) =>
    path.join(observationStateFolder(dataDir, live), 'swaps', `service_date=${today}`);
  const COMPACT = 'compact-0000000003.parquet';

  async function prepare(): Promise<{ dataDir: string; rows: string[] }> {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    const rows = await readRows(dataDir);
    const copy = await copyOf(dataDir);
    await compact(copy);
    await mkdir(swapOf(dataDir), { recursive: true });
    await cp(path.join(observationPartition(copy, live, today), COMPACT), path.join(swapOf(dataDir), COMPACT));
    return { dataDir, rows };
  }

  const steps: readonly ((dataDir: string) => Promise<unknown>)[] = [
    (dataDir) => rename(observationPartition(dataDir, live, today), path.join(swapOf(dataDir), 'old')),
    (dataDir) => mkdir(observationPartition(dataDir, live, today)),
    (dataDir) =>
      rename(path.join(swapOf(dataDir), COMPACT), path.join(observationPartition(dataDir, live, today), COMPACT)),
  ];

  it.each([0, 1, 2, 3])('after %i steps is finished by the next process that opens the source', async (done) => {
    const { dataDir, rows } = await prepare();
    for (const step of steps.slice(0, done)) await step(dataDir);
    await (await openStore(dataDir)).close();
    expect(await namesOf(dataDir)).toEqual([COMPACT]);
    expect(await readRows(dataDir)).toEqual(rows);
    expect(await readdir(path.dirname(swapOf(dataDir)))).toEqual([]);
  });

  it('is left to its own worker by the compaction of another day', async () => {
    const { dataDir } = await prepare();
    const swap = swapOf(dataDir);
    const other = path.join(path.dirname(swap), 'service_date=2026-01-01');
    await rename(swap, other);
    await compact(dataDir);
    expect(await readdir(other)).toEqual([COMPACT]);
    await finishSwaps(dataDir, live, (date) => date === today);
    expect(await readdir(other)).toEqual([COMPACT]);
    await finishSwaps(dataDir, live);
    expect(await readdir(path.dirname(swap))).toEqual([]);
  });

  it.each([1, 2, 3])('after %i steps has lost no part that was written meanwhile', async (done) => {
    const { dataDir, rows } = await prepare();
    const late = await copyOf(dataDir);
    await writeParts(late, 1, 3);
    const name = 'part-0000000004.parquet';
    const part = path.join(observationPartition(late, live, today), name);
    // Before the folder was moved away, or after.
    await cp(part, path.join(observationPartition(dataDir, live, today), name));
    for (const step of steps.slice(0, done)) await step(dataDir);
    if (done > 1) await cp(part, path.join(observationPartition(dataDir, live, today), name));
    await compact(dataDir);
    expect(await readRows(dataDir)).toHaveLength(rows.length + 1);
    expect(await namesOf(dataDir)).toEqual(['compact-0000000004.parquet']);
  });
});

it('a segment written once more after the compaction adds nothing', async () => {
  const dataDir = await temporaryFolder();
  const state = observationStateFolder(dataDir, live);
  const segments = await temporaryFolder();
  const store = await openStore(dataDir);
  for (const seconds of [0, 30]) {
    await store.append(answer(seconds, { observations: [observation()] }));
    await store.append(answer(seconds, { ended: endOf(observation()) }));
    await cp(state, segments, { recursive: true });
    await store.flush(at(seconds));
  }
  const rows = await readRows(dataDir);
  await compact(dataDir);
  // As if the process had been killed before it could remove them.
  await cp(segments, state, { recursive: true });
  expect(await store.flush(at(60))).toEqual({ rows: 2, files: 2 });
  await store.close();
  expect(await readRows(dataDir)).toEqual(rows);
  expect(await namesOf(dataDir)).toEqual(['compact-0000000002.parquet']);
});

it.each<[names: string[], kept: string[], newest: number]>([
  [[], [], -1],
  [['part-0000000002.parquet', 'part-0000000001.parquet'], ['part-0000000001.parquet', 'part-0000000002.parquet'], 2],
  [['compact-0000000002.parquet', 'part-0000000002.parquet'], ['compact-0000000002.parquet'], 2],
  [
    ['compact-0000000002.parquet', 'compact-0000000001.parquet', 'part-0000000003.parquet'],
    ['compact-0000000002.parquet', 'part-0000000003.parquet'],
    3,
  ],
  [['notes.txt', 'part-1.parquet.tmp', 'other.parquet'], [], -1],
])('of %j count %j', (names, kept, newest) => {
  const sorted = sortOut(names);
  expect([sorted.kept, sorted.newest]).toEqual([kept, newest]);
});

describe('the file', () => {
  it.each([1, 3])('of %i parts has the documented columns, for any reader of Parquet', async (count) => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, count);
    await compact(dataDir);
    const [file] = await listObservationFiles(dataDir, live, today);
    const db = await openDuckdb({ threads: 1 });
    onTestFinished(() => db.close());
    const described = await db.query(`describe from read_parquet(${sqlText(file!)}, hive_partitioning = false)`);
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(
      Object.entries(observationColumns).map(([name, [type]]) => [name, type]),
    );
    for (const [name, [, about]] of Object.entries(observationColumns)) expect(about, name).toMatch(/^\S.*\.$/);

    const buffer = await asyncBufferFromFile(file!);
    expect(Number((await parquetMetadataAsync(buffer)).num_rows)).toBe(count);
    const rows = await parquetReadObjects({ file: buffer, compressors });
    expect(rows[0]).toEqual({
      trip_id: 't100',
      trip_key: 100n,
      route_id: 'r1',
      line_label: 'U1',
      position: 0,
      stop_id: 'a',
      event: 'departure',
      channel: 'stop_events',
      scheduled_time: new Date('2026-01-15T12:00:00Z'),
      estimated_time: new Date('2026-01-15T12:00:30Z'),
      observed_time: null,
      delay_seconds: 30,
      evidence: 'forecast',
      is_cancelled: false,
      platform: null,
      recorded_at: null,
      first_seen_at: new Date('2026-01-15T12:00:00Z'),
      last_seen_at: new Date('2026-01-15T12:00:00Z'),
      raw_id: 'raw-0',
    });
  });
});
