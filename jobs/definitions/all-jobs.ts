import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { Job } from '../job/job.ts';
import { buildMartsJob } from './build-marts.ts';
import { buildNetworkMapsJob } from './build-network-maps.ts';
import { buildSampleHistoryJob } from './build-sample-history.ts';
import { checkDataJob } from './check-data.ts';
import { collectObjectsJob } from './collect-objects.ts';
import { compactObservationsJob } from './compact-observations.ts';
import { compactPredictionsJob } from './compact-predictions.ts';
import { dropOldDaysJob } from './drop-old-days.ts';
import { evaluatePredictionsJob } from './evaluate-predictions.ts';
import { expireIcebergJob } from './expire-iceberg.ts';
import { finaliseStopEventsJob } from './finalise-stop-events.ts';
import { generateSampleJob, type writeSample } from './generate-sample.ts';
import { importHistoryJob } from './import-history.ts';
import { type ingestFeeds, ingestTimetableJob } from './ingest-timetable.ts';
import { buildFeaturesJob, trainPredictionsJob } from './learn.ts';
import { pollRealtimeJob, type pollSources } from './poll-realtime.ts';
import { publishIcebergJob } from './publish-iceberg.ts';
import { rebuildObservationsJob } from './rebuild-observations.ts';

/** Functions that tests replace; a job imports its own on demand, so that `--help` does not load the database engine. */
export interface JobFunctions {
  readonly ingestTimetable?: typeof ingestFeeds;
  readonly writeSample?: typeof writeSample;
  readonly buildNetworkMaps?: Parameters<typeof buildNetworkMapsJob>[0];
  readonly pollRealtime?: typeof pollSources;
  readonly writeSamplePast?: Parameters<typeof buildSampleHistoryJob>[0];
  readonly learn?: Parameters<typeof buildFeaturesJob>[0];
}

/** All jobs, in the order of the data flow. */
export function allJobs(functions: JobFunctions = {}): readonly Job[] {
  return [
    generateSampleJob(functions.writeSample),
    ingestTimetableJob(functions),
    buildNetworkMapsJob(functions.buildNetworkMaps),
    pollRealtimeJob(functions.pollRealtime),
    compactObservationsJob(),
    rebuildObservationsJob(),
    finaliseStopEventsJob(),
    importHistoryJob(),
    buildSampleHistoryJob(functions.writeSamplePast),
    buildMartsJob(),
    buildFeaturesJob(functions.learn),
    trainPredictionsJob(functions.learn),
    evaluatePredictionsJob(),
    compactPredictionsJob(),
    checkDataJob(),
    dropOldDaysJob(),
    publishIcebergJob(),
    expireIcebergJob(),
    collectObjectsJob(),
  ];
}

/** @throws UsageError that lists the jobs */
export function getJob(jobs: readonly Job[], name: string): Job {
  const job = jobs.find((candidate) => candidate.name === name);
  if (job) return job;
  throw new UsageError(`there is no job "${name}"; there are ${jobs.map((one) => one.name).join(', ')}`);
}
