import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError, isOfTheSystem, mayPass } from '../../pipeline/effects/external-error.ts';
import type { JobRun } from '../../pipeline/operations/job-run.ts';
import { openOperationsToRead } from '../../pipeline/operations/open-operations.ts';
import { describeError } from '../job/exit-code.ts';
import type { Job, JobOptions } from '../job/job.ts';
import { WORKERS } from '../job/resources.ts';
import { listLocks } from '../locks/locks.ts';
import { isBusy } from '../runner/attempt-job.ts';
import { RUNS_TO_KNOW } from '../runner/next-run.ts';
import { runJob } from '../runner/run.ts';

/** Whether jobs of the schedule are shared with workers, and any worker runs: without one the job runs here. */
async function canDistribute(job: Job, config: Config, effects: Effects): Promise<boolean> {
  const { isDistributed, postgresUrl } = config.operations;
  if (!isDistributed || postgresUrl === null || !job.division?.shards) return false;
  return (await listLocks(config, effects)).some(({ resource }) => resource.startsWith(WORKERS));
}

/** Runs that no person waits for. */
export interface RunRequest {
  readonly config: Config;
  readonly effects: Effects;
  readonly options: JobOptions;
  readonly signal: AbortSignal;
}

/** `busy`: it could not start, as another run writes the same; `failedForNow`: for a reason that may pass. */
export type RunResult = 'ran' | 'busy' | 'failedForNow';

/** How the schedule runs jobs and learns of their runs; tests pass their own. Neither method throws. */
export interface JobRunner {
  /** The last runs of a job, newest first; none when they cannot be read: then the job runs. */
  listRuns(job: Job): Promise<readonly JobRun[]>;
  run(job: Job): Promise<RunResult>;
}

export function historyRunner(request: RunRequest): JobRunner {
  const warned = new Map<string, string>();
  const waits = new Map<string, string>();
  const newest = new Map<string, number | null>();
  return {
    listRuns: async (job) => {
      try {
        const runs = await listRuns(job, request);
        newest.set(job.name, findNewest(runs));
        return runs;
      } catch (error) {
        if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
        const sentence = `${job.name}: cannot read its last run: ${error.message}`;
        if (warned.get(job.name) !== sentence) request.effects.log.warn(sentence);
        warned.set(job.name, sentence);
        return [];
      }
    },
    run: (job) => runAndLog(job, request, waits, () => isUnchanged(job, newest.get(job.name) ?? null, request)),
  };
}

/**
 * Whether no other process has run the job since it was found to be due. Where locks are files, one schedule alone runs
 * on a data folder.
 */
async function isUnchanged(job: Job, known: number | null, request: RunRequest): Promise<boolean> {
  if (request.config.operations.postgresUrl === null) return true;
  return findNewest(await listRuns(job, request)) === known;
}

function findNewest(runs: readonly JobRun[]): number | null {
  return runs[0]?.number ?? null;
}

async function listRuns(job: Job, { config, effects }: RunRequest): Promise<readonly JobRun[]> {
  const history = await openOperationsToRead(config, effects);
  try {
    return await history.listRuns(job.name, RUNS_TO_KNOW);
  } finally {
    await history.close();
  }
}

/**
 * Runs a job in the background: the result or error is logged, nothing is thrown.
 * @param waits what was logged of jobs that wait for others, so that it is logged once
 * @param isDue as for `runJob`
 */
export async function runAndLog(
  job: Job,
  { config, effects, options, signal }: RunRequest,
  waits = new Map<string, string>(),
  isDue?: () => Promise<boolean>,
): Promise<RunResult> {
  if (!waits.has(job.name)) effects.log.info(`${job.name}: started`);
  try {
    const isDistributed = await canDistribute(job, config, effects);
    const context = { config, effects, options: { ...options, isDistributed }, stopping: signal };
    const run = await runJob(job, context, 'schedule', isDue);
    const line = `${job.name}: ${run.summary} (${run.durationSeconds} s)`;
    if (run.status === 'failed') effects.log.warn(line);
    else effects.log.info(line);
    waits.delete(job.name);
    return run.isRetryable ? 'failedForNow' : 'ran';
  } catch (error) {
    if (signal.aborted) {
      effects.log.info(`${job.name}: stopped before its end; the next start repeats it`);
      return 'ran';
    }
    // The schedule survives a failing job, even one that fails by a bug: other jobs and the api depend on it.
    const { sentence, isBug } = describeError(error);
    if (isBusy(error)) {
      if (waits.get(job.name) !== sentence) effects.log.warn(`${job.name} waits: ${sentence}`);
      waits.set(job.name, sentence);
      return 'busy';
    }
    if (error instanceof ExternalError && error.code === 'job_not_due') {
      effects.log.info(sentence);
      waits.delete(job.name);
      return 'busy';
    }
    effects.log.warn(`${job.name}: ${isBug ? ((error as Error).stack ?? sentence) : sentence}`);
    waits.delete(job.name);
    return mayPass(error) ? 'failedForNow' : 'ran';
  }
}
