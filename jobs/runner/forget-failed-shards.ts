import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Job, JobContext } from '../job/job.ts';
import { describeOptions, isWhole } from '../job/job-options.ts';

/**
 * Called after a run of a job that has not failed: where it did all that was due, units that had failed for good for
 * workers are done, or are not due any more. A database that is away leaves them to the next run.
 */
export async function forgetFailedShards(job: Job, { config, effects, options }: JobContext): Promise<void> {
  const { postgresUrl } = config.operations;
  if (postgresUrl === null || !job.division?.shards || !isWhole(describeOptions(options))) return;
  const { forgetShardFailures } = await import('../../pipeline/scale-out/shards/shard-queue.ts');
  try {
    await forgetShardFailures(postgresUrl, job.name, effects.log);
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    effects.log.warn(`${job.name}: failed shards remain listed: ${error.message}`);
  }
}
