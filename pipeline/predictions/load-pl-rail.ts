import { type Duckdb, readSql, sqlPath, sqlText } from '../effects/duckdb.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type ReadRuns, readRunTable } from './read-run-table.ts';

/**
 * Reads an archive of final times in the layout `pl_rail`: one row per call, planned moments in UTC and delays in
 * seconds. Of rows that the protocol does not count (cancelled, delays of four hours and more, or none, implausible) the
 * plan alone is taken: who stands at an instant does not know yet that a call will be cancelled.
 * @param from first service date, `to` the last one, both included
 */
export async function loadPlRail(db: Duckdb, file: string, from: ServiceDate, to: ServiceDate): Promise<ReadRuns> {
  await db.run(`create or replace temp view archive as from read_parquet(${sqlPath(file)})`);
  await db.run(`create or replace temp table window_days as
    select date ${sqlText(from)} as first_day, date ${sqlText(to)} as last_day`);
  const select = await readSql('pipeline/predictions/sql/pl_rail_calls.sql');
  await db.run(`create or replace temp table run_calls as ${select}`);
  return readRunTable(db);
}
