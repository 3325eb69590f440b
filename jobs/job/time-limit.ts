import type { Config } from '../../pipeline/config/load-config.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { Job } from './job.ts';

const DEFAULT_MINUTES = 240;

/** Minutes after which a run of the job is stopped; null: never. */
export function timeLimitMinutes(job: Job, config: Config): number | null {
  const minutes = readLimits(config).get(job.name) ?? job.timeoutMinutes ?? DEFAULT_MINUTES;
  return minutes === 0 ? null : minutes;
}

/** @throws UsageError when the setting names a job that there is not */
export function checkTimeLimits(config: Config, jobs: readonly Job[]): void {
  for (const name of readLimits(config).keys()) {
    if (jobs.some((job) => job.name === name)) continue;
    const known = jobs.map((job) => job.name).join(', ');
    throw new UsageError(`operations.timeoutMinutes names "${name}", but there is no such job; there are ${known}`);
  }
}

/** @returns minutes by job; 0: no limit */
function readLimits({ operations }: Config): ReadonlyMap<string, number> {
  const entries = (operations.timeoutMinutes ?? '').split(',').map((entry) => entry.trim());
  return new Map(
    entries.filter(Boolean).map((entry) => {
      const [job, minutes] = entry.split('=') as [string, string];
      return [job.trim(), Number(minutes)];
    }),
  );
}
