import { describe, expect, it } from 'vitest';
import { type Job, noOptions } from '../../../jobs/job/job.ts';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { historyRunner } from '../../../jobs/schedule/run-and-log.ts';
import { fakeEffects, temporaryFolder, testConfig } from '../fake-world.ts';
import { type PlannedRun, type ScheduledWorld, scheduledWorld } from '../scheduled-world.ts';

const daily = scheduledJob('daily', '15 2 * * *');

function scheduledJob(name: string, cron: string, more: Partial<Job> = {}): Job {
  return {
    name,
    summary: '',
    accepts: [],
    schedule: () => cron,
    run: () => expect.fail('the runner runs it'),
    ...more,
  };
}

const byHand: Job = { name: 'by-hand', summary: '', accepts: [], run: () => expect.fail('has no schedule') };

async function worldOf(
  jobs: readonly Job[],
  startIso: string,
  plan?: (job: string, count: number) => PlannedRun,
): Promise<ScheduledWorld> {
  const config = await testConfig(await temporaryFolder());
  return scheduledWorld([...jobs, byHand], { config, startIso }, plan);
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The times at which `daily` started within a number of seconds. */
async function startsWithin(seconds: number, world: ScheduledWorld): Promise<string[]> {
  const stop = world.start();
  await world.time.run(seconds);
  await stop();
  return world.started.map((line) => line.split(' ')[0]!);
}

/** Records that `daily` ran at a time, whatever the clock. */
async function recordRun({ history }: ScheduledWorld, startedAt: string): Promise<void> {
  const run = { job: 'daily', state: 'done', startedAt, endedAt: startedAt, attempts: 1, summary: '' } as const;
  await history.takeOver([run]);
}

describe('the schedule', () => {
  it('waits for its time if nothing was missed, and logs that time once', async () => {
    const world = await worldOf([daily], '2026-03-01T12:00:00Z');
    await recordRun(world, '2026-03-01T02:15:00.000Z');
    expect(await startsWithin(2 * DAY, world)).toEqual(['2026-03-02T02:15:00.000Z', '2026-03-03T02:15:00.000Z']);
    expect(world.logged().match(/next run at/g)).toHaveLength(3);
  });

  it('makes up for missed times immediately, and once', async () => {
    const world = await worldOf([daily], '2026-03-05T12:00:00Z');
    await recordRun(world, '2026-03-01T02:15:00.000Z');
    expect(await startsWithin(DAY, world)).toEqual(['2026-03-05T12:00:00.000Z', '2026-03-06T02:15:00.000Z']);
  });

  it('makes up for a missed time although part of the work was done manually since', async () => {
    const world = await worldOf([daily], '2026-03-05T12:00:00Z');
    await recordRun(world, '2026-03-01T02:15:00.000Z');
    const number = await world.history.begin({ job: 'daily', arguments: '--date 2026-03-04', runBy: 'hand' });
    const end = { state: 'done', attempts: 1, isRetryable: false, summary: '', peakMemoryBytes: null } as const;
    const counts = { rowsIn: null, rowsOut: null, rowsRefused: null, bytesWritten: null, problems: {} };
    await world.history.end(number, { ...end, counts });
    expect(await startsWithin(HOUR, world)).toEqual(['2026-03-05T12:00:00.000Z']);
  });

  it('runs immediately what never ran', async () => {
    const world = await worldOf([daily], '2026-03-05T12:00:00Z');
    expect(await startsWithin(HOUR, world)).toEqual(['2026-03-05T12:00:00.000Z']);
  });

  it('never overlaps: after a run longer than a day, the missed time is made up for', async () => {
    const world = await worldOf([daily], '2026-03-01T02:15:00Z', () => ({ seconds: 30 * HOUR }));
    expect(await startsWithin(2 * DAY, world)).toEqual(['2026-03-01T02:15:00.000Z', '2026-03-02T08:15:00.000Z']);
  });

  it.each(['2100-01-01T00:00:00.000Z', '2026-03-01T13:30:00.000Z'])(
    'ignores a last run of %s, and reports it once',
    async (lastStart) => {
      const world = await worldOf([daily], '2026-03-01T12:00:00Z');
      await recordRun(world, lastStart);
      expect(await startsWithin(HOUR, world)).toEqual(['2026-03-01T12:00:00.000Z']);
      const warning = `its last run is dated ${lastStart}, which is in the future; it is ignored`;
      expect(world.logged().split(warning)).toHaveLength(2);
    },
  );

  it.each([
    // It is detected within a minute.
    ['a year ahead', 365 * DAY, 0.7, ['2027-03-01T12:01:00.000Z', '2027-03-02T02:15:00.000Z']],
    // The time of the last run occurs a second time, and does not trigger another run.
    ['eleven hours back', -11 * HOUR, 1.2, ['2026-03-02T02:15:00.000Z']],
    ['a day back', -DAY, 1.7, ['2026-03-02T02:15:00.000Z']],
  ])('a clock that is set %s', async (_, seconds, daysLater, further) => {
    const world = await worldOf([daily], '2026-02-28T02:15:00Z');
    const stop = world.start();
    // To noon of the first of March.
    await world.time.run(DAY + 9.75 * HOUR);
    world.time.setClockBy(seconds);
    await world.time.run(DAY + 9.75 * HOUR + daysLater * DAY);
    await stop();
    const known = ['2026-02-28T02:15:00.000Z', '2026-03-01T02:15:00.000Z'];
    expect(world.started.map((line) => line.split(' ')[0])).toEqual([...known, ...further]);
  });

  it('a laptop that slept over two days runs each job once when it wakes', async () => {
    const jobs = [daily, scheduledJob('hourly', '0 * * * *')];
    const world = await worldOf(jobs, '2026-03-01T02:14:00Z');
    const stop = world.start();
    await world.time.run(HOUR);
    world.started.length = 0;
    // Timers stand still while it sleeps, but the clock does not.
    world.time.setClockBy(2 * DAY + 600);
    await world.time.run(HOUR + 61);
    await stop();
    expect(world.started.map((line) => line.split(' ')[1]).sort()).toEqual(['daily', 'hourly']);
  });

  it('starts all jobs of one time, those that read the results of others after them', async () => {
    const jobs = [
      scheduledJob('collect', '0 3 * * *'),
      scheduledJob('aside', '0 3 * * *'),
      scheduledJob('sum', '0 3 * * *', { follows: ['collect'] }),
      scheduledJob('publish', '0 3 * * *', { follows: ['sum', 'collect'] }),
    ];
    const world = await worldOf(jobs, '2026-03-01T12:00:00Z', (job) => ({ seconds: job === 'aside' ? HOUR : 600 }));
    const stop = world.start();
    await world.time.run(2 * HOUR);
    await stop();
    expect(world.started).toEqual([
      '2026-03-01T12:00:00.000Z collect',
      '2026-03-01T12:00:00.000Z aside',
      '2026-03-01T12:10:00.000Z sum',
      '2026-03-01T12:20:00.000Z publish',
    ]);
  });

  it.each([
    [1, ['03:00 sum', '09:00 other', '15:00 early', '15:01 late']],
    [2, ['03:00 sum', '03:00 other', '09:00 early', '09:00 late']],
    [3, ['03:00 sum', '03:00 other', '04:00 early', '05:00 late']],
    [null, ['03:00 sum', '03:00 other', '04:00 early', '05:00 late']],
  ])('runs %s jobs at the same time at most, the longest overdue first', async (concurrency, started) => {
    const jobs = [
      scheduledJob('late', '0 5 * * *'),
      scheduledJob('early', '0 4 * * *'),
      scheduledJob('sum', '0 3 * * *'),
      scheduledJob('other', '0 3 * * *'),
    ];
    const config = await testConfig(await temporaryFolder());
    const limited = { ...config, schedule: { ...config.schedule, concurrency } };
    const seconds = { sum: 6 * HOUR, other: 6 * HOUR, early: 60, late: 60 };
    const world = await scheduledWorld(jobs, { config: limited, startIso: '2026-03-01T02:00:00Z' }, (job) => ({
      seconds: seconds[job as keyof typeof seconds],
    }));
    const at = '2026-02-28T06:00:00.000Z';
    const before = { state: 'done', startedAt: at, endedAt: at, attempts: 1, summary: '' } as const;
    await world.history.takeOver(jobs.map(({ name }) => ({ job: name, ...before })));
    await startsWithin(20 * HOUR, world);
    expect(world.started.map((line) => line.replace(/^.*T(..:..)\S*/, '$1'))).toEqual(started);
  });

  it('waits while another run writes the same output', async () => {
    const plan = (_: string, count: number): PlannedRun => ({ seconds: 60, fate: count <= 3 ? 'busy' : 'ends' });
    const world = await worldOf([daily], '2026-03-01T12:00:00Z', plan);
    expect(await startsWithin(HOUR, world)).toEqual(['2026-03-01T12:01:30.000Z']);
  });

  it('retries a temporary failure three times with growing waits', async () => {
    const end = { state: 'failed', isRetryable: true, summary: 'upstream cannot be reached' } as const;
    const world = await worldOf([daily], '2026-03-01T02:15:00Z', () => ({ seconds: 60, end }));
    expect(await startsWithin(DAY - 1, world)).toEqual([
      '2026-03-01T02:15:00.000Z',
      '2026-03-01T02:26:00.000Z',
      '2026-03-01T02:57:00.000Z',
      '2026-03-01T04:28:00.000Z',
    ]);
  });

  it('retries a failure on a full disk that the history could not record, and continues', async () => {
    const plan = (_: string, count: number): PlannedRun =>
      count <= 2 ? { seconds: 60, fate: 'unrecorded' } : { seconds: 60 };
    const world = await worldOf([daily], '2026-03-01T02:15:00Z', plan);
    expect(await startsWithin(DAY + HOUR, world)).toEqual([
      '2026-03-01T02:15:00.000Z',
      '2026-03-01T02:26:00.000Z',
      '2026-03-01T02:57:00.000Z',
      '2026-03-02T02:15:00.000Z',
    ]);
  });

  it('does not retry a permanent failure before its next time', async () => {
    const end = { state: 'failed', summary: 'the feed has no stops' } as const;
    const world = await worldOf([daily], '2026-03-01T02:15:00Z', () => ({ seconds: 60, end }));
    expect(await startsWithin(DAY + HOUR, world)).toEqual(['2026-03-01T02:15:00.000Z', '2026-03-02T02:15:00.000Z']);
  });

  it('repeats a run that was stopped with the service', async () => {
    const world = await worldOf([daily], '2026-03-01T02:15:00Z', () => ({ seconds: HOUR }));
    expect(await startsWithin(600, world)).toHaveLength(1);
    expect(await startsWithin(2 * HOUR, world)).toEqual(['2026-03-01T02:15:00.000Z', '2026-03-01T02:25:00.000Z']);
    expect((await world.history.listRuns('daily', 5)).map(({ state }) => state)).toEqual(['done', 'stopped']);
  });

  it('logs once that a job waits for another run, and which', async () => {
    const dataDir = await temporaryFolder();
    const effects = fakeEffects();
    const { signal } = new AbortController();
    const request = { config: await testConfig(dataDir), effects, options: noOptions, signal };
    const runner = historyRunner(request);
    const job = { ...daily, run: async () => ({ status: 'done', summary: 'all is well' }) as const };
    const lock = await acquireLocks(dataDir, 'other', ['daily'], effects.clock);
    expect([await runner.run(job), await runner.run(job)]).toEqual(['busy', 'busy']);
    await lock.release();
    expect(await runner.run(job)).toBe('ran');
    const lines = effects.logged().trim().split('\n');
    expect(lines).toEqual([
      'daily: started',
      expect.stringMatching(/^warning: daily waits: other is being run by process \d+ on .* and writes daily$/),
      'daily: all is well (0 s)',
    ]);
    expect((await runner.listRuns(job)).map(({ state }) => state)).toEqual(['done']);
  });

  it('logs an unreadable store, and continues', async () => {
    const dataDir = await temporaryFolder();
    const effects = fakeEffects();
    const { signal } = new AbortController();
    const config = await testConfig(dataDir);
    const postgres = {
      ...config,
      operations: { ...config.operations, postgresUrl: 'postgres://u:secret@127.0.0.1:1/x' },
    };
    const runner = historyRunner({ config: postgres, effects, options: noOptions, signal });
    expect(await runner.listRuns(daily)).toEqual([]);
    expect(await runner.listRuns(daily)).toEqual([]);
    expect(effects.logged().split('daily: cannot read its last run')).toHaveLength(2);
    expect(effects.logged()).not.toContain('secret');
  });
});
