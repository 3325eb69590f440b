import { describe, expect, it } from 'vitest';
import { Interruption } from '../../../jobs/job/exit-code.ts';
import { type Job, type JobContext, type JobOutcome, noOptions } from '../../../jobs/job/job.ts';
import { renderBackfillProgress } from '../../../jobs/runner/backfill-progress.ts';
import { divideIntoDays, divideIntoMonths, divideIntoWeeks } from '../../../jobs/runner/backfill-units.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

const range = (from: string, to: string) => ({ ...noOptions, from: from as ServiceDate, to: to as ServiceDate });

describe('a range', () => {
  it('is divided into days', () => {
    expect(divideIntoDays(range('2026-02-27', '2026-03-01'))).toEqual([
      { name: '2026-02-27', options: { from: '2026-02-27', to: '2026-02-27' } },
      { name: '2026-02-28', options: { from: '2026-02-28', to: '2026-02-28' } },
      { name: '2026-03-01', options: { from: '2026-03-01', to: '2026-03-01' } },
    ]);
  });

  it('is divided into months, of which the first and the last may be partial', () => {
    expect(divideIntoMonths(range('2026-01-30', '2026-03-02'))).toEqual([
      { name: '2026-01', options: { from: '2026-01-30', to: '2026-01-31' } },
      { name: '2026-02', options: { from: '2026-02-01', to: '2026-02-28' } },
      { name: '2026-03', options: { from: '2026-03-01', to: '2026-03-02' } },
    ]);
  });

  it('is divided into weeks from Monday on', () => {
    expect(divideIntoWeeks(range('2026-03-01', '2026-03-09'))).toEqual([
      { name: '2026-03-01', options: { from: '2026-03-01', to: '2026-03-01' } },
      { name: '2026-03-02', options: { from: '2026-03-02', to: '2026-03-08' } },
      { name: '2026-03-09', options: { from: '2026-03-09', to: '2026-03-09' } },
    ]);
  });

  it('has an end', () => {
    expect(() => divideIntoDays(range('1900-01-01', '2026-01-01'))).toThrow('46022 days exceed the maximum of');
  });
});

describe('progress', () => {
  it.each([
    [{ done: 0, total: 48, elapsedSeconds: 0 }, '[--------------------] 0 of 48 days'],
    [{ done: 12, total: 48, elapsedSeconds: 120 }, '[#####---------------] 12 of 48 days, 6.0 a minute, 6.0 min to go'],
    [{ done: 1, total: 31, elapsedSeconds: 600 }, '[--------------------] 1 of 31 days, 6.0 an hour, 5 h 00 min to go'],
    [{ done: 2, total: 2, elapsedSeconds: 20 }, '[####################] 2 of 2 days, 6.0 a minute, 0.0 s to go'],
  ])('%j', (state, line) => {
    expect(renderBackfillProgress({ noun: 'days', ...state })).toBe(line);
  });
});

/** A job by date that logs its days, and its resources. */
function dailyJob(act: (day: string, context: JobContext) => Promise<JobOutcome> = async () => done) {
  const days: string[] = [];
  const state = { atOnce: 0, mostAtOnce: 0, memoryLimits: new Set<string>(), threads: new Set<number>() };
  const job: Job = {
    name: 'daily',
    summary: 'Does days.',
    accepts: ['from', 'to', 'force'],
    division: { noun: 'days', plan: async ({ options }) => ({ units: divideIntoDays(options) }) },
    run: async (context) => {
      const day = context.options.from!;
      expect(context.options).toMatchObject({ to: day, concurrency: 1, isResumed: false });
      days.push(day);
      state.memoryLimits.add(context.config.ingest.memoryLimit);
      state.threads.add(context.config.ingest.threads);
      state.mostAtOnce = Math.max(state.mostAtOnce, ++state.atOnce);
      try {
        await context.effects.sleep(60_000, context.stopping);
        await new Promise((resolve) => setImmediate(resolve));
        return await act(day, context);
      } finally {
        state.atOnce--;
      }
    },
  };
  return { job, days, state };
}

