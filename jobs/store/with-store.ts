import type { Config } from '../../pipeline/config/load-config.ts';
import type { StoreName } from '../../pipeline/scale-out/object-store/store-rules.ts';
import type { Job, JobContext } from '../job/job.ts';
import type { StoreUse } from './run-with-store.ts';

/**
 * A job that first updates the data folder from the object store, and afterwards publishes what it has written. Without a
 * store it is the job itself. If publishing fails, the job fails and can be retried: pending changes are published by the
 * next run of any job of this folder.
 */
export function withStore(job: Job, config: Config): Job {
  if (config.store.url === null) return job;
  return { ...job, run: async (context) => (await loadStoreRuns()).runWithStore(job, context) };
}

/**
 * Updates the folder from the store before the locks of a job are determined; without a store nothing happens. The run
 * itself repeats and records a failure.
 */
export async function fetchForJob(job: Job, context: JobContext): Promise<void> {
  if (context.config.store.url !== null) await (await loadStoreRuns()).fetchBeforeRun(job, context);
}

/** Publishes stores during a job, for readers that need them before it ends; without a store nothing happens. */
export async function publishMeanwhile(use: StoreUse, stores: readonly StoreName[]): Promise<void> {
  if (use.config.store.url !== null) await (await loadStoreRuns()).publishDuringRun(use, stores);
}

/** Most machines have no object store and need none of its code. */
function loadStoreRuns() {
  return import('./run-with-store.ts');
}
