import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fixedClock, nowInstant } from '../../../pipeline/effects/clock.ts';
import type { GeoBox } from '../../../pipeline/model/geo.ts';
import { nameArea } from '../../../pipeline/model/vehicle-demand.ts';
import { openDemandWriter, readDemands } from '../../../pipeline/snapshots/vehicle-demand-files.ts';
import { temporaryFolder } from '../../jobs/fake-world.ts';
import { silentLog } from '../../support/worlds/ingest.ts';

const salzburg = { south: 47.71, west: 12.91, north: 47.89, east: 13.11 };
const linz = { south: 48.25, west: 14.25, north: 48.35, east: 14.35 };

async function openWorld() {
  const dataDir = await temporaryFolder();
  const clock = fixedClock('2026-03-02T08:00:00Z');
  const folder = path.join(dataDir, 'realtime', 'demands');
  return {
    clock,
    folder,
    dataDir,
    /** A process that receives requests for boxes and ends; its records are then on the disk. */
    async want(...boxes: GeoBox[]) {
      const writer = openDemandWriter(dataDir, { clock, log: silentLog });
      for (const box of boxes) writer.want([box]);
      await writer.close();
    },
    read: async () => (await readDemands(dataDir, nowInstant(clock))).map(({ box }) => nameArea(box)),
  };
}

it('there is no demand without requests', async () => {
  const world = await openWorld();
  await world.want();
  expect(await world.read()).toEqual([]);
});

it('the demands of several processes are read as one list, and expire after five minutes', async () => {
  const world = await openWorld();
  await world.want(salzburg, salzburg);
  world.clock.set('2026-03-02T08:01:00Z');
  await world.want(linz);
  expect(await world.read()).toEqual(['482-142-484-144', '477-129-479-132']);
  expect((await readdir(world.folder)).length).toBe(2);
  world.clock.set('2026-03-02T08:05:00Z');
  expect(await world.read()).toEqual(['482-142-484-144']);
  world.clock.set('2026-03-02T08:06:00Z');
  expect(await world.read()).toEqual([]);
});

it('skips files that cannot be read, and removes those of dead processes', async () => {
  const world = await openWorld();
  await world.want(salzburg);
  await mkdir(path.join(world.folder, 'folder.json'));
  const broken = ['', '{', 'null', '[]', '{"demands":1}', '{"demands":[null,{"box":{"south":"x"},"wantedAt":1}]}'];
  for (const [i, text] of broken.entries()) await writeFile(path.join(world.folder, `broken-${i}.json`), text);
  expect(await world.read()).toEqual(['477-129-479-132']);
  world.clock.set('2026-03-02T09:00:01Z');
  expect(await world.read()).toEqual([]);
  expect((await readdir(world.folder)).filter((name) => /^\d/.test(name))).toEqual([]);
});

it('a disk that cannot be written costs only the demand, and is reported once', async () => {
  const world = await openWorld();
  await mkdir(path.dirname(world.folder), { recursive: true });
  await writeFile(world.folder, 'no folder');
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const writer = openDemandWriter(world.dataDir, { clock: world.clock, log });
  writer.want([salzburg]);
  await writer.close();
  expect(warnings).toEqual([expect.stringMatching(/^the demand for vehicles cannot be written: /)]);
  expect(await world.read()).toEqual([]);
});

it('stores a bounded number of areas, the latest', async () => {
  const world = await openWorld();
  const boxes = Array.from({ length: 100 }, (_, i) => ({ south: i / 2, west: 0, north: i / 2, east: 1 }));
  await world.want(...boxes);
  const [file] = await readdir(world.folder);
  const text = await readFile(path.join(world.folder, file!), 'utf8');
  const { demands } = JSON.parse(text) as { demands: { box: GeoBox }[] };
  expect(demands.map(({ box }) => box.south)).toEqual(boxes.slice(-32).map(({ south }) => south));
});
