import { rm } from 'node:fs/promises';
import process from 'node:process';
import { finaliseStopEventsJob } from '../../jobs/definitions/finalise-stop-events.ts';
import { noOptions } from '../../jobs/job/job.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { stopEventManifestFolder, stopEventsFolder } from '../../pipeline/lake/paths.ts';
import { addDays } from '../../pipeline/model/service-time.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { BackfillInput } from './child-tasks.ts';
import { DAY, ingestTenth } from './finalise-bench.ts';
import type { Metric } from './metric.ts';
import { BENCH_NOW } from './national-questions.ts';

const DAYS = 4;
const CONCURRENCIES = [1, 2, 4];

export interface BackfillMeasures {
  readonly seconds: number;
  /** Peak resident memory of the process that runs all shards. */
  readonly peakBytes: number;
  /** Resident memory of that process before the first shard. */
  readonly idleBytes: number;
}

/** Finalises four national days again, sequentially and concurrently, within the memory limit of a job. */
export async function benchBackfill(bench: Bench): Promise<Metric[]> {
  const dataDir = await ingestTenth(bench);
  const [from, to] = [addDays(DAY, 1 - DAYS), DAY];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    bench.progress(`observations of ${day}`);
    await runInChild('finalise_observations', { dataDir, day });
  }
  const metrics: Metric[] = [];
  for (const concurrency of CONCURRENCIES) {
    bench.progress(`backfill of ${DAYS} days, ${concurrency} at a time`);
    const { seconds, peakBytes, idleBytes } = await runInChild('backfill', { dataDir, from, to, concurrency });
    const name = `backfill of ${DAYS} national days, ${concurrency} at a time`;
    metrics.push(
      { name: `${name}: time`, value: seconds, unit: 's' },
      { name: `${name}: memory before`, value: idleBytes / 1e9, unit: 'GB' },
      // As for one day: the limit of the engine, plus memory that it does not count.
      { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB', target: { atMost: 2 } },
    );
  }
  return metrics;
}

/** As `taktgeber run finalise-stop-events --from --to --concurrency`, with default settings. */
export async function measureBackfill({ dataDir, from, to, concurrency }: BackfillInput): Promise<BackfillMeasures> {
  for (const made of [stopEventsFolder(dataDir), stopEventManifestFolder(dataDir)]) {
    await rm(made, { recursive: true, force: true });
  }
  const environment = { TAKTGEBER_DATA: dataDir };
  const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
  const clock = fixedClock(new Date((BENCH_NOW + 86_400) * 1000).toISOString());
  const effects = realEffects({ clock, log: silentLog });
  const idleBytes = process.memoryUsage.rss();
  const started = performance.now();
  const options = { ...noOptions, from, to, concurrency };
  const { status, summary } = await runJob(finaliseStopEventsJob(), { config, effects, options });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 'done') throw new Error(`the backfill of the bench: ${summary}`);
  return { seconds, peakBytes: process.resourceUsage().maxRSS * 1024, idleBytes };
}
