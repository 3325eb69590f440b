import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runApi } from '../../jobs/commands/run-api.ts';
import { allJobs } from '../../jobs/definitions/all-jobs.ts';
import { Interruption } from '../../jobs/job/exit-code.ts';
import { noOptions } from '../../jobs/job/job.ts';
import { findReadableTimetable, rebuildOutdated } from '../../jobs/schedule/rebuild-outdated.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { newestFormat } from '../../pipeline/lake/data-format.ts';
import { findCurrentHistoryId, readHistoryManifest } from '../../pipeline/snapshots/history-contract.ts';
import { fakeEffects, press, runCommand, temporaryFolder } from './fake-world.ts';

/** In the period of the feed, after the day of the archive. */
const NOW = '2026-12-01T12:00:00Z';

/** A data folder as a program of that format left it; made by `test/fixtures/make-data-folder.mjs`. */
async function unpack(format: number): Promise<string> {
  const folder = await temporaryFolder();
  await promisify(execFile)('tar', ['-xzf', projectPath(`test/fixtures/data-format-${format}.tgz`), '-C', folder]);
  return path.join(folder, 'data');
}

const formats = Array.from({ length: newestFormat() - 1 }, (_, index) => index + 1);

describe.each(formats)('a data folder of format %i', (format) => {
  it('is upgraded by the first command, and keeps its contents', async () => {
    const dataDir = await unpack(format);
    const sql = 'select count(*) as calls, max(delay_seconds)::integer as latest from stop_events';
    const { code, stdout, stderr } = await runCommand(['sql', '--json', sql], { dataDir });
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ calls: 3, latest: 400 }]]);
    expect(stderr).toContain(`${dataDir}: upgraded to format ${newestFormat()}\n`);
    const again = await runCommand(['status'], { dataDir });
    // Snapshots of a former format are rebuilt by the next ingest; their inputs remain.
    expect(again.stderr).toMatch(/^(?:error: timetable: snapshot \w+ is of format \d+, .*: run ingest-timetable\n)?$/);
    expect(again.stdout).toContain(`Data folder: ${dataDir}`);
  });

  it('is served, with its secrets', async () => {
    const dataDir = await unpack(format);
    const secret = await readFile(path.join(dataDir, 'secrets', 'reference-key'), 'utf8');
    await rebuild(dataDir);
    const stop = new AbortController();
    const answers: unknown[] = [];
    const startApi: typeof runApi = async (...args) => {
      const api = await runApi(...args);
      answers.push(await (await fetch(`${api.url}/v2/stops?query=Kirche&limit=1`)).json());
      press(stop, new Interruption('SIGTERM'));
      return api;
    };
    const environment = {
      TAKTGEBER_PLANNER_THREADS: '0',
      TAKTGEBER_METRICS_IS_ENABLED: 'false',
      TAKTGEBER_LOG_LEVEL: 'silent',
    };
    const setting = { dataDir, stop, environment, parts: { startApi }, effects: fakeEffects(NOW) };
    expect((await runCommand(['serve', '--port', '0'], setting)).code).toBe(0);
    expect(answers).toMatchObject([{ stops: [{ name: 'Kirche' }] }]);
    expect(await readFile(path.join(dataDir, 'secrets', 'reference-key'), 'utf8')).toBe(secret);
  });

  it('gets new snapshots immediately if this program cannot read its own', async () => {
    const dataDir = await unpack(format);
    for (const kind of ['timetable', 'history']) await outdate(path.join(dataDir, 'snapshots', kind));
    expect(await findReadableTimetable(dataDir)).toBeNull();
    const effects = await rebuild(dataDir);
    expect(effects.logged()).toMatch(/snapshot \w+ is of format 1, and this version reads \d+.*; rebuilding it now/);
    expect(await findReadableTimetable(dataDir)).toMatchObject({ sources: [{ sourceId: 'city' }] });
    const history = await readHistoryManifest(dataDir, (await findCurrentHistoryId(dataDir))!);
    expect(history.files.length).toBeGreaterThan(0);
  });
});

/** Rebuilds the snapshots that this program cannot read, as the service does at its start. */
async function rebuild(dataDir: string) {
  const effects = fakeEffects(NOW);
  await rebuildOutdated({
    config: await configureRawFeed(dataDir),
    effects,
    jobs: allJobs(),
    options: noOptions,
    signal: new AbortController().signal,
  });
  return effects;
}

/** States a former format in the manifests of all snapshots of a kind. */
async function outdate(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (path.basename(name) !== 'manifest.json') continue;
    const file = path.join(folder, name);
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...manifest, formatVersion: 1 }));
  }
}

/** A configuration whose feed is the zip that the folder has stored. */
async function configureRawFeed(dataDir: string) {
  const raw = path.join(dataDir, 'lake', 'raw');
  const [zip] = (await readdir(raw, { recursive: true })).filter((name) => name.endsWith('.zip'));
  const file = path.join(dataDir, 'taktgeber.yaml');
  await writeFile(file, JSON.stringify({ sources: [{ id: 'city', gtfs: path.join(raw, zip!) }] }));
  const request = { file, environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir };
  return (await loadConfig(request)).config;
}
