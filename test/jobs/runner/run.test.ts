import { getEventListeners } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Interruption } from '../../../jobs/job/exit-code.ts';
import { type Job, type JobContext, type JobOutcome, noOptions } from '../../../jobs/job/job.ts';
import { acquireLocks, findLockHolder, locksFolder } from '../../../jobs/locks/job-lock.ts';
import { withJobLocks } from '../../../jobs/locks/locks.ts';
import { exitCodeOf, runJob } from '../../../jobs/runner/run.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { createTemporaryFolderName } from '../../../pipeline/effects/temporary-folders.ts';
import { UsageError } from '../../../pipeline/effects/usage-error.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { type FakeEffects, fakeEffects, listRuns, NOW, temporaryFolder, testConfig } from '../fake-world.ts';

type Attempt = JobOutcome | Error;

/** A job with scripted results, attempt by attempt, each taking a second. */
function scriptedJob(effects: FakeEffects, attempts: Attempt[]): Job {
  return {
    name: 'scripted',
    summary: 'Follows its script.',
    accepts: [],
    run: async () => {
      await effects.sleep(1000);
      const attempt = attempts.shift() ?? expect.fail('one attempt too many');
      if (attempt instanceof Error) throw attempt;
      return attempt;
    },
  };
}

const done: JobOutcome = { status: 'done', summary: 'all is well', details: { rows: 3 } };
const unchanged: JobOutcome = { status: 'unchanged', summary: 'nothing changed' };
const brief = () => new ExternalError('http_unreachable', 'upstream cannot be reached', { isRetryable: true });
const full = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
const lasting = () => new ExternalError('bad_feed', 'the feed has no stops');

async function prepare(attempts: Attempt[], options = noOptions) {
  const dataDir = await temporaryFolder();
  const effects = fakeEffects();
  const context = { config: await testConfig(dataDir), effects, options };
  return { dataDir, effects, context, job: scriptedJob(effects, attempts) };
}

it('a run starts by removing the work folders of killed processes', async () => {
  const { dataDir, context, job } = await prepare([done]);
  const mine = await createTemporaryFolderName();
  // The same id of a process that was started at another time.
  const ofKilled = mine.replace(/-\d+-(?=[0-9a-f]+$)/, '-1-');
  for (const name of [mine, ofKilled]) await mkdir(path.join(workFolder(dataDir), name), { recursive: true });
  await runJob(job, context);
  expect(await readdir(workFolder(dataDir))).toEqual([mine]);
});

describe('retries', () => {
  const cases: readonly [title: string, Attempt[], { status: string; attempts: number; sleeps: number[] }][] = [
    ['a good run needs one attempt', [done], { status: 'done', attempts: 1, sleeps: [1000] }],
    ['a permanent failure is not retried', [lasting()], { status: 'failed', attempts: 1, sleeps: [1000] }],
    [
      'a temporary failure is retried a little later',
      [brief(), unchanged],
      { status: 'unchanged', attempts: 2, sleeps: [1000, 2000, 1000] },
    ],
    ['a full disk is retried', [full(), done], { status: 'done', attempts: 2, sleeps: [1000, 2000, 1000] }],
    [
      'three attempts are the maximum',
      [brief(), brief(), brief()],
      { status: 'failed', attempts: 3, sleeps: [1000, 2000, 1000, 10_000, 1000] },
    ],
    [
      'a temporary failure can turn out to be permanent',
      [brief(), lasting()],
      { status: 'failed', attempts: 2, sleeps: [1000, 2000, 1000] },
    ],
    [
      'an outcome can be retryable',
      [{ status: 'failed', summary: 'later', isRetryable: true }, done],
      { status: 'done', attempts: 2, sleeps: [1000, 2000, 1000] },
    ],
  ];
  it.each(cases)('%s', async (_title, attempts, expected) => {
    const { context, effects, job } = await prepare(attempts);
    const { status, attempts: count } = await runJob(job, context);
    expect({ status, attempts: count, sleeps: effects.sleeps }).toEqual(expected);
  });
});

