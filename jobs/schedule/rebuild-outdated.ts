import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { findCurrentHistoryId, readHistoryManifest } from '../../pipeline/snapshots/history-contract.ts';
import { findCurrentMapsId, readMapsManifest } from '../../pipeline/snapshots/network-map-files.ts';
import {
  findCurrentPredictionMetricsId,
  readPredictionMetricsManifest,
} from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import { findCurrentTimetableId, readTimetableManifest } from '../../pipeline/snapshots/timetable-files.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { runAndLog } from './run-and-log.ts';
import type { ScheduleRequest } from './schedule.ts';

/**
 * Runs the jobs whose published snapshot this program cannot read, which after an upgrade is one of a former format:
 * without it, the service would wait for the next time of these jobs.
 */
export async function rebuildOutdated(request: ScheduleRequest): Promise<void> {
  const { config, effects, jobs } = request;
  for (const { job, reason } of await listOutdated(config.dataDir)) {
    effects.log.info(`${reason}; rebuilding it now`);
    await runAndLog(getJob(jobs, job), request);
  }
}

interface Outdated {
  readonly job: string;
  readonly reason: string;
}

async function listOutdated(dataDir: string): Promise<Outdated[]> {
  const readings = [
    ['ingest-timetable', await readCurrent(dataDir, findCurrentTimetableId, readTimetableManifest)],
    ['build-network-maps', await readCurrent(dataDir, findCurrentMapsId, readMapsManifest)],
    ['build-marts', await readCurrent(dataDir, findCurrentHistoryId, readHistoryManifest)],
    ['evaluate-predictions', await readCurrent(dataDir, findCurrentPredictionMetricsId, readPredictionMetricsManifest)],
  ] as const;
  return readings.flatMap(([job, read]) => (typeof read === 'string' ? [{ job, reason: read }] : []));
}

/** @returns the manifest of the published timetable; null when none is published, or this program cannot read it */
export async function findReadableTimetable(dataDir: string): Promise<TimetableManifest | null> {
  const read = await readCurrent(dataDir, findCurrentTimetableId, readTimetableManifest);
  return typeof read === 'string' ? null : read;
}

/** @returns the manifest; null without a published snapshot; the reason for one that this program cannot read */
async function readCurrent<Manifest extends object>(
  dataDir: string,
  findId: (dataDir: string) => Promise<string | null>,
  readManifest: (dataDir: string, id: string) => Promise<Manifest>,
): Promise<Manifest | string | null> {
  const id = await findId(dataDir);
  if (id === null) return null;
  try {
    return await readManifest(dataDir, id);
  } catch (error) {
    if (error instanceof ExternalError && error.code === 'snapshot_damaged') return error.message;
    throw error;
  }
}
