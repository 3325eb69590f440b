import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Duckdb, openDuckdb, readSql, sqlText } from '../../pipeline/effects/duckdb.ts';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import { stopEventFile, writeStopEventManifest } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import {
  stopEventColumns,
  stopEventOrder,
  stopEventPacking,
} from '../../pipeline/history/stop-events/stop-event-table.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { addDays, isoWeekday, type ServiceDate } from '../../pipeline/model/service-time.ts';

/** Increase this whenever generated data changes, so that older lakes are regenerated. */
const LAKE_VERSION = 3;

export interface HistorySize {
  readonly name: string;
  readonly days: number;
}

export const yearSize: HistorySize = { name: 'a year', days: 366 };
/** Two months, for `--quick`. */
export const quickHistorySize: HistorySize = { name: 'two months', days: 59 };

/** The day before the current day by the clock of the benchmark. */
export const LAST_DAY = '2026-03-10' as ServiceDate;

/**
 * Number of days with distinct delays. Earlier days reuse these files under other dates: the same weekday, a multiple of
 * four weeks earlier, so that a month contains hardly any day twice.
 */
const DISTINCT_DAYS = 28;

/** The first source reports all lines, the second every tenth line again, so that there are duplicates to merge. */
const sources = [
  { name: 'live', share: 1 },
  { name: 'land', share: 10 },
] as const;

/**
 * Provides a data folder with half a million generated stop events per day, reused from earlier runs. Unlike
 * `finalise-stop-events`, it neither hashes rows nor searches for duplicates.
 * @returns path below the temporary folder of the system
 */
export async function provideHistoryLake(size: HistorySize, progress: (line: string) => void): Promise<string> {
  const folder = path.join(os.tmpdir(), `taktgeber-bench-history-v${LAKE_VERSION}-${size.days}`);
  if (existsSync(folder)) return folder;
  const started = performance.now();
  const unfinished = `${folder}.${process.pid}.tmp`;
  progress(`generating ${size.days} days of stop events: two minutes, 0.2 GB; the marts of a year take another 1 GB`);
  await rm(unfinished, { recursive: true, force: true });
  const db = await openDuckdb({ memoryLimit: '3GB', temporaryFolder: path.join(unfinished, 'spill') });
  try {
    await db.run(await readSql('test/bench/sql/made_up_timetable.sql'));
    const [distinct, others] = [listDays(size).filter(isDistinct), listDays(size).filter((date) => !isDistinct(date))];
    for (const date of distinct) await provideDay(db, unfinished, date);
    const settings = { memoryLimit: '3GB', threads: 0 };
    await countDays({ dataDir: unfinished, settings, from: null, to: null, log: { progress, warn: progress } });
    // Linked to the same files, whose counted calls are already selected.
    for (const date of others) await provideDay(db, unfinished, date);
  } finally {
    db.close();
  }
  await rename(unfinished, folder);
  progress(`generated in ${((performance.now() - started) / 1000).toFixed(0)} s: ${folder}`);
  return folder;
}

/** All days of the lake, newest first. */
export function listDays({ days }: HistorySize): ServiceDate[] {
  return Array.from({ length: days }, (_, i) => addDays(LAST_DAY, -i));
}

/** Whether a day has its own rows. */
export function isDistinct(date: ServiceDate): boolean {
  return date > addDays(LAST_DAY, -DISTINCT_DAYS);
}

async function provideDay(db: Duckdb, dataDir: string, date: ServiceDate): Promise<void> {
  for (const { name, share } of sources) {
    const file = stopEventFile(dataDir, toSourceId(name), date);
    await mkdir(path.dirname(file), { recursive: true });
    if (isDistinct(date)) await writeDay(db, file, date, { name, share });
    else await link(stopEventFile(dataDir, toSourceId(name), templateOf(date)), file);
    await writeManifest(db, dataDir, name, date, file);
  }
}

/** The day whose rows a day reuses. */
export function templateOf(date: ServiceDate): ServiceDate {
  let template = date;
  while (!isDistinct(template)) template = addDays(template, DISTINCT_DAYS);
  return template;
}

async function writeDay(
  db: Duckdb,
  file: string,
  date: ServiceDate,
  { name, share }: { readonly name: string; readonly share: number },
): Promise<void> {
  const weekday = isoWeekday(date);
  await db.run(`
    set variable day = date ${sqlText(date)};
    set variable day_kind = ${weekday === 7 ? 2 : weekday === 6 ? 1 : 0};
    set variable source_name = ${sqlText(name)};
    set variable source_share = ${share}`);
  const columns = Object.entries(stopEventColumns)
    .filter(([column]) => column !== 'is_counted')
    .map(([column, [type]]) => `cast(${column} as ${type}) as ${column}`);
  const select = `select ${columns.join(', ')} from (${await readSql('test/bench/sql/made_up_day.sql')})`;
  await db.run(`copy (from (${select}) order by ${stopEventOrder}) to ${sqlText(file)} (${stopEventPacking})`);
}

async function writeManifest(db: Duckdb, dataDir: string, source: string, date: ServiceDate, file: string) {
  const [row] = await db.query(`
    select count(*)::double as scheduled, count(delay_seconds)::double as observed,
      count(*) filter (evidence = 'forecast')::double as forecast, count(*) filter (arrival_is_cancelled or departure_is_cancelled)::double as cancelled
    from read_parquet(${sqlText(file)}, hive_partitioning = false)`);
  const { scheduled, observed, forecast, cancelled } = row as Record<string, number>;
  await writeStopEventManifest(dataDir, {
    sourceId: toSourceId(source),
    serviceDate: date,
    kind: 'realtime',
    rulesVersion: 1,
    inputs: [],
    rows: scheduled!,
    rowsIn: scheduled!,
    refused: {},
    rowsHash: `made up for ${templateOf(date)}`,
    counts: { scheduled: scheduled!, observed: observed!, forecast: forecast!, cancelled: cancelled!, added: 0 },
    builtAt: '2026-03-11T04:00:00.000Z',
  });
}
