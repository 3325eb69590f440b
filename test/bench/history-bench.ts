import { cp, link, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import { historySnapshotsFolder } from '../../pipeline/snapshots/history-contract.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import type { CountedMeasures } from './counted-calls.ts';
import {
  type HistorySize,
  LAST_DAY,
  listDays,
  provideHistoryLake,
  quickHistorySize,
  yearSize,
} from './history-lake.ts';
import type { BoardsBeside, HistoryLatencies, Quantiles } from './history-latencies.ts';
import { type MonthMeasures, measureDisk, provideMarts, publishBenchHistory } from './history-marts.ts';
import type { Metric } from './metric.ts';
import { quickSize } from './national-feed.ts';
import { BENCH_NOW, boardPath, readRequestedStops } from './national-questions.ts';

const QUESTIONS = 1500;

/** Measures the history: size, time to build marts, and query latency alone and beside boards. */
export async function benchHistory(
  bench: Bench,
  size: HistorySize = bench.size === quickSize ? quickHistorySize : yearSize,
): Promise<Metric[]> {
  const lake = await provideHistoryLake(size, bench.progress);
  await provideMarts(lake, size, bench.progress);
  bench.progress('rebuilding the marts of a month: a minute');
  const month = await runInChild('history_month', { dataDir: lake });
  bench.progress('queries on the counted calls');
  const counted = await runInChild('counted_calls', { dataDir: lake });
  await publishBenchHistory(lake);
  const { dataDir } = await bench.national();
  await linkFolder(historySnapshotsFolder(lake), historySnapshotsFolder(dataDir));
  const stops = await readRequestedStops(dataDir, QUESTIONS);
  const first = listDays(size).at(-1)!;
  bench.progress(`history queries on ${size.name}, then boards beside them`);
  const { result, stop } = await startInChild('api', { dataDir });
  try {
    const { origin } = result;
    const latencies = await runInChild('history_latencies', { origin, first, last: LAST_DAY });
    const paths = stops.map((id, i) => {
      // Each board has a different instant, so that none is cached.
      const time = formatTimestamp((BENCH_NOW + i) as Instant, 'Europe/Vienna');
      return `${boardPath(id)}?time=${encodeURIComponent(time)}`;
    });
    const beside = await runInChild('history_boards', { origin, first, last: LAST_DAY, paths });
    return [
      ...toDiskMetrics(await measureDisk(lake, size)),
      ...toMonthMetrics(month),
      ...toCountedMetrics(size, counted),
      ...toLatencyMetrics(size, latencies),
      ...toBoardMetrics(beside),
    ];
  } finally {
    await stop();
  }
}

/** Links every file; the pointer is copied, because it is overwritten. */
async function linkFolder(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(from, file));
    await mkdir(path.dirname(target), { recursive: true });
    if (entry.name.endsWith('.parquet')) await link(file, target);
    else await cp(file, target);
  }
}

function toDiskMetrics({ bytes, rows }: { bytes: number; rows: number }): Metric[] {
  return [
    { name: 'history: stop events per made-up day', value: rows / 28, unit: '' },
    { name: 'history: stop event on disk', value: bytes / rows, unit: 'bytes', target: { atMost: 16 } },
  ];
}

function toMonthMetrics({ seconds, days, peakBytes }: MonthMeasures): Metric[] {
  const name = `history: marts of a month of ${days} days rebuilt`;
  return [
    { name: `${name}: time`, value: seconds, unit: 's', target: { atMost: 60 } },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
  ];
}

function toCountedMetrics({ name }: HistorySize, { ratio, dayRatio, countSeconds }: CountedMeasures): Metric[] {
  const of = 'counted_calls, as many times as long as stop_events';
  return [
    { name: `${of}: ${name} by line`, value: ratio, unit: '', target: { atMost: 3 } },
    { name: `${of}: a day by line`, value: dayRatio, unit: '' },
    { name: 'history: which calls of a day count, of two sources', value: countSeconds, unit: 's' },
  ];
}

function toMetrics(name: string, { p50, p99 }: Quantiles, targets: Partial<Quantiles> = {}): Metric[] {
  const toTarget = (atMost: number | undefined) => (atMost === undefined ? {} : { target: { atMost } });
  return [
    { name: `${name}: p50`, value: p50, unit: 'ms', ...toTarget(targets.p50) },
    { name: `${name}: p99`, value: p99, unit: 'ms', ...toTarget(targets.p99) },
  ];
}

function toLatencyMetrics({ name }: HistorySize, latencies: HistoryLatencies): Metric[] {
  const of = `history of ${name} over HTTP`;
  return [
    ...toMetrics(`${of}: all lines`, latencies.allLines, { p50: 100 }),
    ...toMetrics(`${of}: one line`, latencies.oneLine, { p50: 40 }),
    ...toMetrics(`${of}: one operator`, latencies.oneOperator),
    ...toMetrics(`${of}: default period`, latencies.defaultPeriod, { p50: 2 }),
    ...toMetrics(`${of}: repeated`, latencies.repeated, { p50: 2 }),
  ];
}

function toBoardMetrics({ alone, beside, historiesPerSecond }: BoardsBeside): Metric[] {
  return [
    ...toMetrics('boards over HTTP, one after the other', alone),
    ...toMetrics('boards over HTTP beside ten questions to the history', beside, { p99: 10 }),
    { name: 'history answered meanwhile', value: historiesPerSecond, unit: '1/s' },
  ];
}
