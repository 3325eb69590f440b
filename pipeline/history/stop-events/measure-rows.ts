import { createHash } from 'node:crypto';
import { type Duckdb, readSql, sqlName, sqlPath } from '../../effects/duckdb.ts';
import { readInPresentTypes, selectReplaced } from '../../lake/observations/former-schema.ts';
import type { StopEventCounts } from './stop-event-manifest.ts';
import { stopEventColumns } from './stop-event-table.ts';

export interface MeasuredRows {
  readonly rows: number;
  readonly rowsHash: string;
  readonly counts: StopEventCounts;
}

/** Rows of a file of stop events of any schema, in the present types. */
export function readRows(file: string, options = ''): string {
  const rows = `read_parquet(${sqlPath(file)}, hive_partitioning = false${options})`;
  return `select ${selectReplaced(readInPresentTypes(stopEventColumns))} from ${rows}`;
}

/**
 * Reads back what was written: hash and counts are of the file, not of what was meant to be in it. Which calls count
 * for all sources together is no part of it, because that is found out later.
 * @param select yields the columns of the table
 */
export async function measureRows(db: Duckdb, select: string): Promise<MeasuredRows> {
  // Signs that no value holds part the values, and another stands for null.
  const told = Object.entries(stopEventColumns).filter(([name]) => name !== 'is_counted');
  const values = told.map(([name, [type]]) => {
    // The text of an instant takes ten times as long.
    const value = type === 'TIMESTAMP WITH TIME ZONE' ? `epoch_us(${sqlName(name)})` : sqlName(name);
    return `coalesce(${value}::varchar, chr(30))`;
  });
  await db.run(
    `create or replace temp view row_texts as
     select concat_ws(chr(31), ${values.join(', ')}) as row_text, is_added, is_cancelled, evidence
     from (${select})`,
  );
  const [row] = await db.query(await readSql('pipeline/history/stop-events/sql/stop_events_hash.sql'));
  await db.run('drop view row_texts');
  const { row_count, upper_sum, lower_sum, scheduled, observed, forecast, cancelled, added } = row!;
  const rowsHash = createHash('sha256').update(`${row_count} ${upper_sum} ${lower_sum}`).digest('hex').slice(0, 32);
  const counts = { scheduled, observed, forecast, cancelled, added } as Record<keyof StopEventCounts, number>;
  return { rows: Number(row_count), rowsHash, counts };
}
