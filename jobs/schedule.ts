import type { Effects } from '../pipeline/effects/effects.ts';
import { isTextAhead } from '../pipeline/model/clock-tolerance.ts';
import { type JobRun, noCounts } from '../pipeline/operations/job-run.ts';
import type { Job } from './job.ts';
import { nextRunAt } from './next-run.ts';
import { historyRunner, type JobRunner, type RunRequest } from './run-and-log.ts';

/** Longest single sleep: a resumed laptop or a clock change is noticed within it. */
const MAX_SLEEP_MILLISECONDS = 60_000;
/** Wait before a job is tried again while another run writes the same. */
const BUSY_MILLISECONDS = 30_000;

/** The signal of the request ends the schedule; running jobs end at their next step. */
export interface ScheduleRequest extends RunRequest {
  readonly jobs: readonly Job[];
}

/**
 * Runs jobs at their times until the signal aborts. A job whose time passed while no schedule ran is run once. A job
 * that follows others waits for those of them that are due or running; runs that write the same never overlap, all
 * others run concurrently.
 */
export async function runSchedule(request: ScheduleRequest, runner: JobRunner = historyRunner(request)): Promise<void> {
  const { effects, signal } = request;
  const jobs = request.jobs.filter((job) => job.schedule);
  const states = new Map(jobs.map((job) => [job.name, newState()]));
  const runs = new Set<Promise<void>>();
  const pause = createPause(effects, signal);
  while (!signal.aborted) {
    for (const job of jobs) {
      const state = states.get(job.name)!;
      if (isToBeRead(state, effects.clock.nowMilliseconds())) await readNextTime(job, state, runner, request);
    }
    const now = effects.clock.nowMilliseconds();
    for (const job of signal.aborted ? [] : jobs) {
      if (!canStart(job, states, now)) continue;
      const run = startRun(job, states.get(job.name)!, runner, effects).then(() => {
        runs.delete(run);
        pause.end();
      });
      runs.add(run);
    }
    await pause.sleep(untilNext([...states.values()], now));
  }
  await Promise.all(runs);
}

interface JobState {
  isRunning: boolean;
  /** Milliseconds since 1970; in the past when it is due, null for never or unknown. */
  nextAt: number | null;
  readAt: number;
  /** Start of its last run by this process: one that could not be recorded must not be repeated at once. */
  triedAt: number | null;
  busyUntil: number;
  /** What was logged last, so that it is logged once. */
  loggedNextAt: number | null;
  loggedFuture: string | null;
}

function newState(): JobState {
  return {
    isRunning: false,
    nextAt: null,
    readAt: 0,
    triedAt: null,
    busyUntil: 0,
    loggedNextAt: null,
    loggedFuture: null,
  };
}

/** A time that lies ahead stays, unless the clock was set back. Before a job starts, its runs are read again. */
function isToBeRead({ isRunning, nextAt, readAt }: JobState, now: number): boolean {
  return !isRunning && (nextAt === null || nextAt <= now || now < readAt);
}

async function readNextTime(
  job: Job,
  state: JobState,
  runner: JobRunner,
  { config, effects }: ScheduleRequest,
): Promise<void> {
  const recorded = await runner.listRuns(job);
  const now = effects.clock.nowMilliseconds();
  const newest = recorded[0]?.startedAt;
  if (newest !== undefined && isTextAhead(newest, now) && newest !== state.loggedFuture) {
    effects.log.warn(`${job.name}: its last run is dated ${newest}, which is in the future; it is ignored`);
    state.loggedFuture = newest;
  }
  const tried = state.triedAt === null ? [] : [triedRun(job, state.triedAt)];
  const next = nextRunAt(job, config, [...recorded, ...tried], now);
  if (next !== null && next > now && next !== state.loggedNextAt) {
    effects.log.info(`${job.name}: next run at ${new Date(next).toISOString()}`);
    state.loggedNextAt = next;
  }
  state.nextAt = next;
  state.readAt = now;
}

/** What is known of a run that was perhaps not recorded: it began. */
function triedRun(job: Job, startedAt: number): JobRun {
  const at = new Date(startedAt).toISOString();
  const unknown = { ...noCounts, attempts: null, isRetryable: false, summary: null, peakMemoryBytes: null };
  return {
    ...unknown,
    number: 0,
    job: job.name,
    arguments: '',
    runBy: 'schedule',
    state: 'done',
    startedAt: at,
    endedAt: at,
  };
}

function canStart(job: Job, states: ReadonlyMap<string, JobState>, now: number): boolean {
  const { isRunning, nextAt, busyUntil } = states.get(job.name)!;
  if (isRunning || nextAt === null || nextAt > now || busyUntil > now) return false;
  const before = (job.follows ?? []).flatMap((name) => states.get(name) ?? []);
  return before.every((other) => !other.isRunning && (other.nextAt === null || other.nextAt > now));
}

async function startRun(job: Job, state: JobState, runner: JobRunner, { clock }: Effects): Promise<void> {
  const startedAt = clock.nowMilliseconds();
  state.isRunning = true;
  const outcome = await runner.run(job);
  state.isRunning = false;
  if (outcome === 'busy') {
    state.busyUntil = clock.nowMilliseconds() + BUSY_MILLISECONDS;
    return;
  }
  state.triedAt = startedAt;
  // Until its runs are read again.
  state.nextAt = null;
}

/** Milliseconds until a job is due or can be tried again; a job that waits for others is looked at when they end. */
function untilNext(states: readonly JobState[], now: number): number {
  const times = states.flatMap(({ nextAt, busyUntil }) => (nextAt === null ? [] : [Math.max(nextAt, busyUntil)]));
  const later = times.filter((time) => time > now);
  return Math.min(MAX_SLEEP_MILLISECONDS, ...later.map((time) => time - now));
}

/** A sleep that ends early when a run ends or the schedule does. */
function createPause({ sleep }: Effects, signal: AbortSignal) {
  let waking = new AbortController();
  const end = () => waking.abort();
  return {
    end,
    sleep: async (milliseconds: number) => {
      signal.addEventListener('abort', end, { once: true });
      try {
        if (!signal.aborted) await sleep(milliseconds, waking.signal);
      } catch (error) {
        if (!waking.signal.aborted) throw error;
      } finally {
        // A run that ends from here on wakes the next sleep, before which all jobs are looked at.
        waking = new AbortController();
        signal.removeEventListener('abort', end);
      }
    },
  };
}
