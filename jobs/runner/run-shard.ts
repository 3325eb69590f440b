import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { identifyThisProcess } from '../../pipeline/effects/process-identity.ts';
import { retry } from '../../pipeline/effects/retry.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { HALF_JITTER, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import { noCounts } from '../../pipeline/operations/job-run.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import type { RunHistory } from '../../pipeline/operations/run-history.ts';
import { type ShardEnd, shardLock, type TakenShard } from '../../pipeline/scale-out/shards/shard.ts';
import type { ShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { type Job, type JobContext, type JobOptions, noOptions } from '../job/job.ts';
import { nameShare, unitRuns } from '../job/resources.ts';
import { timeLimitMinutes } from '../job/time-limit.ts';
import { type HeldLocks, holdLocks } from '../locks/locks.ts';
import { fetchForJob, withStore } from '../store/with-store.ts';
import { type Attempted, attemptJob, isBusy } from './attempt-job.ts';
import { shareOut, toUnitJob } from './backfill-run.ts';
import { beginRecord } from './record-run.ts';
import { isStillActive } from './return-lost-shards.ts';
import { toEnd, whileHeld } from './run.ts';

/** What a worker works with. */
export interface WorkRequest {
  readonly config: Config;
  readonly effects: Effects;
  readonly jobs: readonly Job[];
  /** Shards at a time. */
  readonly concurrency: number;
  /** Ends the work: the current shard is returned at its next step. */
  readonly signal: AbortSignal;
}

/** How long a worker waits for what another job writes, before it gives the shard back. */
const busyLocks: RetryPolicy = {
  firstWaitMilliseconds: 1000,
  factor: 1,
  maxWaitMilliseconds: 1000,
  jitter: HALF_JITTER,
  maxMilliseconds: 60_000,
};
/** Wait before a shard that others hold is taken again. */
const BUSY_SECONDS = 5;

/**
 * Runs one shard under its lock and those of its outputs, records it in the history, and acknowledges it. A worker
 * that loses its lock leaves the shard to the next one; one that is stopped gives it back.
 * @throws ExternalError `shard_store_failed`, `lock_store_failed`: then the shard returns when its lock ends
 */
export async function runShard(shard: TakenShard, job: Job, queue: ShardQueue, request: WorkRequest): Promise<void> {
  const { config, effects, signal } = request;
  let locks: HeldLocks;
  try {
    locks = await holdLocks([shardLock(shard)], { job: job.name, config, effects, stopping: signal });
  } catch (error) {
    if (!isBusy(error) && !signal.aborted) throw error;
    return queue.giveBack(shard, BUSY_SECONDS);
  }
  let unfinished: Promise<unknown> | null = null;
  try {
    // This process may have been suspended since it took the shard, before it had a lock.
    if (!(await isStillActive(shard, queue, 0))) {
      effects.log.info(`${shard.job}: ${shard.unit} is abandoned, since it was returned to the queue meanwhile`);
      return;
    }
    const context = toContext(shard, request);
    const attempted = await whileHeld(locks, context, (inner) => lockAndAttempt(shard, job, inner, locks));
    unfinished = attempted.unfinished;
    await acknowledge(shard, attempted, queue, locks, request);
  } catch (error) {
    await leave(shard, error, queue, locks, request);
  } finally {
    // Work that outlasts its time may still write.
    if (unfinished) void unfinished.then(() => locks.release());
    else await locks.release();
  }
}

function toContext({ options }: TakenShard, { config, effects, concurrency, signal }: WorkRequest): JobContext {
  const own = { ...noOptions, ...(options as Partial<JobOptions>) };
  return shareOut({ config, effects, options: own, stopping: signal }, concurrency);
}

async function lockAndAttempt(shard: TakenShard, job: Job, context: JobContext, locks: HeldLocks): Promise<Attempted> {
  // The object store may have a newer list of sources than this folder.
  await fetchForJob(job, context);
  const written = (await job.listWritten?.(context)) ?? [job.name];
  await addAwaited(locks, written, shard, context);
  const history = await openOperations(context.config, context.effects);
  try {
    const backfill = { job: shard.job, arguments: shard.arguments };
    if (await isNotedDone(shard, history)) return toAttempted('unchanged', 'done before');
    context.effects.log.info(`${job.name}: taking ${shard.unit}`);
    const attempted = await attemptAndRecord(shard, job, context);
    if (attempted.outcome.status !== 'failed') {
      await locks.confirm();
      await history.noteDoneUnit(backfill, shard.unit, shard.run ?? 0);
    }
    return attempted;
  } finally {
    await history.close().catch(() => {});
  }
}

/** Its former worker may have died between its work and the acknowledgement. A note of another run says nothing. */
async function isNotedDone({ job, arguments: options, unit, run, retries }: TakenShard, history: RunHistory) {
  if (retries === 0 || run === null) return false;
  return (await history.listDoneUnits({ job, arguments: options }, run)).has(unit);
}

/** @throws ExternalError `job_running` when others hold them for too long */
async function addAwaited(
  locks: HeldLocks,
  resources: readonly string[],
  shard: TakenShard,
  { effects, stopping }: JobContext,
): Promise<void> {
  const add = () => locks.add(resources, nameShare(shard.job, shard.arguments));
  await retry(busyLocks, add, { sleep: effects.sleep, signal: stopping, isRetryable: isBusy });
}

async function attemptAndRecord(shard: TakenShard, job: Job, context: JobContext): Promise<Attempted> {
  const record = await beginRecord(unitRuns(job.name), context, 'worker');
  const unit = { name: shard.unit, options: context.options };
  try {
    const attempted = await attemptJob(
      withStore(toUnitJob(job, job.division!.shards!, unit), context.config),
      context,
      timeLimitMinutes(job, context.config),
    );
    await record.end(toEnd(attempted));
    return attempted;
  } catch (error) {
    const summary = error instanceof ExternalError ? error.message : 'stopped before its end';
    await record.end({ state: 'stopped', attempts: null, isRetryable: true, summary, counts: noCounts });
    // A newer coordinator may request options that this program lacks.
    if (error instanceof UsageError) return toAttempted('failed', error.message);
    throw error;
  }
}

function toAttempted(status: 'unchanged' | 'failed', summary: string): Attempted {
  return { outcome: { status, summary }, attempts: 0, bug: null, isTimeout: false, unfinished: null };
}

async function acknowledge(
  shard: TakenShard,
  { outcome, bug }: Attempted,
  queue: ShardQueue,
  locks: HeldLocks,
  { effects }: WorkRequest,
): Promise<void> {
  const { status, summary, counts, isRetryable } = outcome;
  const { host, pid } = await identifyThisProcess();
  const worker = `process ${pid} on ${host}`;
  const mayPass = status === 'failed' && isRetryable === true;
  const end: ShardEnd = { status, summary, isRetryable: mayPass, ...(counts ? { counts } : {}), worker };
  if (bug !== null) effects.log.warn(`${shard.job}: ${shard.unit}: ${bug instanceof Error ? bug.stack : summary}`);
  else if (status === 'failed') effects.log.warn(`${shard.job}: ${shard.unit}: ${summary}`);
  else effects.log.info(`${shard.job}: ${shard.unit}: ${summary}`);
  await locks.confirm();
  if (mayPass) await queue.retry(shard, end);
  else await queue.end(shard, end);
}

/** After an error: a shard that is still this worker's is given back, any other is not touched. */
async function leave(
  shard: TakenShard,
  error: unknown,
  queue: ShardQueue,
  locks: HeldLocks,
  { effects, signal }: WorkRequest,
): Promise<void> {
  if (locks.lost?.aborted) {
    effects.log.warn(`${shard.job}: ${shard.unit} is left to another worker: ${(locks.lost.reason as Error).message}`);
    return;
  }
  if (!signal.aborted && !isBusy(error)) throw error;
  const reason = signal.aborted ? 'this worker stops' : (error as Error).message;
  effects.log.info(`${shard.job}: ${shard.unit} is returned to the queue: ${reason}`);
  await locks.confirm();
  await queue.giveBack(shard, signal.aborted ? 0 : BUSY_SECONDS);
}
