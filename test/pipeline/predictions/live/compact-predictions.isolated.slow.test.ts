import { readdir } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { openDuckdb, sqlPath } from '../../../../pipeline/effects/duckdb.ts';
import { withEngine } from '../../../../pipeline/lake/observations/write-parts.ts';
import { predictionPartition } from '../../../../pipeline/lake/paths.ts';
import { finishPredictionSwaps, listPredictionFiles } from '../../../../pipeline/lake/predictions/prediction-files.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { EpochDay, Instant, ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { compactPredictions, listParts } from '../../../../pipeline/predictions/live/compact-predictions.ts';
import { storePredictions } from '../../../../pipeline/predictions/live/prediction-store.ts';
import { rewriteInSchema2 } from '../../../support/worlds/former-schema.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

/** Counts every step that changes the disk; the process ends at the one that the test selects. */
const disk = vi.hoisted(() => ({ steps: 0, endAt: Number.POSITIVE_INFINITY }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'rename' | 'rm' | 'mkdir'>(name: Name) =>
    async (...arguments_: Parameters<(typeof real)[Name]>) => {
      disk.steps += 1;
      if (disk.steps >= disk.endAt) throw new Error('the process has ended');
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...arguments_);
    };
  const mocked = { rename: counted('rename'), rm: counted('rm'), mkdir: counted('mkdir') };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

const source = toSourceId('live');
const serviceDate = '2026-03-02' as ServiceDate;
const ENGINE = { memoryLimit: '256MB', threads: 1 };

/** Stores a part with a number of predictions, made at this instant. */
async function storePart(dataDir: string, instant: number, count = 3): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({
    day: toEpochDay(serviceDate) as EpochDay,
    tripId: `t${i}`,
    madeAt: (1_772_400_000 + instant) as Instant,
    model: 'm',
    fromPosition: 0,
    observedAt: 1_772_400_000 + instant,
    isFromPosition: false,
    delaySeconds: 60,
    position: 1 + i,
    low: 0,
    median: 30 + instant,
    high: 90,
    priors: [3, 10.5, 0, Number.NaN, Number.POSITIVE_INFINITY, 4],
  }));
  await withEngine(dataDir, ENGINE, (db, folder) => storePredictions(db, dataDir, folder, source, rows));
}

async function threeParts(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const instant of [600, 0, 1200]) await storePart(dataDir, instant);
  return dataDir;
}

const compact = (dataDir: string) =>
  withEngine(dataDir, ENGINE, (db, folder) => compactPredictions(db, dataDir, folder, { source, serviceDate }));

async function read(dataDir: string): Promise<unknown[]> {
  const files = await listPredictionFiles(dataDir, source, serviceDate);
  const db = await openDuckdb({ threads: 1 });
  try {
    return (
      await db.query(`select t::varchar as row_text from read_parquet([${files.map(sqlPath).join(', ')}],
        union_by_name = true, hive_partitioning = false) as t order by all`)
    ).map((row) => row.row_text);
  } finally {
    db.close();
  }
}

const parts = (dataDir: string) =>
  withEngine(dataDir, ENGINE, async (db) => listParts(db, await listPredictionFiles(dataDir, source, serviceDate)));

const names = (dataDir: string) => readdir(predictionPartition(dataDir, source, serviceDate));

it('makes one file with the same rows, which names its parts; again when more have come', async () => {
  const dataDir = await threeParts();
  const [rows, before] = [await read(dataDir), await parts(dataDir)];
  expect(await compact(dataDir)).toBe(3);
  expect(await names(dataDir)).toEqual([expect.stringMatching(/^day-[0-9a-f]{16}\.parquet$/)]);
  expect([await read(dataDir), await parts(dataDir)]).toEqual([rows, before]);
  expect(await compact(dataDir)).toBeNull();
  // The clock of the machine was set back: an older instant than those of the compacted parts.
  await storePart(dataDir, -600, 1);
  const more = await parts(dataDir);
  expect([await compact(dataDir), (await names(dataDir)).length]).toEqual([2, 1]);
  expect([(await read(dataDir)).length, await parts(dataDir)]).toEqual([10, more]);
});

it('migrates a file of schema 2 to the current one', async () => {
  const dataDir = await temporaryFolder();
  await storePart(dataDir, 0);
  const [rows, before] = [await read(dataDir), await parts(dataDir)];
  await rewriteInSchema2(await listPredictionFiles(dataDir, source, serviceDate));
  expect(await compact(dataDir)).toBe(1);
  expect([await read(dataDir), await parts(dataDir)]).toEqual([rows, before]);
  expect(await compact(dataDir)).toBeNull();
});

it('a process that ends at any step loses and duplicates nothing, including parts added meanwhile', async () => {
  let isKilled = true;
  for (let step = 1; isKilled; step++) {
    const dataDir = await threeParts();
    await rewriteInSchema2((await listPredictionFiles(dataDir, source, serviceDate)).slice(0, 1));
    const [rows, before] = [await read(dataDir), await parts(dataDir)];
    [disk.steps, disk.endAt] = [0, step];
    isKilled = await compact(dataDir).then(
      () => false,
      () => true,
    );
    disk.endAt = Number.POSITIVE_INFINITY;
    await storePart(dataDir, 1800, 1);
    const [latest] = (await parts(dataDir)).slice(-1);
    await finishPredictionSwaps(dataDir);
    expect([step, (await read(dataDir)).length]).toEqual([step, rows.length + 1]);
    expect(await parts(dataDir)).toEqual([...before, latest]);
    await compact(dataDir);
    expect([step, (await names(dataDir)).length, (await read(dataDir)).length]).toEqual([step, 1, rows.length + 1]);
    expect(await read(dataDir)).toEqual(expect.arrayContaining(rows));
  }
});
