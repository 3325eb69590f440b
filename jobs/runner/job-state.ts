import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import type { JobRun } from '../../pipeline/operations/job-run.ts';
import { openOperationsToRead } from '../../pipeline/operations/open-operations.ts';
import type { Job } from '../job/job.ts';
import { findLockHolder } from '../locks/job-lock.ts';
import { nextRunAt } from './next-run.ts';
import { findLastSuccess } from './run-statistics.ts';

/** Runs that are read of each job: those of more than a week, whatever its schedule. */
const READ_RUNS = 400;

/** How a job does. Times are ISO 8601, UTC. */
export interface JobState {
  readonly job: Job;
  /** Newest first. */
  readonly runs: readonly JobRun[];
  /** Null: it is not running. */
  readonly runningSince: string | null;
  readonly lastSuccessAt: string | null;
  /** In milliseconds since 1970; in the past when a run was missed. Null for a job without a schedule. */
  readonly nextAt: number | null;
}

/** Reads the states of jobs from the history of a data folder. @throws ExternalError `operations_store_failed` */
export async function readJobStates(
  jobs: readonly Job[],
  config: Config,
  effects: Pick<Effects, 'clock' | 'log'>,
): Promise<readonly JobState[]> {
  const history = await openOperationsToRead(config, effects);
  const { clock } = effects;
  const readState = async (job: Job): Promise<JobState> => {
    const runs = await history.listRuns(job.name, READ_RUNS);
    // The poller of a service holds its lock, but is not a run.
    const holder = await findLockHolder(config.dataDir, job.name, clock);
    const running = runs.find(({ state }) => state === 'running');
    return {
      job,
      runs,
      runningSince: running?.startedAt ?? holder?.startedAt ?? null,
      lastSuccessAt: findLastSuccess(runs),
      nextAt: nextRunAt(job, config, runs, clock.nowMilliseconds()),
    };
  };
  try {
    return await Promise.all(jobs.map(readState));
  } finally {
    await history.close();
  }
}
