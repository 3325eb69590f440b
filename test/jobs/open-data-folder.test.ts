import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { asOnlyService } from '../../jobs/locks/service-lock.ts';
import { openDataFolder } from '../../jobs/open-data-folder.ts';
import { identifyThisProcess } from '../../pipeline/effects/process-identity.ts';
import { formatFile, type Migration, newestFormat } from '../../pipeline/lake/data-format.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

const readFormat = async (dataDir: string) => JSON.parse(await readFile(formatFile(dataDir), 'utf8'));

/** A folder as programs before the first format version left it. */
async function folderOfFormat1(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const name of ['lake', 'secrets', 'watches']) await mkdir(path.join(dataDir, name));
  await writeFile(path.join(dataDir, 'secrets', 'reference-key'), 'k', { mode: 0o644 });
  await writeFile(path.join(dataDir, 'watches', 'watches.sqlite'), 'w', { mode: 0o644 });
  for (const name of ['secrets', 'watches']) await chmod(path.join(dataDir, name), 0o755);
  return dataDir;
}

describe('a new folder', () => {
  it('is marked by a command that writes', async () => {
    const dataDir = path.join(await temporaryFolder(), 'new');
    await openDataFolder({ dataDir, isWritten: true }, fakeEffects());
    expect(await readFormat(dataDir)).toEqual({ format: newestFormat(), writtenBy: expect.stringMatching(/^\d+\./) });
    await expect(mkdir(path.join(dataDir, 'jobs'), { recursive: true })).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is not changed by one that reads', async () => {
    const dataDir = await temporaryFolder();
    expect((await runCommand(['status'], { dataDir })).code).toBe(0);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('a folder of a newer program', () => {
  it.each(['status', 'serve', 'up', 'jobs'])('is refused by %s, and not touched', async (command) => {
    const dataDir = await temporaryFolder();
    await writeFile(formatFile(dataDir), '{"format": 99, "writtenBy": "9.0.0"}');
    const { code, stderr } = await runCommand([command], { dataDir });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .* has format 99, and taktgeber \d.* knows formats up to 3: nothing was changed\./);
    expect(stderr).toContain('Install the version that wrote it, or a later one, or restore a backup');
    expect(await readdir(dataDir)).toEqual(['format.json']);
  });

  it('is refused if it does not state a format', async () => {
    const dataDir = await temporaryFolder();
    await writeFile(formatFile(dataDir), '{"for');
    expect((await runCommand(['status'], { dataDir })).stderr).toContain('format.json does not state a format');
  });
});

describe('a folder of an older program', () => {
  it('is migrated, which is reported', async () => {
    const dataDir = await folderOfFormat1();
    const { code, stderr } = await runCommand(['status'], { dataDir });
    expect(code).toBe(0);
    expect(stderr).toBe(
      `${dataDir}: upgrading the data from format 1 to 2: secrets and watches are closed to other users\n` +
        `${dataDir}: upgrading the data from format 2 to 3: locks move from jobs to locks, so that programs that know no ` +
        'format cannot run jobs on newer data\n' +
        `${dataDir}: upgraded to format 3\n`,
    );
    expect(await readFormat(dataDir)).toMatchObject({ format: 3 });
    const modes = ['secrets', 'secrets/reference-key', 'watches', 'watches/watches.sqlite'].map(async (name) =>
      ((await stat(path.join(dataDir, name))).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['700', '600', '700', '600']);
    expect((await runCommand(['status'], { dataDir })).stderr).toBe('');
  });

  it('keeps the records of its jobs, and blocks the folder of its locks', async () => {
    const dataDir = await folderOfFormat1();
    await mkdir(path.join(dataDir, 'jobs'));
    await writeFile(path.join(dataDir, 'jobs', 'build-marts.json'), '{}');
    await writeFile(path.join(dataDir, 'jobs', 'build-marts.lock'), '{}');
    await openDataFolder({ dataDir, isWritten: false }, fakeEffects());
    expect(await readdir(path.join(dataDir, 'locks'))).toEqual(['build-marts.json']);
    // The check of earlier programs before each job.
    await expect(mkdir(path.join(dataDir, 'jobs'), { recursive: true })).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is not changed while a job of that program runs', async () => {
    const dataDir = await folderOfFormat1();
    await mkdir(path.join(dataDir, 'jobs'));
    const holder = { job: 'build-marts', ...(await identifyThisProcess()), startedAt: '2026-11-26T00:00:00Z' };
    await writeFile(path.join(dataDir, 'jobs', 'marts.lock'), JSON.stringify(holder));
    const opening = openDataFolder({ dataDir, isWritten: true }, fakeEffects());
    await expect(opening).rejects.toMatchObject({ code: 'job_running' });
    expect(await readdir(path.join(dataDir, 'jobs'))).toEqual(['marts.lock']);
  });

  it('waits until the older program has been stopped', async () => {
    const dataDir = await folderOfFormat1();
    const effects = fakeEffects();
    const opening = asOnlyService(dataDir, effects, () => openDataFolder({ dataDir, isWritten: true }, effects));
    await expect(opening).rejects.toMatchObject({ code: 'service_running' });
  });

  it('is upgraded once by processes that start together', async () => {
    const dataDir = await folderOfFormat1();
    const ran: number[] = [];
    const step: Migration = {
      to: 2,
      about: 'a slow step',
      run: async () => {
        ran.push(2);
        await setTimeout(200);
      },
    };
    const sleep = async (milliseconds: number) => setTimeout(milliseconds / 10);
    const open = () => openDataFolder({ dataDir, isWritten: true, steps: [step] }, { ...fakeEffects(), sleep });
    await Promise.all([open(), open(), open()]);
    expect(ran).toEqual([2]);
    expect(await readFormat(dataDir)).toMatchObject({ format: 2 });
  });

  it('is refused after about a minute if another process still upgrades it', async () => {
    const dataDir = await folderOfFormat1();
    const effects = fakeEffects();
    const held = await acquireLocks(dataDir, 'upgrade', ['upgrade'], effects.clock);
    const opening = openDataFolder({ dataDir, isWritten: true }, effects);
    await expect(opening).rejects.toMatchObject({ code: 'job_running' });
    const waited = effects.sleeps.reduce((sum, one) => sum + one, 0);
    expect([waited > 55_000, waited < 65_000]).toEqual([true, true]);
    await held.release();
  });

  it('continues at the step in which it was interrupted', async () => {
    const dataDir = await folderOfFormat1();
    const effects = fakeEffects();
    const ran: number[] = [];
    let isBroken = true;
    const step = (to: number): Migration => ({
      to,
      about: `step ${to}`,
      run: async () => {
        ran.push(to);
        if (to === 3 && isBroken) throw new Error('the power failed');
      },
    });
    const request = { dataDir, isWritten: true, steps: [step(2), step(3), step(4)] };
    await expect(openDataFolder(request, effects)).rejects.toThrow('the power failed');
    expect(await readFormat(dataDir)).toMatchObject({ format: 2 });
    isBroken = false;
    await openDataFolder(request, effects);
    expect(ran).toEqual([2, 3, 3, 4]);
    expect(await readFormat(dataDir)).toMatchObject({ format: 4 });
  });
});
