import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Duckdb, openDuckdb, sqlPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { writeLakeGuide } from '../../pipeline/guide/write-lake-guide.ts';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import {
  findStopEventManifest,
  stopEventFile,
  writeStopEventManifest,
} from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { lakeFolder, workFolder } from '../../pipeline/lake/paths.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { LAST_DAY } from './history-lake.ts';
import { median } from './metric.ts';

export interface CountedMeasures {
  /** Duration of a query on counted calls, relative to the same query on all stop events. */
  readonly ratio: number;
  /** The same for a single day, where opening files takes as long as reading them. */
  readonly dayRatio: number;
  /** Seconds to select and write the counted calls of a day that two sources report. */
  readonly countSeconds: number;
}

const ROUNDS = 7;

/** Queries the lake through its catalog. The two queries alternate, so that load on the machine affects both. */
export async function measureCountedCalls({ dataDir }: { dataDir: string }): Promise<CountedMeasures> {
  await writeLakeGuide(dataDir);
  const db = await openDuckdb();
  try {
    await db.run(`set variable lake = ${sqlText(lakeFolder(dataDir))}`);
    await db.run(await readFile(path.join(lakeFolder(dataDir), 'catalog.sql'), 'utf8'));
    const ratio = await compare(db, '');
    const dayRatio = await compare(db, `where service_date = date ${sqlText(LAST_DAY)}`);
    return { ratio, dayRatio, countSeconds: await measureCounting(db, dataDir) };
  } finally {
    db.close();
  }
}

async function compare(db: Duckdb, where: string): Promise<number> {
  const time = (relation: string) => timeQuery(db, relation, where);
  const times = { stop_events: [] as number[], counted_calls: [] as number[] };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const relation of ['stop_events', 'counted_calls'] as const) {
      const milliseconds = await time(relation);
      if (round > 0) times[relation].push(milliseconds);
    }
  }
  return median(times.counted_calls) / median(times.stop_events);
}

async function timeQuery(db: Duckdb, relation: string, where: string): Promise<number> {
  const started = performance.now();
  const rows = await db.query(
    `select line_label, count(*) as calls, avg(delay_seconds) as delay from ${relation} ${where} group by line_label`,
  );
  if (rows.length < 1000) throw new Error(`${relation} has ${rows.length} lines`);
  return performance.now() - started;
}

/** The last day before the counted calls were selected. */
async function measureCounting(db: Duckdb, dataDir: string): Promise<number> {
  const copy = path.join(workFolder(dataDir), 'bench-count');
  await rm(copy, { recursive: true, force: true });
  for (const source of ['live', 'land'].map(toSourceId)) {
    const file = stopEventFile(copy, source, LAST_DAY);
    await mkdir(path.dirname(file), { recursive: true });
    await db.run(`copy (select * exclude (is_counted)
      from read_parquet(${sqlPath(stopEventFile(dataDir, source, LAST_DAY))}, hive_partitioning = false))
      to ${sqlText(file)} (format parquet, compression zstd)`);
    await writeStopEventManifest(copy, (await findStopEventManifest(dataDir, source, LAST_DAY))!);
  }
  const settings = { memoryLimit: '1500MB', threads: 0 };
  const started = performance.now();
  const counted = await countDays({
    dataDir: copy,
    settings,
    from: null,
    to: null,
    log: { progress: () => {}, warn: () => {} },
  });
  const seconds = (performance.now() - started) / 1000;
  if (counted.length !== 1) throw new Error('no counted calls were selected for the day');
  await rm(copy, { recursive: true });
  return seconds;
}
