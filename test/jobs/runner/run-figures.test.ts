import { expect, it } from 'vitest';
import { findLastEnded } from '../../../jobs/runner/run-statistics.ts';
import { type JobRun, noCounts, type RunState } from '../../../pipeline/operations/job-run.ts';

const toRun = (state: RunState): JobRun => ({
  ...noCounts,
  host: 'a',
  attempts: 1,
  summary: null,
  peakMemoryBytes: null,
  number: 1,
  job: 'build-features',
  arguments: '',
  runBy: 'schedule',
  state,
  isRetryable: false,
  startedAt: '2026-03-01T12:00:00Z',
  endedAt: null,
});

const cases: readonly [runs: readonly RunState[], judgedBy: RunState | null][] = [
  [[], null],
  [['running', 'stopped', 'done'], 'done'],
  [['failed', 'done'], 'failed'],
  [['lost', 'done'], 'done'],
  [['lost'], null],
  [['running', 'lost', 'lost', 'failed'], 'failed'],
  [['lost', 'stopped', 'lost', 'lost', 'done'], 'lost'],
];
it.each(cases)('a job with the runs %j, newest first, is judged by %s', (runs, judgedBy) => {
  expect(findLastEnded(runs.map(toRun))?.state ?? null).toBe(judgedBy);
});
