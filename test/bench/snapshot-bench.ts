import process from 'node:process';
import { openTimetable } from '../../api/engine/read/timetable.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { type Metric, median } from './metric.ts';

interface LoadMeasures {
  readonly seconds: number;
  readonly addedBytes: number;
  readonly totalBytes: number;
}

const RUNS = 3;

/** Measures the start of the API: reading the published snapshot, and opening it for boards and search. */
export async function benchSnapshot(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  const runs: LoadMeasures[] = [];
  for (let run = 1; run <= RUNS; run++) {
    bench.progress(`load of the ${bench.size.name} snapshot, run ${run} of ${RUNS}`);
    runs.push(await runInChild('load', { dataDir }));
  }
  const name = `load ${bench.size.name} snapshot`;
  return [
    {
      name: `${name}: time, median of 3`,
      value: median(runs.map((run) => run.seconds)),
      unit: 's',
      target: { atMost: 1 },
    },
    { name: `${name}: memory added`, value: Math.max(...runs.map((run) => run.addedBytes)) / 1e9, unit: 'GB' },
    {
      name: `${name}: memory of the process`,
      value: Math.max(...runs.map((run) => run.totalBytes)) / 1e9,
      unit: 'GB',
      target: { atMost: 1.5 },
    },
  ];
}

export async function measureLoad(dataDir: string): Promise<LoadMeasures> {
  const before = process.memoryUsage.rss();
  const started = performance.now();
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  const timetable = openTimetable(await readTimetableSnapshot(dataDir, id));
  const seconds = (performance.now() - started) / 1000;
  const totalBytes = process.memoryUsage.rss();
  if (timetable.tables.trips.service.length === 0) throw new Error('the snapshot contains no trips');
  return { seconds, addedBytes: totalBytes - before, totalBytes };
}
