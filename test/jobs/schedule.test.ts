import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interruption } from '../../jobs/exit-code.ts';
import { type Job, type JobOutcome, noOptions } from '../../jobs/job.ts';
import { writeJobRecord } from '../../jobs/job-lock.ts';
import { cronTimes, runSchedule } from '../../jobs/schedule.ts';
import { type FakeEffects, fakeEffects, temporaryFolder, testConfig } from './fake-world.ts';

describe('cron times', () => {
  const cases: readonly [expression: string, after: string, first: string | null][] = [
    ['15 2 * * *', '2026-03-01T02:14:59Z', '2026-03-01T02:15:00.000Z'],
    ['15 2 * * *', '2026-03-01T02:15:00Z', '2026-03-02T02:15:00.000Z'],
    // The clocks of Vienna go forward at 01:00 UTC, and back at 01:00 UTC in October; UTC has no such hour.
    ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-29T02:30:00.000Z'],
    ['30 1 * * *', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00.000Z'],
    ['*/20 * * * *', '2026-03-01T23:59:30Z', '2026-03-02T00:00:00.000Z'],
    ['0 0 29 2 *', '2027-03-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 29 2 *', '2028-03-01T00:00:00Z', null],
    ['0 6 * * mon-fri', '2026-03-06T07:00:00Z', '2026-03-09T06:00:00.000Z'],
  ];
  it.each(cases)('%s after %s is %s', (expression, after, first) => {
    const moment = cronTimes(expression).firstAfter(Date.parse(after));
    expect(moment === null ? null : new Date(moment).toISOString()).toBe(first);
  });

  it('of every minute are the next full minute', () => {
    const times = cronTimes('* * * * *');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (moment) => {
        const first = times.firstAfter(moment) ?? Number.NaN;
        expect(first % 60_000).toBe(0);
        expect(first - moment).toBeGreaterThan(0);
        expect(first - moment).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});

/** Runs the schedule of one job until it has run `count` times, and tells when it did. */
async function startsOf(
  start: string,
  count: number,
  { lastStart, act }: { lastStart?: string; act?: (effects: FakeEffects) => Promise<JobOutcome> } = {},
): Promise<{ starts: string[]; logged: string }> {
  const dataDir = await temporaryFolder();
  const effects = fakeEffects(start);
  const stop = new AbortController();
  const starts: string[] = [];
  const job: Job = {
    name: 'daily',
    summary: 'Runs daily.',
    accepts: [],
    schedule: () => '15 2 * * *',
    run: async () => {
      starts.push(new Date(effects.clock.nowMilliseconds()).toISOString());
      if (starts.length === count) stop.abort(new Interruption('SIGTERM'));
      return act ? act(effects) : { status: 'done', summary: 'done' };
    },
  };
  if (lastStart) {
    const run = {
      startedAt: lastStart,
      endedAt: lastStart,
      durationSeconds: 0,
      attempts: 1,
      summary: '',
      details: null,
    };
    await writeJobRecord(dataDir, 'daily', { ...run, status: 'done' });
  }
  const unscheduled: Job = {
    name: 'by-hand',
    summary: 'Never.',
    accepts: [],
    run: () => expect.fail('has no schedule'),
  };
  const config = await testConfig(dataDir);
  await runSchedule({ jobs: [job, unscheduled], config, effects, options: noOptions, signal: stop.signal });
  return { starts, logged: effects.logged() };
}

describe('the schedule', () => {
  it('waits for its time when nothing was missed', async () => {
    const { starts, logged } = await startsOf('2026-03-01T12:00:00Z', 2, { lastStart: '2026-03-01T02:15:00.000Z' });
    expect(starts).toEqual(['2026-03-02T02:15:00.000Z', '2026-03-03T02:15:00.000Z']);
    expect(logged.match(/next run at/g)).toHaveLength(2);
  });

  it('makes up for missed times at once, and once', async () => {
    const { starts } = await startsOf('2026-03-05T12:00:00Z', 2, { lastStart: '2026-03-01T02:15:00.000Z' });
    expect(starts).toEqual(['2026-03-05T12:00:00.000Z', '2026-03-06T02:15:00.000Z']);
  });

  it('runs at once what never ran', async () => {
    const { starts } = await startsOf('2026-03-05T12:00:00Z', 1);
    expect(starts).toEqual(['2026-03-05T12:00:00.000Z']);
  });

  it('never overlaps: a run longer than a day is followed by one that makes up for the time it passed', async () => {
    const act = async (effects: FakeEffects): Promise<JobOutcome> => {
      await effects.sleep(30 * 3_600_000);
      return { status: 'done', summary: 'done' };
    };
    const { starts } = await startsOf('2026-03-01T02:15:00Z', 2, { act });
    expect(starts).toEqual(['2026-03-01T02:15:00.000Z', '2026-03-02T08:15:00.000Z']);
  });

  it.each(['2100-01-01T00:00:00.000Z', '2026-03-01T13:00:00.000Z'])(
    'ignores a last run of %s, and reports it once',
    async (lastStart) => {
      const { starts, logged } = await startsOf('2026-03-01T12:00:00Z', 2, { lastStart });
      expect(starts).toEqual(['2026-03-01T12:00:00.000Z', '2026-03-02T02:15:00.000Z']);
      expect(logged.split(`its last run is dated ${lastStart}, which is in the future; it is ignored`)).toHaveLength(2);
    },
  );

  it.each([
    ['a year ahead', 365 * 24, '2027-03-01T02:15:00.000Z', '2027-03-02T02:15:00.000Z'],
    ['an hour back', -1, '2026-03-01T01:15:00.000Z', '2026-03-01T02:15:00.000Z'],
    ['a day back', -24, '2026-02-28T02:15:00.000Z', '2026-03-01T02:15:00.000Z'],
    ['ten years back', -87_648, '2016-03-01T02:15:00.000Z', '2016-03-02T02:15:00.000Z'],
  ])('a clock that is set %s while a job runs', async (_, hours, second, third) => {
    let runs = 0;
    const act = async ({ clock }: FakeEffects): Promise<JobOutcome> => {
      if (++runs === 1) clock.set(new Date(clock.nowMilliseconds() + hours * 3_600_000).toISOString());
      return { status: 'done', summary: 'done' };
    };
    const { starts } = await startsOf('2026-03-01T02:15:00Z', 3, { act });
    expect(starts).toEqual(['2026-03-01T02:15:00.000Z', second, third]);
  });

  it('outlives a failing job, and says why it failed', async () => {
    const act = async (): Promise<JobOutcome> => {
      throw new TypeError('a bug');
    };
    const { starts, logged } = await startsOf('2026-03-05T12:00:00Z', 2, { act });
    expect(starts).toEqual(['2026-03-05T12:00:00.000Z', '2026-03-06T02:15:00.000Z']);
    expect(logged).toContain('TypeError: a bug');
  });
});
