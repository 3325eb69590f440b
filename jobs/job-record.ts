import path from 'node:path';
import { findJson, writeJsonAtomically } from '../pipeline/effects/files.ts';
import type { JobOutcome, Json } from './job.ts';

/** How one run went. Times are UTC. */
export interface RunRecord {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationSeconds: number;
  readonly status: JobOutcome['status'];
  readonly attempts: number;
  /** One sentence: what came of it, or why it failed. */
  readonly summary: string;
  readonly details: Json;
}

/** What is remembered of a job between processes. */
export interface JobRecord {
  readonly job: string;
  readonly lastRun: RunRecord;
  /** End of the last run that did not fail, whether or not it changed anything. */
  readonly lastSuccessAt: string | null;
  /** End of the last run that published something new. */
  readonly lastChangeAt: string | null;
}

/** The folder of run records and locks. */
export function jobsFolder(dataDir: string): string {
  return path.join(dataDir, 'jobs');
}

/** @returns null for a job that never ran, or whose record is damaged or of another version */
export async function findJobRecord(dataDir: string, job: string): Promise<JobRecord | null> {
  const record = await findJson<JobRecord>(recordFile(dataDir, job));
  return Number.isNaN(Date.parse(record?.lastRun?.startedAt ?? '')) ? null : record;
}

/** Remembers a run; reading then sees the old record or the new one, never a part. */
export async function writeJobRecord(dataDir: string, job: string, run: RunRecord): Promise<void> {
  const before = await findJobRecord(dataDir, job);
  const record: JobRecord = {
    job,
    lastRun: run,
    lastSuccessAt: run.status === 'failed' ? (before?.lastSuccessAt ?? null) : run.endedAt,
    lastChangeAt: run.status === 'done' ? run.endedAt : (before?.lastChangeAt ?? null),
  };
  await writeJsonAtomically(recordFile(dataDir, job), record);
}

function recordFile(dataDir: string, job: string): string {
  return path.join(jobsFolder(dataDir), `${job}.json`);
}