describe('the history', () => {
  it('contains the run, and outlives it', async () => {
    const counts = { rowsIn: 4, rowsOut: 3, rowsRefused: 1, problems: { missing_stop: 1 } };
    const { context, dataDir, job } = await prepare([{ ...done, counts }]);
    const run = await runJob(job, { ...context, options: { ...noOptions, isForced: true } });
    expect(run).toEqual({
      startedAt: NOW,
      endedAt: '2026-03-01T12:00:01.000Z',
      durationSeconds: 1,
      status: 'done',
      attempts: 1,
      isRetryable: false,
      isOnlyNeverLoaded: false,
      summary: 'all is well',
      details: { rows: 3 },
      due: null,
    });
    expect(await listRuns(dataDir, 'scripted')).toEqual([
      {
        number: 1,
        job: 'scripted',
        arguments: '--force',
        runBy: 'hand',
        host: hostname(),
        state: 'done',
        startedAt: NOW,
        endedAt: '2026-03-01T12:00:01.000Z',
        attempts: 1,
        isRetryable: false,
        summary: 'all is well',
        ...counts,
        bytesWritten: null,
        peakMemoryBytes: expect.any(Number),
      },
    ]);
  });

  it('contains every run, with its end', async () => {
    const { context, dataDir, job } = await prepare([done, unchanged, lasting(), brief(), brief(), brief()]);
    for (let run = 0; run < 4; run++) await runJob(job, context, 'schedule');
    expect(
      (await listRuns(dataDir, 'scripted')).map(({ state, attempts, isRetryable, runBy }) => [
        state,
        attempts,
        isRetryable,
        runBy,
      ]),
    ).toEqual([
      ['failed', 3, true, 'schedule'],
      ['failed', 1, false, 'schedule'],
      ['unchanged', 1, false, 'schedule'],
      ['done', 1, false, 'schedule'],
    ]);
  });

  it('records a bug, which is thrown on', async () => {
    const { context, dataDir, job } = await prepare([new TypeError('x is not a function')]);
    await expect(runJob(job, context)).rejects.toThrow(TypeError);
    expect(await listRuns(dataDir, 'scripted')).toMatchObject([
      { state: 'failed', summary: 'TypeError: x is not a function' },
    ]);
    expect(await findLockHolder(dataDir, 'scripted', context.effects.clock)).toBeNull();
  });

  it('omits wrong usage', async () => {
    const { context, dataDir, job } = await prepare([new UsageError('no such source')]);
    await expect(runJob(job, context)).rejects.toThrow(UsageError);
    expect(await listRuns(dataDir, 'scripted')).toEqual([]);
  });

  it('does not know of dry runs, which take no lock either, and say what is due', async () => {
    const due = [{ what: '2026-03-01', reason: 'it was never built' }];
    const { context, dataDir, job } = await prepare([{ ...done, due }], { ...noOptions, isDryRun: true });
    expect((await runJob(job, context)).due).toEqual(due);
    await expect(readdir(locksFolder(dataDir))).rejects.toThrow('ENOENT');
    await expect(readdir(path.join(dataDir, 'operations'))).rejects.toThrow('ENOENT');
  });

  it('that cannot be written stops no run', async () => {
    const { context, dataDir, effects, job } = await prepare([done]);
    await writeFile(path.join(dataDir, 'operations'), 'a file in the place of the folder');
    expect((await runJob(job, context)).status).toBe('done');
    expect(effects.logged()).toContain('scripted: its run is not recorded: the file of the runs of jobs: ');
  });
});

