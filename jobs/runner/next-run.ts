import { createTask, parse } from 'node-cron';
import type { Config } from '../../pipeline/config/load-config.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import { backoffMilliseconds, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import type { JobRun } from '../../pipeline/operations/job-run.ts';
import type { Job } from '../job/job.ts';
import { isWhole } from '../job/job-options.ts';

/** The run times of a job, in UTC, which has no clock changes. */
interface CronTimes {
  /**
   * Returns the first run time after `instant`, both in milliseconds since 1970.
   * @returns null when there is none within a year, e.g. for 29 February
   */
  firstAfter(instant: number): number | null;
}

const MINUTE = 60_000;
const LOOK_AHEAD = 366 * 24 * 60;

/** @param expression cron expression of five fields */
export function cronTimes(expression: string): CronTimes {
  const { minute, hour } = parse(expression);
  const [minutes, hours] = [new Set(minute), new Set(hour)];
  // Never started: node-cron only parses and matches; the waiting is done in `schedule.ts`.
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  void task.destroy();
  return {
    firstAfter: (instant) => {
      const first = Math.floor(instant / MINUTE) + 1;
      for (let candidate = first; candidate < first + LOOK_AHEAD; candidate++) {
        const date = new Date(candidate * MINUTE);
        // Its own match takes 10 µs; this check leaves it a few minutes per day.
        if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) continue;
        if (task.match(date)) return date.getTime();
      }
      return null;
    },
  };
}

/** Waits before a failed run of the schedule is repeated, where that may help; then it has its next regular time. */
const scheduledRepeats = {
  firstWaitMilliseconds: 10 * MINUTE,
  factor: 3,
  maxWaitMilliseconds: 90 * MINUTE,
  maxAttempts: 4,
} satisfies RetryPolicy;

/** After this many lost runs in a row, the job must be killing its process: it waits for its next regular time. */
export const MAX_LOST_RUNS = 3;

/** Runs that are enough to tell when a job is due. */
export const RUNS_TO_KNOW = 50;

/**
 * Returns when a job runs next; in the past when a run was missed, however many times it was. Runs of chosen sources or
 * days do not count, as they do a part of the work; neither do stopped and lost ones, which are repeated, nor those of a wrong clock,
 * which began in the future.
 * @param runs of the job, newest first
 * @returns milliseconds since 1970; null for a job without a schedule, or with none within a year
 */
export function nextRunAt(job: Job, config: Config, runs: readonly JobRun[], now: number): number | null {
  const expression = job.schedule?.(config) ?? null;
  if (expression === null) return null;
  const whole = runs.filter((run) => isWhole(run.arguments) && !isTextAhead(run.startedAt, now));
  const last = findLastCounted(whole);
  if (last === null) return now;
  const regular = cronTimes(expression).firstAfter(Date.parse(last.startedAt));
  const repeat = isRepeatedAtOnce(whole) ? now : findRepeat(whole);
  return repeat === null || (regular !== null && regular < repeat) ? regular : repeat;
}

/** The latest run after which the job need not run at once. */
function findLastCounted(whole: readonly JobRun[]): JobRun | null {
  const lost = countNewestLost(whole);
  const ended = whole.filter(({ state }) => !['running', 'stopped', 'lost'].includes(state));
  const counted = lost >= MAX_LOST_RUNS ? [whole[0]!, ...ended] : ended;
  return counted.reduce<JobRun | null>((last, run) => (last && last.startedAt >= run.startedAt ? last : run), null);
}

/** Whether the newest run was lost or stopped with its process, so that the next process repeats it. */
function isRepeatedAtOnce(whole: readonly JobRun[]): boolean {
  const [newest] = whole;
  if (newest?.state === 'lost') return countNewestLost(whole) < MAX_LOST_RUNS;
  // A run that was stopped by hand is not repeated.
  return newest?.state === 'stopped' && newest.runBy === 'schedule';
}

function countNewestLost(whole: readonly JobRun[]): number {
  const firstOther = whole.findIndex(({ state }) => state !== 'lost');
  return firstOther === -1 ? whole.length : firstOther;
}

/** When the newest run is repeated because it failed for a reason that may have passed; null: it is not. */
function findRepeat(whole: readonly JobRun[]): number | null {
  const ended = whole.filter(({ state }) => state !== 'running');
  const firstOther = ended.findIndex((run) => run.state !== 'failed' || !run.isRetryable);
  const failures = firstOther === -1 ? ended.length : firstOther;
  const endedAt = ended[0]?.endedAt;
  if (failures === 0 || failures >= scheduledRepeats.maxAttempts || !endedAt) return null;
  return Date.parse(endedAt) + backoffMilliseconds(scheduledRepeats, failures);
}
