import { cp, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { findWriter } from '../../../../pipeline/lake/lake-writer.ts';
import { compactObservations } from '../../../../pipeline/lake/observations/compact-observations.ts';
import { observationColumns } from '../../../../pipeline/lake/observations/observation-table.ts';
import {
  compactName,
  finishSwaps,
  listObservationFiles,
  partName,
  sortOut,
} from '../../../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, observationStateFolder } from '../../../../pipeline/lake/paths.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  lakeSettings,
  listFileNames,
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
    const reported = observation({ tripKey: BigInt(100 - i), tripId: `t${100 - i}`, platform: i % 2 ? '1' : null });
    await store.append(answer(i, { observations: [reported] }));
    await store.append(answer(i, { ended: endOf(reported) }));
    await store.flush(at(i));
  }
  await store.close();
}

const compact = (dataDir: string) => compactObservations(dataDir, live, today, lakeSettings);

describe('compacting', () => {
  it('makes one file of all, and again when more have come', async () => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    const rows = await readRows(dataDir);
    expect(await compact(dataDir)).toEqual({ files: 3, rows: 3 });
    expect(await listFileNames(dataDir)).toEqual(['compact-0000000003.parquet']);
    expect(await readRows(dataDir)).toEqual(rows);
    await writeParts(dataDir, 2, 3);
    expect(await compact(dataDir)).toEqual({ files: 3, rows: 5 });
    expect(await listFileNames(dataDir)).toEqual(['compact-0000000005.parquet']);
    expect(await readRows(dataDir)).toHaveLength(5);
  });

  it.each([0, 1])('does nothing with %i files', async (count) => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, count);
    const names = await listFileNames(dataDir);
    expect(await compact(dataDir)).toBeNull();
    expect(await listFileNames(dataDir)).toEqual(names);
  });

  it('leaves nothing behind, and nothing that another reader would find', async () => {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    await compact(dataDir);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
    expect(await readdir(path.join(observationStateFolder(dataDir, live), 'swaps'))).toEqual([]);
    expect(await listFileNames(dataDir)).toEqual(['compact-0000000003.parquet']);
    expect(await readdir(observationPartition(dataDir, live, today))).toHaveLength(1);
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

  const compactOf = async (dataDir: string) => compactName((await findWriter(dataDir, live))!.id, 3);

  async function prepare(): Promise<{ dataDir: string; rows: string[] }> {
    const dataDir = await temporaryFolder();
    await writeParts(dataDir, 3);
    const rows = await readRows(dataDir);
    const copy = await copyOf(dataDir);
    await compact(copy);
    await mkdir(swapOf(dataDir), { recursive: true });
    const name = await compactOf(dataDir);
    await cp(path.join(observationPartition(copy, live, today), name), path.join(swapOf(dataDir), name));
    return { dataDir, rows };
  }

  const steps: readonly ((dataDir: string) => Promise<unknown>)[] = [
    (dataDir) => rename(observationPartition(dataDir, live, today), path.join(swapOf(dataDir), 'old')),
    (dataDir) => mkdir(observationPartition(dataDir, live, today)),
    async (dataDir) => {
      const name = await compactOf(dataDir);
      await rename(path.join(swapOf(dataDir), name), path.join(observationPartition(dataDir, live, today), name));
    },
  ];

  it.each([0, 1, 2, 3])('after %i steps is finished by the next process that opens the source', async (done) => {
    const { dataDir, rows } = await prepare();
    for (const step of steps.slice(0, done)) await step(dataDir);
    await (await openStore(dataDir)).close();
    expect(await listFileNames(dataDir)).toEqual(['compact-0000000003.parquet']);
    expect(await readRows(dataDir)).toEqual(rows);
    expect(await readdir(path.dirname(swapOf(dataDir)))).toEqual([]);
  });

  it('is left to its own worker by the compaction of another day', async () => {
    const { dataDir } = await prepare();
    const swap = swapOf(dataDir);
    const other = path.join(path.dirname(swap), 'service_date=2026-01-01');
    await rename(swap, other);
    await compact(dataDir);
    expect(await readdir(other)).toEqual([await compactOf(dataDir)]);
    await finishSwaps(dataDir, live, (date) => date === today);
    expect(await readdir(other)).toEqual([await compactOf(dataDir)]);
    await finishSwaps(dataDir, live);
    expect(await readdir(path.dirname(swap))).toEqual([]);
  });

  it.each([0, 1, 2])('after it has placed %i of the files of two writers is finished', async (placed) => {
    const [dataDir, other] = [await temporaryFolder(), await temporaryFolder()];
    await writeParts(dataDir, 3);
    await writeParts(other, 2, 3);
    const partition = observationPartition(dataDir, live, today);
    await cp(observationPartition(other, live, today), partition, { recursive: true });
    const rows = await readRows(dataDir);
    const whole = await copyOf(dataDir);
    await compact(whole);
    const compacted = await readdir(observationPartition(whole, live, today));
    await mkdir(path.dirname(swapOf(dataDir)), { recursive: true });
    await cp(observationPartition(whole, live, today), swapOf(dataDir), { recursive: true });
    await rename(partition, path.join(swapOf(dataDir), 'old'));
    await mkdir(partition);
    for (const name of compacted.slice(0, placed))
      await rename(path.join(swapOf(dataDir), name), path.join(partition, name));
    await finishSwaps(dataDir, live);
    expect(await readdir(partition)).toEqual(compacted);
    expect(await readRows(dataDir)).toEqual(rows);
    expect(await readdir(path.dirname(swapOf(dataDir)))).toEqual([]);
  });

  it.each([1, 2, 3])('after %i steps has lost no part that was written meanwhile', async (done) => {
    const { dataDir, rows } = await prepare();
    const late = await copyOf(dataDir);
    await writeParts(late, 1, 3);
    const name = partName((await findWriter(dataDir, live))!.id, 4);
    const part = path.join(observationPartition(late, live, today), name);
    // Before the folder was moved away, or after.
    await cp(part, path.join(observationPartition(dataDir, live, today), name));
    for (const step of steps.slice(0, done)) await step(dataDir);
    if (done > 1) await cp(part, path.join(observationPartition(dataDir, live, today), name));
    await compact(dataDir);
    expect(await readRows(dataDir)).toHaveLength(rows.length + 1);
    expect(await listFileNames(dataDir)).toEqual(['compact-0000000004.parquet']);
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
  expect(await listFileNames(dataDir)).toEqual(['compact-0000000002.parquet']);
});

const [A, B] = ['0a0a0a0a', '0b0b0b0b'];

it.each<[names: string[], kept: string[]]>([
  [[], []],
  [
    [partName(A, 2), partName(A, 1)],
    [partName(A, 1), partName(A, 2)],
  ],
  [[compactName(A, 2), partName(A, 2)], [compactName(A, 2)]],
  [
    [compactName(A, 2), compactName(A, 1), partName(A, 3)],
    [compactName(A, 2), partName(A, 3)],
  ],
  [
    [compactName(A, 2), partName(A, 1), partName(B, 1), partName('', 1)],
    [compactName(A, 2), partName('', 1), partName(B, 1)],
  ],
  [['notes.txt', 'part-1.parquet.tmp', 'other.parquet'], []],
])('of %j count %j', (names, kept) => {
  expect(sortOut(names).kept).toEqual(kept);
});

it('makes one file of each writer that has several', async () => {
  const [dataDir, other] = [await temporaryFolder(), await temporaryFolder()];
  await writeParts(dataDir, 3);
  await writeParts(other, 2, 3);
  const partition = observationPartition(dataDir, live, today);
  await cp(observationPartition(other, live, today), partition, { recursive: true });
  const rows = await readRows(dataDir);
  expect(rows).toHaveLength(5);
  expect(await compact(dataDir)).toEqual({ files: 5, rows: 5 });
  expect(await listFileNames(dataDir)).toEqual(
    expect.arrayContaining(['compact-0000000002.parquet', 'compact-0000000003.parquet']),
  );
  expect(await readRows(dataDir)).toEqual(rows);
  await writeParts(dataDir, 1, 5);
  expect(await compact(dataDir)).toEqual({ files: 2, rows: 4 });
  expect((await listFileNames(dataDir)).sort()).toEqual(['compact-0000000002.parquet', 'compact-0000000004.parquet']);
  expect(await compact(dataDir)).toBeNull();
  expect(await readRows(dataDir)).toHaveLength(6);
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
      uncertainty_seconds: null,
      occupancy: null,
      recorded_at: null,
      first_seen_at: new Date('2026-01-15T12:00:00Z'),
      last_seen_at: new Date('2026-01-15T12:00:00Z'),
      raw_id: 'raw-0',
    });
  });
});
