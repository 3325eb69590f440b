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
import { median } from './figure.ts';
import { LAST_DAY } from './history-lake.ts';

export interface CountedMeasures {
  /** How many times as long as of all stop events a question to the counted calls takes. */
  readonly ratio: number;
  /** The same of one day, where the files are looked at as long as they are read. */
  readonly dayRatio: number;
  /** To work out which calls count of a day that two sources tell of, and to write it. */
  readonly countSeconds: number;
}

const ROUNDS = 7;

/** Asks the lake as its catalog gives it to anybody; both questions in turns, so that a busy machine is busy for both. */
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
  const ask = (relation: string) => timeQuery(db, relation, where);
  const times = { stop_events: [] as number[], counted_calls: [] as number[] };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const relation of ['stop_events', 'counted_calls'] as const) {
      const milliseconds = await ask(relation);
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

/** The last day once more, as it was before its files were looked at together. */
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
  if (counted.length !== 1) throw new Error('the day was not counted');
  await rm(copy, { recursive: true });
  return seconds;
}
