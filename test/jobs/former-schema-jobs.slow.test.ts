import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlPath } from '../../pipeline/effects/duckdb.ts';
import { stopEventFile } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { listObservationFiles } from '../../pipeline/lake/observations/partition-files.ts';
import {
  type Answer,
  finalise,
  getManifest,
  live,
  openWorldToFinalise,
  storeAnswers,
  type World,
} from '../support/worlds/finalised-world.ts';
import { rewriteInSchema2 } from '../support/worlds/former-schema.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { readMartTexts } from '../support/worlds/marts.ts';
import { runCommand } from './fake-world.ts';

const DAY = '2026-03-03';
const AFTER = '2026-03-04T13:45:00Z';
const call = { trip: 't1', position: 0, stopId: 'a', event: 'departure', planned: `${DAY}T07:00:00Z` } as const;
const answers: readonly Answer[] = [
  { at: `${DAY}T06:50:00Z`, reported: [{ ...call, time: `${DAY}T07:01:00Z`, evidence: 'forecast' }] },
  { at: `${DAY}T07:05:00Z`, reported: [{ ...call, time: `${DAY}T07:02:00Z`, evidence: 'observed_actual' }] },
];

const run = (world: World, ...argv: string[]) =>
  runCommand(['run', ...argv, '--config', path.join(world.dataDir, 'taktgeber.yaml')], { dataDir: world.dataDir });

async function listParquet(world: World): Promise<string[]> {
  const names: string[] = [];
  for (const root of ['lake/stop_events', 'lake/observations', 'marts']) {
    const found = await readdir(path.join(world.dataDir, root), { recursive: true });
    names.push(
      ...found.filter((name) => name.endsWith('.parquet')).map((name) => path.join(world.dataDir, root, name)),
    );
  }
  return names.sort();
}

/** Unsigned columns of the files of a lake. */
async function listUnsigned(world: World): Promise<unknown[]> {
  const files = (await listParquet(world)).map(sqlPath).join(', ');
  const db = await openDuckdb({ threads: 1 });
  try {
    const rows = await db.query(
      `select file_name, name from parquet_schema([${files}]) where converted_type like 'UINT%'`,
    );
    return rows.map(({ file_name: file, name }) => `${file} ${name}`);
  } finally {
    db.close();
  }
}

/** A finished day with marts, with all files of schema 2, as the previous program left them. */
async function openFormerWorld(): Promise<World> {
  const world = await openWorldToFinalise(soundFeed, DAY);
  await storeAnswers(world, answers);
  expect((await run(world, 'compact-observations', '--date', DAY)).code).toBe(0);
  expect((await finalise(world, AFTER)).code).toBe(0);
  expect((await run(world, 'build-marts')).code).toBe(0);
  return world;
}

it('a lake of schema 2 is migrated by its jobs, and no day is rebuilt', async () => {
  const world = await openFormerWorld();
  const [manifest, marts] = [await getManifest(world), await readMartTexts(world.dataDir)];
  expect(await listUnsigned(world)).toEqual([]);
  await rewriteInSchema2(await listParquet(world));
  // The day was built from the former file.
  await finalise(world, AFTER, '--force');
  const former = await getManifest(world);
  await rewriteInSchema2([stopEventFile(world.dataDir, live, world.date)]);
  expect(former.rowsHash).toBe(manifest.rowsHash);
  expect((await listUnsigned(world)).length).toBeGreaterThan(30);
  // Marts with both kinds of types, month by month, are read unchanged.
  expect(await readMartTexts(world.dataDir)).toEqual(marts);

  const { stdout } = await run(world, 'compact-observations', '--date', DAY, '--dry-run');
  expect(stdout).toContain('its file is of a former schema');
  expect((await run(world, 'compact-observations', '--date', DAY)).stdout).toContain('made 1 of 1 files');
  const renewed = await getManifest(world);
  expect({ ...renewed, inputs: [] }).toEqual({ ...former, inputs: [] });
  expect(renewed.inputs).not.toEqual(former.inputs);
  expect((await finalise(world, AFTER)).stdout).toContain('no day is due, 1 unchanged');
  expect((await run(world, 'build-marts')).code).toBe(0);
  expect(await listUnsigned(world)).toEqual([]);
  expect((await getManifest(world)).rowsHash).toBe(manifest.rowsHash);
  expect(await readMartTexts(world.dataDir)).toEqual(marts);
  expect((await run(world, 'compact-observations', '--date', DAY)).stdout).toContain('no past day');
});

it('while its stop events are written, a day keeps schema 2 until the next run', async () => {
  const world = await openFormerWorld();
  const files = await listObservationFiles(world.dataDir, live, world.date);
  await rewriteInSchema2(files);
  const lock = await acquireLocks(world.dataDir, 'finalise-stop-events', [`stop-events/${live}`], systemClock);
  const { code, stderr } = await run(world, 'compact-observations', '--date', DAY);
  await lock.release();
  expect([code, stderr]).toEqual([0, expect.stringContaining('keep a former schema until the next run')]);
  expect((await listUnsigned(world)).length).toBe(1);
});
