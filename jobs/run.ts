import { UsageError } from '../pipeline/config/usage-error.ts';
import { WorldError } from '../pipeline/effects/world-error.ts';
import { describeError } from './describe-error.ts';
import { exitCode, Interruption } from './exit-code.ts';
import { orInterrupted } from './io.ts';
import type { Job, JobContext, JobOutcome } from './job.ts';
import { acquireJobLock } from './job-lock.ts';
import { type RunRecord, writeJobRecord } from './job-record.ts';

/** Waits before the second and the third attempt. */
const RETRY_WAITS_MILLISECONDS: readonly number[] = [2000, 10_000];

/**
 * Runs a job: one run of it at a time, again when the world may be kinder, and remembered. Nobody else retries.
 * A dry run publishes nothing, so it takes no lock and is not remembered.
 * @param signal gives the run up at once; nothing is remembered then, so that a schedule makes up for it
 * @throws WorldError `job_running`; the signal's reason; whatever a bug threw, after the failure was recorded
 */
export async function runJob(job: Job, context: JobContext, signal?: AbortSignal): Promise<RunRecord> {
  if (context.options.isDryRun) return (await attemptJob(job, context, signal)).record;
  const { dataDir } = context.config;
  const lock = await acquireJobLock(dataDir, job.name, context.effects.clock);
  try {
    const { record, bug } = await attemptJob(job, context, signal);
    await writeJobRecord(dataDir, job.name, record);
    if (bug !== null) throw bug;
    return record;
  } finally {
    await lock.release();
  }
}

/** The exit code of a run. */
export function exitCodeOf(run: RunRecord, options: { isUnchangedTold: boolean }): number {
  if (run.status === 'failed') return exitCode.failed;
  return run.status === 'unchanged' && options.isUnchangedTold ? exitCode.nothingToDo : exitCode.done;
}

interface Attempts {
  readonly record: RunRecord;
  /** What a bug threw; null when all went as foreseen, failures of the world included. */
  readonly bug: unknown;
}

async function attemptJob(job: Job, context: JobContext, signal: AbortSignal | undefined): Promise<Attempts> {
  const { clock, log, sleep } = context.effects;
  const started = clock.nowMilliseconds();
  for (let attempt = 1; ; attempt++) {
    const { outcome, bug } = await tryOnce(job, context, signal);
    const wait = RETRY_WAITS_MILLISECONDS[attempt - 1];
    const isWorthAnother = outcome.status === 'failed' && outcome.isRetryable === true && wait !== undefined;
    if (!isWorthAnother) return { record: toRecord(outcome, attempt, started, clock.nowMilliseconds()), bug };
    log.warn(`${job.name}: ${outcome.summary}; trying again in ${wait / 1000} s`);
    await sleep(wait, signal);
  }
}

async function tryOnce(
  job: Job,
  context: JobContext,
  signal: AbortSignal | undefined,
): Promise<{ outcome: JobOutcome; bug: unknown }> {
  try {
    const work = job.run(context);
    return { outcome: await (signal ? orInterrupted(work, signal) : work), bug: null };
  } catch (error) {
    // Neither is a failure of the job: somebody stopped it, or asked for what does not exist.
    if (error instanceof Interruption || error instanceof UsageError) throw error;
    const { sentence, isBug } = describeError(error);
    const isRetryable = error instanceof WorldError && error.isRetryable;
    return { outcome: { status: 'failed', summary: sentence, isRetryable }, bug: isBug ? error : null };
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
