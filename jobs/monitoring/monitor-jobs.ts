import type { Job } from '../job/job.ts';
import { measureJobs, showFacts } from './measure-service.ts';
import type { MonitoredEffects, Monitoring } from './open-monitoring.ts';
import { type FactsRequest, readServiceFacts } from './service-facts.ts';

/**
 * Counts the work of jobs, and sets the gauges of the data folder before each scrape. Only in the process of the jobs:
 * all servers on one folder would report the same.
 */
export function monitorJobs(
  { jobs, config, isScheduling }: Pick<FactsRequest, 'jobs' | 'config' | 'isScheduling'>,
  { effects }: Pick<Monitoring, 'effects'>,
): { readonly jobs: readonly Job[]; readonly effects: MonitoredEffects } {
  const { metrics, clock } = effects;
  metrics.beforeScrape(async () => showFacts(metrics, await readServiceFacts({ config, jobs, isScheduling, clock })));
  return { jobs: measureJobs(jobs, metrics), effects };
}
