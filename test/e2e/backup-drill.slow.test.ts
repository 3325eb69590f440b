import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openDataFolder } from '../../jobs/open-data-folder.ts';
import { listBackups, readBackup, type StoredBackup } from '../../pipeline/backup/backup-store.ts';
import { RESTORE_MARK } from '../../pipeline/backup/restore-mark.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { observationsFolder } from '../../pipeline/lake/paths.ts';
import { listRawAnswers, readRawBytes } from '../../pipeline/lake/raw-answers.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { seededRandom } from '../../pipeline/predictions/forest/seeded-random.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { lakeSettings } from '../support/worlds/observations.ts';
import { openCountry, POLL_START } from '../support/worlds/polled-country.ts';
import { listKilledSources } from './killed-sources.ts';

const WRITER = 'test/e2e/kill-program.ts';
const CLI = 'jobs/commands/cli.ts';

/** Interrupted runs of each command. The kill times are the same in every run of the test, but not what they interrupt. */
const KILLS = 6;

const START = parseTimestamp(POLL_START)!;
const MUCH_LATER = (START + 30 * 86_400) as Instant;

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  readonly milliseconds: number;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-drill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command; its exit code is null if it was killed after the given milliseconds. */
async function runCli(cli: string, argv: readonly string[], killAfter: number | null = null): Promise<Ended> {
  const started = performance.now();
  // Without environment variables of the tests, which are not settings.
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  const child = spawn(process.execPath, [cli, ...argv], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, ended] = [text(child.stderr), once(child, 'exit')];
  if (killAfter !== null) {
    await Promise.race([setTimeout(killAfter), ended]);
    child.kill('SIGKILL');
  }
  const [code] = (await ended) as [number | null];
  return { code, stderr: await stderr, milliseconds: performance.now() - started };
}

/** Polls without pause, so that a file is being written nearly all the time. */
async function startWriter(program: string, dataDir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, dataDir, POLL_START], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  while ((await listAnswers(dataDir)).length < 20) await setTimeout(50);
  return child;
}

const sources = listKilledSources('http://upstream.example').map(({ id }) => id);

async function listAnswers(dataDir: string) {
  const lists = sources.map((id) => listRawAnswers(dataDir, id, START, MUCH_LATER));
  return (await Promise.all(lists)).flat();
}

it('a backup of a folder in use, and its restore, can be killed at any time', {
  timeout: 420_000,
}, async () => {
  const country = await openCountry();
  onTestFinished(country.close);
  const { dataDir } = country;
  await openDataFolder({ dataDir, isWritten: true }, realEffects({ clock: systemClock, log: silentLog }));
  const program = await compileProgram(WRITER);
  const cli = program.replace(WRITER.replace(/ts$/, 'js'), CLI.replace(/ts$/, 'js'));
  const store = await makeFolder();
  const random = seededRandom(7);

  const writer = await startWriter(program, dataDir);
  const backup = ['backup', '--to', store, '--data', dataDir];
  const first = await runCli(cli, backup);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  for (let kill = 0; kill < KILLS; kill++) {
    // Starting takes more than a third of the duration.
    await runCli(cli, backup, (0.35 + 0.65 * random()) * first.milliseconds);
  }
  expect(await runCli(cli, backup)).toMatchObject({ code: 0, stderr: '' });
  expect(writer.exitCode, 'the writer has ended by itself').toBeNull();
  expect(await runCli(cli, [...backup, '--verify'])).toMatchObject({ code: 0, stderr: '' });
  writer.kill('SIGKILL');

  const kept = await readBackup(store, (await listBackups(store)).at(-1)!);
  const target = path.join(await makeFolder(), 'data');
  await restoreAmidKills(cli, store, target, random);
  await expectEqual(target, kept);
  expect(await runCli(cli, ['status', '--data', target])).toMatchObject({ code: 0, stderr: '' });
  await expectWhole(target);
});

async function restoreAmidKills(cli: string, store: string, target: string, random: () => number): Promise<void> {
  const drill = await makeFolder();
  const whole = await runCli(cli, ['restore', '--from', store, '--data', path.join(drill, 'data')]);
  expect(whole).toMatchObject({ code: 0 });
  const restore = ['restore', '--from', store, '--data', target];
  for (let kill = 0; kill < KILLS; kill++) {
    // Increasingly late, to interrupt the final swap as well; a run that ends before its kill is repeated.
    const share = 0.4 + (0.6 * kill) / KILLS + random() * 0.1;
    const { code } = await runCli(cli, restore, share * whole.milliseconds);
    await expectNothingHalf(cli, target);
    if (code === 0) await rm(target, { recursive: true });
  }
  const last = await runCli(cli, [...restore, '--force']);
  expect(last).toMatchObject({ code: 0 });
}

/** A restored folder is untouched, refused by every command, or complete. */
async function expectNothingHalf(cli: string, target: string): Promise<void> {
  const names = (await readdir(target).catch(() => [])).filter((name) => name !== 'tmp');
  const { code, stderr } = await runCli(cli, ['status', '--data', target]);
  if (names.includes(RESTORE_MARK)) expect([code, stderr]).toEqual([1, expect.stringContaining('taktgeber restore')]);
  else expect([code, names.length === 0 || names.includes('format.json')]).toEqual([0, true]);
}

async function expectEqual(target: string, { files }: StoredBackup): Promise<void> {
  const restored = await Promise.all(
    files.map(async ({ path: name }) => {
      const bytes = await readFile(path.join(target, name));
      return `${name} ${createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );
  expect(restored).toEqual(files.map(({ path: name, sha256 }) => `${name} ${sha256}`));
  expect(files.length).toBeGreaterThan(50);
}

/** Expects consistent stores: journals are flushed, and every observation refers to a readable raw response. */
async function expectWhole(target: string): Promise<void> {
  for (const id of sources) {
    const observations = await openObservations(target, id, lakeSettings, { log: silentLog });
    await observations.flush(MUCH_LATER);
    await observations.close();
  }
  const answers = await listAnswers(target);
  for (const { rawId } of answers) await readRawBytes(target, rawId);
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(target), '**', '*.parquet'));
    const rows = await db.query(`select distinct raw_id from read_parquet(${files}, hive_partitioning = true)`);
    const known = new Set(answers.map(({ rawId }) => String(rawId)));
    expect(rows.filter(({ raw_id: id }) => !known.has(String(id)))).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  } finally {
    db.close();
  }
}
