import { rm } from 'node:fs/promises';
import process from 'node:process';
import { finaliseStopEventsJob } from '../../jobs/definitions/finalise-stop-events.ts';
import { noOptions } from '../../jobs/job/job.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { workShards } from '../../jobs/runner/work-shards.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { stopEventManifestFolder, stopEventsFolder } from '../../pipeline/lake/paths.ts';
import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { startPostgres } from '../interop/services/postgres.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import { warningsOnly } from './child-tasks.ts';
import { DAY } from './finalise-bench.ts';
import type { Metric } from './metric.ts';
import { quickSize } from './national-feed.ts';
import { BENCH_NOW } from './national-questions.ts';
import { readUsage, type Usage } from './processor-time.ts';

const DAYS = 8;
const QUICK_DAYS = 4;
const WORKERS = [1, 2, 4];

export interface WorkerInput {
  readonly dataDir: string;
  readonly postgresUrl: string;
}

export interface DistributedInput extends WorkerInput {
  readonly from: ServiceDate;
  readonly to: ServiceDate;
}

/**
 * Measures workers that finalise national days, each in a separate process with one thread, over a queue in PostgreSQL.
 * @param dataDir contains the observations of `DAY`
 */
export async function benchWorkers(bench: Bench, dataDir: string): Promise<Metric[]> {
  const days = bench.size === quickSize ? QUICK_DAYS : DAYS;
  const [from, to] = [addDays(DAY, 1 - days), DAY];
  for (let day = from; day < DAY; day = addDays(day, 1)) {
    bench.progress(`observations of ${day}`);
    await runInChild('finalise_observations', { dataDir, day });
  }
  const metrics: Metric[] = [];
  const postgres = await startPostgres();
  try {
    for (const count of WORKERS) {
      bench.progress(`${days} days by ${count} workers`);
      const input = { dataDir, postgresUrl: await postgres.createDatabase(), from, to };
      metrics.push(...(await measureWorkers(input, days, count)));
    }
  } finally {
    await postgres.stop();
  }
  return metrics;
}

async function measureWorkers(input: DistributedInput, days: number, count: number): Promise<Metric[]> {
  const { dataDir } = input;
  for (const made of [stopEventsFolder(dataDir), stopEventManifestFolder(dataDir)]) {
    await rm(made, { recursive: true, force: true });
  }
  const workers = await Promise.all(Array.from({ length: count }, () => startInChild('europe_worker', input)));
  let usage: Usage;
  let seconds: number;
  try {
    seconds = await runInChild('europe_distributed', input);
    usage = await readUsage(workers.map(({ result }) => result));
  } finally {
    for (const { stop } of workers) await stop();
  }
  const name = `measured, ${days} national days of a source, ${count} ${count === 1 ? 'worker' : 'workers'}`;
  return [
    { name: `${name}: time`, value: seconds, unit: 's' },
    { name: `${name}: processor of the workers`, value: usage.cpuSeconds, unit: 'core s' },
    { name: `${name}: peak memory of a worker`, value: usage.peakBytes / 1e9, unit: 'GB' },
  ];
}

async function openWork({ dataDir, postgresUrl }: WorkerInput) {
  const environment = {
    TAKTGEBER_DATA: dataDir,
    TAKTGEBER_OPERATIONS_POSTGRES_URL: postgresUrl,
    // One thread per worker, so that as many workers as cores keep all cores busy.
    TAKTGEBER_INGEST_THREADS: '1',
  };
  const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
  // One day after the last day, when its night trips have ended.
  return { config, clock: fixedClock(new Date((BENCH_NOW + 86_400) * 1000).toISOString()) };
}

/** Runs `taktgeber work` until this process ends. @returns its process id */
export async function startWorker(input: WorkerInput): Promise<number> {
  const { config, clock } = await openWork(input);
  const effects = realEffects({ clock, log: warningsOnly });
  const signal = new AbortController().signal;
  void workShards({ config, effects, jobs: [finaliseStopEventsJob()], concurrency: 1, signal });
  return process.pid;
}

/** Runs `taktgeber run finalise-stop-events --distribute`. @returns seconds until it has ended */
export async function measureDistributed({ from, to, ...input }: DistributedInput): Promise<number> {
  const { config, clock } = await openWork(input);
  const effects = realEffects({ clock, log: silentLog });
  const started = performance.now();
  const options = { ...noOptions, from, to, isDistributed: true };
  const { status, summary } = await runJob(finaliseStopEventsJob(), { config, effects, options });
  if (status !== 'done') throw new Error(`the workers failed: ${summary}`);
  return (performance.now() - started) / 1000;
}
