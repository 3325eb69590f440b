import { sqlText } from '../../pipeline/effects/duckdb.ts';
import { expandSql } from '../../pipeline/effects/sql-dialects/expand-sql.ts';
import { toTrinoLiteral, toTrinoName } from '../../pipeline/effects/sql-dialects/trino-text.ts';
import type { Columns, PreparedSql, SqlValues } from './history-engine.ts';
import type { Column, ColumnKind } from './render-columns.ts';

/** A statement on the tables of `catalog.sql` (`marts.line_daily`), in SQL that every engine accepts, with `$` parameters. */
export interface Statement {
  readonly sql: string;
  /** Its parameters; may contain others. */
  readonly values: SqlValues;
}

/**
 * One chart: a statement whose result is its numbers. Readers of the lake are shown the statement that the service
 * runs on the files of its snapshot.
 */
export interface Chart extends Statement {
  /** Columns of the result, in their order. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

const PARAMETER = /\$(\w+)/g;
const MART = /\bmarts\.(\w+)/g;

/** The statement with its values in place, as a reader of the lake runs it. */
export function renderForReaders({ sql, values }: Chart): string {
  return expandSql(sql, 'duckdb').replaceAll(PARAMETER, (_, name: string) => toLiteral(values[name]!));
}

function toLiteral(value: SqlValues[string]): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? sqlText(value) : `[${value.map(sqlText).join(', ')}]`;
}

/**
 * The statement for DuckDB, on files and loaded tables.
 * @param listFiles paths of the files of a table, or null
 * @param loaded names of tables in memory, which are read instead of files
 * @returns null if a table has neither files nor a place in memory, so the query has no rows
 */
export function prepareForDuckdb(
  { sql, values }: Statement,
  listFiles: (table: string) => readonly string[] | null,
  loaded: ReadonlyMap<string, string> = new Map(),
): PreparedSql | null {
  const files: Record<string, readonly string[]> = {};
  for (const [, table] of sql.matchAll(MART)) {
    if (loaded.has(table!)) continue;
    const found = listFiles(table!);
    if (found === null) return null;
    files[`files_${table}`] = found;
  }
  const prepared = sql.replaceAll(
    MART,
    (_, table: string) => loaded.get(table) ?? `read_parquet($files_${table}, hive_partitioning = false)`,
  );
  return { sql: expandSql(prepared, 'duckdb'), values: { ...values, ...files } };
}

/**
 * The statement for Trino. Texts of requests stay texts: each value is inserted once, as one literal.
 * @param versions ids of Iceberg snapshots by table
 * @param files of the history; a table without any cannot be queried
 * @returns null when a table has no file
 */
export function prepareForTrino(
  { sql, values }: Statement,
  catalog: string,
  versions: ReadonlyMap<string, number>,
  files: readonly { readonly table: string }[],
): string | null {
  for (const [, table] of sql.matchAll(MART)) {
    if (!files.some((file) => file.table === table)) return null;
  }
  const prepared = expandSql(sql, 'trino').replaceAll(MART, (_, table: string) => {
    const name = [catalog, 'marts', table].map(toTrinoName).join('.');
    return `${name} for version as of ${versions.get(table)}`;
  });
  return prepared.replaceAll(PARAMETER, (_, name: string) => toTrinoLiteral(values[name]!));
}

/** @param result null: there is no table, so the result has no rows */
export function toColumns({ columns }: Chart, result: Columns | null): Column[] {
  return Object.entries(columns).map(([name, kind]) => ({
    name,
    kind,
    values: (result?.[name] ?? []).map((value) => toValue(kind, value)),
  }));
}

function toValue(kind: ColumnKind, value: unknown): string | number | null {
  if (value === null) return null;
  if (kind === 'day') return String(value);
  if (kind === 'instant') return toTimestamp(value as { readonly micros: bigint });
  return typeof value === 'bigint' ? Number(value) : (value as string | number);
}

function toTimestamp({ micros }: { readonly micros: bigint }): string {
  return new Date(Number(micros / 1000n)).toISOString().replace('.000Z', 'Z');
}

/** Rows as objects, by the names of their columns. */
export function toRows(columns: readonly Column[]): Readonly<Record<string, string | number | null>>[] {
  const count = columns[0]?.values.length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[row]!])),
  );
}
