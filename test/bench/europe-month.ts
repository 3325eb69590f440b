import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { type MartFileFacts, readMartManifest, writeMonthFacts } from '../../pipeline/history/marts/mart-manifest.ts';
import {
  castTo,
  type DailyMart,
  dailyMarts,
  type MartName,
  martTables,
  orderOf,
} from '../../pipeline/history/marts/mart-tables.ts';
import { martFile } from '../../pipeline/lake/paths.ts';
import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { EUROPE_DAY } from './europe-lake.ts';

const MONTH = EUROPE_DAY.slice(0, 7);
export const MONTH_START = `${MONTH}-01` as ServiceDate;

/** Copies the marts of the last day of the month to all its days. @returns rows of the month */
export async function fillEuropeMonth({ dataDir }: { dataDir: string }): Promise<number> {
  const { months } = await readMartManifest(dataDir);
  const facts = months[MONTH]!;
  const days = listMonth().map((date) => [date, facts.days[EUROPE_DAY]!] as const);
  const files: Partial<Record<MartName, MartFileFacts>> = { ...facts.files };
  const db = await openMonthEngine(dataDir);
  try {
    for (const mart of dailyMarts) {
      const rows = await repeatDay(db, dataDir, mart);
      files[mart] = { rows, bytes: (await stat(martFile(dataDir, mart, MONTH))).size };
    }
  } finally {
    db.close();
  }
  await writeMonthFacts(dataDir, MONTH, { ...facts, days: Object.fromEntries(days), files });
  return Object.values(files).reduce((sum, { rows }) => sum + rows, 0);
}

/** Opens an engine with enough memory for a month of several countries. */
export function openMonthEngine(dataDir: string): Promise<Duckdb> {
  return openDuckdb({ memoryLimit: '8GB', threads: 2, temporaryFolder: path.join(dataDir, 'tmp', 'spill') });
}

/** All days of the month. */
export function listMonth(): ServiceDate[] {
  const dates: ServiceDate[] = [];
  for (let date = MONTH_START; date <= EUROPE_DAY; date = addDays(date, 1)) dates.push(date);
  return dates;
}

async function repeatDay(db: Duckdb, dataDir: string, mart: DailyMart): Promise<number> {
  const file = sqlText(martFile(dataDir, mart, MONTH));
  const dates = listMonth().map((date) => `(date ${sqlText(date)})`);
  // Read before the file is replaced by that of the month.
  await db.run(`create or replace temp table day as from read_parquet(${file}, hive_partitioning = false)`);
  const select = `select day.* replace (dates.date as service_date) from day, (values ${dates.join(', ')}) as dates(date)`;
  const [copied] = await db.query(
    `copy (from (${castTo(mart, select)}) order by ${orderOf(mart)}) to ${file}
     (format parquet, compression zstd, row_group_size ${martTables[mart].rowGroupSize})`,
  );
  return Number(copied?.Count);
}
