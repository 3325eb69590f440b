import { chmod, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import { findCurrentStreetsId, streetsFolder, tilesFile } from '../../../pipeline/streets/published-streets.ts';
import { readFolderState } from '../../support/checks/folder-state.ts';
import { readTarEntries } from '../../support/checks/tar.ts';
import { writeOsmPbf } from '../../support/worlds/osm-pbf.ts';
import { build, hasEngine, makeFolder, spot, writeTown } from './made-up-town.ts';

let folder: string;
let dataDir: string;
let pbf: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
  dataDir = path.join(folder, 'data');
  pbf = path.join(folder, 'town.osm.pbf');
  await writeTown(pbf);
});
afterEach(() => remove());

const graphs = async () => (await readdir(streetsFolder(dataDir))).filter((name) => /^[0-9a-f]{16}$/.test(name));

/** A program in place of the tile builder; it is called with `-c <config> <file>`. */
async function writeProgram(body: string): Promise<string> {
  const program = path.join(folder, 'program.mjs');
  await writeFile(program, `#!${process.execPath}\nimport fs from 'node:fs';\n${body}\n`);
  await chmod(program, 0o755);
  return program;
}

const writesTiles = (text: string) => `
const { mjolnir } = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
fs.mkdirSync(mjolnir.tile_dir + '/2/000', { recursive: true });
fs.writeFileSync(mjolnir.tile_dir + '/2/000/001.gph', ${JSON.stringify(text)});
fs.writeFileSync(mjolnir.tile_dir + '/nodes.bin', 'not a tile');`;

describe.runIf(hasEngine)('a built graph', () => {
  it('is published with the metadata of its input', async () => {
    const { manifest, isUnchanged } = await build({ pbf, dataDir });
    expect(isUnchanged).toBe(false);
    expect(manifest).toMatchObject({
      kind: 'streets',
      createdAt: '2026-03-01T12:00:00.000Z',
      source: { name: 'town.osm.pbf', bytes: (await stat(pbf)).size },
      tiles: { bytes: (await stat(tilesFile(dataDir, manifest.id))).size },
    });
    expect(await findCurrentStreetsId(dataDir)).toBe(manifest.id);
    expect(await graphs()).toEqual([manifest.id]);
    expect(await readdir(path.join(streetsFolder(dataDir), 'work'))).toEqual([]);
    const entries = readTarEntries(await readFile(tilesFile(dataDir, manifest.id)));
    expect(entries).toHaveLength(manifest.tiles.count);
    for (const { name } of entries) expect(name).toMatch(/^2\/\d{3}\/\d{3}\/\d{3}\.gph$/);
  });

  it('is built once from equal files at any path', async () => {
    const first = await build({ pbf, dataDir });
    const before = await readFolderState(dataDir);
    const copy = path.join(folder, 'copy.pbf');
    await cp(pbf, copy);
    const program = await writeProgram('process.exit(1);');
    expect(await build({ pbf: copy, dataDir, program, now: '2026-03-02T12:00:00Z' })).toEqual({
      manifest: first.manifest,
      isUnchanged: true,
    });
    expect(await readFolderState(dataDir)).toEqual(before);
  });

  it('is current again when the older file returns, and rebuilt if damaged', async () => {
    const first = await build({ pbf, dataDir });
    await writeTown(pbf, { name: 'Langstraße' });
    const second = await build({ pbf, dataDir });
    expect(second.manifest.id).not.toBe(first.manifest.id);
    await writeTown(pbf);
    const noBuilder = await writeProgram('process.exit(1);');
    expect(await build({ pbf, dataDir, program: noBuilder })).toEqual({ ...first, isUnchanged: false });
    expect(await findCurrentStreetsId(dataDir)).toBe(first.manifest.id);
    await truncate(tilesFile(dataDir, first.manifest.id), 1000);
    expect((await build({ pbf, dataDir })).isUnchanged).toBe(false);
    expect((await stat(tilesFile(dataDir, first.manifest.id))).size).toBe(first.manifest.tiles.bytes);
  });

  it('is removed except for the newest two', async () => {
    const ids: string[] = [];
    for (const name of ['Erste Straße', 'Zweite Straße', 'Dritte Straße']) {
      await writeTown(pbf, { name });
      ids.push((await build({ pbf, dataDir })).manifest.id);
    }
    expect((await graphs()).sort()).toEqual(ids.slice(1).sort());
    expect(await findCurrentStreetsId(dataDir)).toBe(ids[2]);
  });

  it('reports its progress', async () => {
    const steps: string[] = [];
    const log = { info: () => {}, warn: () => {}, progress: (step: string) => steps.push(step) };
    await build({ pbf, dataDir, log });
    expect(steps[0]).toBe('streets: reading the file');
    expect(steps).toContain('streets: writing tiles');
    expect(steps.length).toBeLessThan(12);
  });

  it('of a newer file is opened while the older one stays open', async () => {
    await build({ pbf, dataDir });
    const older = (await openWalkRouter(dataDir))!;
    await writeTown(pbf, { name: 'Langstraße' });
    await build({ pbf, dataDir });
    const newer = (await openWalkRouter(dataDir))!;
    const describeWalk = async (walks: typeof older) =>
      (await walks.findPath(spot('west'), spot('east'), 'foot', 'de'))!.steps[0]!.instruction;
    expect(await describeWalk(newer)).toBe('Auf Langstraße Richtung Osten laufen.');
    expect(await describeWalk(older)).toBe('Auf Hauptstraße Richtung Osten laufen.');
    expect((await openWalkRouter(dataDir))!.id).toBe(newer.id);
  });
});

