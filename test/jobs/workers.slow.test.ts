import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JobContext, JobOutcome } from '../../jobs/job/job.ts';
import { listLocks } from '../../jobs/locks/locks.ts';
import { distributeUnits } from '../../jobs/runner/distribute-units.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { historyRunner, runAndLog } from '../../jobs/schedule/run-and-log.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { openPostgres } from '../../pipeline/effects/sql-store/postgres-database.ts';
import type { RunBy } from '../../pipeline/operations/job-run.ts';
import { usePostgres } from '../support/fakes/use-postgres.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { sharedJob } from './programs/shared-job.ts';
import { daysOf, effects, openSharedWorld, range, tenDays } from './shared-world.ts';

const server = usePostgres();

const openWorld = () => openSharedWorld(server());

describe('a distributed run', () => {
  it('runs each shard on a worker once, and ends as one run', async () => {
    const { dataDir, work, run, made, listUnitRuns, shardCounts } = await openWorld();
    const ends: string[] = [];
    const job = sharedJob(dataDir, { noteEnd: () => ends.push('end') });
    work(job, 3);
    const record = await run(job);
    expect(record).toMatchObject({ status: 'done', summary: '10 of 10 days done; all published' });
    expect((await made()).sort()).toEqual(daysOf(10));
    expect(ends).toEqual(['end']);
    const runs = await listUnitRuns('sharing');
    expect(runs.length).toBe(10);
    expect(new Set(runs.map(({ state, runBy }) => `${state} ${runBy}`))).toEqual(new Set(['done worker']));
    expect(await shardCounts()).toMatchObject({ waiting: 0, active: 0, failed: 0 });
  });

  it('runs one at a time per job, and the second one names the first', async () => {
    const { dataDir, work, run, made } = await openWorld();
    const job = sharedJob(dataDir);
    work(job, 2);
    const [one, two] = await Promise.allSettled([run(job), run(job)]);
    const refused = [one, two].filter((ended) => ended.status === 'rejected');
    expect(refused.length).toBe(1);
    expect(refused[0]!.reason).toMatchObject({
      code: 'job_running',
      message: expect.stringContaining(`sharing is being run by process ${process.pid}`),
    });
    expect((await made()).length).toBe(10);
  });

  it('continues after a restart of the database', async () => {
    const { dataDir, work, run, notes, made } = await openWorld();
    const job = sharedJob(dataDir, { milliseconds: 300 });
    work(job, 2);
    const running = run(job);
    // In the middle of two shards: one that was built but not acknowledged would be found done, and count as unchanged.
    const isAtWork = async () => {
      const ended = (await made()).length;
      expect([ended > 1, (await notes()).length - 2 * ended]).toEqual([true, 2]);
    };
    await vi.waitFor(isAtWork, { timeout: 90_000, interval: 10 });
    await server().crash();
    await server().restart();
    expect(await running).toMatchObject({ status: 'done', summary: '10 of 10 days done; all published' });
    expect(new Set(await made())).toEqual(new Set(daysOf(10)));
  });

  it('that is stopped withdraws waiting shards; resumed, it runs the rest', async () => {
    const { dataDir, work, run, made, shardCounts } = await openWorld();
    const job = sharedJob(dataDir, { milliseconds: 300 });
    work(job, 1);
    const stop = new AbortController();
    const running = run(job, tenDays, stop.signal);
    await vi.waitFor(async () => expect((await made()).length).toBeGreaterThan(1), { timeout: 90_000 });
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await vi.waitFor(async () => expect(await shardCounts()).toMatchObject({ waiting: 0, active: 0 }), {
      timeout: 90_000,
    });
    const before = await made();
    expect(before.length).toBeLessThan(10);
    const record = await run(job, { ...tenDays, isResumed: true });
    const left = 10 - before.length;
    expect(record.summary).toBe(`${left} of 10 days done, ${before.length} done before; all published`);
    expect((await made()).sort()).toEqual(daysOf(10));
  });

  it('retries temporary failures, and shows permanent ones until they are done', async () => {
    const { dataDir, work, run, shardCounts } = await openWorld();
    const tries = new Map<string, number>();
    let isBroken = true;
    const fail = (day: string): JobOutcome | null => {
      tries.set(day, (tries.get(day) ?? 0) + 1);
      if (day === '2026-03-02' && isBroken) return { status: 'failed', summary: 'it is wrong' };
      // The attempts of one worker are used up before the shard is retried.
      if (day === '2026-03-03' && tries.get(day)! < 2)
        throw new ExternalError('gone', 'it is away', { isRetryable: false });
      return null;
    };
    const job = sharedJob(dataDir, { fail });
    work(job, 2);
    const record = await run(job);
    expect(record).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(/^8 of 10 days done, 2 failed: /),
    });
    expect(await shardCounts()).toMatchObject({
      waiting: 0,
      active: 0,
      failed: 2,
      failures: expect.arrayContaining([expect.objectContaining({ unit: '2026-03-02', summary: 'it is wrong' })]),
    });
    isBroken = false;
    expect(await run(job, { ...tenDays, isResumed: true })).toMatchObject({ status: 'done' });
    expect(await shardCounts()).toMatchObject({ failed: 0, failures: [] });
  });

  it('builds what an earlier run has built, even if the database is away when its records are to be removed', async () => {
    const { dataDir, work, run, made } = await openWorld();
    let isSecond = false;
    let failures = 0;
    const fail = (day: string): JobOutcome | null => {
      // The attempts of one worker are used up, so that another one takes the shard as a lost one.
      if (!isSecond || day !== '2026-03-02' || ++failures > 3) return null;
      return { status: 'failed', summary: 'it is away', isRetryable: true };
    };
    const job = sharedJob(dataDir, { fail });
    const { plan, noun } = job.division!.shards!;
    const crashing = async (context: JobContext) => {
      const planned = await plan(context);
      if (isSecond) {
        await server().crash();
        void wait(100).then(() => server().restart());
      }
      return planned;
    };
    const sharing = { ...job, division: { ...job.division!, shards: { noun, plan: crashing } } };
    work(sharing, 1);
    const twoDays = { ...range('2026-03-01', '2026-03-02'), isDistributed: true };
    expect(await run(sharing, twoDays)).toMatchObject({ summary: '2 of 2 days done; all published' });
    isSecond = true;
    expect(await run(sharing, twoDays)).toMatchObject({ summary: '2 of 2 days done; all published' });
    expect(await made()).toEqual(['2026-03-01', '2026-03-02', '2026-03-01', '2026-03-02']);
  });

  it('waits for workers, and reports that there are none', async () => {
    const { dataDir, config, work } = await openWorld();
    const job = sharedJob(dataDir);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
    const running = runJob(job, { config, effects: { ...effects, log }, options: tenDays });
    await vi.waitFor(
      () => expect(warnings.join()).toContain('is waiting for a worker; start one with "taktgeber work"'),
      {
        timeout: 90_000,
      },
    );
    work(job, 2);
    expect((await running).status).toBe('done');
  });

  it('of the schedule is left to workers if there are any, otherwise runs in its own process', async () => {
    const { dataDir, config, work, notes, listUnitRuns } = await openWorld();
    const operations = { ...config.operations, isDistributed: true };
    const signal = new AbortController().signal;
    const options = range('2026-03-01', '2026-03-04');
    const runner = historyRunner({ config: { ...config, operations }, effects, options, signal });
    const job = sharedJob(dataDir);
    expect(await runner.run(job)).toBe('ran');
    expect((await listUnitRuns('sharing')).length).toBe(0);
    const end = work(job, 1);
    await vi.waitFor(async () => expect((await listLocks(config, effects)).length).toBe(1), { timeout: 90_000 });
    await runner.listRuns(job);
    expect(await runner.run(job)).toBe('ran');
    expect((await notes()).length).toBe(16);
    expect((await listUnitRuns('sharing')).length).toBeGreaterThan(0);
    await end();
  });

  it('of the schedule does not wait for workers that have gone; a manual one does', async () => {
    const { dataDir, config, work, made, shardCounts } = await openWorld();
    const job = sharedJob(dataDir);
    const plan = await job.division!.shards!.plan({ config, effects, options: tenDays });
    // Ten minutes have passed at the second check for workers.
    let passed = 0;
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
    onTestFinished(() => void vi.restoreAllMocks());
    const distribute = (runBy: RunBy, warn: () => void) => {
      const context = { config, effects: { ...effects, log: { ...silentLog, warn } }, options: tenDays };
      return distributeUnits(plan.units, { job, noun: 'days', plan, context, run: null, runBy, isResumed: false });
    };
    const pass = () => {
      passed += 11 * 60_000;
    };
    const outcomes = (await distribute('schedule', pass)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(10).fill({ status: 'failed', summary: 'no worker runs', isRetryable: true }));
    expect(await shardCounts()).toMatchObject({ waiting: 0 });
    let warnings = 0;
    const byHand = distribute('hand', () => {
      pass();
      if (++warnings === 3) work(job, 2);
    });
    expect((await byHand).map(({ outcome }) => outcome.status)).toEqual(Array(10).fill('done'));
    expect((await made()).length).toBe(10);
  });

  it('of the schedule is repeated later if all failures are temporary', async () => {
    const { dataDir, config, postgresUrl, work } = await openWorld();
    // Waits between attempts, and in the queue, are shortened.
    const quick = { ...effects, sleep: (ms: number, stop?: AbortSignal) => effects.sleep(Math.min(ms, 200), stop) };
    const fail = (): JobOutcome => ({ status: 'failed', summary: 'it is away', isRetryable: true });
    const job = sharedJob(dataDir, { fail });
    work(job, 2, quick);
    await vi.waitFor(async () => expect((await listLocks(config, effects)).length).toBe(1), { timeout: 90_000 });
    const database = openPostgres(
      postgresUrl,
      { name: 'shard', holds: 'shards', migrations: [], postgresLock: 0 },
      silentLog,
    );
    const hurry = setInterval(
      () => void database.query(`update job_shards set due_at = 0 where state = 'waiting'`),
      500,
    );
    onTestFinished(async () => {
      clearInterval(hurry);
      await database.close();
    });
    const operations = { ...config.operations, isDistributed: true };
    const options = range('2026-03-01', '2026-03-02');
    const request = {
      config: { ...config, operations },
      effects: quick,
      options,
      signal: new AbortController().signal,
    };
    expect(await runAndLog(job, request)).toBe('failedForNow');
  });
});
