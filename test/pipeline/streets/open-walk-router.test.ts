import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import { currentStreetsFile, streetsManifestFile, tilesFile } from '../../../pipeline/streets/published-streets.ts';
import { build, hasEngine, makeFolder, writeTown } from './made-up-town.ts';

let dataDir: string;
let remove: () => Promise<void>;
let warnings: string[];
const log = { info: () => {}, warn: (message: string) => warnings.push(message), progress: () => {} };
beforeEach(async () => {
  ({ folder: dataDir, remove } = await makeFolder());
  warnings = [];
});
afterEach(() => remove());

it('returns null without a published graph, and logs nothing', async () => {
  expect(await openWalkRouter(dataDir, log)).toBe(null);
  expect(warnings).toEqual([]);
});

const damages: readonly [what: string, damage: (id: string) => Promise<void>, warning: string][] = [
  ['a graph that is gone', (id) => rm(path.dirname(tilesFile(dataDir, id)), { recursive: true }), 'have no manifest'],
  ['a damaged manifest', (id) => writeFile(streetsManifestFile(dataDir, id), '{'), 'have no manifest'],
  ['tiles that are gone', (id) => rm(tilesFile(dataDir, id)), 'have not all of their tiles'],
  ['tiles cut off', (id) => truncate(tilesFile(dataDir, id), 700), 'have not all of their tiles'],
  ['an older graph', (id) => changeRules(id), 'were built for another version'],
];
it.runIf(hasEngine).each(damages)('%s is logged, and walks are straight', async (_what, damage, warning) => {
  const pbf = path.join(dataDir, 'town.osm.pbf');
  await writeTown(pbf);
  const { manifest } = await build({ pbf, dataDir });
  await damage(manifest.id);
  expect(await openWalkRouter(dataDir, log)).toBe(null);
  expect(warnings).toEqual([
    `walks are straight lines: the published streets ${warning}; build-streets builds them again`,
  ]);
});

it('treats a damaged pointer as missing', async () => {
  await mkdir(path.dirname(currentStreetsFile(dataDir)));
  await writeFile(currentStreetsFile(dataDir), '{"id":');
  expect(await openWalkRouter(dataDir, log)).toBe(null);
});

async function changeRules(id: string): Promise<void> {
  const file = streetsManifestFile(dataDir, id);
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...manifest, rulesVersion: 0 }));
}
