import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Job, type JobContext, noOptions } from '../../../jobs/job/job.ts';
import { holdLocks, type LockRequest, listLocks } from '../../../jobs/locks/locks.ts';
import { runJob } from '../../../jobs/runner/run.ts';
import { runSchedule } from '../../../jobs/schedule/schedule.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { type Effects, realEffects } from '../../../pipeline/effects/effects.ts';
import { assertMayPublish } from '../../../pipeline/effects/publication-guard.ts';
import { openPostgres } from '../../../pipeline/effects/sql-store/postgres-database.ts';
import { openOperations } from '../../../pipeline/operations/open-operations.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from '../fake-world.ts';

const LEASE_SECONDS = 2;
/** Longer than a restart of the database on a busy machine. */
const LONG_LEASE_SECONDS = 8;

const server = usePostgres();

const effects = realEffects({ clock: systemClock, log: silentLog });

async function openWorld(postgresUrl?: string, leaseSeconds = LEASE_SECONDS) {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const url = postgresUrl ?? (await server().createDatabase());
  const operations = { ...config.operations, postgresUrl: url, leaseSeconds };
  const request: LockRequest = { job: 'a-job', config: { ...config, operations }, effects };
  const hold = async (resources: string[], more: Partial<LockRequest> = {}) => {
    const locks = await holdLocks(resources, { ...request, ...more });
    onTestFinished(() => locks.release());
    return locks;
  };
  const context: JobContext = { config: { ...config, operations }, effects, options: noOptions };
  return { dataDir, url, request, hold, context };
}

