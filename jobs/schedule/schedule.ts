import { hostname } from 'node:os';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import { type JobRun, noCounts } from '../../pipeline/operations/job-run.ts';
import type { Job } from '../job/job.ts';
import { nextRunAt } from '../runner/next-run.ts';
import { historyRunner, type JobRunner, type RunRequest } from './run-and-log.ts';

/** Longest single sleep: a resumed laptop or a clock change is noticed within it. */
const MAX_SLEEP_MILLISECONDS = 60_000;
/** Wait before a job is tried again while another run writes the same. */
const BUSY_MILLISECONDS = 30_000;
/** Runs of this process that are remembered of a job: more than its repeats after a failure. */
const REMEMBERED_RUNS = 5;

/** The signal of the request ends the schedule; running jobs end at their next step. */
export interface ScheduleRequest extends RunRequest {
  readonly jobs: readonly Job[];
}

/**
 * Runs jobs at their times until the signal aborts. A job whose time passed while no schedule ran is run once. A job
 * that follows others waits for those of them that are due or running; runs that write the same never overlap, all
 * others run concurrently, as many as `schedule.concurrency` says: of those that wait, the one that is longest due is next.
 */
export async function runSchedule(request: ScheduleRequest, runner: JobRunner = historyRunner(request)): Promise<void> {
  const { config, effects, signal } = request;
  const concurrency = config.schedule.concurrency ?? Number.POSITIVE_INFINITY;
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
    for (const job of signal.aborted ? [] : longestDueFirst(jobs, states)) {
      if (runs.size >= concurrency || !canStart(job, states, now)) continue;
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
  /** Its last runs by this process, newest first; on a full disk the history lacks them, or their ends. */
  tried: readonly JobRun[];
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
    tried: [],
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
  const next = nextRunAt(job, config, complete(recorded, state.tried), now);
  if (next !== null && next > now && next !== state.loggedNextAt) {
    effects.log.info(`${job.name}: next run at ${new Date(next).toISOString()}`);
    state.loggedNextAt = next;
  }
  state.nextAt = next;
  state.readAt = now;
}

/** The runs of the history, and those of this process whose end it lacks: these must not be repeated at once. */
function complete(recorded: readonly JobRun[], tried: readonly JobRun[]): readonly JobRun[] {
  const isEndOf = (run: JobRun, one: JobRun) =>
    run.startedAt >= one.startedAt && run.startedAt <= one.endedAt! && !['running', 'lost'].includes(run.state);
  const unknown = tried.filter((one) => !recorded.some((run) => isEndOf(run, one)));
  const isKnownBetter = (run: JobRun) =>
    unknown.some((one) => run.startedAt >= one.startedAt && run.startedAt <= one.endedAt!);
  const all = [...recorded.filter((run) => !isKnownBetter(run)), ...unknown];
  return all.sort((a, b) => (a.startedAt === b.startedAt ? 0 : a.startedAt > b.startedAt ? -1 : 1));
}

/** The outcome of a run as this process saw it, in case it was not recorded. */
function triedRun(job: Job, startedAt: number, endedAt: number, isFailedForNow: boolean): JobRun {
  return {
    ...noCounts,
    host: hostname(),
    attempts: null,
    summary: null,
    peakMemoryBytes: null,
    number: 0,
    job: job.name,
    arguments: '',
    runBy: 'schedule',
    state: isFailedForNow ? 'failed' : 'done',
    isRetryable: isFailedForNow,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
  };
}

/** Jobs that are due at the same time stay in the order of the data flow. */
function longestDueFirst(jobs: readonly Job[], states: ReadonlyMap<string, JobState>): readonly Job[] {
  const dueAt = (job: Job) => states.get(job.name)!.nextAt ?? Number.MAX_VALUE;
  return jobs.toSorted((a, b) => dueAt(a) - dueAt(b));
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
  const tried = triedRun(job, startedAt, clock.nowMilliseconds(), outcome === 'failedForNow');
  state.tried = [tried, ...state.tried].slice(0, REMEMBERED_RUNS);
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
