import { createHash } from 'node:crypto';
import { type Duckdb, readSql, type SqlRow, sqlName, sqlPath } from '../../effects/duckdb.ts';
import type { StopEventCounts } from './stop-event-manifest.ts';
import { isCallCancelled, selectStopEvents, stopEventColumns } from './stop-event-table.ts';

export interface MeasuredRows {
  readonly rows: number;
  readonly rowsHash: string;
  readonly counts: StopEventCounts;
}

/** Rows of a file of stop events of any schema version, in the present columns. */
export function readRows(file: string, options = ''): string {
  return readPresent(sqlPath(file), options);
}

function readPresent(files: string, options: string): string {
  return selectStopEvents(`read_parquet(${files}, hive_partitioning = false${options})`);
}

/**
 * Reads back the written rows: hash and counts are those of the file, not of the intended rows. They exclude which
 * calls count for all sources together, because that is determined later.
 */
export async function measureRows(db: Duckdb, file: string): Promise<MeasuredRows> {
  return (await measureFiles(db, [file])).get(file)!;
}

/** As `measureRows`, for files of one schema version. */
export async function measureFiles(db: Duckdb, files: readonly string[]): Promise<ReadonlyMap<string, MeasuredRows>> {
  // Control characters, which no value contains, separate the values and stand for null.
  const columns = Object.entries(stopEventColumns).filter(([name]) => name !== 'is_counted');
  const values = columns.map(([name, [type]]) => {
    // The text of a timestamp takes ten times as long.
    const value = type === 'TIMESTAMP WITH TIME ZONE' ? `epoch_us(${sqlName(name)})` : sqlName(name);
    return `coalesce(${value}::varchar, chr(30))`;
  });
  await db.run(
    `create or replace temp view row_texts as
     select filename, concat_ws(chr(31), ${values.join(', ')}) as row_text, is_added, evidence,
       ${isCallCancelled} as is_cancelled
     from (${readPresent(`[${files.map(sqlPath).join(', ')}]`, ', filename = true')})`,
  );
  const rows = await db.query(await readSql('pipeline/history/stop-events/sql/stop_events_hash.sql'));
  await db.run('drop view row_texts');
  const measured = new Map(rows.map((row) => [String(row.filename), toMeasured(row)]));
  return new Map(files.map((file) => [file, measured.get(file) ?? toMeasured(NO_ROWS)]));
}

/** What a file without rows would have in the result. */
const NO_ROWS: SqlRow = {
  row_count: 0,
  upper_sum: '0',
  lower_sum: '0',
  scheduled: 0,
  observed: 0,
  forecast: 0,
  cancelled: 0,
  added: 0,
};

function toMeasured({ row_count, upper_sum, lower_sum, scheduled, observed, ...rest }: SqlRow): MeasuredRows {
  const rowsHash = createHash('sha256').update(`${row_count} ${upper_sum} ${lower_sum}`).digest('hex').slice(0, 32);
  const { forecast, cancelled, added } = rest;
  const counts = { scheduled, observed, forecast, cancelled, added } as Record<keyof StopEventCounts, number>;
  return { rows: Number(row_count), rowsHash, counts };
}
