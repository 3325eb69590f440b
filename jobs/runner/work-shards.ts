import { randomBytes } from 'node:crypto';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { identifyThisProcess } from '../../pipeline/effects/process-identity.ts';
import type { TakenShard } from '../../pipeline/scale-out/shards/shard.ts';
import type { ShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { endSoonAfter } from '../job/end-soon-after.ts';
import { describeError } from '../job/exit-code.ts';
import type { Job } from '../job/job.ts';
import { WORKERS } from '../job/resources.ts';
import { type HeldLocks, holdLocks } from '../locks/locks.ts';
import { openQueue } from './open-queue.ts';
import { watchLostShards } from './return-lost-shards.ts';
import { runShard, type WorkRequest } from './run-shard.ts';

/** Wait of an idle worker before it checks the queue again. */
const IDLE_MILLISECONDS = 1000;
/** The same while the database is away. */
const TROUBLE_MILLISECONDS = 5000;
/** How long a worker that ends waits for a silent database: as it takes, as it leaves, and in all. */
const TAKE_MILLISECONDS = 2000;
const LEAVE_MILLISECONDS = 4000;
const STOP_MILLISECONDS = 9000;

/**
 * Takes shards of distributed runs until the signal aborts. Waits while the database is unreachable.
 * @throws ExternalError `shard_store_failed`, `lock_store_failed` when it does not answer at the start
 */
export async function workShards(request: WorkRequest): Promise<void> {
  const { effects, signal } = request;
  const shared = request.jobs.filter(({ division }) => division?.shards);
  const names = shared.map(({ name }) => name);
  const queue = await openQueue('the worker', request, signal);
  try {
    const presence = await register(request);
    effects.log.info(`Working on ${names.join(', ')}: ${request.concurrency} at a time; Ctrl-C stops it`);
    const workers = Array.from({ length: request.concurrency }, () => takeShards(queue, { ...request, jobs: shared }));
    const registered = endSoonAfter(keepRegistered(presence, request), signal, LEAVE_MILLISECONDS).catch((error) => {
      if (!signal.aborted) throw error;
    });
    await endSoonAfter(Promise.all([registered, ...workers]), signal, STOP_MILLISECONDS);
  } catch (error) {
    // If the database does not respond, the shard returns to the queue when its lock ends, as after a kill.
    if (!signal.aborted) throw error;
  } finally {
    await queue.close();
  }
}

/** A lock by which distributed runs detect that there are workers. */
async function register({ config, effects, signal }: WorkRequest): Promise<HeldLocks> {
  const { host, pid } = await identifyThisProcess();
  // In containers, the next worker has the same host and number.
  const name = `${WORKERS}${host}/${pid}/${randomBytes(4).toString('hex')}`;
  return holdLocks([name], { job: 'work', config, effects, stopping: signal });
}

/** After an outage of the database the lock is taken again. */
async function keepRegistered(first: HeldLocks, request: WorkRequest): Promise<void> {
  const { effects, signal } = request;
  let presence: HeldLocks | null = first;
  while (!signal.aborted) {
    if (presence?.lost?.aborted) {
      await presence.release();
      presence = null;
    }
    presence ??= await register(request).catch(() => null);
    await pause(IDLE_MILLISECONDS, effects, signal);
  }
  await presence?.release();
}

async function takeShards(queue: ShardQueue, request: WorkRequest): Promise<void> {
  const { jobs, effects, signal } = request;
  const returnLost = watchLostShards(
    queue,
    jobs.map(({ name }) => name),
    request,
  );
  let lastTrouble = '';
  while (!signal.aborted) {
    try {
      const next = returnLost().then(() => takeNext(queue, jobs, signal));
      // One that is taken after all is lost, and returns to the queue as such.
      const taken = await endSoonAfter(next, signal, TAKE_MILLISECONDS);
      if (taken === null) await pause(IDLE_MILLISECONDS, effects, signal);
      else await runShard(taken.shard, taken.job, queue, request);
      lastTrouble = '';
    } catch (error) {
      if (signal.aborted) return;
      // A bug ends the shard and not the worker: the shard is retried, here or by another worker.
      const { sentence, isBug } = describeError(error);
      const trouble = isBug ? ((error as Error).stack ?? sentence) : sentence;
      if (trouble !== lastTrouble) effects.log.warn(`the worker waits: ${trouble}`);
      lastTrouble = trouble;
      if (!isBug && !(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
      await pause(TROUBLE_MILLISECONDS, effects, signal);
    }
  }
}

async function takeNext(
  queue: ShardQueue,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<{ readonly shard: TakenShard; readonly job: Job } | null> {
  for (const job of jobs) {
    if (signal.aborted) return null;
    const shard = await queue.take(job.name);
    if (shard !== null) return { shard, job };
  }
  return null;
}

async function pause(milliseconds: number, { sleep }: Effects, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
