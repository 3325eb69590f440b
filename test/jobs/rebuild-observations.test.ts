import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findStopEventManifest } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { finalise, getManifest, listRows, live, openWorldToFinalise } from '../support/finalised-world.ts';
import { soundFeed } from '../support/ingest.ts';
import { POLLED_DAY as DAY, pollDay } from '../support/polled-day.ts';
import { fakeEffects, runCommand } from './fake-world.ts';

it('a rebuild from raw gives the same stop events', async () => {
  const world = await openWorldToFinalise(soundFeed, DAY);
  await pollDay(world);
  await finalise(world, '2026-03-04T13:45:00Z', '--source', 'live');
  const rows = await listRows(world);
  expect(rows).toEqual([
    't1.0 a departure 07:00 observed_actual +90 left +90 forecast +60 390 s before',
    't1.1 b arrival 07:10 forecast forecast +120 420 s before',
    't1.2 c arrival 07:20 unknown',
    't2.0 a departure 08:00 unknown cancelled',
    't2.1 b arrival 08:10 unknown cancelled',
    't2.2 c arrival 08:20 unknown cancelled',
  ]);
  const { rowsHash } = await getManifest(world);

  const into = path.join(world.dataDir, 'elsewhere', 'again');
  const argv = [
    'rebuild-observations',
    '--date',
    DAY,
    '--into',
    into,
    '--config',
    path.join(world.dataDir, 'taktgeber.yaml'),
  ];
  const { code, stdout, stderr } = await runCommand(argv, { dataDir: world.dataDir });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`6 stored answers gave 1 days of sightings in ${into}\n  live ${DAY}\n`);
  const rebuilt = { ...world, dataDir: into };
  const again = ['run', 'finalise-stop-events', '--source', 'live', '--date', DAY];
  const config = ['--config', path.join(world.dataDir, 'taktgeber.yaml'), '--data', into];
  await runCommand([...again, ...config], { dataDir: into, effects: fakeEffects('2026-03-05T12:00:00Z') });
  expect(await listRows(rebuilt)).toEqual(rows);
  expect((await findStopEventManifest(into, live, world.date))!.rowsHash).toBe(rowsHash);
  // Nothing was written into the real folder, and a folder in use is not written over.
  expect(await readdir(path.join(world.dataDir, 'tmp'))).toEqual([]);
  expect(await runCommand(argv, { dataDir: world.dataDir })).toMatchObject({ code: 2 });
});
