import { GIBIBYTE, parseBytes } from './byte-units.ts';
import type { Config } from './load-config.ts';

/** What a service holds besides its jobs: snapshots, planners, and the realtime of its sources. */
const SERVICE_BYTES = GIBIBYTE;
/** What a job holds besides its engine: the rows, features and models that it computes with. */
const JOB_BYTES = GIBIBYTE;
/** Share of all memory that the engine of one job may take. */
const ENGINE_SHARE = 0.4;
const MEGABYTE = 1_000_000;

/**
 * Limits the engine of a job to its share of the memory, and the jobs that the schedule runs at the same time to those
 * that fit beside the service; one always runs.
 * @param memoryBytes what this process may use
 */
export function fitToMemory(config: Config, memoryBytes: number): Config {
  const { ingest, schedule } = config;
  const share = Math.max(1, Math.floor((ENGINE_SHARE * memoryBytes) / MEGABYTE));
  const isWithin = parseBytes(ingest.memoryLimit) <= share * MEGABYTE;
  const memoryLimit = isWithin ? ingest.memoryLimit : `${share}MB`;
  const fitting = Math.floor((memoryBytes - SERVICE_BYTES) / (parseBytes(memoryLimit) + JOB_BYTES));
  const concurrency = schedule.concurrency ?? Math.max(1, fitting);
  return { ...config, ingest: { ...ingest, memoryLimit }, schedule: { ...schedule, concurrency } };
}
