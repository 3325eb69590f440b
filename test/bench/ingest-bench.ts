import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { fetchHttp } from '../../pipeline/effects/http.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { unpackFeed } from '../../pipeline/timetable/feed/unpack-feed.ts';
import { type IngestSource, ingestTimetable } from '../../pipeline/timetable/ingest-timetable.ts';
import { readMergeRules } from '../../pipeline/timetable/merging/read-merge-rules.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { type IngestInput, warningsOnly } from './child-tasks.ts';
import { provideCityFeed } from './city-feed.ts';
import { type Metric, median } from './metric.ts';
import { measureProcess } from './processor-time.ts';

export interface IngestMeasures {
  readonly seconds: number;
  /** Of all threads of the process, which other load on the machine affects less. */
  readonly cpuSeconds: number;
  readonly stopTimes: number;
  readonly peakBytes: number;
}

const RUNS = 3;

/** Measures from zip to published snapshot: a real feed of a city, and the generated feed of a country. */
export async function benchIngest(bench: Bench): Promise<Metric[]> {
  const { measures: national } = await bench.national();
  return [
    ...(await benchCity(bench)),
    ...(await benchMadeUpCity(bench)),
    { name: `ingest ${bench.size.name}: stop times`, value: national.stopTimes, unit: '' },
    { name: `ingest ${bench.size.name}: time`, value: national.seconds, unit: 's', target: { atMost: 120 } },
    { name: `ingest ${bench.size.name}: rate`, value: national.stopTimes / national.seconds, unit: 'stop times/s' },
    {
      name: `ingest ${bench.size.name}: peak memory`,
      value: national.peakBytes / 1e9,
      unit: 'GB',
      target: { atMost: 4 },
    },
  ];
}

async function benchCity(bench: Bench): Promise<Metric[]> {
  const zip = findCityZip(bench, 'ingest of a real city');
  if (zip === null) return [];
  const runs: IngestMeasures[] = [];
  for (let run = 1; run <= RUNS; run++) {
    bench.progress(`ingest of Bydgoszcz, run ${run} of ${RUNS}`);
    runs.push(await runInChild('ingest', { zip, dataDir: await bench.makeFolder() }));
  }
  const rate = median(runs.map(({ stopTimes, seconds }) => stopTimes / seconds));
  const peak = Math.max(...runs.map(({ peakBytes }) => peakBytes));
  return [
    { name: 'ingest Bydgoszcz: rate, median of 3', value: rate, unit: 'stop times/s', target: { atLeast: 250_000 } },
    { name: 'ingest Bydgoszcz: peak memory, worst of 3', value: peak / 1e9, unit: 'GB', target: { atMost: 1 } },
  ];
}

/** Ratios to a copy by DuckDB compare runs on different machines. */
async function benchMadeUpCity(bench: Bench): Promise<Metric[]> {
  const zip = await provideCityFeed(bench.progress);
  bench.progress('ingest of a generated city');
  const runs: (IngestMeasures & { readonly copyCpuSeconds: number })[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const copyCpuSeconds = await runInChild('ingest_copy', { zip, dataDir: await bench.makeFolder() });
    runs.push({ ...(await runInChild('ingest', { zip, dataDir: await bench.makeFolder() })), copyCpuSeconds });
  }
  const name = 'ingest of a generated city, median of 3';
  const of = (value: (run: (typeof runs)[number]) => number) => median(runs.map(value));
  return [
    { name: `${name}: stop times`, value: of((run) => run.stopTimes), unit: '' },
    { name: `${name}: time`, value: of((run) => run.seconds), unit: 's', target: { atMost: 2.5 } },
    { name: `${name}: processor time`, value: of((run) => run.cpuSeconds), unit: 's' },
    {
      name: `${name}: processor time to that of a copy`,
      value: of((run) => run.cpuSeconds / run.copyCpuSeconds),
      unit: '',
      target: { atMost: 2.9 },
    },
  ];
}

/** @returns the feed of Bydgoszcz; null, with a message about what is skipped, if the recorded data is absent */
export function findCityZip(bench: Bench, what: string): string | null {
  const data = path.resolve(projectRoot, process.env.TAKTGEBER_REAL_DATA || '../shared/data');
  const zip = path.join(data, 'gtfs', 'bydgoszcz.zip');
  if (existsSync(zip)) return zip;
  bench.progress(`SKIPPED: ${what}; ${zip} does not exist. Set TAKTGEBER_REAL_DATA to its folder.`);
  return null;
}

/** Runs the main job on an empty data folder. */
export async function measureIngest({ zip, dataDir, environment = {} }: IngestInput): Promise<IngestMeasures> {
  const sources = [{ id: toSourceId('bench'), location: zip }];
  const { outcome, ...measures } = await ingestSources(sources, dataDir, environment);
  const [feed] = outcome.feeds;
  const stopTimes = feed?.tables.find(({ table }) => table === 'stop_times')?.rowsIn;
  if (outcome.snapshotId === null || !stopTimes) throw new Error(`the ingest failed: ${feed?.failure}`);
  return { ...measures, stopTimes };
}

/**
 * Ingests and publishes all feeds, and measures this process.
 * @param environment settings as environment variables
 */
export async function ingestSources(
  sources: readonly IngestSource[],
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const { config } = await loadConfig({ cwd: dataDir, home: dataDir, environment });
  const { ingest, timetable, raw, snapshots } = config;
  const settings = {
    ...ingest,
    refetchHours: timetable.refetchHours,
    maxRejectedBytes: raw.maxRejectedBytes,
    minShareOfPrevious: 0,
    keepSnapshots: snapshots.keep,
    merging: await readMergeRules(dataDir, config.merging),
  };
  const { result: outcome, ...time } = await measureProcess(() =>
    ingestTimetable(
      { sources, dataDir, settings, isDryRun: false, isForced: false },
      { clock: systemClock, http: fetchHttp, log: warningsOnly },
    ),
  );
  return { outcome, ...time, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** Measures how long DuckDB alone converts the largest table of a feed: an ingest cannot be faster. */
export async function measureCopy({ zip, dataDir }: IngestInput): Promise<number> {
  const { config } = await loadConfig({ cwd: dataDir, home: dataDir, environment: {} });
  const { tables } = await unpackFeed(zip, dataDir, config.ingest);
  const { file } = tables.find(({ table }) => table === 'stop_times')!;
  const db = await openDuckdb();
  try {
    const { cpuSeconds } = await measureProcess(() =>
      db.run(`
        copy (from read_csv(${sqlPath(file)}, all_varchar = true, null_padding = true))
        to ${sqlText(`${file}.parquet`)} (format parquet)`),
    );
    return cpuSeconds;
  } finally {
    db.close();
  }
}
