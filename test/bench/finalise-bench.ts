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
import type { Figure } from './figure.ts';
import { provideNationalFeed, quickSize } from './national-feed.ts';
import { BENCH_NOW } from './national-questions.ts';

/** A working day of the national feed that is over by the bench's clock. */
export const DAY = '2026-03-10' as ServiceDate;
const SOURCE = toSourceId('bench-live');
const settings = { memoryLimit: '1500MB', threads: 0 };

export interface FinaliseMeasures {
  readonly seconds: number;
  /** Of all threads, user and system. */
  readonly cpuSeconds: number;
  readonly rows: number;
  readonly observations: number;
  /** Of the observations that it is made of. */
  readonly observationBytes: number;
  readonly peakBytes: number;
}

/**
 * A national day, of every call of which a source has said three things. A tenth of the made-up feed has nearly a
 * million calls a day, twice as many as a country that is half a million; the whole of it has far too many.
 */
export async function benchFinalise(bench: Bench): Promise<Figure[]> {
  const dataDir = await ingestTenth(bench);
  bench.tell('observations of a national day');
  const observations = await runInChild('finalise_observations', { dataDir, day: DAY });
  bench.tell('finalising the day');
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
  const zip = await provideNationalFeed(quickSize, bench.tell);
  const dataDir = await bench.makeFolder();
  bench.tell(`ingest of the ${quickSize.name} feed`);
  await runInChild('ingest', { zip, dataDir });
  return dataDir;
}

async function readFeeds(dataDir: string): Promise<DayFeed[]> {
  const manifests = await Promise.all((await listFeedSources(dataDir)).map((id) => listFeedManifests(dataDir, id)));
  return manifests.flatMap((versions) => versions.slice(-1).map((manifest) => ({ manifest, isBound: true })));
}

/** @returns how many were written */
export async function writeObservations({ dataDir, day }: { dataDir: string; day: ServiceDate }): Promise<number> {
  const db = await openDuckdb({ memoryLimit: '3GB', temporaryFolder: path.join(dataDir, 'tmp', 'bench-spill') });
  try {
    await createPlannedCalls(db, dataDir, await readFeeds(dataDir), day, mergeAll);
    await db.query('set variable source_name = $name', { name: SOURCE });
    const partition = observationPartition(dataDir, SOURCE, day);
    await mkdir(partition, { recursive: true });
    const columns = Object.entries(observationColumns).map(([name, [type]]) => `cast(${name} as ${type}) as ${name}`);
    const select = `select ${columns.join(', ')} from (${await readSql('test/bench/sql/made_up_observations.sql')})`;
    const file = sqlText(path.join(partition, compactName(1)));
    const [copied] = await db.query(
      `copy (from (${select}) order by ${observationOrder}) to ${file} (format parquet, compression zstd)`,
    );
    return Number(copied?.Count);
  } finally {
    db.close();
  }
}

/** As the job does it, with the settings it has when nobody sets any. */
export async function measureFinalise({
  dataDir,
}: {
  dataDir: string;
}): Promise<Omit<FinaliseMeasures, 'observations'>> {
  const feeds = await readFeeds(dataDir);
  const observationFiles = [path.join(observationPartition(dataDir, SOURCE, DAY), compactName(1))];
  const started = performance.now();
  const before = process.cpuUsage();
  // A day later, when the last of the night trips are past.
  const now = (BENCH_NOW + 86_400) as Instant;
  const day = { source: SOURCE, serviceDate: DAY, feeds, merging: mergeAll, observationFiles, inputs: [], now };
  const manifest = await finaliseDay(dataDir, day, settings);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (!manifest) throw new Error('the day of the bench is not over');
  if (manifest.counts.added > 0) throw new Error(`${manifest.counts.added} observations found no call`);
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rows: manifest.rows,
    observationBytes: await sizeOf(observationFiles[0]!),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
}
