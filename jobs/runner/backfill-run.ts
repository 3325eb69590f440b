import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { shareOutEngine } from '../../pipeline/lake/share-out-engine.ts';
import type { RunBy } from '../../pipeline/operations/job-run.ts';
import type { BackfillPlan, BackfillUnit, Job, JobContext, JobOutcome } from '../job/job.ts';
import { renderBackfillProgress } from './backfill-progress.ts';

/** More failures one after the other mean that nothing succeeds any more, e.g. because the disk is full. */
const MAX_FAILURES_IN_A_ROW = 5;

/** A run that is divided into units. */
export interface BackfillRequest {
  readonly job: Job;
  readonly noun: string;
  readonly plan: BackfillPlan;
  readonly context: JobContext;
  readonly run: number | null;
  readonly runBy: RunBy;
  /** Also where a failure after the units is tried again. */
  readonly isResumed: boolean;
}

export interface EndedUnit {
  readonly unit: BackfillUnit;
  readonly outcome: JobOutcome;
}

/** Runs units, and says how each ended that was tried. @param noteDone notes a unit for `--resume` */
export type RunUnits = (
  units: readonly BackfillUnit[],
  request: BackfillRequest,
  noteDone: (unit: string) => Promise<void>,
) => Promise<readonly EndedUnit[]>;

export function toUnitJob(job: Job, { runUnit }: Pick<BackfillPlan, 'runUnit'>, unit: BackfillUnit): Job {
  return runUnit ? { ...job, run: (context) => runUnit(context, unit) } : job;
}

/** Divides memory and threads of the engine among concurrent shards, so that all together stay within the limits. */
export function shareOut(context: JobContext, concurrency: number): JobContext {
  const { config, effects } = context;
  // The line of the backfill is the only one that changes.
  const log: Log = { ...effects.log, progress: () => {} };
  const ingest = shareOutEngine(config.ingest, concurrency);
  return { ...context, config: { ...config, ingest }, effects: { ...effects, log } };
}

export function isHopeless(ended: readonly EndedUnit[]): boolean {
  const last = ended.slice(-MAX_FAILURES_IN_A_ROW);
  return last.length === MAX_FAILURES_IN_A_ROW && last.every((unit) => isFailed(unit) && !unit.outcome.hasBadInput);
}

export function isFailed({ outcome }: EndedUnit): boolean {
  return outcome.status === 'failed';
}

export function countDone(ended: readonly EndedUnit[]): number {
  return ended.filter((unit) => !isFailed(unit)).length;
}

export function startProgress(noun: string, total: number, { name }: Job, { clock, log }: { clock: Clock; log: Log }) {
  const started = clock.nowMilliseconds();
  return (done: number) => {
    const elapsedSeconds = (clock.nowMilliseconds() - started) / 1000;
    log.progress(`${name} ${renderBackfillProgress({ noun, done, total, elapsedSeconds })}`);
  };
}
