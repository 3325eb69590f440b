import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { openDuckdb, readSql, sqlText } from '../../pipeline/effects/duckdb.ts';
import { sizeOf } from '../../pipeline/effects/files.ts';
import { finaliseDay } from '../../pipeline/history/stop-events/finalise-day.ts';
import { createPlannedCalls, type DayFeed } from '../../pipeline/history/stop-events/planned-calls.ts';
import { observationColumns, observationOrder } from '../../pipeline/lake/observations/observation-table.ts';
import { compactName } from '../../pipeline/lake/observations/partition-files.ts';
import { observationPartition } from '../../pipeline/lake/paths.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import { listFeedManifests, listFeedSources } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { mergeAll } from '../support/worlds/ingest.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { Metric } from './metric.ts';
import { provideNationalFeed, quickSize } from './national-feed.ts';
import { BENCH_NOW } from './national-questions.ts';

/** A working day of the national feed that has ended by the clock of the benchmark. */
export const DAY = '2026-03-10' as ServiceDate;
const SOURCE = toSourceId('bench-live');
const settings = { memoryLimit: '1500MB', threads: 0 };

export interface FinaliseMeasures {
  readonly seconds: number;
  /** User and system time of all threads. */
  readonly cpuSeconds: number;
  readonly rows: number;
  readonly observations: number;
  /** Number of input observations. */
  readonly observationBytes: number;
  readonly peakBytes: number;
}

/**
 * Finalises a national day with three observations per call. A tenth of the generated feed has nearly a million calls per
 * day, which is realistic for a country; the whole feed has far too many.
 */
export async function benchFinalise(bench: Bench): Promise<Metric[]> {
  const dataDir = await ingestTenth(bench);
  bench.progress('observations of a national day');
  const observations = await runInChild('finalise_observations', { dataDir, day: DAY });
  bench.progress('finalising the day');
  const { seconds, rows, peakBytes } = await runInChild('finalise_day', { dataDir });
  const name = 'finalising a national day';
  return [
    { name: `${name}: calls`, value: rows, unit: '' },
    { name: `${name}: observations`, value: observations, unit: '' },
    { name: `${name}: time`, value: seconds, unit: 's', target: { atMost: 60 } },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB', target: { atMost: 2 } },
  ];
}

/** @returns the data folder of the smaller national feed */
export async function ingestTenth(bench: Bench): Promise<string> {
  if (bench.size === quickSize) return (await bench.national()).dataDir;
  const zip = await provideNationalFeed(quickSize, bench.progress);
  const dataDir = await bench.makeFolder();
  bench.progress(`ingest of the ${quickSize.name} feed`);
  await runInChild('ingest', { zip, dataDir });
  return dataDir;
}

async function readFeeds(dataDir: string): Promise<DayFeed[]> {
  const manifests = await Promise.all((await listFeedSources(dataDir)).map((id) => listFeedManifests(dataDir, id)));
  return manifests.flatMap((versions) => versions.slice(-1).map((manifest) => ({ manifest, isBound: true })));
}

/** @returns number of observations written */
export async function writeObservations({ dataDir, day }: { dataDir: string; day: ServiceDate }): Promise<number> {
  const db = await openDuckdb({ memoryLimit: '3GB', temporaryFolder: path.join(dataDir, 'tmp', 'bench-spill') });
  try {
    await createPlannedCalls(db, dataDir, await readFeeds(dataDir), day, mergeAll);
    await db.query('set variable source_name = $name', { name: SOURCE });
    const partition = observationPartition(dataDir, SOURCE, day);
    await mkdir(partition, { recursive: true });
    const columns = Object.entries(observationColumns).map(([name, [type]]) => `cast(${name} as ${type}) as ${name}`);
    const select = `select ${columns.join(', ')} from (${await readSql('test/bench/sql/made_up_observations.sql')})`;
    const file = sqlText(path.join(partition, compactName('', 1)));
    const [copied] = await db.query(
      `copy (from (${select}) order by ${observationOrder}) to ${file} (format parquet, compression zstd)`,
    );
    return Number(copied?.Count);
  } finally {
    db.close();
  }
}

/** Runs the code of the job with default settings. */
export async function measureFinalise({
  dataDir,
}: {
  dataDir: string;
}): Promise<Omit<FinaliseMeasures, 'observations'>> {
  const feeds = await readFeeds(dataDir);
  const observationFiles = [path.join(observationPartition(dataDir, SOURCE, DAY), compactName('', 1))];
  const started = performance.now();
  const before = process.cpuUsage();
  // One day later, when the night trips have ended.
  const now = (BENCH_NOW + 86_400) as Instant;
  const day = { source: SOURCE, serviceDate: DAY, feeds, merging: mergeAll, observationFiles, inputs: [], now };
  const manifest = await finaliseDay(dataDir, day, settings);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (!manifest) throw new Error('the day of the benchmark has not ended');
  if (manifest.counts.added > 0) throw new Error(`${manifest.counts.added} observations found no call`);
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rows: manifest.rows,
    observationBytes: await sizeOf(observationFiles[0]!),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
}
