import { UsageError } from '../pipeline/config/usage-error.ts';
import { sweepTemporaryFolders } from '../pipeline/effects/temporary-folders.ts';
import { WorldError } from '../pipeline/effects/world-error.ts';
import { workFolder } from '../pipeline/lake/paths.ts';
import { describeError, exitCode } from './exit-code.ts';
import type { Job, JobContext, JobOutcome } from './job.ts';
import { acquireJobLock, type RunRecord, writeJobRecord } from './job-lock.ts';

/** Waits before the second and the third attempt. */
const RETRY_WAITS_MILLISECONDS: readonly number[] = [2000, 10_000];

/** How long a stopped run may take to reach its next step. */
const STEP_GRACE_MILLISECONDS = 8000;

/**
 * Runs a job under its lock, retries retryable failures and records the run. No other code retries jobs. First the
 * temporary folders of killed processes are removed. A dry run publishes nothing, so it takes no lock and is not
 * recorded. A run that `context.stopping` ends is not recorded either, so that the schedule repeats it.
 * @throws WorldError `job_running`; the reason of `stopping`; the error of a bug, after the failure was recorded
 */
export async function runJob(job: Job, context: JobContext): Promise<RunRecord> {
  if (context.options.isDryRun) return (await attemptJob(job, context)).record;
  const { dataDir } = context.config;
  const lock = await acquireJobLock(dataDir, job.name, context.effects.clock);
  try {
    const { record, bug } = await attemptJob(job, context);
    await writeJobRecord(dataDir, job.name, record);
    if (bug !== null) throw bug;
    return record;
  } finally {
    await lock.release();
  }
}

/** The exit code of a run. */
export function exitCodeOf(run: RunRecord, options: { isUnchangedReported: boolean }): number {
  if (run.status === 'failed') return exitCode.failed;
  return run.status === 'unchanged' && options.isUnchangedReported ? exitCode.nothingToDo : exitCode.done;
}

interface Attempts {
  readonly record: RunRecord;
  /** Error of a bug; null for success and for failures of disk or network. */
  readonly bug: unknown;
}

async function attemptJob(job: Job, context: JobContext): Promise<Attempts> {
  const { clock, log, sleep } = context.effects;
  const started = clock.nowMilliseconds();
  for (const failure of await sweepTemporaryFolders(workFolder(context.config.dataDir), started)) log.warn(failure);
  for (let attempt = 1; ; attempt++) {
    const { outcome, bug } = await tryOnce(job, context);
    const wait = RETRY_WAITS_MILLISECONDS[attempt - 1];
    const isWorthAnother = outcome.status === 'failed' && outcome.isRetryable === true && wait !== undefined;
    if (!isWorthAnother) return { record: toRecord(outcome, attempt, started, clock.nowMilliseconds()), bug };
    log.warn(`${job.name}: ${outcome.summary}; trying again in ${wait / 1000} s`);
    await sleep(wait, context.stopping);
  }
}

async function tryOnce(job: Job, context: JobContext): Promise<{ outcome: JobOutcome; bug: unknown }> {
  const { stopping } = context;
  try {
    stopping?.throwIfAborted();
    const outcome = await endSoonAfter(job.run(context), stopping);
    // An interrupted statement looks like bad data to the step that ran it, so check the signal first.
    if (outcome.status === 'failed') stopping?.throwIfAborted();
    return { outcome, bug: null };
  } catch (error) {
    // Being stopped and wrong usage are no failures of the job.
    stopping?.throwIfAborted();
    if (error instanceof UsageError) throw error;
    const { sentence, isBug } = describeError(error);
    const isRetryable = error instanceof WorldError && error.isRetryable;
    return { outcome: { status: 'failed', summary: sentence, isRetryable }, bug: isBug ? error : null };
  }
}

/**
 * Returns the result of the work. After an abort it still waits for a few seconds, as work that still writes must not
 * overlap the next run; a stopping process has ten seconds in all.
 */
async function endSoonAfter<Result>(work: Promise<Result>, stopping: AbortSignal | undefined): Promise<Result> {
  if (!stopping) return work;
  let giveUp = () => {};
  const grace = new Promise<never>((_resolve, reject) => {
    // Real time, even where a replay's clock runs faster.
    giveUp = () => setTimeout(() => reject(stopping.reason), STEP_GRACE_MILLISECONDS).unref();
  });
  if (stopping.aborted) giveUp();
  else stopping.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, grace]);
  } finally {
    // The signal lives as long as the process: without this, each run would leave a listener on it.
    stopping.removeEventListener('abort', giveUp);
  }
}

function toRecord(outcome: JobOutcome, attempts: number, started: number, ended: number): RunRecord {
  return {
    startedAt: new Date(started).toISOString(),
    endedAt: new Date(ended).toISOString(),
    durationSeconds: Math.round(ended - started) / 1000,
    status: outcome.status,
    attempts,
    summary: outcome.summary,
    details: outcome.details ?? null,
  };
}
