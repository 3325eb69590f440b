import { UsageError } from '../pipeline/config/usage-error.ts';
import type { Clock } from '../pipeline/effects/clock.ts';
import type { Log } from '../pipeline/effects/log.ts';
import { isOfTheSystem, WorldError } from '../pipeline/effects/world-error.ts';
import { shareOutEngine } from '../pipeline/lake/share-out-engine.ts';
import { openOperations } from '../pipeline/operations/open-operations.ts';
import type { Backfill, RunHistory } from '../pipeline/operations/run-history.ts';
import { type Attempted, attemptJob } from './attempt-job.ts';
import { renderBackfillProgress } from './backfill-progress.ts';
import type { BackfillEnd, BackfillPlan, BackfillUnit, Job, JobContext, JobOutcome, Json } from './job.ts';
import { describeOptions } from './job-options.ts';
import { sumCounts } from './sum-counts.ts';
import { timeLimitMinutes } from './time-limit.ts';

/** More failures one after the other mean that nothing succeeds any more, e.g. because the disk is full. */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * Returns the job as a backfill: the units of the range, several at a time, those left out that a resumed one has done.
 * @param run number of the run in the history; null: it is not recorded
 * @returns null for a run that is not divided
 * @throws UsageError where the job cannot be divided as asked
 */
export async function findBackfill(job: Job, context: JobContext, run: number | null): Promise<Job | null> {
  const { options } = context;
  const { from, to, parallel } = options;
  const isAsked = parallel > 1 || options.isResumed;
  const { division } = job;
  if (!division) {
    const why = job.whyUndivided ?? 'a run is one piece of work';
    if (isAsked) throw new UsageError(`${job.name} is not divided, so --parallel and --resume do not apply: ${why}`);
    return null;
  }
  if (!isAsked && (from === null || to === null)) return null;
  const plan = await division.plan(context);
  if (plan.units.length < 2 && !isAsked) return null;
  let isBegun = false;
  return {
    ...job,
    run: (inner) => {
      const isResumed = options.isResumed || isBegun;
      isBegun = true;
      return runBackfill({ job, noun: division.noun, plan, context: inner, run, isResumed });
    },
  };
}

interface BackfillRequest {
  readonly job: Job;
  readonly noun: string;
  readonly plan: BackfillPlan;
  readonly context: JobContext;
  readonly run: number | null;
  /** Also where a failure after the units is tried again. */
  readonly isResumed: boolean;
}

async function runBackfill(request: BackfillRequest): Promise<JobOutcome> {
  const { job, plan, context, isResumed } = request;
  const key = { job: job.name, arguments: describeOptions(context.options) };
  const memory = await openMemory(key, context);
  try {
    const before = isResumed ? await memory.listDone() : new Set<string>();
    const waiting = plan.units.filter(({ name }) => !before.has(name));
    await plan.begin?.(context, waiting);
    // One that is refused leaves the one before as it was.
    if (!isResumed) await memory.forget();
    const ended = await runUnits(waiting, request, (unit) => memory.note(unit, request.run));
    const end = (await plan.end?.(context)) ?? { status: 'unchanged' };
    return toOutcome(ended, request, plan.units.length - waiting.length, end);
  } finally {
    await memory.close();
  }
}

// ---- Units -------------------------------------------------------------------------------------

interface EndedUnit {
  readonly unit: BackfillUnit;
  readonly attempted: Attempted;
}

/**
 * Runs the units in lanes. A failing unit is noted and the others go on, unless nothing succeeds any more.
 * @throws the reason of `stopping`, after the units in hand have ended; the error of a bug
 */
async function runUnits(
  units: readonly BackfillUnit[],
  { job, noun, plan, context }: BackfillRequest,
  noteDone: (unit: string) => Promise<void>,
): Promise<readonly EndedUnit[]> {
  const { effects, stopping } = context;
  const lanes = Math.max(1, Math.min(context.options.parallel, units.length));
  const laneContext = shareOut(context, lanes);
  const limit = timeLimitMinutes(job, context.config);
  const ended: EndedUnit[] = [];
  const waiting = [...units];
  const progress = startProgress(noun, units.length, job, effects);
  const runLane = async () => {
    for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
      const attempted = await attemptJob(toUnitJob(job, plan, unit), narrow(laneContext, unit), limit);
      if (attempted.bug !== null) waiting.length = 0;
      ended.push({ unit, attempted });
      const { status, summary } = attempted.outcome;
      if (status === 'failed') effects.log.warn(`${unit.name}: ${summary}`);
      else await noteDone(unit.name);
      if (status === 'done') effects.log.info(`${unit.name}: ${summary}`);
      progress(ended.length);
      if (isHopeless(ended)) waiting.length = 0;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, runLane));
  await Promise.all(ended.map(({ attempted }) => attempted.unfinished));
  const broken = results.find((result) => result.status === 'rejected');
  if (stopping?.aborted) {
    effects.log.info(`${job.name}: ${countDone(ended)} of ${units.length} ${noun} are done; --resume goes on`);
  }
  if (broken) throw broken.reason;
  const bug = ended.find(({ attempted }) => attempted.bug !== null);
  if (bug) throw bug.attempted.bug;
  return ended;
}

