import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { SeenShard, Shard, ShardEnd } from '../../pipeline/scale-out/shards/shard.ts';
import type { ShardQueue } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { endSoonAfter } from '../job/end-soon-after.ts';
import type { BackfillUnit, JobContext } from '../job/job.ts';
import { describeOptions } from '../job/job-options.ts';
import { WORKERS } from '../job/resources.ts';
import { awaitDatabase } from '../locks/await-database.ts';
import { listLocks } from '../locks/locks.ts';
import { type BackfillRequest, countDone, type EndedUnit, isHopeless, startProgress } from './backfill-run.ts';
import { openQueue } from './open-queue.ts';
import { watchLostShards } from './return-lost-shards.ts';

const LOOK_MILLISECONDS = 1000;
const WARN_MILLISECONDS = 60_000;
/** How long a run of the schedule waits for any worker: its repetition runs in its own process then. */
const WORKERLESS_MILLISECONDS = 10 * 60_000;
/** How long a run that is stopped waits for a silent database. */
const STOP_MILLISECONDS = 2000;

/**
 * Leaves units to workers, and waits for their ends. Failed units are recorded, and the others continue, unless nothing
 * succeeds any more. Workers note what is done themselves, so it is known also where this process is killed.
 * @throws the reason of `stopping`: then what no worker has begun is withdrawn
 */
export async function distributeUnits(
  units: readonly BackfillUnit[],
  request: BackfillRequest,
): Promise<readonly EndedUnit[]> {
  if (units.length === 0) return [];
  const { job, noun, context } = request;
  const { effects, stopping } = context;
  const queue = await openQueue(job.name, context, stopping);
  try {
    const shards = units.map((unit) => toShard(unit, request));
    const added = await awaitDatabase(
      `${job.name} waits for the queue of shards`,
      () => queue.add(shards),
      effects,
      stopping,
    );
    effects.log.info(`${job.name}: ${units.length} ${noun} wait for workers`);
    return await awaitEnds(new Map(added.map((id, i) => [id, units[i]!])), queue, request);
  } finally {
    await queue.close();
  }
}

function toShard(unit: BackfillUnit, { job, context, run }: BackfillRequest): Shard {
  const { feeds, ...options } = { ...context.options, ...unit.options };
  // They hold headers of the operator; no job that is distributed takes them.
  if (feeds !== null) throw new Error(`${job.name}: feeds from the command line cannot be distributed`);
  const own = { ...options, concurrency: 1, isResumed: false, isDistributed: false };
  return { job: job.name, unit: unit.name, arguments: describeOptions(context.options), options: own, run };
}

async function awaitEnds(
  units: ReadonlyMap<string, BackfillUnit>,
  queue: ShardQueue,
  request: BackfillRequest,
): Promise<readonly EndedUnit[]> {
  const { job, noun, context } = request;
  const { effects, stopping } = context;
  const ended: EndedUnit[] = [];
  const open = new Set(units.keys());
  const progress = startProgress(noun, units.size, job, effects);
  const complaints = createComplaints(request);
  const returnLost = watchLostShards(queue, [job.name], context);
  try {
    while (open.size > 0) {
      stopping?.throwIfAborted();
      await complaints.look(async () => {
        for (const [id, seen] of await endSoonAfter(queue.look(job.name, [...open]), stopping, STOP_MILLISECONDS)) {
          if (seen.state === 'waiting' || seen.state === 'active') continue;
          open.delete(id);
          const unit = units.get(id)!;
          if (seen.state !== 'cancelled') ended.push(logEnd({ unit, outcome: toOutcome(seen) }, context));
        }
        progress(ended.length);
        if (isHopeless(ended)) await queue.cancel(job.name, [...open]);
        await endSoonAfter(returnLost(), stopping, STOP_MILLISECONDS);
      });
      if (open.size > 0 && complaints.isAbandoned()) {
        await cancelWaiting(queue, [...open], request);
        return [...ended, ...[...open].map((id) => ({ unit: units.get(id)!, outcome: abandoned }))];
      }
      if (open.size > 0) await effects.sleep(LOOK_MILLISECONDS, stopping);
    }
    return ended;
  } catch (error) {
    if (stopping?.aborted) await withdraw(queue, [...open], request, countDone(ended));
    throw error;
  }
}

const abandoned: EndedUnit['outcome'] = { status: 'failed', summary: 'no worker runs', isRetryable: true };

function logEnd(end: EndedUnit, { effects: { log } }: JobContext): EndedUnit {
  const line = `${end.unit.name}: ${end.outcome.summary}`;
  if (end.outcome.status === 'failed') log.warn(line);
  if (end.outcome.status === 'done') log.info(line);
  return end;
}

function toOutcome({ end }: SeenShard): EndedUnit['outcome'] {
  if (end === null) return { status: 'failed', summary: 'it has disappeared from the queue' };
  const { status, summary, isRetryable = false, counts } = end as ShardEnd & Pick<EndedUnit['outcome'], 'counts'>;
  return { status, summary, isRetryable, ...(counts ? { counts } : {}) };
}

/** After a stop by a person; a run that has lost its locks leaves its shards to the run that resumes it. */
async function withdraw(
  queue: ShardQueue,
  open: readonly string[],
  request: BackfillRequest,
  done: number,
): Promise<void> {
  const { job, noun, context } = request;
  const isLost = context.stopping?.reason instanceof ExternalError;
  if (!isLost) await cancelWaiting(queue, open, request);
  const all = done + open.length;
  context.effects.log.info(`${job.name}: ${done} of ${all} ${noun} are done; --resume continues`);
}

async function cancelWaiting(
  queue: ShardQueue,
  open: readonly string[],
  { job, context: { effects, stopping } }: BackfillRequest,
): Promise<void> {
  await endSoonAfter(queue.cancel(job.name, open), stopping, STOP_MILLISECONDS).catch((error: Error) =>
    effects.log.warn(`${job.name}: queued shards are left to workers: ${error.message}`),
  );
}

interface Complaints {
  /** Runs a look at the queue: an unreachable database is logged once, a lack of workers once a minute. */
  look(act: () => Promise<void>): Promise<void>;
  /** Whether a run of the schedule has been without any worker for too long. */
  isAbandoned(): boolean;
}

function createComplaints({ job: { name }, context: { config, effects }, runBy }: BackfillRequest): Complaints {
  let lastTrouble = '';
  let requestedAt = -WARN_MILLISECONDS;
  let workerSeenAt = performance.now();
  let isAbandoned = false;
  const checkForWorkers = async () => {
    if (performance.now() - requestedAt < WARN_MILLISECONDS) return;
    requestedAt = performance.now();
    const isAny = (await listLocks(config, effects)).some(({ resource }) => resource.startsWith(WORKERS));
    if (isAny) workerSeenAt = requestedAt;
    else effects.log.warn(`${name} is waiting for a worker; start one with "taktgeber work"`);
    isAbandoned = runBy === 'schedule' && requestedAt - workerSeenAt > WORKERLESS_MILLISECONDS;
  };
  return {
    look: async (act) => {
      try {
        await act();
        lastTrouble = '';
        await checkForWorkers();
      } catch (error) {
        if (!(error instanceof ExternalError) || !error.isRetryable) throw error;
        if (error.message !== lastTrouble) effects.log.warn(`${name} waits: ${error.message}`);
        lastTrouble = error.message;
      }
    },
    isAbandoned: () => isAbandoned,
  };
}
