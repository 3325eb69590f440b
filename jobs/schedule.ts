import { createTask, parse } from 'node-cron';
import type { Config } from '../pipeline/config/load-config.ts';
import type { Effects } from '../pipeline/effects/effects.ts';
import { isOfTheSystem } from '../pipeline/effects/world-error.ts';
import { isTextAhead } from '../pipeline/model/clock-tolerance.ts';
import { describeError } from './exit-code.ts';
import type { Job, JobOptions } from './job.ts';
import { findJobRecord, type JobRecord } from './job-lock.ts';
import { runJob } from './run.ts';

/** The run times of a job, in UTC, which has no clock changes. */
export interface Timetable {
  /**
   * Returns the first run time after `moment`, both in milliseconds since 1970.
   * @returns null when there is none within a year, e.g. for 29 February
   */
  firstAfter(moment: number): number | null;
}

const MINUTE = 60_000;
const LOOK_AHEAD = 366 * 24 * 60;

/** @param expression cron expression of five fields */
export function cronTimes(expression: string): Timetable {
  const { minute, hour } = parse(expression);
  const [minutes, hours] = [new Set(minute), new Set(hour)];
  // Never started: node-cron only parses and matches; the waiting is done in `schedule.ts`.
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  void task.destroy();
  return {
    firstAfter: (moment) => {
      const first = Math.floor(moment / MINUTE) + 1;
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

/** Longest single sleep: a resumed laptop or a clock change is noticed within it. */
const MAX_CRON_SLEEP_MILLISECONDS = 60_000;

export interface ScheduleRequest {
  readonly jobs: readonly Job[];
  readonly config: Config;
  readonly effects: Effects;
  readonly options: JobOptions;
  /** Ends the schedule; running jobs end at their next step. */
  readonly signal: AbortSignal;
}

/**
 * Runs jobs at their times until the signal aborts. A job whose time passed while no schedule ran is run once at the
 * start. A job never overlaps itself; different jobs run concurrently.
 */
export async function runSchedule(request: ScheduleRequest): Promise<void> {
  await Promise.all(request.jobs.filter((job) => job.schedule).map((job) => runAtItsTimes(job, request)));
}

/**
 * Returns when a job runs next; in the past when a run was missed. A last run in the future counts as none.
 * @param lastStartedAt start of its last run, or null when it never ran
 * @returns milliseconds since 1970; null for a job without a schedule, or with none within a year
 */
export function nextRunAt(job: Job, config: Config, lastStartedAt: string | null, now: number): number | null {
  const expression = job.schedule?.(config);
  if (expression === undefined) return null;
  const isKnown = lastStartedAt !== null && !isTextAhead(lastStartedAt, now);
  return isKnown ? cronTimes(expression).firstAfter(Date.parse(lastStartedAt)) : now;
}

async function runAtItsTimes(job: Job, request: ScheduleRequest): Promise<void> {
  const { config, effects, signal } = request;
  let lastLogged: number | null = null;
  // A run that could not start leaves no record: it must not be retried at the same moment.
  let lastTried: string | null = null;
  while (!signal.aborted) {
    const record = await findReadableRecord(job, request);
    const now = effects.clock.nowMilliseconds();
    const recorded = record?.lastRun.startedAt ?? null;
    if (recorded !== null && isTextAhead(recorded, now)) {
      effects.log.warn(`${job.name}: its last run is dated ${recorded}, which is in the future; it is ignored`);
    }
    const due = nextRunAt(job, config, findLast([recorded, lastTried], now), now);
    if (due !== null && due <= now) {
      lastTried = new Date(now).toISOString();
      await runAndLog(job, request);
      continue;
    }
    if (due !== lastLogged && due !== null) effects.log.info(`${job.name}: next run at ${new Date(due).toISOString()}`);
    lastLogged = due;
    await sleepUnlessAborted(Math.min((due ?? Number.POSITIVE_INFINITY) - now, MAX_CRON_SLEEP_MILLISECONDS), request);
  }
}

/** An unreadable record counts as none: the job runs, and the other jobs keep their times. */
async function findReadableRecord(job: Job, { config, effects }: ScheduleRequest): Promise<JobRecord | null> {
  try {
    return await findJobRecord(config.dataDir, job.name);
  } catch (error) {
    if (!isOfTheSystem(error)) throw error;
    effects.log.warn(`${job.name}: its last run is not known: ${error.message}`);
    return null;
  }
}

/** Runs a job in the background: the result or error is logged, nothing is thrown. */
export async function runAndLog(job: Job, { config, effects, options, signal }: ScheduleRequest): Promise<void> {
  effects.log.info(`${job.name}: started`);
  try {
    const run = await runJob(job, { config, effects, options, stopping: signal });
    const line = `${job.name}: ${run.summary} (${run.durationSeconds} s)`;
    if (run.status === 'failed') effects.log.warn(line);
    else effects.log.info(line);
  } catch (error) {
    if (signal.aborted) {
      effects.log.info(`${job.name}: stopped before its end; the next start repeats it`);
      return;
    }
    // The schedule survives a failing job, even one that fails by a bug: other jobs and the api depend on it.
    const { sentence, isBug } = describeError(error);
    effects.log.warn(`${job.name}: ${isBug ? ((error as Error).stack ?? sentence) : sentence}`);
  }
}

async function sleepUnlessAborted(milliseconds: number, { effects, signal }: ScheduleRequest): Promise<void> {
  try {
    await effects.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The latest start, ignoring starts in the future, which a clock that was set back leaves. */
function findLast(starts: readonly (string | null)[], now: number): string | null {
  return (
    starts
      .filter((start) => start !== null && !isTextAhead(start, now))
      .sort()
      .at(-1) ?? null
  );
}