describe('a time limit', () => {
  const limited = async (work: (context: JobContext) => Promise<JobOutcome>) => {
    const { context, dataDir } = await prepare([]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const job: Job = { name: 'limited', summary: 'Takes long.', accepts: [], timeoutMinutes: 90, run: work };
    return { context, dataDir, job };
  };

  it('stops the run, which has failed and releases its locks', async () => {
    const { context, dataDir, job } = await limited(async ({ stopping }) => {
      setImmediate(() => vi.advanceTimersByTime(90 * 60_000));
      return new Promise((_resolve, reject) => stopping!.addEventListener('abort', () => reject(stopping!.reason)));
    });
    const run = await runJob(job, context);
    expect(run).toMatchObject({ status: 'failed', summary: 'stopped after its time limit of 90 minutes' });
    expect(await listRuns(dataDir, 'limited')).toMatchObject([{ state: 'timeout', isRetryable: false }]);
    expect(await readdir(locksFolder(dataDir))).toEqual([]);
  });

  it('leaves the locks to work that does not end, until it does', async () => {
    let end = (_outcome: JobOutcome) => {};
    const { context, dataDir, job } = await limited(async () => {
      setImmediate(() => {
        vi.advanceTimersByTime(90 * 60_000);
        setImmediate(() => vi.advanceTimersByTime(8000));
      });
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    expect((await runJob(job, context)).status).toBe('failed');
    expect(await readdir(locksFolder(dataDir))).toEqual(['limited.lock']);
    end(done);
    await vi.waitFor(async () => expect(await readdir(locksFolder(dataDir))).toEqual([]));
  });
});

describe('an interruption', () => {
  async function runInterrupted(run: (stop: AbortController) => Promise<JobOutcome>) {
    const { context, dataDir } = await prepare([]);
    const stop = new AbortController();
    const job: Job = { name: 'long', summary: 'Is stopped.', accepts: [], run: () => run(stop) };
    await expect(runJob(job, { ...context, stopping: stop.signal })).rejects.toThrow(Interruption);
    expect(await readdir(locksFolder(dataDir))).toEqual([]);
    // The schedule does not count it, so that the next start makes up for it.
    expect(await listRuns(dataDir, 'long')).toMatchObject([{ state: 'stopped', summary: 'stopped before its end' }]);
  }
  const interrupt = (stop: AbortController) => stop.abort(new Interruption('SIGINT'));

  it('waits for the current step to end, whatever its result', async () => {
    const ends: readonly (() => JobOutcome)[] = [
      () => ({ status: 'failed', summary: 'stop_times.txt cannot be read as CSV' }),
      () => {
        throw new Error('INTERRUPT Error: Interrupted!');
      },
      () => {
        throw brief();
      },
    ];
    for (const end of ends) {
      let isOver = false;
      await runInterrupted(async (stop) => {
        interrupt(stop);
        await new Promise(setImmediate);
        isOver = true;
        return end();
      });
      expect(isOver).toBe(true);
    }
  });

  it('abandons work that does not end within seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await runInterrupted(async (stop) => {
      interrupt(stop);
      setImmediate(() => vi.advanceTimersByTime(8000));
      return new Promise(() => {});
    });
  });

  it('does not undo completed work', async () => {
    const { context, dataDir } = await prepare([]);
    const stop = new AbortController();
    const job: Job = {
      name: 'quick',
      summary: 'Is done when it is stopped.',
      accepts: [],
      run: async () => {
        interrupt(stop);
        return done;
      },
    };
    expect((await runJob(job, { ...context, stopping: stop.signal })).status).toBe('done');
    expect(await listRuns(dataDir, 'quick')).toMatchObject([{ state: 'done' }]);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const { context, job } = await prepare([done]);
    const { signal } = new AbortController();
    await runJob(job, { ...context, stopping: signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('before the first attempt starts nothing', async () => {
    const { context, job } = await prepare([]);
    const stopping = AbortSignal.abort(new Interruption('SIGTERM'));
    await expect(runJob(job, { ...context, stopping })).rejects.toThrow(Interruption);
  });
});

it('a run whose further locks are held by another one did not run, so that it waits like others', async () => {
  const { context, dataDir } = await prepare([]);
  const job: Job = {
    name: 'locking',
    summary: 'Takes locks while it runs.',
    accepts: [],
    run: (inner) => withJobLocks(['marts'], { job: 'locking', ...inner }, async () => done),
  };
  const held = await acquireLocks(dataDir, 'build-marts', ['marts'], context.effects.clock);
  await expect(runJob(job, context)).rejects.toMatchObject({ code: 'job_running' });
  expect(await listRuns(dataDir, 'locking')).toEqual([]);
  await held.release();
  expect((await runJob(job, context)).status).toBe('done');
});

it('the exit code follows the outcome', () => {
  const run = (status: JobOutcome['status'], isDetailed: boolean, isOnlyNeverLoaded = false) =>
    exitCodeOf(
      {
        ...{ status, startedAt: NOW, endedAt: NOW, durationSeconds: 0 },
        ...{ attempts: 1, isRetryable: false, isOnlyNeverLoaded, summary: '', details: null, due: null },
      },
      { isDetailed },
    );
  expect([run('done', true), run('failed', true), run('unchanged', false), run('unchanged', true)]).toEqual([
    0, 1, 0, 3,
  ]);
  // A feed that never loaded, beside others that were published.
  expect([run('failed', false, true), run('failed', true, true), run('failed', false)]).toEqual([0, 1, 1]);
});
