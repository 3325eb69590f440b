import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { sweepLeftovers } from '../../../jobs/schedule/sweep-leftovers.ts';
import { fakeEffects, temporaryFolder, testConfig } from '../fake-world.ts';

/** Unfinished files as each way of writing leaves them, in folders that only the program writes to. */
const LEFT = [
  'lake/raw/wien/20260301-main.json.gz.0123456789ab.tmp',
  'lake/observations/source=a/journal.jsonl.tmp',
  'snapshots/timetable/.abc.0123456789ab.tmp/stops.arrow',
  'state/alerts/states.json.0123456789ab.tmp',
  'locks/marts.lock.0123456789ab.stale',
];
const KEPT = ['lake/raw/wien/20260301-main.json.gz', 'notes.tmp', 'snapshots/timetable/tmp-a/stops.arrow'];

async function place(dataDir: string, name: string, isOld: boolean): Promise<void> {
  const file = path.join(dataDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '');
  const before = new Date(Date.parse('2026-01-01T00:00:00Z'));
  if (isOld) for (const old of [file, path.dirname(file)]) await utimes(old, before, before);
}

async function listFiles(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name))).sort();
}

it('unfinished files of killed processes are removed at the next start, and nothing else', async () => {
  const dataDir = await temporaryFolder();
  for (const name of [...LEFT, ...KEPT]) await place(dataDir, name, true);
  await place(dataDir, 'state/just-now.json.0123456789ab.tmp', false);
  const effects = fakeEffects();
  await sweepLeftovers(await testConfig(dataDir), effects);
  expect(await listFiles(dataDir)).toEqual([...KEPT, 'state/just-now.json.0123456789ab.tmp'].sort());
  expect(effects.logged()).toBe('5 temporary files of killed processes were removed\n');
});

it('while another process works on the folder, they remain', async () => {
  const dataDir = await temporaryFolder();
  for (const name of LEFT) await place(dataDir, name, true);
  const other = {
    job: 'build-marts',
    host: (await import('node:os')).hostname(),
    pid: process.ppid,
    processStart: null,
  };
  await writeFile(
    path.join(dataDir, 'locks', 'marts.lock'),
    JSON.stringify({ ...other, startedAt: '2026-03-01T00:00:00Z' }),
  );
  await sweepLeftovers(await testConfig(dataDir), fakeEffects());
  expect(await listFiles(dataDir)).toEqual([...LEFT, 'locks/marts.lock'].sort());
});
