import path from 'node:path';
import { globPath } from '../../pipeline/effects/duckdb.ts';
import { martSnapshotFile } from '../../pipeline/snapshots/mart-snapshot.ts';
import { prepareForDuckdb } from './chart.ts';
import { readStatements } from './compose-statement.ts';
import type { LoadedTables, PreparedSql } from './history-engine.ts';
import type { MartReaderParts } from './mart-reader.ts';

/** Tables in memory; each is made from one mart. */
const names = ['network_hourly', 'line_monthly'] as const;

/** Larger marts, all months together, are not loaded. 1,500 lines of three sources take 2 MB of memory per month. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

type TableSql = Readonly<Record<(typeof names)[number], string>>;

export const readTableSql = (): Promise<TableSql> => readStatements('tables', names);

/** Loads the tables that most queries of a snapshot read. Marts that are too large stay in files. */
export async function loadTables({ engine, folder, files }: MartReaderParts, sql: TableSql): Promise<LoadedTables> {
  const listFiles = (mart: string) => {
    const ofMart = files.filter(({ table }) => table === mart);
    const bytes = ofMart.reduce((sum, file) => sum + file.bytes, 0);
    if (ofMart.length === 0 || bytes > MAX_FILE_BYTES) return null;
    return ofMart.map((file) => globPath(path.join(folder, martSnapshotFile(file))));
  };
  const selects: Record<string, PreparedSql> = {};
  for (const name of names) {
    const prepared = prepareForDuckdb({ sql: sql[name], values: {} }, listFiles);
    if (prepared) selects[name] = prepared;
  }
  return engine.loadTables(selects);
}
