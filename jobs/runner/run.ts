import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { withPublicationGuard } from '../../pipeline/effects/publication-guard.ts';
import { sweepTemporaryFolders } from '../../pipeline/effects/temporary-folders.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { workFolder } from '../../pipeline/lake/paths.ts';
import { noCounts, type RunBy } from '../../pipeline/operations/job-run.ts';
import { exitCode } from '../job/exit-code.ts';
import type { DueWork, Job, JobContext, JobOptions, JobOutcome, Json, Resource } from '../job/job.ts';
import { describeOptions } from '../job/job-options.ts';
import { distributionOf, nameShare } from '../job/resources.ts';
import { timeLimitMinutes } from '../job/time-limit.ts';
import { type HeldLocks, holdLocks, type LockRequest } from '../locks/locks.ts';
import { fetchForJob, withStore } from '../store/with-store.ts';
import { type Attempted, attemptJob, isBusy } from './attempt-job.ts';
import { findBackfill } from './backfill.ts';
import { forgetFailedShards } from './forget-failed-shards.ts';
import { beginRecord, type RecordedEnd } from './record-run.ts';

/** Outcome of one run. Times are UTC. */
interface RunRecord {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationSeconds: number;
  readonly status: JobOutcome['status'];
  readonly attempts: number;
  /** Whether it failed for a reason that may pass. */
  readonly isRetryable: boolean;
  /**
   * Whether it failed only because of inputs that were never usable: the exit code distinguishes this only on request.
   */
  readonly isOnlyNeverLoaded: boolean;
  /** One sentence: the result, or why it failed. */
  readonly summary: string;
  readonly details: Json;
  /** What a dry run found to be done; null for other runs. */
  readonly due: readonly DueWork[] | null;
}

/**
 * Runs a job under the locks of its outputs, retries retryable failures, and records the run in the
 * history. No other code retries jobs. A run that loses its locks stops before it publishes more. First the temporary
 * folders of killed processes are removed. A dry run publishes nothing, so it takes no lock and is not recorded. A run
 * over a range of days is divided into units.
 * @param isDue evaluated under the locks: another machine may have run the job meanwhile
 * @throws ExternalError `job_running`, `job_not_due`, `lock_lost`, `lock_store_failed`; the reason of `stopping`; the error of
 *   a bug, after the failure was recorded
 */
export async function runJob(
  job: Job,
  context: JobContext,
  runBy: RunBy = 'hand',
  isDue: () => Promise<boolean> = async () => true,
): Promise<RunRecord> {
  const { config, effects, options } = context;
  const started = effects.clock.nowMilliseconds();
  for (const failure of await sweepTemporaryFolders(workFolder(config.dataDir), started)) effects.log.warn(failure);
  if (options.isDryRun) return toRecord(await attemptJob(withStore(job, config), context, null), started, context);
  // The store may have a newer list of sources, and so of locks, than this folder.
  await fetchForJob(job, context);
  const resources = (await job.listWritten?.(context)) ?? [job.name];
  const { stopping } = context;
  const locks = await lockRun(resources, { job: job.name, config, effects, stopping }, options);
  let unfinished: Promise<unknown> | null = null;
  try {
    if (!(await isDue())) throw new ExternalError('job_not_due', `${job.name} was just run by another process`);
    const attempted = await whileHeld(locks, context, (inner) => attemptAndRecord(job, inner, runBy));
    unfinished = attempted.unfinished;
    if (attempted.outcome.status !== 'failed') await forgetFailedShards(job, context);
    return toRecord(attempted, started, context);
  } finally {
    // Work that outlasts its time may still write: its locks are released when it has really ended.
    if (unfinished) void unfinished.then(() => locks.release());
    else await locks.release();
  }
}

/** Workers of a distributed run share the locks of its outputs; one run per job is distributed at a time. */
async function lockRun(resources: readonly Resource[], request: LockRequest, options: JobOptions): Promise<HeldLocks> {
  if (!options.isDistributed) return holdLocks(resources, request);
  const locks = await holdLocks([distributionOf(request.job)], request);
  try {
    await locks.add(resources, nameShare(request.job, describeOptions(options)));
    return locks;
  } catch (error) {
    await locks.release();
    throw error;
  }
}

/** Runs a task that stops at its next step when the locks are lost, and publishes nothing from then on. */
export async function whileHeld<Result>(
  { lost, confirm }: HeldLocks,
  context: JobContext,
  task: (context: JobContext) => Promise<Result>,
): Promise<Result> {
  if (lost === null) return task(context);
  const stopping = context.stopping ? AbortSignal.any([context.stopping, lost]) : lost;
  return withPublicationGuard(confirm, () => task({ ...context, stopping }));
}

async function attemptAndRecord(job: Job, context: JobContext, runBy: RunBy): Promise<Attempted> {
  const record = await beginRecord(job.name, context, runBy);
  try {
    const backfill = await findBackfill(job, context, record.number, runBy);
    // A distributed run publishes what it shares with its workers before and after them.
    const stored = backfill && context.options.isDistributed ? backfill : withStore(backfill ?? job, context.config);
    const attempted = await attemptJob(stored, context, backfill ? null : timeLimitMinutes(job, context.config));
    await record.end(toEnd(attempted));
    return attempted;
  } catch (error) {
    // It waits as a run does that does not get its first locks: the schedule tries again.
    if (error instanceof UsageError || isBusy(error)) await record.forget();
    else if (error instanceof ExternalError && error.code === 'lock_lost') await record.end(toLostEnd(error));
    else await record.end({ ...stoppedEnd, state: context.stopping?.aborted ? 'stopped' : 'failed' });
    throw error;
  }
}

const stoppedEnd = { attempts: null, isRetryable: false, summary: 'stopped before its end', counts: noCounts };

/** A failure that may pass, so the schedule repeats it. */
function toLostEnd({ message }: ExternalError) {
  return { ...stoppedEnd, state: 'failed' as const, isRetryable: true, summary: message };
}

/** What the record says of a run, or of a unit of a worker, that came to its end. */
export function toEnd({ outcome, attempts, isTimeout }: Attempted): RecordedEnd {
  return {
    state: isTimeout ? 'timeout' : outcome.status,
    attempts,
    isRetryable: outcome.isRetryable === true,
    summary: outcome.summary,
    counts: { ...noCounts, ...outcome.counts },
  };
}

/** The exit code of a run. @param options `isDetailed`: also for problems that do not fail the run as a whole */
export function exitCodeOf(run: RunRecord, options: { isDetailed: boolean }): number {
  if (run.status === 'failed') return run.isOnlyNeverLoaded && !options.isDetailed ? exitCode.done : exitCode.failed;
  return run.status === 'unchanged' && options.isDetailed ? exitCode.nothingToDo : exitCode.done;
}

/** @throws the error of a bug */
function toRecord({ outcome, attempts, bug }: Attempted, started: number, { effects, options }: JobContext): RunRecord {
  if (bug !== null) throw bug;
  const ended = effects.clock.nowMilliseconds();
  return {
    startedAt: new Date(started).toISOString(),
    endedAt: new Date(ended).toISOString(),
    durationSeconds: Math.round(ended - started) / 1000,
    status: outcome.status,
    attempts,
    isRetryable: outcome.status === 'failed' && outcome.isRetryable === true,
    isOnlyNeverLoaded: outcome.status === 'failed' && outcome.isOnlyNeverLoaded === true,
    summary: outcome.summary,
    details: outcome.details ?? null,
    due: options.isDryRun ? (outcome.due ?? []) : null,
  };
}