describe('locks in PostgreSQL', () => {
  it('exclude each other, and name the holder', async () => {
    const { hold, request } = await openWorld();
    const locks = await hold(['stop-events/a', 'marts']);
    await expect(hold(['models/a', 'marts'], { job: 'b-job' })).rejects.toMatchObject({
      code: 'job_running',
      message: expect.stringMatching(
        new RegExp(`^a-job is being run by process ${process.pid} on ${hostname()} since .* and writes marts$`),
      ),
    });
    // A refused request leaves nothing locked.
    const listed = await listLocks(request.config, effects);
    expect(listed.map(({ resource, job }) => `${resource} ${job}`)).toEqual(['marts a-job', 'stop-events/a a-job']);
    await locks.release();
    await hold(['models/a', 'marts'], { job: 'b-job' });
  });

  it('are held together only by jobs of one share', async () => {
    const { hold } = await openWorld();
    await hold(['stop-events/a'], { share: 'backfill 1' });
    const second = await hold(['stop-events/b'], { share: 'backfill 1' });
    await second.add(['stop-events/a'], 'backfill 1');
    for (const share of ['backfill 2', null]) {
      await expect(hold(['stop-events/a'], { share })).rejects.toMatchObject({ code: 'job_running' });
    }
  });

  it('last as long as their holder lives', async () => {
    const { hold } = await openWorld();
    const locks = await hold(['marts']);
    await setTimeout(LEASE_SECONDS * 1500);
    await locks.confirm();
    await expect(hold(['marts'])).rejects.toMatchObject({ code: 'job_running' });
  });

  it('requested by many at once go to one', async () => {
    const { hold } = await openWorld();
    const tried = await Promise.allSettled(Array.from({ length: 10 }, () => hold(['marts'])));
    expect(tried.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });

  it('go to one even if the database isolates transactions more by default', async () => {
    const url = await server().createDatabase();
    const database = openPostgres(url, { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 }, silentLog);
    await database.query(`alter database ${path.basename(url)} set default_transaction_isolation = 'repeatable read'`);
    await database.close();
    const { hold } = await openWorld(url);
    // The tables are created before the concurrent requests.
    await (await hold(['models/a'])).release();
    const tried = await Promise.allSettled(Array.from({ length: 10 }, () => hold(['marts'])));
    expect(tried.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });

  it('survive a restart of the database that is shorter than their lease', async () => {
    const { hold } = await openWorld(undefined, LONG_LEASE_SECONDS);
    const locks = await hold(['marts']);
    await server().crash();
    await server().restart();
    await setTimeout(LONG_LEASE_SECONDS * 1000);
    await locks.confirm();
    expect(locks.lost!.aborted).toBe(false);
    await expect(hold(['marts'])).rejects.toMatchObject({ code: 'job_running' });
  });

  it('are given up before they end while the database is away; the run publishes nothing more', async () => {
    const { context } = await openWorld();
    const published: number[] = [];
    let isDown = false;
    const job: Job = {
      name: 'publishing',
      summary: 'Publishes without end.',
      accepts: [],
      run: async () => {
        for (let n = 0; ; n++) {
          await setTimeout(20);
          await assertMayPublish();
          published.push(n);
          if (n !== 3) continue;
          await server().crash();
          isDown = true;
        }
      },
    };
    try {
      await expect(runJob(job, context)).rejects.toMatchObject({ code: 'lock_lost', isRetryable: true });
    } finally {
      if (isDown) await server().restart();
    }
    const count = published.length;
    await setTimeout(200);
    expect(published.length).toBe(count);
    // The run counts as failed for now, or as lost if its end could not be recorded either.
    const history = await openOperations(context.config, effects);
    const [run] = await history.listRuns('publishing', 1);
    await history.close();
    expect(['failed', 'running', 'lost']).toContain(run!.state);
  });

  it('are awaited while the database starts, within limits', async () => {
    const { hold } = await openWorld();
    const warnings: string[] = [];
    const waits: number[] = [];
    await server().crash();
    const patient: Effects = {
      ...effects,
      log: { ...silentLog, warn: (line) => void warnings.push(line) },
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        if (waits.length === 3) await server().restart();
      },
    };
    await hold(['marts'], { effects: patient });
    // Jitter: each wait is from half of its length on.
    expect(waits.map((wait, i) => [wait >= 500 * 2 ** i, wait <= 1000 * 2 ** i])).toEqual(
      waits.map(() => [true, true]),
    );
    expect(waits).toHaveLength(3);
    expect(warnings[0]).toMatch(/^a-job waits for its locks: the database of locks: .*; retrying in 1 s$/);
    await server().crash();
    const away = { ...patient, sleep: async () => {} };
    try {
      await expect(hold(['models/a'], { effects: away })).rejects.toMatchObject({ code: 'lock_store_failed' });
    } finally {
      await server().restart();
    }
  });
});

/** Starts the program, and waits until it publishes. */
async function startPublishing(dataDir: string, url: string) {
  const program = await compileProgram('test/jobs/programs/locked-run.ts');
  const child = spawn(process.execPath, [program, dataDir, url, String(LEASE_SECONDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const read = () => readFile(path.join(dataDir, 'published.json'), 'utf8').catch(() => null);
  await vi.waitFor(async () => expect(await read()).not.toBeNull(), { timeout: 90_000, interval: 20 });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  return { child, read, output: () => output };
}

const untilFree = (hold: () => Promise<unknown>) => vi.waitFor(hold, { timeout: 90_000, interval: 100 });

describe('a holder in another process', () => {
  it('that was killed releases its locks when their lease ends', async () => {
    const { dataDir, url, hold } = await openWorld();
    const { child } = await startPublishing(dataDir, url);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await expect(hold(['marts'])).rejects.toMatchObject({ code: 'job_running' });
    await untilFree(() => hold(['marts']));
  });

  it('that was paused for longer than its lease publishes nothing when it continues', async () => {
    const { dataDir, url, hold } = await openWorld();
    const { child, read, output } = await startPublishing(dataDir, url);
    child.kill('SIGSTOP');
    await untilFree(() => hold(['marts']));
    const before = await read();
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    await ended;
    expect(await read()).toBe(before);
    expect(output()).toMatch(/^lock_lost: the locks of this run are lost: /);
  });
});

it('two schedules on two machines run a job once', async () => {
  const url = await server().createDatabase();
  const started: string[] = [];
  const stop = new AbortController();
  const machines = await Promise.all(
    ['one', 'two'].map(async (name) => ({ name, ...(await openWorld(url, LONG_LEASE_SECONDS)) })),
  );
  const schedules = machines.map(({ name, context: { config } }) => {
    const jobs = ['x', 'y', 'z'].map(
      (job): Job => ({
        name: job,
        summary: 'Takes a second.',
        accepts: [],
        schedule: () => '15 2 * * *',
        run: async () => {
          started.push(`${job} by ${name}`);
          await setTimeout(50);
          return { status: 'done', summary: 'done' };
        },
      }),
    );
    // Waits of half a minute would take real time.
    const hasty: Effects = { ...effects, sleep: (milliseconds, signal) => effects.sleep(milliseconds / 100, signal) };
    return runSchedule({ jobs, config, effects: hasty, options: noOptions, signal: stop.signal });
  });
  await vi.waitFor(() => expect(started.length).toBeGreaterThanOrEqual(3), { timeout: 90_000 });
  await setTimeout(2000);
  stop.abort();
  await Promise.all(schedules);
  expect(started.map((line) => line[0]).sort()).toEqual(['x', 'y', 'z']);
});
