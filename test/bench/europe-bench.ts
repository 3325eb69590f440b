import { readFile } from 'node:fs/promises';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { martsFolder } from '../../pipeline/lake/paths.ts';
import { stopServices } from '../interop/services/service.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { replayedSize } from './europe-lake.ts';
import type { Spent } from './europe-marts.ts';
import { AUSTRIA_CALLS, computeFor, EUROPE_CALLS, type MeasuredPerCall, type Prices } from './europe-model.ts';
import { type measureEuropeQueries, questionKinds } from './europe-queries.ts';
import { measureOnTrino } from './europe-trino.ts';
import { benchWorkers } from './europe-workers.ts';
import { DAY, ingestTenth } from './finalise-bench.ts';
import { provideHistoryLake } from './history-lake.ts';
import { type Metric, quantile } from './metric.ts';
import { quickSize } from './national-feed.ts';

/** Numbers of countries in the lake; each country has as many calls per day as Austria. */
const COUNTRIES = [1, 2, 5];
const QUICK_COUNTRIES = [1, 2];
/** Trino needs many times the CPU time of DuckDB for the marts of a day; one country suffices to show the factor. */
const MOST_ON_TRINO = 1;
/** Daily files are written to compare them with monthly files; one country suffices. */
const MOST_BY_DAY = 1;
const PRICES = 'test/bench/europe-prices.json';

/**
 * Several countries of Austria's size in one lake: measured as far as this machine allows, extrapolated up to 50. Reports
 * CPU time, which other load affects little, and wall-clock time.
 */
export async function benchEurope(bench: Bench): Promise<Metric[]> {
  const finaliseDir = await ingestTenth(bench);
  const metrics: Metric[] = [];
  // The benchmark takes long, so each result is printed at once.
  const keep = (...measured: readonly Metric[]) => {
    metrics.push(...measured);
    for (const { name, value, unit } of measured) bench.progress(`  ${name}: ${value.toPrecision(4)} ${unit}`);
  };
  const { cpuSecondsPerCall, observationBytes, ...finalise } = await measureFinalising(bench, finaliseDir);
  keep(...finalise.metrics);
  keep(...(await benchWorkers(bench, finaliseDir)));
  const lake = await provideHistoryLake(replayedSize, bench.progress);
  const dataDir = await bench.makeFolder();
  let written = { countries: 0, calls: 0, bytes: 0 };
  let perCall: MeasuredPerCall | null = null;
  for (const countries of bench.size === quickSize ? QUICK_COUNTRIES : COUNTRIES) {
    written = await addCountries(bench, lake, dataDir, written, countries);
    const name = `measured, ${countries} ${countries === 1 ? 'country' : 'countries'}`;
    const measured = await measureCountries(bench, dataDir, name, written);
    keep(...measured.metrics);
    if (countries <= MOST_BY_DAY) keep(...(await measureByDay(bench, dataDir, name)));
    if (countries <= MOST_ON_TRINO) keep(...(await measureNodes(bench, dataDir, name)));
    perCall = { finaliseCpuSeconds: cpuSecondsPerCall, observationBytes, ...measured.perCall };
  }
  const prices = JSON.parse(await readFile(projectPath(PRICES), 'utf8')) as Prices;
  keep(...[AUSTRIA_CALLS, 10 * AUSTRIA_CALLS, EUROPE_CALLS].flatMap((calls) => computeFor(calls, perCall!, prices)));
  return metrics.map((metric) => ({ ...metric, name: `europe, ${metric.name}` }));
}

/** Measures one day, and a month, of the given number of countries. */
async function measureCountries(
  bench: Bench,
  dataDir: string,
  name: string,
  { calls, bytes }: Written,
): Promise<{ metrics: Metric[]; perCall: Omit<MeasuredPerCall, 'finaliseCpuSeconds' | 'observationBytes'> }> {
  bench.progress(`${name}: which calls count, marts of the day`);
  const count = await runInChild('europe_count', { dataDir });
  const marts = await runInChild('europe_marts', { dataDir, trinoUrl: null });
  bench.progress(`${name}: a month of such days, and its last one`);
  const rows = await runInChild('europe_month', { dataDir });
  const lastDay = await runInChild('europe_last_day', { dataDir });
  bench.progress(`${name}: questions`);
  const latencies = await runInChild('europe_queries', { dataDir, trinoUrl: null });
  const metrics = [
    { name: `${name}: calls a day`, value: calls, unit: '' },
    { name: `${name}: stop events, a call`, value: bytes / calls, unit: 'bytes' },
    { name: `${name}: marts, a call`, value: marts.bytes / calls, unit: 'bytes' },
    ...toMetrics(`${name}: which calls count`, count),
    ...toMetrics(`${name}: marts of a day, DuckDB`, marts),
    { name: `${name}: rows of the marts of a month`, value: rows, unit: '' },
    { name: `${name}: marts of a month`, value: (await sizeOfFolder(martsFolder(dataDir))) / 1e6, unit: 'MB' },
    ...toMetrics(`${name}: marts of the last day of the month, DuckDB`, lastDay),
    ...toLatencyMetrics(bench, `${name}: history of a month, DuckDB`, latencies),
  ];
  return {
    metrics,
    perCall: {
      countCpuSeconds: count.cpuSeconds / calls,
      martsCpuSeconds: marts.cpuSeconds / calls,
      monthCpuSeconds: Math.max(0, lastDay.cpuSeconds - marts.cpuSeconds) / calls,
      lakeBytes: bytes / calls,
      martsBytes: marts.bytes / calls,
    },
  };
}

