import { readFile } from 'node:fs/promises';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { stopServices } from '../interop/services/service.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { replayedSize } from './europe-lake.ts';
import type { Spent } from './europe-marts.ts';
import { AUSTRIA_CALLS, computeFor, EUROPE_CALLS, type MeasuredPerCall, type Prices } from './europe-model.ts';
import { measureOnTrino } from './europe-trino.ts';
import { benchWorkers } from './europe-workers.ts';
import { type Figure, quantile } from './figure.ts';
import { DAY, ingestTenth } from './finalise-bench.ts';
import { provideHistoryLake } from './history-lake.ts';
import { quickSize } from './national-feed.ts';

/** Held at the same time; each has as many calls a day as Austria. */
const COUNTRIES = [1, 2, 5, 10];
const QUICK_COUNTRIES = [1, 2];
/** Trino with its processes beside everything else on one machine. */
const MOST_ON_TRINO = 2;
const PRICES = 'test/bench/europe-prices.json';

/**
 * Countries of Austria's size in one lake: measured as far as this machine goes, computed beyond, up to 50. Times are of
 * the processor, which another load on the machine changes little, and of the clock.
 */
export async function benchEurope(bench: Bench): Promise<Figure[]> {
  const finaliseDir = await ingestTenth(bench);
  const finalise = await measureFinalising(bench, finaliseDir);
  const lake = await provideHistoryLake(replayedSize, bench.tell);
  const dataDir = await bench.makeFolder();
  const figures: Figure[] = [];
  // It takes long: what is measured is told at once.
  const keep = (...measured: readonly Figure[]) => {
    figures.push(...measured);
    for (const { name, value, unit } of measured) bench.tell(`  ${name}: ${value.toPrecision(4)} ${unit}`);
  };
  keep(...finalise.figures);
  keep(...(await benchWorkers(bench, finaliseDir)));
  let written = { countries: 0, calls: 0, bytes: 0 };
  let perCall: MeasuredPerCall | null = null;
  for (const countries of bench.size === quickSize ? QUICK_COUNTRIES : COUNTRIES) {
    written = await addCountries(bench, lake, dataDir, written, countries);
    bench.tell(`${countries} countries: counted calls, marts, questions`);
    const count = await runInChild('europe_count', { dataDir });
    const marts = await runInChild('europe_marts', { dataDir, trinoUrl: null });
    const rows = await runInChild('europe_month', { dataDir });
    const asked = await runInChild('europe_asks', { dataDir, trinoUrl: null });
    const name = `measured, ${countries} countries`;
    const onTrino = countries <= MOST_ON_TRINO ? await measureBoth(bench, dataDir, name) : [];
    const lakeBytes = written.bytes / written.calls;
    const martsBytes = marts.bytes / written.calls;
    keep(
      { name: `${name}: calls a day`, value: written.calls, unit: '' },
      { name: `${name}: stop events, a call`, value: lakeBytes, unit: 'bytes' },
      { name: `${name}: marts, a call`, value: martsBytes, unit: 'bytes' },
      ...toFigures(`${name}: which calls count`, count),
      ...toFigures(`${name}: marts of a day, DuckDB`, marts),
      { name: `${name}: rows of line_daily in 28 days`, value: rows, unit: '' },
      { name: `${name}: a question to 28 days, DuckDB, p50`, value: quantile(asked, 0.5), unit: 'ms' },
      ...onTrino,
    );
    perCall = {
      finaliseCpuSeconds: finalise.cpuSecondsPerCall,
      countCpuSeconds: count.cpuSeconds / written.calls,
      martsCpuSeconds: marts.cpuSeconds / written.calls,
      lakeBytes,
      martsBytes,
    };
  }
  const prices = JSON.parse(await readFile(projectPath(PRICES), 'utf8')) as Prices;
  const computed = [AUSTRIA_CALLS, 10 * AUSTRIA_CALLS, EUROPE_CALLS].flatMap((calls) =>
    computeFor(calls, perCall!, prices),
  );
  return [...figures, ...computed].map((figure) => ({ ...figure, name: `europe, ${figure.name}` }));
}

function toFigures(name: string, { seconds, cpuSeconds, peakBytes }: Spent): Figure[] {
  return [
    { name: `${name}: time`, value: seconds, unit: 's' },
    { name: `${name}: processor`, value: cpuSeconds, unit: 'core s' },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
  ];
}

/** One worker: a national day with three sightings of every call. */
async function measureFinalising(
  bench: Bench,
  dataDir: string,
): Promise<{ figures: Figure[]; cpuSecondsPerCall: number }> {
  bench.tell('sightings of a national day');
  await runInChild('finalise_sightings', { dataDir, day: DAY });
  bench.tell('finalising the day');
  const { seconds, cpuSeconds, rows, peakBytes } = await runInChild('finalise_day', { dataDir });
  const name = 'measured, one worker finalises a source and day';
  return {
    figures: [
      { name: `${name}: calls`, value: rows, unit: '' },
      { name: `${name}: calls per second`, value: rows / seconds, unit: '1/s' },
      { name: `${name}: calls per second of a core`, value: rows / cpuSeconds, unit: '1/s' },
      { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
    ],
    cpuSecondsPerCall: cpuSeconds / rows,
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
async function measureBoth(bench: Bench, dataDir: string, name: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const nodes of [1, 2] as const) {
    bench.tell(`${name}: Trino with ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`);
    try {
      const { askMilliseconds, ...spent } = await measureOnTrino(dataDir, nodes);
      const on = `Trino of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
      figures.push(...toFigures(`${name}: marts of a day, ${on}`, spent), {
        name: `${name}: a question to 28 days, ${on}, p50`,
        value: askMilliseconds,
        unit: 'ms',
      });
    } catch (error) {
      bench.tell(`SKIPPED: ${name}, Trino with ${nodes}: ${(error as Error).message}`);
    } finally {
      await stopServices();
    }
  }
  return figures;
}
