import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLocks, findLockHolder, type LockHolder, locksFolder } from '../../../jobs/locks/job-lock.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { NOW, temporaryFolder } from '../fake-world.ts';

const clock = fixedClock(NOW);

async function dataDirWithLock(content: string, mtime = NOW): Promise<string> {
  const dataDir = await temporaryFolder();
  await mkdir(locksFolder(dataDir), { recursive: true });
  const file = path.join(locksFolder(dataDir), 'a-job.lock');
  await writeFile(file, content);
  await utimes(file, new Date(mtime), new Date(mtime));
  return dataDir;
}

function holder(facts: Partial<LockHolder>): string {
  return JSON.stringify({
    job: 'a-job',
    host: hostname(),
    pid: process.pid,
    processStart: null,
    startedAt: NOW,
    ...facts,
  });
}

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('a free lock', () => {
  it('is taken by one, and free again after its release', async () => {
    const dataDir = await temporaryFolder();
    const lock = await acquireLocks(dataDir, 'a-job', ['a-job'], clock);
    await expect(acquireLocks(dataDir, 'a-job', ['a-job'], clock)).rejects.toMatchObject({
      code: 'job_running',
      message: `a-job is being run by process ${process.pid} on ${hostname()} since ${NOW}`,
    });
    expect(await findLockHolder(dataDir, 'a-job', clock)).toMatchObject({ pid: process.pid });
    await lock.release();
    expect(await findLockHolder(dataDir, 'a-job', clock)).toBeNull();
    await (await acquireLocks(dataDir, 'a-job', ['a-job'], clock)).release();
    expect(await readdir(locksFolder(dataDir))).toEqual([]);
  });

  it('goes to exactly one of many', async () => {
    const dataDir = await temporaryFolder();
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => acquireLocks(dataDir, 'a-job', ['a-job'], clock)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(locksFolder(dataDir))).toEqual(['a-job.lock']);
  });

  it('does not exclude another job', async () => {
    const dataDir = await temporaryFolder();
    const locks = [
      await acquireLocks(dataDir, 'a-job', ['a-job'], clock),
      await acquireLocks(dataDir, 'b-job', ['b-job'], clock),
    ];
    for (const lock of locks) await lock.release();
  });
});

describe('the outputs of a job', () => {
  it('are locked all together or not at all', async () => {
    const dataDir = await temporaryFolder();
    const lock = await acquireLocks(dataDir, 'import-history', ['stop-events/b'], clock);
    const all = ['stop-events/a', 'stop-events/b', 'stop-events/c'];
    await expect(acquireLocks(dataDir, 'finalise-stop-events', all, clock)).rejects.toMatchObject({
      code: 'job_running',
      message: `import-history is being run by process ${process.pid} on ${hostname()} since ${NOW} and writes stop-events/b`,
    });
    expect(await readdir(locksFolder(dataDir))).toEqual(['stop-events.b.lock']);
    await lock.release();
    await (await acquireLocks(dataDir, 'finalise-stop-events', all, clock)).release();
    expect(await readdir(locksFolder(dataDir))).toEqual([]);
  });

  it('overlap with no others', async () => {
    const dataDir = await temporaryFolder();
    const locks = [
      await acquireLocks(dataDir, 'finalise-stop-events', ['stop-events/a'], clock),
      await acquireLocks(dataDir, 'import-history', ['stop-events/b'], clock),
      await acquireLocks(dataDir, 'build-marts', ['marts'], clock),
    ];
    for (const lock of locks) await lock.release();
  });
});

describe('a lock left behind', () => {
  const stale: readonly [title: string, content: () => string, mtime?: string][] = [
    ['by a process that is gone', () => holder({ pid: deadPid() })],
    ['by an earlier process of the same number', () => holder({ processStart: '1' })],
    ['by another machine, not renewed for long', () => holder({ host: 'elsewhere' }), '2026-03-01T11:54:00Z'],
    ['by another machine, renewed in the future', () => holder({ host: 'elsewhere' }), '2100-01-01T00:00:00Z'],
    ['by a crash in the middle of writing', () => '{"pid": 1'],
  ];
  it.each(stale)('%s is taken over', async (_title, content, mtime) => {
    const dataDir = await dataDirWithLock(content(), mtime);
    expect(await findLockHolder(dataDir, 'a-job', clock)).toBeNull();
    const lock = await acquireLocks(dataDir, 'a-job', ['a-job'], clock);
    const now = JSON.parse(await readFile(path.join(locksFolder(dataDir), 'a-job.lock'), 'utf8')) as LockHolder;
    expect(now.pid).toBe(process.pid);
    await lock.release();
  });

  it('is taken over by exactly one of many', async () => {
    const dataDir = await dataDirWithLock(holder({ pid: deadPid() }));
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => acquireLocks(dataDir, 'a-job', ['a-job'], clock)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(locksFolder(dataDir))).toEqual(['a-job.lock']);
  });

  const alive: readonly [title: string, content: () => string, mtime?: string][] = [
    ['a process of this machine', () => holder({})],
    ['another machine, renewed lately', () => holder({ host: 'elsewhere' }), '2026-03-01T11:59:00Z'],
    ['another machine, whose clock is a little ahead', () => holder({ host: 'elsewhere' }), '2026-03-01T12:04:00Z'],
  ];
  it.each(alive)('held by %s is respected', async (_title, content, mtime) => {
    const dataDir = await dataDirWithLock(content(), mtime);
    await expect(acquireLocks(dataDir, 'a-job', ['a-job'], clock)).rejects.toMatchObject({ code: 'job_running' });
  });
});
