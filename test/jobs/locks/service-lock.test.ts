import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { Interruption } from '../../../jobs/job/exit-code.ts';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { asOnlyService, findServiceHolder } from '../../../jobs/locks/service-lock.ts';
import { openDataFolder } from '../../../jobs/open-data-folder.ts';
import { fakeEffects, NOW, press, runCommand, temporaryFolder } from '../fake-world.ts';

/** A data folder that was used before. */
async function usedFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await openDataFolder({ dataDir, isWritten: true }, fakeEffects());
  return dataDir;
}

it.each(['schedule', 'up'])('%s refuses a folder that another service polls and runs the jobs of', async (command) => {
  const dataDir = await usedFolder();
  const lock = await acquireLocks(dataDir, 'service', ['service'], fakeEffects().clock);
  const { code, stderr } = await runCommand([command], { dataDir });
  await lock.release();
  expect(code).toBe(1);
  expect(stderr).toBe(
    `error: ${dataDir} is in use: process ${process.pid} on ${hostname()}, since ${NOW}, polls it and runs its jobs; stop that process first, or use "taktgeber serve"\n`,
  );
});

it('serve shares the folder with it', async () => {
  const dataDir = await usedFolder();
  const stop = new AbortController();
  const startApi = async () => ({ url: 'http://localhost:1', close: async () => {} });
  const run = await asOnlyService(dataDir, fakeEffects(), async () => {
    press(stop, new Interruption('SIGINT'));
    return runCommand(['serve'], { dataDir, parts: { startApi }, stop });
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
});

it('a service that only serves permits another one', async () => {
  const dataDir = await usedFolder();
  await asOnlyService(dataDir, fakeEffects(), async () => {
    const environment = { TAKTGEBER_SCHEDULE_IS_ENABLED: 'false', TAKTGEBER_POLLING_IS_ENABLED: 'false' };
    const ingestTimetable = async () => {
      throw new Error('got this far');
    };
    const { stderr } = await runCommand(['up'], { dataDir, environment, parts: { ingestTimetable } });
    expect(stderr).not.toContain('is in use');
  });
});

it('the folder is released when the service ends or fails', async () => {
  const dataDir = await temporaryFolder();
  const effects = fakeEffects();
  const failure = new Error('failed');
  const failing = asOnlyService(dataDir, effects, async () => {
    expect(await findServiceHolder(dataDir, effects)).toMatchObject({ pid: process.pid });
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(await findServiceHolder(dataDir, effects)).toBeNull();
});
