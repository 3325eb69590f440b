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
import { type measureEuropeAsks, questionKinds } from './europe-questions.ts';
import { measureOnTrino } from './europe-trino.ts';
import { benchWorkers } from './europe-workers.ts';
import { type Figure, quantile } from './figure.ts';
import { DAY, ingestTenth } from './finalise-bench.ts';
import { provideHistoryLake } from './history-lake.ts';
import { quickSize } from './national-feed.ts';

/** Held at the same time; each has as many calls a day as Austria. */
const COUNTRIES = [1, 2, 5];
const QUICK_COUNTRIES = [1, 2];
/** Trino takes many times the processor time of DuckDB for the marts of a day: one country shows how many. */
const MOST_ON_TRINO = 1;
/** Files by day are written to be compared with those by month: one country shows the difference. */
const MOST_BY_DAY = 1;
const PRICES = 'test/bench/europe-prices.json';

/**
 * Countries of Austria's size in one lake: measured as far as this machine goes, computed beyond, up to 50. Times are of
 * the processor, which another load on the machine changes little, and of the clock.
 */
export async function benchEurope(bench: Bench): Promise<Figure[]> {
  const finaliseDir = await ingestTenth(bench);
  const figures: Figure[] = [];
  // It takes long: what is measured is told at once.
  const keep = (...measured: readonly Figure[]) => {
    figures.push(...measured);
    for (const { name, value, unit } of measured) bench.tell(`  ${name}: ${value.toPrecision(4)} ${unit}`);
  };
  const { cpuSecondsPerCall, observationBytes, ...finalise } = await measureFinalising(bench, finaliseDir);
  keep(...finalise.figures);
  keep(...(await benchWorkers(bench, finaliseDir)));
  const lake = await provideHistoryLake(replayedSize, bench.tell);
  const dataDir = await bench.makeFolder();
  let written = { countries: 0, calls: 0, bytes: 0 };
  let perCall: MeasuredPerCall | null = null;
  for (const countries of bench.size === quickSize ? QUICK_COUNTRIES : COUNTRIES) {
    written = await addCountries(bench, lake, dataDir, written, countries);
    const name = `measured, ${countries} ${countries === 1 ? 'country' : 'countries'}`;
    const measured = await measureCountries(bench, dataDir, name, written);
    keep(...measured.figures);
    if (countries <= MOST_BY_DAY) keep(...(await measureByDay(bench, dataDir, name)));
    if (countries <= MOST_ON_TRINO) keep(...(await measureNodes(bench, dataDir, name)));
    perCall = { finaliseCpuSeconds: cpuSecondsPerCall, observationBytes, ...measured.perCall };
  }
  const prices = JSON.parse(await readFile(projectPath(PRICES), 'utf8')) as Prices;
  keep(...[AUSTRIA_CALLS, 10 * AUSTRIA_CALLS, EUROPE_CALLS].flatMap((calls) => computeFor(calls, perCall!, prices)));
  return figures.map((figure) => ({ ...figure, name: `europe, ${figure.name}` }));
}

/** A day of so many countries, and a month of such days. */
async function measureCountries(
  bench: Bench,
  dataDir: string,
  name: string,
  { calls, bytes }: Written,
): Promise<{ figures: Figure[]; perCall: Omit<MeasuredPerCall, 'finaliseCpuSeconds' | 'observationBytes'> }> {
  bench.tell(`${name}: which calls count, marts of the day`);
  const count = await runInChild('europe_count', { dataDir });
  const marts = await runInChild('europe_marts', { dataDir, trinoUrl: null });
  bench.tell(`${name}: a month of such days, and its last one`);
  const rows = await runInChild('europe_month', { dataDir });
  const lastDay = await runInChild('europe_last_day', { dataDir });
  bench.tell(`${name}: questions`);
  const asks = await runInChild('europe_asks', { dataDir, trinoUrl: null });
  const figures = [
    { name: `${name}: calls a day`, value: calls, unit: '' },
    { name: `${name}: stop events, a call`, value: bytes / calls, unit: 'bytes' },
    { name: `${name}: marts, a call`, value: marts.bytes / calls, unit: 'bytes' },
    ...toFigures(`${name}: which calls count`, count),
    ...toFigures(`${name}: marts of a day, DuckDB`, marts),
    { name: `${name}: rows of the marts of a month`, value: rows, unit: '' },
    { name: `${name}: marts of a month`, value: (await sizeOfFolder(martsFolder(dataDir))) / 1e6, unit: 'MB' },
    ...toFigures(`${name}: marts of the last day of the month, DuckDB`, lastDay),
    ...toAskFigures(bench, `${name}: history of a month, DuckDB`, asks),
  ];
  return {
    figures,
    perCall: {
      countCpuSeconds: count.cpuSeconds / calls,
      martsCpuSeconds: marts.cpuSeconds / calls,
      monthCpuSeconds: Math.max(0, lastDay.cpuSeconds - marts.cpuSeconds) / calls,
      lakeBytes: bytes / calls,
      martsBytes: marts.bytes / calls,
    },
  };
}

