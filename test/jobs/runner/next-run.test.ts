import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Job, noOptions } from '../../../jobs/job/job.ts';
import { describeOptions, isWhole } from '../../../jobs/job/job-options.ts';
import { cronTimes, nextRunAt } from '../../../jobs/runner/next-run.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { type JobRun, noCounts, type RunState } from '../../../pipeline/operations/job-run.ts';
import { temporaryFolder, testConfig } from '../fake-world.ts';

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
    const instant = cronTimes(expression).firstAfter(Date.parse(after));
    expect(instant === null ? null : new Date(instant).toISOString()).toBe(first);
  });

  it('of every minute are the next full minute', () => {
    const times = cronTimes('* * * * *');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (instant) => {
        const first = times.firstAfter(instant) ?? Number.NaN;
        expect(first % 60_000).toBe(0);
        expect(first - instant).toBeGreaterThan(0);
        expect(first - instant).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});

describe('the next run of a daily job at noon of the fifth', () => {
  const NOW = '2026-03-05T12:00:00.000Z';
  const NEXT = '2026-03-06T02:15:00.000Z';
  const job: Job = {
    name: 'daily',
    summary: '',
    accepts: [],
    schedule: () => '15 2 * * *',
    run: () => expect.fail('is not run'),
  };

  /** A run that took a minute; a lost or running one has no end. */
  function run(state: RunState, day: string, more: Partial<JobRun> = {}): JobRun {
    const startedAt = `2026-03-${day}:00.000Z`;
    const isOpen = state === 'lost' || state === 'running';
    const endedAt = isOpen ? null : new Date(Date.parse(startedAt) + 60_000).toISOString();
    const nothing = { ...noCounts, host: 'a', attempts: 1, isRetryable: false, summary: null, peakMemoryBytes: null };
    return {
      ...nothing,
      number: 1,
      job: 'daily',
      arguments: '',
      runBy: 'schedule',
      state,
      startedAt,
      endedAt,
      ...more,
    };
  }

  const brief = { isRetryable: true };
  const cases: readonly [reason: string, runs: JobRun[], next: string][] = [
    ['that never ran', [], NOW],
    ['that ran at its time', [run('done', '05T02:15')], NEXT],
    ['that had nothing to do', [run('unchanged', '05T02:15')], NEXT],
    ['that was missed', [run('done', '03T02:15')], '2026-03-04T02:15:00.000Z'],
    ['that is running', [run('running', '05T02:15'), run('done', '04T02:15')], '2026-03-05T02:15:00.000Z'],
    ['that was stopped', [run('stopped', '05T02:15'), run('done', '04T02:15')], '2026-03-05T02:15:00.000Z'],
    ['that was lost', [run('lost', '05T02:15'), run('done', '04T02:15')], '2026-03-05T02:15:00.000Z'],
    ['that was lost after it was done on the same day', [run('lost', '05T05:00'), run('done', '05T02:15')], NOW],
    ['that was lost twice', [run('lost', '05T05:00'), run('lost', '05T04:00'), run('done', '05T02:15')], NOW],
    ['that was stopped with its schedule', [run('stopped', '05T05:00'), run('done', '05T02:15')], NOW],
    ['that was always lost', [run('lost', '05T02:15')], NOW],
    [
      'that was lost three times in a row',
      [run('lost', '05T03:00'), run('lost', '05T02:30'), run('lost', '05T02:15'), run('done', '04T02:15')],
      NEXT,
    ],
    [
      'of which a part was done manually',
      [run('done', '05T09:00', { arguments: '--source a' }), run('done', '04T02:15')],
      '2026-03-05T02:15:00.000Z',
    ],
    ['of which all was done manually', [run('done', '05T09:00', { runBy: 'hand', arguments: '--force' })], NEXT],
    ['that failed permanently', [run('failed', '05T02:15')], NEXT],
    ['that took too long', [run('timeout', '05T02:15')], NEXT],
    ['that failed once', [run('failed', '05T11:55', brief)], '2026-03-05T12:06:00.000Z'],
    [
      'that failed twice',
      [run('failed', '05T11:55', brief), run('failed', '05T11:45', brief)],
      '2026-03-05T12:26:00.000Z',
    ],
    [
      'that failed too often',
      ['11:55', '11:00', '10:00', '09:00'].map((time) => run('failed', `05T${time}`, brief)),
      NEXT,
    ],
    ['whose clock was wrong', [run('done', '09T02:15'), run('done', '05T02:15')], NEXT],
  ];
  it.each(cases)('%s', async (_case, runs, next) => {
    const config = await testConfig(await temporaryFolder());
    expect(new Date(nextRunAt(job, config, runs, Date.parse(NOW))!).toISOString()).toBe(next);
  });
});

describe('the options of a run', () => {
  const day = '2026-03-01' as ServiceDate;

  it('are recorded as typed, without those that do not change the result', () => {
    expect(describeOptions({ ...noOptions, concurrency: 4, isResumed: true })).toBe('');
    const options = {
      ...noOptions,
      files: ["/a/it's.csv", '/b.csv'],
      mapping: 'rail',
      from: day,
      to: day,
      isForced: true,
    };
    expect(describeOptions(options)).toBe(
      "--file '/a/it'\\''s.csv' /b.csv --mapping rail --from 2026-03-01 --to 2026-03-01 --force",
    );
  });

  it('name feeds, but not their addresses, which may contain a key', () => {
    const feeds = [{ id: toSourceId('wien'), location: 'https://x.example/?key=secret', headers: {} }];
    expect(describeOptions({ ...noOptions, feeds })).toBe('--gtfs wien');
  });

  it.each([
    ['', true],
    ['--force', true],
    ['--gtfs wien', true],
    ['--date 2026-03-01', false],
    ['--source a --force', false],
    ['--from 2026-03-01', false],
  ])('%j is all of the work: %s', (text, expected) => {
    expect(isWhole(text)).toBe(expected);
  });
});
