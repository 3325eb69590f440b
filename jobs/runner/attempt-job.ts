import { ExternalError, mayPass } from '../../pipeline/effects/external-error.ts';
import { retry } from '../../pipeline/effects/retry.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import { endSoonAfter } from '../job/end-soon-after.ts';
import { describeError } from '../job/exit-code.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';

/** Without jitter: a run holds the locks of what it writes, so no two runs return together to the same data. */
const jobAttempts: RetryPolicy = {
  firstWaitMilliseconds: 2000,
  factor: 5,
  maxWaitMilliseconds: 10_000,
  maxAttempts: 3,
};

/**
 * How long a stopped run may take to reach its next step, as work that still writes must not overlap the next run; a
 * stopping process has ten seconds in all.
 */
const STEP_GRACE_MILLISECONDS = 8000;

const MINUTE = 60_000;
/** The longest that a timer of Node waits. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** The attempts of one run, all together. */
export interface Attempted {
  readonly outcome: JobOutcome;
  readonly attempts: number;
  /** Error of a bug; null for success and for failures of disk or network. */
  readonly bug: unknown;
  readonly isTimeout: boolean;
  /** Work that did not end within its time limit, and may still write; null: none. */
  readonly unfinished: Promise<unknown> | null;
}

/**
 * Runs a job until an attempt succeeds or no further one would help, or until its time limit.
 * @param limitMinutes for all attempts together; null: none
 * @throws the reason of `stopping`; UsageError; ExternalError `job_running` of locks that the job takes while it runs
 */
export async function attemptJob(job: Job, context: JobContext, limitMinutes: number | null): Promise<Attempted> {
  const limit = startTimeLimit(limitMinutes);
  const stopping = context.stopping ? AbortSignal.any([context.stopping, limit.signal]) : limit.signal;
  const work: Work = { unfinished: null };
  const attempts = { count: 0 };
  try {
    const { outcome, bug } = await attemptRepeatedly(job, { ...context, stopping }, work, attempts);
    return { outcome, attempts: attempts.count, bug, isTimeout: false, unfinished: null };
  } catch (error) {
    if (!limit.signal.aborted || context.stopping?.aborted) throw error;
    const outcome: JobOutcome = {
      status: 'failed',
      summary: `stopped after its time limit of ${limitMinutes} minutes`,
    };
    return { outcome, attempts: attempts.count, bug: null, isTimeout: true, unfinished: work.unfinished };
  } finally {
    limit.clear();
  }
}

/** The current attempt; null between attempts. */
interface Work {
  unfinished: Promise<unknown> | null;
}

function attemptRepeatedly(job: Job, context: JobContext, work: Work, attempts: { count: number }) {
  const { log, sleep } = context.effects;
  const attempt = () => {
    attempts.count++;
    return tryOnce(job, context, work);
  };
  return retry(jobAttempts, attempt, {
    sleep,
    signal: context.stopping,
    // Errors that are worth an attempt are outcomes by then.
    isRetryable: () => false,
    isFailure: ({ outcome }) =>
      outcome.status === 'failed' && outcome.isRetryable === true && !outcome.isRetriedInPieces,
    onRetry: ({ result }, wait) => log.warn(`${job.name}: ${result!.outcome.summary}; retrying in ${wait / 1000} s`),
  });
}

async function tryOnce(job: Job, context: JobContext, work: Work): Promise<{ outcome: JobOutcome; bug: unknown }> {
  const { stopping } = context;
  try {
    stopping?.throwIfAborted();
    const outcome = await endSoonAfter(trackWork(job.run(context), work), stopping, STEP_GRACE_MILLISECONDS);
    // An interrupted statement looks like bad data to the step that ran it, so check the signal first.
    if (outcome.status === 'failed') stopping?.throwIfAborted();
    return { outcome, bug: null };
  } catch (error) {
    // Being stopped, wrong usage and locks that another run holds are not failures of the job.
    stopping?.throwIfAborted();
    if (error instanceof UsageError || isBusy(error)) throw error;
    const { sentence, isBug } = describeError(error);
    return { outcome: { status: 'failed', summary: sentence, isRetryable: mayPass(error) }, bug: isBug ? error : null };
  }
}

/** Whether something could not begin because another run holds what it writes. */
export function isBusy(error: unknown): error is ExternalError {
  return error instanceof ExternalError && error.code === 'job_running';
}

async function trackWork(running: Promise<JobOutcome>, work: Work): Promise<JobOutcome> {
  work.unfinished = running.then(
    () => {},
    () => {},
  );
  try {
    return await running;
  } finally {
    work.unfinished = null;
  }
}

/** A signal that aborts after the time; suspension of the machine does not count, as its timers stop. */
function startTimeLimit(minutes: number | null): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  if (minutes === null) return { signal: controller.signal, clear: () => {} };
  const reason = new ExternalError('job_timeout', `the time limit of ${minutes} minutes was reached`);
  const milliseconds = Math.min(minutes * MINUTE, MAX_TIMER_MILLISECONDS);
  const timer = setTimeout(() => controller.abort(reason), milliseconds).unref();
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
