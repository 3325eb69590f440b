import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlName, sqlPattern, sqlText } from '../../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { listNames } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import {
  selectPresent,
  toObservationReading,
  toPresentTypes,
  toReading,
  toStopEventReading,
} from '../observations/former-schema.ts';
import { martsFolder, observationsFolder, predictionsFolder, stopEventsFolder } from '../paths.ts';

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** In DuckDB's syntax, e.g. `DECIMAL(18,3)`. */
  readonly type: string;
}

/** Types that every format supports; nested values become JSON text. */
export type PlainType =
  | 'VARCHAR'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'BIGINT'
  | 'DOUBLE'
  | 'DATE'
  | 'TIMESTAMP'
  | 'TIMESTAMP WITH TIME ZONE';

const plainTypes: Readonly<Record<string, PlainType>> = {
  VARCHAR: 'VARCHAR',
  BOOLEAN: 'BOOLEAN',
  TINYINT: 'INTEGER',
  SMALLINT: 'INTEGER',
  INTEGER: 'INTEGER',
  UTINYINT: 'INTEGER',
  USMALLINT: 'INTEGER',
  UINTEGER: 'BIGINT',
  BIGINT: 'BIGINT',
  FLOAT: 'DOUBLE',
  DOUBLE: 'DOUBLE',
  DATE: 'DATE',
  TIMESTAMP: 'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP WITH TIME ZONE',
};

/** @returns the columns of a query, which is not run */
export async function describeColumns(db: Duckdb, select: string): Promise<ResultColumn[]> {
  const rows = await db.query(`describe ${select}`);
  return rows.map(({ column_name, column_type }) => ({ name: String(column_name), type: String(column_type) }));
}

/** Integers beyond 64 signed bits become text, decimals become doubles. */
export function toPlainType(type: string): PlainType {
  if (type.startsWith('DECIMAL')) return 'DOUBLE';
  return plainTypes[type] ?? 'VARCHAR';
}

/** Whether a type is nested: lists, structs, maps. */
function hasParts(type: string): boolean {
  return /\[\d*\]$|^(STRUCT|MAP|UNION)\(/.test(type);
}

/** A query with the same rows, every column in its plain type. */
export function toPlainSelect(columns: readonly ResultColumn[], select: string): string {
  const values = columns.map(({ name, type }) => {
    const column = sqlName(name);
    const value = hasParts(type) ? `to_json(${column})` : column;
    return `cast(${value} as ${toPlainType(type)}) as ${column}`;
  });
  return `select ${values.join(', ')} from (${select})`;
}

/** A query with the same rows, nested values as JSON text: CSV has neither lists nor structs. */
export function toFlatSelect(columns: readonly ResultColumn[], select: string): string {
  const values = columns.map(({ name, type }) => {
    const column = sqlName(name);
    return hasParts(type) ? `cast(to_json(${column}) as varchar) as ${column}` : column;
  });
  return `select ${values.join(', ')} from (${select})`;
}

export interface ExportQuestion {
  readonly table: string;
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  /** As in the column: in marts, `*` is all sources together. */
  readonly sources: readonly (SourceId | '*')[] | null;
  readonly lines: readonly string[] | null;
}

interface ExportedTable {
  readonly folder: string;
  /** Options for reading its files beyond their own columns. */
  readonly options: string;
}

/** Names of the tables that have rows. */
async function listExportTables(dataDir: string): Promise<string[]> {
  const marts = (await listNames(martsFolder(dataDir))).filter((name) => /^[a-z][a-z0-9_]*$/.test(name)).sort();
  const found: string[] = [];
  for (const name of [...Object.keys(dailyTables), ...marts]) {
    if (await holdsParquet(getTable(dataDir, name).folder)) found.push(name);
  }
  return found;
}

/** How tables with former schemas are read. */
const readings: Readonly<Record<string, typeof toReading>> = {
  observations: toObservationReading,
  stop_events: toStopEventReading,
};

/**
 * The query for some rows of a table, in the order of its files.
 * @throws ExternalError `no_such_table`; `no_such_column` where the table lacks a column of the filter
 */
export async function buildExportSelect(db: Duckdb, dataDir: string, question: ExportQuestion): Promise<string> {
  const names = await listExportTables(dataDir);
  if (!names.includes(question.table)) {
    const known = names.length > 0 ? `there are ${names.join(', ')}` : 'the lake has no table to export';
    throw new ExternalError('no_such_table', `there is no table ${question.table} with rows; ${known}`);
  }
  const { folder, options } = getTable(dataDir, question.table);
  const files = sqlPattern(folder, '**', '*.parquet');
  const relation = `read_parquet(${files}, ${options}, union_by_name = true)`;
  const described = toPresentTypes(await describeColumns(db, `select * from ${relation}`));
  const conditions = toConditions(question, new Set(Object.keys(described)));
  // Files of a former schema are included.
  const reading = (readings[question.table] ?? toReading)(described);
  const select = selectPresent(relation, reading);
  return `${select}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}`;
}

/** The sources of the exported rows; a merged row may come from any source of the table. */
export async function listExportSources(db: Duckdb, dataDir: string, question: ExportQuestion): Promise<string[]> {
  const { sources } = question;
  if (sources !== null && !sources.includes('*')) return [...sources].sort();
  const select = await buildExportSelect(db, dataDir, { ...question, sources: null });
  const rows = await db.query(`select distinct source from (${select}) where source <> '*' order by source`);
  return rows.map(({ source }) => String(source));
}

function toConditions(question: ExportQuestion, columns: ReadonlySet<string>): string[] {
  const { from, to, sources, lines } = question;
  const get = (...names: string[]) => getColumns(question.table, columns, names);
  const listOf = (values: readonly string[]) => values.map(sqlText).join(', ');
  // A table of whole months exports those that overlap the period.
  const day = columns.has('service_date') ? 'service_date' : 'month';
  const toDay = (date: ServiceDate) => `date ${sqlText(day === 'month' ? `${date.slice(0, 7)}-01` : date)}`;
  const conditions = [];
  if (from) conditions.push(`${get('service_date', 'month')[0]} >= ${toDay(from)}`);
  if (to) conditions.push(`${get('service_date', 'month')[0]} <= ${toDay(to)}`);
  if (sources) conditions.push(`${get('source')[0]} in (${listOf(sources)})`);
  if (lines) {
    const either = get('line_label', 'line', 'from_line', 'to_line').map((column) => `${column} in (${listOf(lines)})`);
    conditions.push(`(${either.join(' or ')})`);
  }
  return conditions;
}

function getColumns(table: string, columns: ReadonlySet<string>, names: readonly string[]): string[] {
  const found = names.filter((name) => columns.has(name));
  if (found.length > 0) return found;
  throw new ExternalError('no_such_column', `${table} has no column ${names[0]}, so its rows cannot be filtered by it`);
}

/** Partition folders hold source and service date of these tables; marts have all as columns. */
const BY_DAY = "hive_partitioning = true, hive_types = {'source': varchar, 'service_date': date}";
const BY_MONTH = 'hive_partitioning = false';

const dailyTables: Readonly<Record<string, (dataDir: string) => string>> = {
  stop_events: stopEventsFolder,
  observations: observationsFolder,
  predictions: predictionsFolder,
};

function getTable(dataDir: string, name: string): ExportedTable {
  const findFolder = dailyTables[name];
  if (findFolder) return { folder: findFolder(dataDir), options: BY_DAY };
  return { folder: path.join(martsFolder(dataDir), name), options: BY_MONTH };
}

async function holdsParquet(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder, { recursive: true })).some((file) => file.endsWith('.parquet'));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