/** Measures the same queries on daily files of the same month. */
async function measureByDay(bench: Bench, dataDir: string, name: string): Promise<Metric[]> {
  bench.progress(`${name}: the month in files by day`);
  const bytes = await runInChild('europe_split', { dataDir });
  const latencies = await runInChild('europe_queries', { dataDir, trinoUrl: null, isByDay: true });
  return [
    { name: `${name}: marts of a month in files by day`, value: bytes / 1e6, unit: 'MB' },
    ...toLatencyMetrics(bench, `${name}: history of a month, DuckDB, files by day`, latencies),
  ];
}

/** Converts latencies to metrics; prints queries that the engine refused. */
function toLatencyMetrics(
  bench: Bench,
  name: string,
  latencies: Awaited<ReturnType<typeof measureEuropeQueries>>,
): Metric[] {
  return questionKinds.flatMap((kind): Metric[] => {
    const times = latencies[kind];
    if (typeof times === 'string') {
      bench.progress(`REFUSED: ${name}, ${kind}: ${times}`);
      return [];
    }
    return [{ name: `${name}, ${kind}: p50`, value: quantile(times, 0.5), unit: 'ms' }];
  });
}

function toMetrics(name: string, { seconds, cpuSeconds, peakBytes }: Spent): Metric[] {
  return [
    { name: `${name}: time`, value: seconds, unit: 's' },
    { name: `${name}: processor`, value: cpuSeconds, unit: 'core s' },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
  ];
}

/** Measures one worker on a national day with three observations per call. */
async function measureFinalising(
  bench: Bench,
  dataDir: string,
): Promise<{ metrics: Metric[]; cpuSecondsPerCall: number; observationBytes: number }> {
  bench.progress('observations of a national day');
  await runInChild('finalise_observations', { dataDir, day: DAY });
  bench.progress('finalising the day');
  const { seconds, cpuSeconds, rows, observationBytes, peakBytes } = await runInChild('finalise_day', { dataDir });
  const name = 'measured, one worker finalises a source and day';
  return {
    metrics: [
      { name: `${name}: calls`, value: rows, unit: '' },
      { name: `${name}: calls per second`, value: rows / seconds, unit: '1/s' },
      { name: `${name}: calls per second of a core`, value: rows / cpuSeconds, unit: '1/s' },
      { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
      { name: 'measured, three observations, a call', value: observationBytes / rows, unit: 'bytes' },
    ],
    cpuSecondsPerCall: cpuSeconds / rows,
    observationBytes: observationBytes / rows,
  };
}

interface Written {
  readonly countries: number;
  readonly calls: number;
  readonly bytes: number;
}

/** Adds countries until the lake has the given number. */
async function addCountries(
  bench: Bench,
  lake: string,
  dataDir: string,
  before: Written,
  countries: number,
): Promise<Written> {
  const sum = { ...before, countries };
  bench.progress(`a day of ${countries - before.countries} more countries`);
  for (let country = before.countries; country < countries; country++) {
    const { calls, bytes } = await runInChild('europe_country', { lake, dataDir, country });
    sum.calls += calls;
    sum.bytes += bytes;
  }
  return sum;
}

/** Measures Trino; if it cannot be started, prints that it is skipped. */
async function measureNodes(bench: Bench, dataDir: string, name: string): Promise<Metric[]> {
  const metrics: Metric[] = [];
  for (const nodes of [1, 2] as const) {
    const trino = `Trino of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
    bench.progress(`${name}: ${trino}`);
    try {
      const { marts, latencies } = await measureOnTrino(dataDir, nodes);
      metrics.push(...toMetrics(`${name}: marts of a day, ${trino}`, marts));
      metrics.push(...toLatencyMetrics(bench, `${name}: history of a month, ${trino}`, latencies));
    } catch (error) {
      bench.progress(`SKIPPED: ${name}, ${trino}: ${(error as Error).message}`);
    } finally {
      await stopServices();
    }
  }
  return metrics;
}
