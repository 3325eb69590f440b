import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { noOptions } from '../../jobs/job/job.ts';
import { acquireLocks, findLockHolder } from '../../jobs/locks/job-lock.ts';
import { nextRunAt } from '../../jobs/runner/next-run.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { temporaryFolder, testConfig } from './fake-world.ts';
import { notingJob } from './programs/noting-job.ts';

const effects = realEffects({ clock: systemClock, log: silentLog });

async function readNotes(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
}

/** Runs the program until it has logged a number of lines, then kills it at any step. */
async function killAfter(lines: number, dataDir: string, notes: string, ...range: string[]): Promise<void> {
  const program = await compileProgram('test/jobs/programs/killed-run.ts');
  const child = spawn(process.execPath, [program, dataDir, notes, ...range], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  while ((await readNotes(notes)).length < lines) await setTimeout(5);
  child.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
}

it('a killed run frees its locks, is detected as lost, and is repeated', async () => {
  const dataDir = await temporaryFolder();
  const notes = path.join(dataDir, 'notes');
  await killAfter(1, dataDir, notes);
  const config = await testConfig(dataDir);
  for (const resource of ['marts', 'stop-events/a']) {
    expect(await findLockHolder(dataDir, resource, systemClock)).toBeNull();
  }
  await (await acquireLocks(dataDir, 'other', ['marts', 'stop-events/a'], systemClock)).release();
  const history = await openOperations(config, effects);
  const runs = await history.listRuns('noting', 10);
  await history.close();
  expect(runs).toMatchObject([{ state: 'lost', endedAt: null, summary: expect.stringContaining('without a word') }]);
  const now = Date.now();
  expect(nextRunAt(notingJob(notes), config, runs, now)).toBe(now);
});

it('a killed backfill continues where it was', async () => {
  const dataDir = await temporaryFolder();
  const notes = path.join(dataDir, 'notes');
  const range = { from: '2026-01-01' as ServiceDate, to: '2026-01-31' as ServiceDate };
  await killAfter(9, dataDir, notes, range.from, range.to);
  const before = await readNotes(notes);
  expect(before.length).toBeLessThan(31);
  const options = { ...noOptions, ...range, isResumed: true };
  const run = await runJob(notingJob(notes), { config: await testConfig(dataDir), effects, options });
  expect(run.status).toBe('done');
  const days = await readNotes(notes);
  expect(new Set(days).size).toBe(31);
  // Only the days in progress at the kill are repeated.
  expect(days.length).toBeLessThanOrEqual(33);
  expect(run.summary).toMatch(/ done before$/);
});
