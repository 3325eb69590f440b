import type { Config } from '../../pipeline/config/load-config.ts';
import { AUSTRIA, formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import { durationSeconds, type JobRun } from '../../pipeline/operations/job-run.ts';
import { formatCount } from '../definitions/feed-report-lines.ts';
import type { Job } from '../job/job.ts';
import { renderTable, type TextColumn } from '../job/text-table.ts';
import { timeLimitMinutes } from '../job/time-limit.ts';
import { renderSeconds } from '../runner/backfill-progress.ts';
import { isFailure } from '../runner/run-statistics.ts';

/** Most codes of problems that are named for one run. */
const MAX_CODES = 6;

/** `taktgeber jobs <job>`: what the job is, its last runs, and what went wrong in them. */
export function renderRuns(job: Job, runs: readonly JobRun[], config: Config): string[] {
  const limit = timeLimitMinutes(job, config);
  const expression = job.schedule?.(config) ?? null;
  const facts = [
    `runs ${expression === null ? 'only on request' : `at ${expression} (UTC)`}`,
    limit === null ? 'has no time limit' : `is stopped after ${limit} minutes`,
    ...(job.follows ? [`follows ${job.follows.join(', ')}`] : []),
  ];
  const head = [`${job.name}: ${job.summary}`, `It ${facts.join(', ')}.`, `Times below are local (${AUSTRIA}).`, ''];
  if (runs.length === 0) return [...head, 'It has not run yet.'];
  return [...head, ...renderRunTable(runs)];
}

/** The runs as a table, and below it what failed and which problems there were. */
export function renderRunTable(runs: readonly JobRun[]): string[] {
  return [...renderTable(columns, runs.map(renderRun)), ...runs.flatMap(describeFailure), ...describeProblems(runs)];
}

const end = (title: string): TextColumn => ({ title, align: 'end' });

const columns: readonly TextColumn[] = [
  ...['STARTED', 'BY', 'OUTCOME'].map((title) => ({ title })),
  ...['TOOK', 'TRIES', 'ROWS IN', 'OUT', 'REFUSED', 'WRITTEN', 'MEMORY'].map(end),
  { title: 'OPTIONS' },
];

function renderRun(run: JobRun): string[] {
  const seconds = durationSeconds(run);
  return [
    shortTime(run.startedAt),
    run.runBy,
    run.state,
    seconds === null ? '-' : renderSeconds(seconds),
    count(run.attempts),
    ...[run.rowsIn, run.rowsOut, run.rowsRefused].map(count),
    ...[run.bytesWritten, run.peakMemoryBytes].map(megabytes),
    run.arguments,
  ];
}

function describeFailure({ state, startedAt, summary }: JobRun): string[] {
  return isFailure(state) ? [`${shortTime(startedAt)} ${state}: ${summary}`] : [];
}

/** Problems by code, of the newest run that has any. */
function describeProblems(runs: readonly JobRun[]): string[] {
  const run = runs.find(({ problems }) => Object.keys(problems).length > 0);
  if (!run) return [];
  const codes = Object.entries(run.problems).sort(([, a], [, b]) => b - a);
  const named = codes.slice(0, MAX_CODES).map(([code, n]) => `${formatCount(n)} ${code}`);
  const more = codes.length > MAX_CODES ? [`${codes.length - MAX_CODES} more codes`] : [];
  return [`${shortTime(run.startedAt)} problems: ${[...named, ...more].join(', ')}`];
}

function count(n: number | null): string {
  return n === null ? '-' : formatCount(n);
}

function megabytes(bytes: number | null): string {
  return bytes === null ? '-' : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Local time without seconds: `2026-03-08 03:15`; `-` for null. @param iso in UTC */
export function shortTime(iso: string | null): string {
  if (iso === null) return '-';
  return formatTimestamp(Math.floor(Date.parse(iso) / 1000) as Instant, AUSTRIA)
    .slice(0, 16)
    .replace('T', ' ');
}