/** The same month in files by day, and the same questions to them. */
async function measureByDay(bench: Bench, dataDir: string, name: string): Promise<Figure[]> {
  bench.tell(`${name}: the month in files by day`);
  const bytes = await runInChild('europe_split', { dataDir });
  const asks = await runInChild('europe_asks', { dataDir, trinoUrl: null, isByDay: true });
  return [
    { name: `${name}: marts of a month in files by day`, value: bytes / 1e6, unit: 'MB' },
    ...toAskFigures(bench, `${name}: history of a month, DuckDB, files by day`, asks),
  ];
}

/** What an engine refuses is printed; the others are figures. */
function toAskFigures(bench: Bench, name: string, asks: Awaited<ReturnType<typeof measureEuropeAsks>>): Figure[] {
  return questionKinds.flatMap((kind): Figure[] => {
    const times = asks[kind];
    if (typeof times === 'string') {
      bench.tell(`REFUSED: ${name}, ${kind}: ${times}`);
      return [];
    }
    return [{ name: `${name}, ${kind}: p50`, value: quantile(times, 0.5), unit: 'ms' }];
  });
}

function toFigures(name: string, { seconds, cpuSeconds, peakBytes }: Spent): Figure[] {
  return [
    { name: `${name}: time`, value: seconds, unit: 's' },
    { name: `${name}: processor`, value: cpuSeconds, unit: 'core s' },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
  ];
}

/** One worker: a national day with three observations of every call. */
async function measureFinalising(
  bench: Bench,
  dataDir: string,
): Promise<{ figures: Figure[]; cpuSecondsPerCall: number; observationBytes: number }> {
  bench.tell('observations of a national day');
  await runInChild('finalise_observations', { dataDir, day: DAY });
  bench.tell('finalising the day');
  const { seconds, cpuSeconds, rows, observationBytes, peakBytes } = await runInChild('finalise_day', { dataDir });
  const name = 'measured, one worker finalises a source and day';
  return {
    figures: [
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

/** Adds what is missing of so many countries. */
async function addCountries(
  bench: Bench,
  lake: string,
  dataDir: string,
  before: Written,
  countries: number,
): Promise<Written> {
  const sum = { ...before, countries };
  bench.tell(`a day of ${countries - before.countries} more countries`);
  for (let country = before.countries; country < countries; country++) {
    const { calls, bytes } = await runInChild('europe_country', { lake, dataDir, country });
    sum.calls += calls;
    sum.bytes += bytes;
  }
  return sum;
}

/** Where Trino cannot be brought up, that is told, and the others are measured. */
async function measureNodes(bench: Bench, dataDir: string, name: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const nodes of [1, 2] as const) {
    const trino = `Trino of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
    bench.tell(`${name}: ${trino}`);
    try {
      const { marts, asks } = await measureOnTrino(dataDir, nodes);
      figures.push(...toFigures(`${name}: marts of a day, ${trino}`, marts));
      figures.push(...toAskFigures(bench, `${name}: history of a month, ${trino}`, asks));
    } catch (error) {
      bench.tell(`SKIPPED: ${name}, ${trino}: ${(error as Error).message}`);
    } finally {
      await stopServices();
    }
  }
  return figures;
}
