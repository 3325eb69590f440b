import { rm } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { openDuckdb, sqlPath } from '../../../../pipeline/effects/duckdb.ts';
import { removeStopEvents } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { workFolder } from '../../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readManifests } from '../../../../pipeline/scale-out/iceberg/open-table.ts';
import { readMetadata, toPath } from '../../../../pipeline/scale-out/iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../../../../pipeline/scale-out/iceberg/table-metadata.ts';
import { listLakehouseTables, toTableFolder } from '../../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { publishLakehouseTable } from '../../../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';
import { NOON } from '../../../support/worlds/iceberg-table.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { publishDay } from '../../../support/worlds/marts.ts';

/** Counts every step that moves or removes files; the process ends at the one that the test selects. */
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

const DAY = '2026-01-15' as ServiceDate;
const source = toSourceId('at');
const stopEvents = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;

/** The trips of the day in the current snapshot of the table. */
async function publishAndRead(dataDir: string): Promise<string[]> {
  await publishLakehouseTable(
    { dataDir, location: null, now: () => NOON, whileUnwritten: (_table, task) => task(), onRefused: () => {} },
    stopEvents,
  );
  const table = toTableFolder(dataDir, null, stopEvents.definition);
  const { metadata } = (await readMetadata(table))!;
  const manifests = await readManifests(table, metadata, findCurrentSnapshot(metadata));
  const files = manifests.flatMap(({ entries }) => entries.map(({ file }) => toPath(table, file.path)));
  if (files.length === 0) return [];
  const db = await openDuckdb({ threads: 1 });
  try {
    const rows = await db.query(`select distinct trip_id from read_parquet([${files.map(sqlPath)}]) order by all`);
    return rows.map(({ trip_id: trip }) => String(trip));
  } finally {
    db.close();
  }
}

/**
 * A published day, and its rebuild, which ends at a step.
 * @returns whether it ended before its last step
 */
async function rebuildUntil(dataDir: string, step: number): Promise<boolean> {
  await publishDay(dataDir, source, DAY, [{ trip_id: 'before' }]);
  expect(await publishAndRead(dataDir)).toEqual(['before']);
  [disk.steps, disk.endAt] = [0, step];
  try {
    await publishDay(dataDir, source, DAY, [{ trip_id: 'after' }]);
    return false;
  } catch {
    return true;
  } finally {
    disk.endAt = Number.POSITIVE_INFINITY;
    // Every process has its own folder.
    await rm(workFolder(dataDir), { recursive: true, force: true });
  }
}

it('a rebuild that ends at any step leaves the day in the table, as before or after it, until it is removed', async () => {
  const seen = new Set<string>();
  for (let step = 1; ; step++) {
    const dataDir = await temporaryFolder();
    const isKilled = await rebuildUntil(dataDir, step);
    const trips = await publishAndRead(dataDir);
    expect([step, ['before', 'after'].includes(trips.join())]).toEqual([step, true]);
    seen.add(`${trips}`);
    if (!isKilled) break;
    if (step % 2 === 0) {
      await publishDay(dataDir, source, DAY, [{ trip_id: 'again' }]);
      expect(await publishAndRead(dataDir)).toEqual(['again']);
    } else {
      await removeStopEvents(dataDir, source, DAY);
      expect(await publishAndRead(dataDir)).toEqual([]);
    }
  }
  expect([...seen]).toEqual(['before', 'after']);
}, 120_000);