function toUnitJob(job: Job, { runUnit }: BackfillPlan, unit: BackfillUnit): Job {
  return runUnit ? { ...job, run: (context) => runUnit(context, unit) } : job;
}

function narrow(context: JobContext, { options }: BackfillUnit): JobContext {
  return { ...context, options: { ...context.options, ...options, parallel: 1, isResumed: false } };
}

/** Divides memory and threads of the engine among the lanes, so that all together stay within the limits. */
function shareOut(context: JobContext, lanes: number): JobContext {
  const { config, effects } = context;
  // The line of the backfill is the only one that changes.
  const log: Log = { ...effects.log, progress: () => {} };
  const ingest = shareOutEngine(config.ingest, lanes);
  return { ...context, config: { ...config, ingest }, effects: { ...effects, log } };
}

function isHopeless(ended: readonly EndedUnit[]): boolean {
  const last = ended.slice(-MAX_FAILURES_IN_A_ROW);
  return last.length === MAX_FAILURES_IN_A_ROW && last.every(isFailed);
}

function isFailed({ attempted }: EndedUnit): boolean {
  return attempted.outcome.status === 'failed';
}

function countDone(ended: readonly EndedUnit[]): number {
  return ended.filter((unit) => !isFailed(unit)).length;
}

function startProgress(noun: string, total: number, { name }: Job, { clock, log }: { clock: Clock; log: Log }) {
  const started = clock.nowMilliseconds();
  return (done: number) => {
    const elapsedSeconds = (clock.nowMilliseconds() - started) / 1000;
    log.progress(`${name} ${renderBackfillProgress({ noun, done, total, elapsedSeconds })}`);
  };
}

// ---- Outcome -----------------------------------------------------------------------------------

function toOutcome(
  ended: readonly EndedUnit[],
  { noun, plan: { units } }: BackfillRequest,
  leftOut: number,
  end: BackfillEnd,
): JobOutcome {
  const failed = ended.filter(isFailed);
  const count = (status: JobOutcome['status']) =>
    ended.filter(({ attempted }) => attempted.outcome.status === status).length;
  const left = units.length - leftOut - ended.length;
  const parts = [
    `${count('done')} of ${units.length} ${noun} done`,
    ...(count('unchanged') > 0 ? [`${count('unchanged')} unchanged`] : []),
    ...(leftOut > 0 ? [`${leftOut} done before`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed: ${failed[0]!.unit.name}, ${summaryOf(failed[0]!)}`] : []),
    ...(left > 0 ? [`${left} not tried`] : []),
  ];
  const isUnchanged = count('done') === 0 && end.status === 'unchanged';
  return {
    status: failed.length > 0 || end.status === 'failed' ? 'failed' : isUnchanged ? 'unchanged' : 'done',
    summary: [parts.join(', '), ...(end.summary ? [end.summary] : [])].join('; '),
    counts: sumCounts([...ended.map(({ attempted }) => attempted.outcome.counts ?? {}), end.counts ?? {}]),
    details: toDetails(ended, end),
  };
}

function toDetails(ended: readonly EndedUnit[], end: BackfillEnd): Json {
  const units = ended.map((one) => ({
    unit: one.unit.name,
    status: one.attempted.outcome.status,
    summary: summaryOf(one),
  }));
  return end.details === undefined ? units : { units, together: end.details };
}

function summaryOf({ attempted }: EndedUnit): string {
  return attempted.outcome.summary;
}

// ---- Done units --------------------------------------------------------------------------------

interface BackfillMemory {
  listDone(): Promise<ReadonlySet<string>>;
  note(unit: string, run: number | null): Promise<void>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Without a working store the backfill runs, and cannot be resumed. */
async function openMemory(backfill: Backfill, { config, effects, options }: JobContext): Promise<BackfillMemory> {
  let history: RunHistory | null = null;
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      if (options.isResumed || !(error instanceof WorldError || isOfTheSystem(error))) throw error;
      effects.log.warn(`${backfill.job}: this backfill cannot be resumed: ${error.message}`);
    }
  };
  await attempt(async () => {
    history = await openOperations(config, effects);
  });
  const store = history as RunHistory | null;
  return {
    listDone: async () => (await store?.listDoneUnits(backfill)) ?? new Set(),
    note: (unit, run) => attempt(async () => store?.noteDoneUnit(backfill, unit, run ?? 0)),
    forget: () => attempt(async () => store?.forgetUnits(backfill)),
    close: async () => store?.close(),
  };
}
