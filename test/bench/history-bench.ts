import { cp, link, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import { historySnapshotsFolder } from '../../pipeline/snapshots/history-contract.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import type { CountedMeasures } from './counted-calls.ts';
import type { Figure } from './figure.ts';
import type { BoardsBeside, HistoryAsks, Quantiles } from './history-asks.ts';
import {
  type HistorySize,
  LAST_DAY,
  listDays,
  provideHistoryLake,
  quickHistorySize,
  yearSize,
} from './history-lake.ts';
import { type MonthMeasures, measureDisk, provideMarts, publishBenchHistory } from './history-marts.ts';
import { quickSize } from './national-feed.ts';
import { BENCH_NOW, boardPath, readAskedStops } from './national-questions.ts';

const QUESTIONS = 1500;

/** The record of past days: its size, how fast it is summed up, and how fast it answers beside the boards. */
export async function benchHistory(
  bench: Bench,
  size: HistorySize = bench.size === quickSize ? quickHistorySize : yearSize,
): Promise<Figure[]> {
  const lake = await provideHistoryLake(size, bench.tell);
  await provideMarts(lake, size, bench.tell);
  bench.tell('rebuilding the marts of a month: a minute');
  const month = await runInChild('history_month', { dataDir: lake });
  bench.tell('questions to the counted calls');
  const counted = await runInChild('counted_calls', { dataDir: lake });
  await publishBenchHistory(lake);
  const { dataDir } = await bench.national();
  await linkFolder(historySnapshotsFolder(lake), historySnapshotsFolder(dataDir));
  const stops = await readAskedStops(dataDir, QUESTIONS);
  const first = listDays(size).at(-1)!;
  bench.tell(`questions to the history of ${size.name}, then boards beside them`);
  const { result, stop } = await startInChild('api', { dataDir });
  try {
    const { origin } = result;
    const asks = await runInChild('history_asks', { origin, first, last: LAST_DAY });
    const paths = stops.map((id, i) => {
      // Each board is of another moment, so that none is answered from memory.
      const time = formatTimestamp((BENCH_NOW + i) as Instant, 'Europe/Vienna');
      return `${boardPath(id)}?time=${encodeURIComponent(time)}`;
    });
    const beside = await runInChild('history_boards', { origin, first, last: LAST_DAY, paths });
    return [
      ...toDiskFigures(await measureDisk(lake, size)),
      ...toMonthFigures(month),
      ...toCountedFigures(size, counted),
      ...toAskFigures(size, asks),
      ...toBoardFigures(beside),
    ];
  } finally {
    await stop();
  }
}

/** A second name for every file; the pointer is copied, as it is written anew. */
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

function toDiskFigures({ bytes, rows }: { bytes: number; rows: number }): Figure[] {
  return [
    { name: 'history: stop events per made-up day', value: rows / 28, unit: '' },
    { name: 'history: stop event on disk', value: bytes / rows, unit: 'bytes', target: { atMost: 16 } },
  ];
}

function toMonthFigures({ seconds, days, peakBytes }: MonthMeasures): Figure[] {
  const name = `history: marts of a month of ${days} days rebuilt`;
  return [
    { name: `${name}: time`, value: seconds, unit: 's', target: { atMost: 60 } },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB' },
  ];
}

function toCountedFigures({ name }: HistorySize, { ratio, dayRatio, countSeconds }: CountedMeasures): Figure[] {
  const of = 'counted_calls, as many times as long as stop_events';
  return [
    { name: `${of}: ${name} by line`, value: ratio, unit: '', target: { atMost: 3 } },
    { name: `${of}: a day by line`, value: dayRatio, unit: '' },
    { name: 'history: which calls of a day count, of two sources', value: countSeconds, unit: 's' },
  ];
}

function toFigures(name: string, { p50, p99 }: Quantiles, targets: Partial<Quantiles> = {}): Figure[] {
  const toTarget = (atMost: number | undefined) => (atMost === undefined ? {} : { target: { atMost } });
  return [
    { name: `${name}: p50`, value: p50, unit: 'ms', ...toTarget(targets.p50) },
    { name: `${name}: p99`, value: p99, unit: 'ms', ...toTarget(targets.p99) },
  ];
}

function toAskFigures({ name }: HistorySize, asks: HistoryAsks): Figure[] {
  const of = `history of ${name} over HTTP`;
  return [
    ...toFigures(`${of}: all lines`, asks.allLines, { p50: 100 }),
    ...toFigures(`${of}: one line`, asks.oneLine, { p50: 40 }),
    ...toFigures(`${of}: one operator`, asks.oneOperator),
    ...toFigures(`${of}: default period`, asks.defaultPeriod, { p50: 2 }),
    ...toFigures(`${of}: asked again`, asks.repeated, { p50: 2 }),
  ];
}

function toBoardFigures({ alone, beside, historiesPerSecond }: BoardsBeside): Figure[] {
  return [
    ...toFigures('boards over HTTP, one after the other', alone),
    ...toFigures('boards over HTTP beside ten questions to the history', beside, { p99: 10 }),
    { name: 'history answered meanwhile', value: historiesPerSecond, unit: '1/s' },
  ];
}