const done: JobOutcome = { status: 'done', summary: 'made 5 rows', counts: { rowsOut: 5, problems: { late: 1 } } };
const week = ['--from', '2026-03-01', '--to', '2026-03-07'];
const allDays = ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2026-03-${day}`);

async function worldOf(job: Job) {
  const dataDir = await temporaryFolder();
  const effects = fakeEffects('2026-04-01T12:00:00Z');
  const environment = { TAKTGEBER_INGEST_THREADS: '4' };
  const run = (options: string[], stop?: AbortController) =>
    runCommand(['run', 'daily', ...options], { dataDir, jobs: [job], effects, environment, ...(stop && { stop }) });
  const runs = async () => {
    const { stdout } = await runCommand(['jobs', 'daily', '--json'], { dataDir, jobs: [job], effects });
    return JSON.parse(stdout).runs;
  };
  return { run, runs };
}

describe('a backfill', () => {
  it('runs each shard, and is one run in the history', async () => {
    const { job, days } = dailyJob();
    const { run, runs } = await worldOf(job);
    expect(await run(week)).toMatchObject({ code: 0, stdout: 'daily: 7 of 7 days done (420 s)\n' });
    expect(days).toEqual(allDays);
    expect(await runs()).toMatchObject([
      {
        state: 'done',
        arguments: '--from 2026-03-01 --to 2026-03-07',
        summary: '7 of 7 days done',
        rowsIn: null,
        rowsOut: 35,
        problems: { late: 7 },
      },
    ]);
  });

  it('runs several shards at a time, which share memory and threads', async () => {
    const { job, days, state } = dailyJob();
    const { run } = await worldOf(job);
    expect((await run([...week, '--concurrency', '3'])).code).toBe(0);
    expect(days).toEqual(allDays);
    expect(state.mostAtOnce).toBe(3);
    expect([[...state.memoryLimits], [...state.threads]]).toEqual([['500MB'], [1]]);
  });

  it('that is stopped ends immediately, reports its progress, and can be resumed', async () => {
    const stop = new AbortController();
    const { job, days } = dailyJob(async (day, { stopping }) => {
      if (day === '2026-03-03' && !stop.signal.aborted) stop.abort(new Interruption('SIGINT'));
      stopping!.throwIfAborted();
      return done;
    });
    const { run, runs } = await worldOf(job);
    const stopped = await run(week, stop);
    expect([stopped.code, stopped.stdout]).toEqual([130, '']);
    expect(stopped.stderr).toContain('daily: 2 of 7 days are done; --resume continues\n');
    expect(await runs()).toMatchObject([{ state: 'stopped' }]);

    days.length = 0;
    // The concurrency does not make another backfill.
    const resumed = await run([...week, '--resume', '--concurrency', '2']);
    expect(resumed).toMatchObject({ code: 0, stdout: 'daily: 5 of 7 days done, 2 done before (300 s)\n' });
    expect(days).toEqual(allDays.slice(2));
    days.length = 0;
    expect((await run([...week, '--resume', '--exit-code'])).code).toBe(3);
    expect(days).toEqual([]);
    expect((await run([...week, '--resume', '--force'])).code).toBe(0);
    expect(days).toEqual(allDays);
  });

  it('starts again without --resume', async () => {
    const { job, days } = dailyJob();
    const { run } = await worldOf(job);
    await run(week);
    days.length = 0;
    await run(week);
    expect(days).toEqual(allDays);
  });

  it('continues after a failing shard, retries a temporary failure, and --resume runs the failed ones', async () => {
    const failing = new Set(['2026-03-02', '2026-03-05']);
    let tries = 0;
    const { job, days } = dailyJob(async (day) => {
      if (day === '2026-03-04' && tries++ === 0)
        throw new ExternalError('brief', 'upstream is away', { isRetryable: true });
      if (failing.has(day)) throw new ExternalError('lasting', `${day} is damaged`);
      return done;
    });
    const { run } = await worldOf(job);
    const first = await run(week);
    expect([first.code, first.stderr]).toEqual([
      1,
      expect.stringContaining('error: 5 of 7 days done, 2 failed: 2026-03-02, 2026-03-02 is damaged\n'),
    ]);
    failing.clear();
    days.length = 0;
    expect((await run([...week, '--resume'])).code).toBe(0);
    expect(days).toEqual(['2026-03-02', '2026-03-05']);
  });

  it.each([
    ['all failures are temporary', true],
    ['any failure is permanent', false],
  ])('is retryable later only if %s, and does not repeat its shards immediately', async (_when, isRetryable) => {
    let tries = 0;
    const { job } = dailyJob(async (day) => {
      if (day === '2026-03-04') tries++;
      if (day === '2026-03-04') throw new ExternalError('brief', 'upstream is away', { isRetryable: true });
      if (day === '2026-03-05') throw new ExternalError('other', 'it is damaged', { isRetryable });
      return done;
    });
    const { run } = await worldOf(job);
    expect(JSON.parse((await run([...week, '--json'])).stdout)).toMatchObject({ status: 'failed', isRetryable });
    expect(tries).toBe(3);
  });

  it('gives up when nothing succeeds any more', async () => {
    const { job, days } = dailyJob(async () => {
      throw new ExternalError('disk_full', 'no space is left');
    });
    const { run } = await worldOf(job);
    expect((await run(week)).stderr).toContain('0 of 7 days done, 5 failed: 2026-03-01, no space is left, 2 not tried');
    expect(days).toHaveLength(5);
  });

  it('ends at a bug, and shows its stack', async () => {
    const { job, days } = dailyJob(async () => {
      throw new TypeError('x is not a function');
    });
    const { run } = await worldOf(job);
    expect((await run(week)).stderr).toContain('This is a bug in taktgeber:\nTypeError: x is not a function');
    expect(days).toEqual(['2026-03-01']);
  });

  it('may have work around its shards, which also runs when a resumed one has none left', async () => {
    const { job, days } = dailyJob();
    const noted: string[] = [];
    const around: Job = {
      ...job,
      division: {
        noun: 'days',
        plan: async ({ options }) => ({
          units: divideIntoDays(options),
          begin: async ({ options: { from, to } }, waiting) => void noted.push(`${waiting.length} of ${from} to ${to}`),
          runUnit: async (context, { name }) => {
            noted.push(name.slice(-2));
            return job.run(context);
          },
          end: async () => ({ status: 'unchanged', summary: 'published', counts: { bytesWritten: 7 } }),
        }),
      },
    };
    const { run, runs } = await worldOf(around);
    expect(await run(week)).toMatchObject({ code: 0, stdout: 'daily: 7 of 7 days done; published (420 s)\n' });
    expect(await runs()).toMatchObject([{ rowsOut: 35, bytesWritten: 7 }]);
    expect((await run([...week, '--resume', '--exit-code'])).code).toBe(3);
    expect(noted).toEqual([
      '7 of 2026-03-01 to 2026-03-07',
      ...['01', '02', '03', '04', '05', '06', '07'],
      '0 of 2026-03-01 to 2026-03-07',
    ]);
    expect(days).toEqual(allDays);
  });

  it('does not repeat its shards if the work after them is retried', async () => {
    const { job, days } = dailyJob();
    let tries = 0;
    const flaky: Job = {
      ...job,
      division: {
        noun: 'days',
        plan: async ({ options }) => ({
          units: divideIntoDays(options),
          end: async () => {
            if (tries++ === 0) throw new ExternalError('brief', 'the disk is away', { isRetryable: true });
            return { status: 'done' };
          },
        }),
      },
    };
    const { run } = await worldOf(flaky);
    expect((await run(week)).code).toBe(0);
    expect([days, tries]).toEqual([allDays, 2]);
  });

  it('does not count results of an earlier one as its own if the work before its shards is retried', async () => {
    const { job, days } = dailyJob();
    let tries = 0;
    const begin = async () => {
      if (tries++ === 1) throw new ExternalError('brief', 'the disk is away', { isRetryable: true });
    };
    const plan = async ({ options }: Pick<JobContext, 'options'>) => ({ units: divideIntoDays(options), begin });
    const { run } = await worldOf({ ...job, division: { noun: 'days', plan } });
    expect((await run(week)).code).toBe(0);
    expect((await run(week)).code).toBe(0);
    expect([days, tries]).toEqual([[...allDays, ...allDays], 3]);
  });

  it.each([
    [{}, 'its work cannot be split'],
    [{ notDivisibleReason: 'it trains on all days together' }, 'it trains on all days together'],
  ])('of a job that is not divided is rejected, with the reason: %j', async (reason, expected) => {
    const { job } = dailyJob();
    const { division: _, ...whole } = job;
    const { run } = await worldOf({ ...whole, ...reason });
    const refused = await run([...week, '--concurrency', '2']);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`daily is not divided, so --concurrency and --resume do not apply: ${expected}`);
  });

  it('of one shard is a plain run', async () => {
    const { job } = dailyJob();
    const { run } = await worldOf(job);
    const { stdout } = await run(['--from', '2026-03-01', '--to', '2026-03-01']);
    expect(stdout).toBe('daily: made 5 rows (60 s)\n');
  });
});
