import { expect, it } from 'vitest';
import type { Job, JobContext, JobOutcome } from '../../../jobs/job/job.ts';
import { measureJobs, showFacts } from '../../../jobs/monitoring/measure-service.ts';
import type { ServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';

const facts: ServiceFacts = {
  nowMilliseconds: 0,
  timetable: [
    {
      source: 'vor',
      ageSeconds: 60,
      endDate: '2026-12-12' as ServiceDate,
      remainingSeconds: -5,
      stopAfterValidity: true,
    },
    { source: 'wl', ageSeconds: 60, endDate: null, remainingSeconds: null, stopAfterValidity: false },
  ],
  realtime: [
    {
      source: 'wl',
      status: 'stale',
      ageSeconds: 400,
      maxAgeSeconds: 300,
      trouble: 'http_500',
      tally: {
        matched: { trip_id: 10, added: 2 },
        unmatched: { unknown_trip: 3 },
        vehiclesMatched: 0,
        vehiclesOnRouteOnly: 0,
        vehiclesUnmatched: 0,
        alerts: 0,
        records: 16,
        problems: { bad_time: 1 },
      },
      isExpected: true,
    },
    {
      source: 'vao',
      status: 'standby',
      ageSeconds: null,
      maxAgeSeconds: null,
      trouble: null,
      tally: null,
      isExpected: true,
    },
  ],
  jobs: [
    {
      job: 'build-marts',
      lastStatus: 'failed',
      lastSummary: 'no',
      lastStartedAt: '1970-01-01T00:00:10Z',
      lastSuccessAt: null,
      lastHost: null,
      lastDurationSeconds: 2.5,
      lateSeconds: 7,
      isDueFirstTime: false,
      isRunning: false,
    },
  ],
  predictions: [
    { source: 'wl', days: [{ serviceDate: '2026-02-28' as ServiceDate, pairs: 9, ours: 40, persistence: 50 }] },
  ],
  shards: [],
  store: { waitingFiles: 3, waitingJobs: 1 },
  disk: { freeBytes: 5, sizeBytes: 10, freeFiles: null },
  elsewhere: new Set(),
};

it('facts of a data folder become series', async () => {
  const metrics = createMetrics();
  showFacts(metrics, facts);
  const scrape = parseMetrics((await metrics.scrape()).text);
  const expected: readonly [name: string, labels: Record<string, string>, value: number | undefined][] = [
    ['timetable_source_age_seconds', { source: 'vor' }, 60],
    ['timetable_remaining_seconds', { source: 'vor' }, -5],
    ['licence_remaining_seconds', { source: 'vor' }, -5],
    ['source_age_seconds', { source: 'wl' }, 400],
    ['source_age_seconds', { source: 'vao' }, undefined],
    ['source_max_age_seconds', { source: 'wl' }, 300],
    ['source_fresh', { source: 'wl' }, 0],
    ['source_fresh', { source: 'vao' }, 1],
    ['realtime_records', { source: 'wl' }, 16],
    ['realtime_trips', { source: 'wl', outcome: 'matched', reason: 'trip_id' }, 10],
    ['realtime_trips', { source: 'wl', outcome: 'unmatched', reason: 'unknown_trip' }, 3],
    ['realtime_problems', { source: 'wl', reason: 'bad_time' }, 1],
    ['job_last_run_timestamp_seconds', { job_name: 'build-marts' }, 10],
    ['job_last_success_timestamp_seconds', { job_name: 'build-marts' }, undefined],
    ['job_last_duration_seconds', { job_name: 'build-marts' }, 2.5],
    ['job_failing', { job_name: 'build-marts' }, 1],
    ['job_late_seconds', { job_name: 'build-marts' }, 7],
    ['prediction_error_seconds', { source: 'wl', forecaster: 'ours' }, 40],
    ['prediction_error_seconds', { source: 'wl', forecaster: 'persistence' }, 50],
    ['store_pending_files', {}, 3],
    ['store_pending_jobs', {}, 1],
    ['disk_free_bytes', {}, 5],
    ['disk_size_bytes', {}, 10],
  ];
  const shown = expected.map(([name, labels]) => [name, labels, findValue(scrape, `taktgeber_${name}`, labels)]);
  expect(shown).toEqual(expected);
});

it('facts that cannot be read have no series', async () => {
  const metrics = createMetrics();
  showFacts(metrics, facts);
  showFacts(metrics, {
    nowMilliseconds: 0,
    timetable: null,
    realtime: null,
    jobs: null,
    predictions: null,
    shards: [],
    store: null,
    disk: null,
    elsewhere: new Set(),
  });
  const { series } = parseMetrics((await metrics.scrape()).text);
  expect(series.filter(({ name }) => /_(source|timetable|job|realtime|store|disk|prediction)_/.test(name))).toEqual([]);
});

it('runs of jobs are counted by outcome, except those that the process stops', async () => {
  const metrics = createMetrics();
  let end: () => Promise<JobOutcome> = async () => ({ status: 'done', summary: '' });
  const job: Job = { name: 'a', summary: '', accepts: [], run: () => end() };
  const [measured] = measureJobs([job], metrics);
  const context = { stopping: undefined } as JobContext;
  await measured!.run(context);
  end = async () => ({ status: 'failed', summary: '' });
  await measured!.run(context);
  end = () => Promise.reject(new Error('disk'));
  await expect(measured!.run(context)).rejects.toThrow('disk');
  const stopping = AbortSignal.abort();
  await expect(measured!.run({ ...context, stopping })).rejects.toThrow('disk');
  const scrape = parseMetrics((await metrics.scrape()).text);
  const count = (status: string) => findValue(scrape, 'taktgeber_job_runs_total', { job_name: 'a', status });
  expect([count('done'), count('failed')]).toEqual([1, 2]);
});

it('shards of a worker are counted as well', async () => {
  const metrics = createMetrics();
  const outcome: JobOutcome = { status: 'done', summary: '' };
  const shards = { noun: 'months', plan: async () => ({ units: [] }), runUnit: async () => outcome };
  const division = { noun: 'months', plan: async () => ({ units: [] }), shards };
  const [measured] = measureJobs(
    [{ name: 'a', summary: '', accepts: [], division, run: async () => outcome }],
    metrics,
  );
  const unit = { name: '2026-03', options: {} };
  expect(await measured!.division!.shards!.runUnit!({} as JobContext, unit)).toBe(outcome);
  const scrape = parseMetrics((await metrics.scrape()).text);
  expect(findValue(scrape, 'taktgeber_job_runs_total', { job_name: 'a', status: 'done' })).toBe(1);
});
