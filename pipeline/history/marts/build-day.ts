import path from 'node:path';
import { type Duckdb, readSql, sqlText } from '../../effects/duckdb.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { selectCountedRows } from '../stop-events/counted-rows.ts';
import { stopEventFile } from '../stop-events/stop-event-manifest.ts';
import { castTo, type DailyMart, dailyMarts } from './mart-tables.ts';
import type { DayInput } from './plan-months.ts';
import { dayChecks, runChecks } from './run-checks.ts';

/** Steps before the marts, each under the name of its file: tables of one day, and views that select of them. */
const steps = [
  { sql: 'stg_stop_events', kind: 'view' },
  { sql: 'int_calls', kind: 'table' },
  { sql: 'int_names', kind: 'table' },
  { sql: 'int_merged_calls', kind: 'view' },
  { sql: 'int_shared_lines', kind: 'table' },
  { sql: 'int_shared_line_calls', kind: 'table' },
  { sql: 'int_lines', kind: 'table' },
  { sql: 'int_judged_calls', kind: 'view' },
] as const;

/** Where a day's rows of a mart wait until the file of their month is written. */
export function dayPart(folder: string, mart: DailyMart, date: ServiceDate): string {
  return path.join(folder, `${mart}-${date}.parquet`);
}

/**
 * Makes the rows of one day, of all its sources, and checks them.
 * @param folder a work folder; gets a file per mart, `dayPart`
 * @returns how many rows each mart gets
 * @throws WorldError `mart_check_failed`
 */
export async function buildDay(
  db: Duckdb,
  dataDir: string,
  folder: string,
  date: ServiceDate,
  inputs: readonly DayInput[],
): Promise<Record<DailyMart, number>> {
  await db.query('set variable service_date = $date', { date });
  await createInputs(db, dataDir, date, inputs);
  for (const { sql, kind } of steps) {
    await db.run(`create or replace temp ${kind} ${sql} as ${await readSql(`pipeline/history/marts/sql/${sql}.sql`)}`);
  }
  const rows: Partial<Record<DailyMart, number>> = {};
  for (const mart of dailyMarts) {
    const select = castTo(mart, await readSql(`pipeline/history/marts/sql/${mart}.sql`));
    await db.run(`create or replace temp table ${mart} as ${select}`);
    const file = sqlText(dayPart(folder, mart, date));
    const [copied] = await db.query(`copy ${mart} to ${file} (format parquet, compression snappy)`);
    rows[mart] = Number(copied?.Count);
  }
  await runChecks(db, dayChecks, `marts of ${date}`);
  return rows as Record<DailyMart, number>;
}

async function createInputs(
  db: Duckdb,
  dataDir: string,
  date: ServiceDate,
  inputs: readonly DayInput[],
): Promise<void> {
  const names = inputs.map(({ source }) => `(${sqlText(source)})`);
  const files = inputs.map(({ source }) => ({ source, file: stopEventFile(dataDir, source, date) }));
  const select = await selectCountedRows(db, files);
  await db.run(`create or replace temp view day_stop_events as
    select getvariable('service_date')::date as service_date, * from (${select})`);
  await db.run(`
    create or replace temp table input_counts (source varchar, scheduled bigint, cancelled bigint);
    -- By name, as the first of them tells where two are as good.
    create or replace temp table day_sources as
      select 0::usmallint as number, '*' as source
      union all
      select row_number() over (order by source)::usmallint, source from (values ${names.join(', ')}) as names(source)`);
  for (const { source, scheduled, cancelled } of inputs) {
    await db.query('insert into input_counts values ($source, $scheduled, $cancelled)', {
      source,
      scheduled,
      cancelled,
    });
  }
}
