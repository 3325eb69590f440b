import { durationSeconds, type JobRun } from '../../pipeline/operations/job-run.ts';
import { MAX_LOST_RUNS } from './next-run.ts';

/** Good runs whose median is the usual duration. */
const USUAL_RUNS = 10;
const DAY_MILLISECONDS = 86_400_000;
/** Days whose failures are counted. */
const FAILURE_DAYS = 7;

/**
 * Median duration of the last good runs that ended like the newest good one: a run that finds nothing to do takes a
 * instant, and says nothing of how long the work takes. Runs with other options are left out.
 * @param runs newest first
 * @returns null when there are fewer than two
 */
export function findUsualSeconds(runs: readonly JobRun[]): number | null {
  const good = runs.filter(isGood);
  const [newest] = good;
  if (!newest) return null;
  const alike = good.filter((run) => run.state === newest.state && run.arguments === newest.arguments);
  const seconds = alike.slice(0, USUAL_RUNS).flatMap((run) => durationSeconds(run) ?? []);
  return seconds.length < 2 ? null : median(seconds);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Failed, timed-out and lost runs among those of the last days. */
export function countFailures(
  runs: readonly JobRun[],
  now: number,
): { readonly failures: number; readonly runs: number } {
  const recent = runs.filter(({ startedAt }) => now - Date.parse(startedAt) <= FAILURE_DAYS * DAY_MILLISECONDS);
  const failures = recent.filter(({ state }) => isFailure(state)).length;
  return { failures, runs: recent.length };
}

export function isFailure(state: JobRun['state']): boolean {
  return state === 'failed' || state === 'timeout' || state === 'lost';
}

/**
 * The newest run with a conclusive result: neither running nor stopped. A lost run, which is repeated at once, counts only
 * if several in a row were lost.
 */
export function findLastEnded(runs: readonly JobRun[]): JobRun | null {
  const ended = runs.filter(({ state }) => state !== 'running' && state !== 'stopped');
  const isLostOften =
    ended.length >= MAX_LOST_RUNS && ended.slice(0, MAX_LOST_RUNS).every(({ state }) => state === 'lost');
  return isLostOften ? ended[0]! : (ended.find(({ state }) => state !== 'lost') ?? null);
}

/** End of the last run that did not fail, unchanged ones included. */
export function findLastSuccess(runs: readonly JobRun[]): string | null {
  return runs.find(isGood)?.endedAt ?? null;
}

/** The last run that did its work, also where a part of it, such as one of several feeds, has failed for good. */
export function findLastWorked(runs: readonly JobRun[]): JobRun | null {
  return runs.find((run) => isGood(run) || (run.state === 'failed' && !run.isRetryable)) ?? null;
}

function isGood({ state }: JobRun): boolean {
  return state === 'done' || state === 'unchanged';
}
