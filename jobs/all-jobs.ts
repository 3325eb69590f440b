import { UsageError } from '../pipeline/config/usage-error.ts';
import { compactObservationsJob } from './compact-observations.ts';
import { generateSampleJob } from './generate-sample.ts';
import { ingestTimetableJob } from './ingest-timetable.ts';
import type { Job } from './job.ts';
import type { Parts } from './parts.ts';
import { pollRealtimeJob } from './poll-realtime.ts';

/** Every job, in the order of the way the data flows. */
export function allJobs(parts: Parts): readonly Job[] {
  return [generateSampleJob(parts), ingestTimetableJob(parts), pollRealtimeJob(parts), compactObservationsJob()];
}

/** @throws UsageError naming the jobs there are */
export function getJob(jobs: readonly Job[], name: string): Job {
  const job = jobs.find((candidate) => candidate.name === name);
  if (job) return job;
  throw new UsageError(`there is no job "${name}"; there are ${jobs.map((one) => one.name).join(', ')}`);
}
