import { onTestFinished } from 'vitest';
import { type Duckdb, openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { type FeedRepairs, noRepairs } from '../../../pipeline/model/feed-fixes.ts';
import { countRefused, type TableReport } from '../../../pipeline/model/feed-report.ts';
import { buildTypedTables } from '../../../pipeline/timetable/feed/typed-tables.ts';
import { temporaryFolder } from './ingest.ts';
import type { FeedFiles } from './text-feed.ts';
import { readTextTables } from './text-table.ts';

interface Staged {
  readonly db: Duckdb;
  readonly report: readonly TableReport[];
  /** `stops 3 duplicate_id`: table, row number without the header, code. */
  readonly refused: readonly string[];
}

/** Runs only typed staging, and leaves its tables for queries. */
export async function stageFeed(files: FeedFiles, repairs: FeedRepairs = noRepairs): Promise<Staged> {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  const texts = await readTextTables(db, files, await temporaryFolder());
  const others = texts.filter(({ table }) => table !== 'stop_times');
  const report = await buildTypedTables(db, { others: Promise.resolve(others), all: Promise.resolve(texts) }, repairs);
  for (const table of report) {
    if (table.rowsIn !== table.rowsOut + countRefused(table)) throw new Error(`${table.table} loses rows`);
  }
  const rows = await db.query('select * from refused order by table_name, row_number');
  return { db, report, refused: rows.map((row) => `${row.table_name} ${row.row_number} ${row.code}`) };
}
