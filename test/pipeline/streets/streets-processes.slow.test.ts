import { execFile, spawn } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';
import { findCurrentStreetsId, streetsFolder } from '../../../pipeline/streets/published-streets.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { build, hasEngine, makeFolder, spot, writeTown } from './made-up-town.ts';

let dataDir: string;
let pbf: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  const made = await makeFolder();
  remove = made.remove;
  dataDir = path.join(made.folder, 'data');
  pbf = path.join(made.folder, 'town.osm.pbf');
  await writeTown(pbf);
});
afterEach(() => remove());

const NAME = 'test/pipeline/streets/';

describe.runIf(hasEngine)('streets', () => {
  it('are shared by several threads', async () => {
    await build({ pbf, dataDir });
    const program = await compileProgram(`${NAME}walk-threads-program.ts`);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, dataDir]);
    expect([JSON.parse(stdout), stderr]).toEqual([{ same: 100, other: 0, threads: 3 }, '']);
  });

  it('are opened only in the main thread', async () => {
    await build({ pbf, dataDir });
    const program = await compileProgram(`${NAME}open-in-thread.ts`);
    const thread = new Worker(program, { workerData: dataDir });
    const reported = await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    expect(reported).toBe('the street engine is opened in the main thread; others share it');
    await thread.terminate();
  });

  it('are unchanged when a build is killed', async () => {
    const { manifest } = await build({ pbf, dataDir });
    await writeTown(pbf, { name: 'Langstraße' });
    const program = await compileProgram(`${NAME}kill-program.ts`);
    const child = spawn(process.execPath, [program, pbf, dataDir, await writeEndlessBuilder()]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    let reported = '';
    for await (const text of child.stdout) {
      reported += text;
      if (reported.includes('streets: reading ways')) child.kill('SIGKILL');
    }
    await ended;
    expect(reported).toContain('streets: reading ways');
    const work = path.join(streetsFolder(dataDir), 'work');
    expect(await readdir(work)).toHaveLength(1);
    expect(await findCurrentStreetsId(dataDir)).toBe(manifest.id);
    const walks = (await openWalkRouter(dataDir))!;
    expect(await walks.measure(spot('west'), [spot('east')], 'foot', 5000)).toEqual([400]);

    const next = await build({ pbf, dataDir });
    expect(await readdir(work)).toEqual([]);
    expect(await findCurrentStreetsId(dataDir)).toBe(next.manifest.id);
  });
});

/** Starts like the real builder, writes a part of the tiles, and continues until its output is closed. */
async function writeEndlessBuilder(): Promise<string> {
  const program = path.join(dataDir, 'endless.mjs');
  await writeFile(
    program,
    `#!${process.execPath}
import fs from 'node:fs';
const { mjolnir } = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
fs.writeFileSync(mjolnir.tile_dir + '/half.gph', 'half of a tile');
process.stdout.on('error', () => process.exit(1));
setInterval(() => console.log('Parsing ways...'), 20);
`,
  );
  await chmod(program, 0o755);
  return program;
}
