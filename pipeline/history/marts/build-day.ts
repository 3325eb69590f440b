import path from 'node:path';
import { type Duckdb, sqlText } from '../../effects/duckdb.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { selectCountedRows } from '../stop-events/counted-rows.ts';
import { stopEventFile } from '../stop-events/stop-event-manifest.ts';
import { type BuiltDay, daySteps, selectDayInputs } from './day-steps.ts';
import type { MartDefinition } from './definitions.ts';
import { castTo, type DailyMart, dailyMarts } from './mart-tables.ts';
import type { DayInput } from './plan-months.ts';
import { readMartSql } from './read-mart-sql.ts';
import { fetchDay, type RemoteMarts } from './remote-day.ts';
import { dayChecks, runChecks, stepChecks } from './run-checks.ts';

interface DayPlace {
  readonly dataDir: string;
  /** A work folder; gets a file per mart, `dayPart`. */
  readonly folder: string;
  readonly definitions: readonly MartDefinition[];
  /** Null: the day is computed here. */
  readonly remote: RemoteMarts | null;
}

/** File for a day's rows of a mart until the file of the month is written. */
export function dayPart(folder: string, mart: DailyMart, date: ServiceDate): string {
  return path.join(folder, `${mart}-${date}.parquet`);
}

/**
 * Builds the rows of one day, of all its sources, and checks them.
 * @returns number of rows of each mart
 * @throws ExternalError `mart_check_failed`; those of `RemoteMarts`
 */
export async function buildDay(
  db: Duckdb,
  { dataDir, folder, definitions, remote }: DayPlace,
  date: ServiceDate,
  inputs: readonly DayInput[],
): Promise<Record<DailyMart, number>> {
  const day: BuiltDay = { date, inputs, definitions };
  for (const [name, select] of Object.entries(selectDayInputs(day))) await createTable(db, name, select);
  const fetched = remote ? await fetchDay(db, remote, day, folder) : null;
  if (!fetched) await computeSteps(db, dataDir, day);
  const rows: Partial<Record<DailyMart, number>> = {};
  for (const mart of dailyMarts) {
    await createTable(db, mart, castTo(mart, fetched?.[mart] ?? (await readMartSql(mart, 'duckdb'))));
    const file = sqlText(dayPart(folder, mart, date));
    const [copied] = await db.query(`copy ${mart} to ${file} (format parquet, compression snappy)`);
    rows[mart] = Number(copied?.Count);
  }
  await runChecks(db, fetched ? dayChecks : [...stepChecks, ...dayChecks], `marts of ${date}`);
  return rows as Record<DailyMart, number>;
}

async function createTable(db: Duckdb, name: string, select: string): Promise<void> {
  await db.run(`create or replace temp table ${name} as ${select}`);
}

async function computeSteps(db: Duckdb, dataDir: string, { date, inputs }: BuiltDay): Promise<void> {
  const files = inputs.map(({ source }) => ({ source, file: stopEventFile(dataDir, source, date) }));
  const select = await selectCountedRows(db, files);
  await db.run(`create or replace temp view day_stop_events as
    select date ${sqlText(date)} as service_date, * from (${select})`);
  for (const { sql, kind } of daySteps) {
    await db.run(`create or replace temp ${kind} ${sql} as ${await readMartSql(sql, 'duckdb')}`);
  }
}
