import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { Job } from '../job/job.ts';
import type { Parts } from '../job/parts.ts';
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
import { generateSampleJob } from './generate-sample.ts';
import { importHistoryJob } from './import-history.ts';
import { ingestTimetableJob } from './ingest-timetable.ts';
import { buildFeaturesJob, trainPredictionsJob } from './learn.ts';
import { pollRealtimeJob } from './poll-realtime.ts';
import { publishIcebergJob } from './publish-iceberg.ts';
import { rebuildObservationsJob } from './rebuild-observations.ts';

/** All jobs, in the order of the data flow. */
export function allJobs(parts: Parts): readonly Job[] {
  return [
    generateSampleJob(parts),
    ingestTimetableJob(parts),
    buildNetworkMapsJob(parts),
    pollRealtimeJob(parts),
    compactObservationsJob(),
    rebuildObservationsJob(),
    finaliseStopEventsJob(),
    importHistoryJob(),
    buildSampleHistoryJob(parts),
    buildMartsJob(),
    buildFeaturesJob(parts),
    trainPredictionsJob(parts),
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
