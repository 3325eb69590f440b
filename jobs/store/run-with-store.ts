import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { StoreContext } from '../../pipeline/scale-out/object-store/store-context.ts';
import type { StoreName } from '../../pipeline/scale-out/object-store/store-rules.ts';
import { markWriting } from '../../pipeline/scale-out/object-store/writing-marks.ts';
import type { Job, JobContext, JobOutcome } from '../job/job.ts';
import { fetchUnlessWritten } from './fetch-unless-written.ts';
import { storesOf } from './job-stores.ts';
import { openConfiguredStore } from './open-store.ts';
import { publishStores } from './publish-stores.ts';
import { publishWaiting, unpublished } from './publish-waiting.ts';

/** Ignores failures of the store: the run repeats the same steps and records them. */
export async function fetchBeforeRun(job: Job, { config, effects, stopping }: JobContext): Promise<void> {
  try {
    await usingStore({ config, effects, stopping }, async (context) => {
      await publishWaiting(context);
      await fetchUnlessWritten(context, storesOf(job.name, config.engine).reads);
    });
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
  }
}

export async function publishDuringRun(use: StoreUse, stores: readonly StoreName[]): Promise<void> {
  await usingStore(use, (context) => publishStores(context, stores));
}

export interface StoreUse {
  readonly config: Config;
  readonly effects: Effects;
  readonly stopping?: AbortSignal | undefined;
}

async function usingStore<Result>(use: StoreUse, task: (context: StoreContext) => Promise<Result>): Promise<Result> {
  const context = await openConfiguredStore(use.config, use.effects, use.stopping);
  try {
    return await task(context);
  } finally {
    context.store.close();
  }
}

/** Fetches what a job reads, runs it, and publishes what it has written. */
export async function runWithStore(job: Job, jobContext: JobContext): Promise<JobOutcome> {
  const { config, effects, stopping, options } = jobContext;
  const { reads, writes } = storesOf(job.name, config.engine);
  return usingStore({ config, effects, stopping }, async (context) => {
    await publishWaiting(context);
    await fetchUnlessWritten(context, reads);
    if (options.isDryRun) return job.run(jobContext);
    const { dataDir } = config;
    const mark = await markWriting(dataDir, job.name, writes, effects);
    try {
      const outcome = await job.run(jobContext);
      await publishWritten(context, job.name, writes);
      await mark.release();
      return outcome;
    } catch (error) {
      await mark.wait().catch((failure: Error) => effects.log.warn(`${job.name} left its mark: ${failure.message}`));
      throw error;
    }
  });
}

async function publishWritten(context: StoreContext, job: string, stores: readonly StoreName[]): Promise<void> {
  try {
    const { files, bytes, removed } = await publishStores(context, stores);
    if (files + removed > 0) {
      context.effects.log.info(
        `published ${files} files (${bytes} bytes new) to ${context.store.url}, removed ${removed}`,
      );
    }
  } catch (error) {
    throw error instanceof ExternalError ? unpublished(job, error) : error;
  }
}
