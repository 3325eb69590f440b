import type { Job } from '../job/job.ts';
import { measureJobs, showFacts } from './measure-service.ts';
import type { MonitoredEffects, Monitoring } from './open-monitoring.ts';
import { type FactsRequest, readServiceFacts } from './service-facts.ts';

/**
 * Counts what jobs do, and tells each scrape how the service does by its data folder. In the process of the jobs alone:
 * a fleet of servers on one folder would all tell the same.
 */
export function monitorJobs(
  { jobs, config, isScheduling }: Pick<FactsRequest, 'jobs' | 'config' | 'isScheduling'>,
  { effects }: Pick<Monitoring, 'effects'>,
): { readonly jobs: readonly Job[]; readonly effects: MonitoredEffects } {
  const { metrics, clock } = effects;
  metrics.beforeScrape(async () => showFacts(metrics, await readServiceFacts({ config, jobs, isScheduling, clock })));
  return { jobs: measureJobs(jobs, metrics), effects };
}
