import { shareItems } from '../../pipeline/effects/concurrency.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { RunBy } from '../../pipeline/operations/job-run.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import type { Backfill, RunHistory } from '../../pipeline/operations/run-history.ts';
import type { BackfillEnd, BackfillPlan, BackfillUnit, Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { describeOptions } from '../job/job-options.ts';
import { sumCounts } from '../job/sum-counts.ts';
import { timeLimitMinutes } from '../job/time-limit.ts';
import { withStore } from '../store/with-store.ts';
import { type Attempted, attemptJob } from './attempt-job.ts';
import {
  type BackfillRequest,
  countDone,
  type EndedUnit,
  isFailed,
  isHopeless,
  type RunUnits,
  shareOut,
  startProgress,
  toUnitJob,
} from './backfill-run.ts';

/**
 * Returns the job as a backfill: the units of the range, several at a time, those left out that a resumed one has done.
 * @param run number of the run in the history; null: it is not recorded
 * @returns null for a run that is not divided
 * @throws UsageError if the job cannot be divided in this way
 */
export async function findBackfill(
  job: Job,
  context: JobContext,
  run: number | null,
  runBy: RunBy,
): Promise<Job | null> {
  const { options } = context;
  if (options.isDistributed) return findDistributed(job, context, run, runBy);
  const { from, to, concurrency } = options;
  const isRequested = concurrency > 1 || options.isResumed;
  const { division } = job;
  if (!division) {
    const reason = job.notDivisibleReason ?? 'its work cannot be split';
    if (isRequested)
      throw new UsageError(`${job.name} is not divided, so --concurrency and --resume do not apply: ${reason}`);
    return null;
  }
  if (!isRequested && (from === null || to === null)) return null;
  const plan = await division.plan(context);
  if (plan.units.length < 2 && !isRequested) return null;
  return toBackfill(job, { noun: division.noun, plan, run, runBy, runUnits }, options);
}

/** The same with its units left to workers. */
async function findDistributed(job: Job, context: JobContext, run: number | null, runBy: RunBy): Promise<Job | null> {
  assertDistributable(job, context.config);
  const shards = job.division!.shards!;
  const plan = inSteps(job, await shards.plan(context));
  if (plan.units.length < 2) return null;
  const { distributeUnits } = await import('./distribute-units.ts');
  return toBackfill(job, { noun: shards.noun, plan, run, runBy, runUnits: distributeUnits }, context.options);
}

/**
 * With an object store, the input of the units is published before workers read it, and what they have published
 * is fetched before the end.
 */
function inSteps(job: Job, plan: BackfillPlan): BackfillPlan {
  const { begin, end } = plan;
  const step = async <Result>(context: JobContext, act: (inner: JobContext) => Promise<Result>): Promise<Result> => {
    let result: Result;
    const run = async (inner: JobContext): Promise<JobOutcome> => {
      result = await act(inner);
      return { status: 'done', summary: '' };
    };
    await withStore({ ...job, run }, context.config).run(context);
    return result!;
  };
  return {
    ...plan,
    ...(begin ? { begin: (context, waiting) => step(context, (inner) => begin(inner, waiting)) } : {}),
    ...(end ? { end: (context) => step(context, end) } : {}),
  };
}

/** @throws UsageError where workers cannot share the units of a job */
export function assertDistributable({ name, division }: Job, { operations }: JobContext['config']): void {
  if (!division?.shards) {
    const reason = division ? 'its units share state in one process' : 'its runs are not divided';
    throw new UsageError(`${name} cannot be distributed: ${reason}`);
  }
  if (operations.postgresUrl !== null) return;
  throw new UsageError('--distribute needs operations.postgresUrl, the database that workers share');
}

type Division = Pick<BackfillRequest, 'noun' | 'plan' | 'run' | 'runBy'> & { readonly runUnits: RunUnits };

function toBackfill(job: Job, division: Division, options: JobContext['options']): Job {
  const { runUnits: runEach, ...rest } = division;
  let isBegun = false;
  return {
    ...job,
    run: (context) => {
      const isResumed = options.isResumed || isBegun;
      return runBackfill({ ...rest, job, context, isResumed }, runEach, () => {
        isBegun = true;
      });
    },
  };
}

/** @param noteBegun called when nothing is left of an earlier backfill: only then may an attempt resume the last one */
async function runBackfill(request: BackfillRequest, runEach: RunUnits, noteBegun: () => void): Promise<JobOutcome> {
  const { job, plan, context, isResumed } = request;
  const key = { job: job.name, arguments: describeOptions(context.options) };
  const memory = await openMemory(key, context);
  try {
    const before = isResumed ? await memory.listDone() : new Set<string>();
    const waiting = plan.units.filter(({ name }) => !before.has(name));
    await plan.begin?.(context, waiting);
    // A refused one leaves the previous one unchanged.
    if (isResumed || (await memory.forget())) noteBegun();
    const ended = await runEach(waiting, request, (unit) => memory.note(unit, request.run));
    const end = (await plan.end?.(context)) ?? { status: 'unchanged' };
    return toOutcome(ended, request, plan.units.length - waiting.length, end);
  } finally {
    await memory.close();
  }
}

// ---- Units -------------------------------------------------------------------------------------

/** In this process; its work may outlast its time. */
interface AttemptedUnit extends EndedUnit {
  readonly attempted: Attempted;
}

/**
 * Runs the units concurrently. A failed unit is recorded and the others continue, unless nothing succeeds any more.
 * @throws the reason of `stopping`, after the running units have ended; the error of a bug
 */
async function runUnits(
  units: readonly BackfillUnit[],
  { job, noun, plan, context }: BackfillRequest,
  noteDone: (unit: string) => Promise<void>,
): Promise<readonly EndedUnit[]> {
  const { effects, stopping } = context;
  const concurrency = Math.max(1, Math.min(context.options.concurrency, units.length));
  const shared = shareOut(context, concurrency);
  const limit = timeLimitMinutes(job, context.config);
  const ended: AttemptedUnit[] = [];
  const progress = startProgress(noun, units.length, job, effects);
  const runQueued = async (queue: Iterable<BackfillUnit>) => {
    for (const unit of queue) {
      const attempted = await attemptJob(toUnitJob(job, plan, unit), narrow(shared, unit), limit);
      ended.push({ unit, outcome: attempted.outcome, attempted });
      const { status, summary } = attempted.outcome;
      if (status === 'failed') effects.log.warn(`${unit.name}: ${summary}`);
      else await noteDone(unit.name);
      if (status === 'done') effects.log.info(`${unit.name}: ${summary}`);
      progress(ended.length);
      if (attempted.bug !== null || isHopeless(ended)) return;
    }
  };
  try {
    await shareItems(units, concurrency, runQueued);
  } finally {
    await Promise.all(ended.map(({ attempted }) => attempted.unfinished));
    if (stopping?.aborted) {
      effects.log.info(`${job.name}: ${countDone(ended)} of ${units.length} ${noun} are done; --resume continues`);
    }
  }
  const bug = ended.find(({ attempted }) => attempted.bug !== null);
  if (bug) throw bug.attempted.bug;
  return ended;
}

function narrow(context: JobContext, { options }: BackfillUnit): JobContext {
  return { ...context, options: { ...context.options, ...options, concurrency: 1, isResumed: false } };
}

// ---- Outcome -----------------------------------------------------------------------------------

function toOutcome(
  ended: readonly EndedUnit[],
  { noun, plan: { units } }: BackfillRequest,
  leftOut: number,
  end: BackfillEnd,
): JobOutcome {
  const failed = ended.filter(isFailed);
  const count = (status: JobOutcome['status']) => ended.filter(({ outcome }) => outcome.status === status).length;
  const left = units.length - leftOut - ended.length;
  const parts = [
    `${count('done')} of ${units.length} ${noun} done`,
    ...(count('unchanged') > 0 ? [`${count('unchanged')} unchanged`] : []),
    ...(leftOut > 0 ? [`${leftOut} done before`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed: ${failed[0]!.unit.name}, ${summaryOf(failed[0]!)}`] : []),
    ...(left > 0 ? [`${left} not tried`] : []),
  ];
  const isUnchanged = count('done') === 0 && end.status === 'unchanged';
  // Whatever has failed otherwise fails again, so a repetition of the run cannot succeed.
  const failures = [...failed.map(({ outcome }) => outcome), ...(end.status === 'failed' ? [end] : [])];
  const isRetryable = failures.length > 0 && failures.every((failure) => failure.isRetryable);
  return {
    status: failures.length > 0 ? 'failed' : isUnchanged ? 'unchanged' : 'done',
    ...(isRetryable ? { isRetryable, isRetriedInPieces: failed.length > 0 } : {}),
    summary: [parts.join(', '), ...(end.summary ? [end.summary] : [])].join('; '),
    counts: sumCounts([...ended.map(({ outcome }) => outcome.counts ?? {}), end.counts ?? {}]),
    details: toDetails(ended, end),
  };
}

function toDetails(ended: readonly EndedUnit[], end: BackfillEnd): Json {
  const units = ended.map((one) => ({
    unit: one.unit.name,
    status: one.outcome.status,
    summary: summaryOf(one),
  }));
  return end.details === undefined ? units : { units, together: end.details };
}

function summaryOf({ outcome }: EndedUnit): string {
  return outcome.summary;
}

// ---- Done units --------------------------------------------------------------------------------

interface BackfillMemory {
  listDone(): Promise<ReadonlySet<string>>;
  note(unit: string, run: number | null): Promise<void>;
  /** @returns whether it could */
  forget(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Without a working store the backfill runs, and cannot be resumed. A distributed one needs it: workers would take what
 * an earlier one has noted for their own.
 */
async function openMemory(backfill: Backfill, { config, effects, options }: JobContext): Promise<BackfillMemory> {
  let history: RunHistory | null = null;
  const isNeeded = options.isResumed || options.isDistributed;
  const attempt = async (act: () => Promise<void>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      if (isNeeded || !(error instanceof ExternalError || isOfTheSystem(error))) throw error;
      effects.log.warn(`${backfill.job}: cannot resume this backfill: ${error.message}`);
      return false;
    }
  };
  await attempt(async () => {
    history = await openOperations(config, effects);
  });
  const store = history as RunHistory | null;
  return {
    listDone: async () => (await store?.listDoneUnits(backfill)) ?? new Set(),
    note: async (unit, run) => void (await attempt(async () => store?.noteDoneUnit(backfill, unit, run ?? 0))),
    forget: () => attempt(async () => store?.forgetUnits(backfill)),
    close: async () => store?.close(),
  };
}