describe('rejected files', () => {
  const empty: readonly [what: string, make: () => Promise<void>, code: string, message: string][] = [
    ['none', () => rm(pbf), 'pbf_missing', 'there is no file'],
    ['a folder', () => rm(pbf).then(() => mkdir(pbf)), 'pbf_unreadable', 'is not a file'],
    ['an empty one', () => writeFile(pbf, ''), 'pbf_unreadable', 'is not an OSM PBF file'],
    ['XML', () => writeFile(pbf, '<osm version="0.6"></osm>'), 'pbf_unreadable', 'is not an OSM PBF file'],
  ];
  it.each(empty)('%s', async (_what, make, code, message) => {
    await make();
    await expect(build({ pbf, dataDir })).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await findCurrentStreetsId(dataDir)).toBe(null);
  });

  it.runIf(hasEngine)('a program that fails', async () => {
    await truncate(pbf, (await stat(pbf)).size - 100);
    await expect(build({ pbf, dataDir })).rejects.toMatchObject({
      code: 'pbf_unreadable',
      message: expect.stringMatching(/town\.osm\.pbf is damaged, or no OSM PBF file: PBF error: .+$/),
    });
    expect(await readdir(path.join(streetsFolder(dataDir), 'work'))).toEqual([]);
  });

  const streetless: readonly [what: string, highway: string | null][] = [
    ['one without a way', null],
    ['one of a motorway alone, without cars', 'motorway'],
  ];
  it.runIf(hasEngine).each(streetless)('%s', async (_what, highway) => {
    const nodes = [spot('west'), spot('east')].map((place, i) => ({ id: i + 1, ...place, tags: { natural: 'tree' } }));
    await writeOsmPbf(pbf, nodes, highway === null ? [] : [{ id: 1, nodes: [1, 2], tags: { highway } }]);
    const building = build({ pbf, dataDir, modes: ['walk', 'bike'] });
    await expect(building).rejects.toMatchObject({ code: 'streets_empty' });
  });
});

describe('a builder', () => {
  // How each program ends; nothing of its output remains anywhere.
  const ends: readonly [what: string, body: string, code: string, message: string][] = [
    ['killed', "process.kill(process.pid, 'SIGKILL');", 'tile_builder_killed', 'possibly because memory ran out'],
    [
      'out of disk, reported by the builder',
      "console.error('what():  No space left on device'); process.exit(1);",
      'disk_full',
      'the disk is full',
    ],
    ['out of disk, reported by the system', "process.kill(process.pid, 'SIGBUS');", 'disk_full', 'the disk is full'],
    [
      'that gives up',
      "console.error('what():  no way'); process.exit(3);",
      'tile_builder_failed',
      'the tile builder ended with 3: no way',
    ],
    [
      'that crashes',
      "process.kill(process.pid, 'SIGSEGV');",
      'tile_builder_failed',
      'the tile builder was ended by SIGSEGV',
    ],
    ['that writes nothing', '', 'streets_empty', 'town.osm.pbf contains no walkable street'],
    [
      'whose file changes during the build',
      "fs.appendFileSync(process.argv[4], 'x');",
      'pbf_unreadable',
      'changed while it was read',
    ],
  ];
  it.each(ends)('%s', async (_what, body, code, message) => {
    const good = await writeProgram(writesTiles('first'));
    const { manifest } = await build({ pbf, dataDir, program: good });
    await writeTown(pbf, { name: 'Langstraße' });
    const program = await writeProgram(`${code === 'streets_empty' ? '' : writesTiles('second')}\n${body}`);
    await expect(build({ pbf, dataDir, program })).rejects.toMatchObject({
      name: 'ExternalError',
      code,
      message: expect.stringContaining(message),
    });
    expect(await findCurrentStreetsId(dataDir)).toBe(manifest.id);
    expect(await graphs()).toEqual([manifest.id]);
    expect(await readdir(path.join(streetsFolder(dataDir), 'work'))).toEqual([]);
  });

  it('that cannot be started is reported', async () => {
    const program = path.join(folder, 'nothing');
    await expect(build({ pbf, dataDir, program })).rejects.toMatchObject({
      code: 'streets_unsupported',
      message: expect.stringContaining('cannot be run here: spawn'),
    });
  });

  it('ends when the build is aborted', async () => {
    const stop = new AbortController();
    const program = await writeProgram("console.log('Parsing ways...'); setInterval(() => {}, 1000);");
    const log = {
      info: () => {},
      warn: () => {},
      progress: (step: string) => {
        if (step === 'streets: reading ways') stop.abort(new Error('enough'));
      },
    };
    await expect(build({ pbf, dataDir, program, signal: stop.signal, log })).rejects.toThrow('enough');
    expect(await readdir(path.join(streetsFolder(dataDir), 'work'))).toEqual([]);
  });

  it('leaves no partial graph when killed', async () => {
    const left = path.join(streetsFolder(dataDir), 'work', 'mmmmmmmm-0123456789ab', 'graph');
    await mkdir(left, { recursive: true });
    await writeFile(path.join(left, 'tiles.tar'), 'half');
    const { manifest } = await build({ pbf, dataDir, program: await writeProgram(writesTiles('whole')) });
    expect(await readdir(path.join(streetsFolder(dataDir), 'work'))).toEqual([]);
    const entries = readTarEntries(await readFile(tilesFile(dataDir, manifest.id)));
    expect(entries.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['2/000/001.gph', 'whole'],
    ]);
  });
});
