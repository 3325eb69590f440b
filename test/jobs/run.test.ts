import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Interruption } from '../../jobs/exit-code.ts';
import { type Job, type JobOutcome, noOptions } from '../../jobs/job.ts';
import { findLockHolder } from '../../jobs/job-lock.ts';
import { findJobRecord, jobsFolder } from '../../jobs/job-record.ts';
import { exitCodeOf, runJob } from '../../jobs/run.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';
import { type FakeEffects, fakeEffects, NOW, temporaryFolder, testConfig } from './fake-world.ts';

type Attempt = JobOutcome | Error;

/** A job that does what is listed, attempt by attempt, each taking a second. */
function scriptedJob(effects: FakeEffects, attempts: Attempt[]): Job {
  return {
    name: 'scripted',
    summary: 'Does what it is told.',
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
const brief = () => new WorldError('http_unreachable', 'upstream cannot be reached', { isRetryable: true });
const lasting = () => new WorldError('bad_feed', 'the feed has no stops');

async function prepare(attempts: Attempt[], options = noOptions) {
  const dataDir = await temporaryFolder();
  const effects = fakeEffects();
  const context = { config: await testConfig(dataDir), effects, options };
  return { dataDir, effects, context, job: scriptedJob(effects, attempts) };
}

describe('retries', () => {
  const cases: readonly [title: string, Attempt[], { status: string; attempts: number; sleeps: number[] }][] = [
    ['a good run needs one attempt', [done], { status: 'done', attempts: 1, sleeps: [1000] }],
    ['a lasting failure is not tried again', [lasting()], { status: 'failed', attempts: 1, sleeps: [1000] }],
    [
      'a brief failure is tried again a little later',
      [brief(), unchanged],
      { status: 'unchanged', attempts: 2, sleeps: [1000, 2000, 1000] },
    ],
    [
      'three attempts are enough',
      [brief(), brief(), brief()],
      { status: 'failed', attempts: 3, sleeps: [1000, 2000, 1000, 10_000, 1000] },
    ],
    [
      'a brief failure may turn out to be a lasting one',
      [brief(), lasting()],
      { status: 'failed', attempts: 2, sleeps: [1000, 2000, 1000] },
    ],
    [
      'an outcome may call itself retryable',
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

describe('the record', () => {
  it('holds the run, and outlives it', async () => {
    const { context, dataDir, job } = await prepare([done]);
    const run = await runJob(job, context);
    expect(await findJobRecord(dataDir, 'scripted')).toEqual({
      job: 'scripted',
      lastRun: run,
      lastSuccessAt: '2026-03-01T12:00:01.000Z',
      lastChangeAt: '2026-03-01T12:00:01.000Z',
    });
    expect(run).toEqual({
      startedAt: NOW,
      endedAt: '2026-03-01T12:00:01.000Z',
      durationSeconds: 1,
      status: 'done',
      attempts: 1,
      summary: 'all is well',
      details: { rows: 3 },
    });
  });

  it('keeps the last success through failures, and the last change through runs that changed nothing', async () => {
    const { context, dataDir, job } = await prepare([done, unchanged, lasting()]);
    for (let run = 0; run < 3; run++) await runJob(job, context);
    expect(await findJobRecord(dataDir, 'scripted')).toMatchObject({
      lastRun: { status: 'failed', summary: 'the feed has no stops' },
      lastChangeAt: '2026-03-01T12:00:01.000Z',
      lastSuccessAt: '2026-03-01T12:00:02.000Z',
    });
  });

  it('tells of a bug, which is thrown on', async () => {
    const { context, dataDir, job } = await prepare([new TypeError('x is not a function')]);
    await expect(runJob(job, context)).rejects.toThrow(TypeError);
    expect((await findJobRecord(dataDir, 'scripted'))?.lastRun.summary).toBe('TypeError: x is not a function');
    expect(await findLockHolder(dataDir, 'scripted', context.effects.clock)).toBeNull();
  });

  it('does not know of dry runs, which take no lock either', async () => {
    const { context, dataDir, job } = await prepare([done], { ...noOptions, isDryRun: true });
    await runJob(job, context);
    await expect(readdir(jobsFolder(dataDir))).rejects.toThrow('ENOENT');
  });
});

describe('an interruption', () => {
  it('gives the run up, frees the lock and leaves no record', async () => {
    const { context, dataDir } = await prepare([]);
    const stop = new AbortController();
    const endless: Job = {
      name: 'endless',
      summary: 'Waits.',
      accepts: [],
      run: () => new Promise(() => stop.abort(new Interruption('SIGINT'))),
    };
    await expect(runJob(endless, context, stop.signal)).rejects.toThrow(Interruption);
    expect(await readdir(jobsFolder(dataDir))).toEqual([]);
  });
});

it('the exit code follows the outcome', () => {
  const run = (status: JobOutcome['status'], isUnchangedTold: boolean) =>
    exitCodeOf(
      { status, startedAt: NOW, endedAt: NOW, durationSeconds: 0, attempts: 1, summary: '', details: null },
      { isUnchangedTold },
    );
  expect([run('done', true), run('failed', true), run('unchanged', false), run('unchanged', true)]).toEqual([
    0, 1, 0, 3,
  ]);
});
