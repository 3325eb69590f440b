import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { findFreePort } from '../support/free-port.ts';

const run = promisify(execFile);

/** What npm needs of the project, in a folder without old builds. */
const COPIED = ['api', 'data/lookups', 'deploy', 'jobs', 'pipeline', 'test'];
const COPIED_FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts', 'README.md', 'LICENSE'];

/** Outside of the project, so that no package is found in it; not in memory, which half a gigabyte would fill. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'taktgeber-packed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns the tarball */
async function pack(folder: string): Promise<string> {
  const copy = path.join(folder, 'project');
  for (const name of [...COPIED, ...COPIED_FILES]) {
    await cp(projectPath(name), path.join(copy, name), { recursive: true });
  }
  await symlink(projectPath('node_modules'), path.join(copy, 'node_modules'));
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy, maxBuffer: 10 ** 7 });
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return path.join(folder, tarball!);
}

/** Waits for the addresses that `up --json` prints. */
async function readAddresses(up: ChildProcess): Promise<readonly string[]> {
  let printed = '';
  for await (const chunk of up.stdout!) {
    printed += chunk;
    if (printed.trimEnd().endsWith('}')) break;
  }
  return (JSON.parse(printed) as { addresses: readonly string[] }).addresses;
}

it('the packed program, installed into an empty folder, serves the sample and is stopped in order', {
  timeout: 420_000,
}, async () => {
  const folder = await makeFolder();
  const tarball = await pack(folder);
  const app = path.join(folder, 'app');
  await mkdir(app);
  await writeFile(path.join(app, 'package.json'), '{"name": "app", "private": true}');
  const installed = await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: app });
  expect(installed.stderr).not.toContain('EBADENGINE');

  const program = path.join(app, 'node_modules', '.bin', 'taktgeber');
  const metricsPort = String(await findFreePort());
  const environment = { ...process.env, TAKTGEBER_METRICS_PORT: metricsPort, NODE_ENV: 'production' };
  const up = spawn(program, ['up', '--port', '0', '--json'], { cwd: app, env: environment });
  onTestFinished(() => void up.kill('SIGKILL'));
  const log = text(up.stderr);
  const [home, page] = await readAddresses(up);
  expect(await (await fetch(page!)).text()).toContain('id="board"');
  const board = page!.replace(`${home}stops/`, `${home}v2/stops/`);
  const answer = (await (await fetch(`${board}/departures`)).json()) as { departures: readonly object[] };
  expect(answer.departures.length).toBeGreaterThan(0);
  const check = path.join(app, 'node_modules', 'taktgeber', 'deploy', 'health-check.mjs');
  await run(process.execPath, [check], { env: environment });

  up.kill('SIGTERM');
  expect([(await once(up, 'exit'))[0], await log]).toEqual([0, expect.not.stringContaining('bug')]);
  await expect(run(process.execPath, [check], { env: environment })).rejects.toMatchObject({ code: 1 });
  // Data is where the program was started, not in its own folder, which npm replaces.
  expect(await readdir(path.join(app, 'data'))).toContain('format.json');
  const status = await run(program, ['status', '--exit-code'], { cwd: app });
  expect(status.stdout).toContain(`Data folder: ${path.join(app, 'data')}`);
});
