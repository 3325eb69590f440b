import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  DuckDBTypeId,
  type Json,
  StatementType,
} from '@duckdb/node-api';
import { allowFolders, connectInUtc, sqlName, sqlText } from './duckdb.ts';
import { interruptAtExit } from './interrupt-at-exit.ts';
import { WorldError } from './world-error.ts';

/** Files of one table, offered under a name. */
export interface ParquetView {
  readonly schema: string;
  readonly name: string;
  /** A pattern of files, e.g. `/data/lake/gtfs/stops/**` + `/*.parquet`; partitions become columns. */
  readonly files: string;
  /** False for files that have in their own columns what their folders say. */
  readonly hasPartitions?: boolean;
  /** Types of partition columns that are no text. */
  readonly partitionTypes?: Readonly<Record<string, 'date'>>;
  /** SQL in place of what a column says in the files. */
  readonly replacements?: Readonly<Record<string, string>>;
}

/** Rows as they come, a few thousand at a time. */
export interface SqlResult {
  readonly columns: readonly SqlResultColumn[];
  /** Values fit for JSON: whole numbers beyond 2^53 and everything without a JSON type are texts. */
  readonly batches: AsyncIterable<readonly (readonly Json[])[]>;
}

export interface SqlResultColumn {
  readonly name: string;
  readonly isNumeric: boolean;
}

export interface ReadOnlyDuckdb {
  /**
   * Runs statements one after the other; each result is handed over before the next one runs.
   * @throws WorldError `sql_failed` with DuckDB's own words; `sql_not_allowed` for a statement that could write
   */
  query(sql: string, onResult: (result: SqlResult) => Promise<void>): Promise<void>;
  /**
   * Writes the rows of one query to the file that was named when the engine was opened.
   * @param facts a further option of COPY: what is to be said of the file in its metadata
   * @returns the number of rows
   * @throws WorldError as `query` does; `sql_not_allowed` for anything but one query
   */
  writeParquet(sql: string, facts: string): Promise<number>;
  /** Gives the running statement up; its `query` then throws. */
  interrupt(): void;
  close(): void;
}

/** A statement of another kind could write files, open other ones, or change what is allowed. */
const ALLOWED_STATEMENTS: readonly StatementType[] = [
  StatementType.SELECT,
  StatementType.EXPLAIN,
  StatementType.CREATE,
  StatementType.DROP,
];

/**
 * An engine in memory over Parquet files that can read them and nothing else of the machine.
 * Tables and views of one's own can be made; they live in memory and end with it.
 * @param folders the only folders whose files can be read
 * @param outputFile the only file that can be written, and by `writeParquet` alone
 */
export async function openReadOnlyDuckdb(
  folders: readonly string[],
  views: readonly ParquetView[],
  outputFile: string | null = null,
): Promise<ReadOnlyDuckdb> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await connectInUtc(instance);
  const stopWatching = interruptAtExit(() => connection.interrupt());
  const close = () => {
    stopWatching();
    connection.closeSync();
    instance.closeSync();
  };
  try {
    for (const view of views) await connection.run(createView(view));
    await connection.run(`set allowed_directories = ${allowFolders(folders)}`);
    if (outputFile) await connection.run(`set allowed_paths = [${sqlText(outputFile)}]`);
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
  } catch (error) {
    close();
    throw toWorldError(error);
  }
  return {
    query: (sql, onResult) => runStatements(connection, sql, onResult),
    writeParquet: (sql, facts) => {
      if (outputFile === null) throw new Error('no file to write to was named');
      return writeParquet(connection, sql, outputFile, facts);
    },
    interrupt: () => connection.interrupt(),
    close,
  };
}

function createView({
  schema,
  name,
  files,
  hasPartitions = true,
  partitionTypes = {},
  replacements = {},
}: ParquetView): string {
  const relation = `${sqlName(schema)}.${sqlName(name)}`;
  const types = Object.entries(partitionTypes).map(([column, type]) => `${sqlName(column)}: ${type}`);
  const options = [
    `hive_partitioning = ${hasPartitions}`,
    'hive_types_autocast = false',
    'union_by_name = true',
    ...(types.length > 0 ? [`hive_types = {${types.join(', ')}}`] : []),
  ];
  const replaced = Object.entries(replacements).map(([column, value]) => `${value} as ${sqlName(column)}`);
  const select = `select *${replaced.length > 0 ? ` replace (${replaced.join(', ')})` : ''}`;
  const source = `read_parquet(${sqlText(files)}, ${options.join(', ')})`;
  return `create schema if not exists ${sqlName(schema)}; create view ${relation} as ${select} from ${source}`;
}

async function runStatements(
  connection: DuckDBConnection,
  sql: string,
  onResult: (result: SqlResult) => Promise<void>,
): Promise<void> {
  const statements = await asked(() => connection.extractStatements(sql));
  for (let index = 0; index < statements.count; index++) {
    // Prepared one by one: a statement may need what the one before it made.
    const statement = await asked(() => statements.prepare(index));
    await assertReadOnly(connection, statement, sql);
    const result = await asked(() => statement.stream());
    const isTold = [StatementType.SELECT, StatementType.EXPLAIN].includes(statement.statementType);
    if (isTold) await onResult(toSqlResult(result));
    else await asked(() => result.fetchAllChunks());
  }
}

async function writeParquet(connection: DuckDBConnection, sql: string, file: string, facts: string): Promise<number> {
  const statements = await asked(() => connection.extractStatements(sql));
  const isQuery =
    statements.count === 1 && (await asked(() => statements.prepare(0))).statementType === StatementType.SELECT;
  if (!isQuery) throw notAllowed('writing the rows of anything but one query');
  // A view takes the statement as it was typed, with a semicolon or a comment at its end.
  await asked(() => connection.run(`create or replace temp view rows_to_write as ${sql}`));
  const options = `format parquet, compression zstd, use_tmp_file false, ${facts}`;
  const copy = `copy (from rows_to_write) to ${sqlText(file)} (${options})`;
  const reader = await asked(() => connection.runAndReadAll(copy));
  return Number(reader.getRows()[0]?.[0]);
}

async function assertReadOnly(
  connection: DuckDBConnection,
  { statementType }: DuckDBPreparedStatement,
  sql: string,
): Promise<void> {
  if (!ALLOWED_STATEMENTS.includes(statementType)) throw notAllowed(StatementType[statementType].toLowerCase());
  if (statementType === StatementType.EXPLAIN && !(await explainsQuery(connection, sql))) {
    throw notAllowed('explaining anything but one query');
  }
}

/** `explain analyze` runs what it explains, so that must be a query too. */
async function explainsQuery(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const explained = /^\s*explain(?:\s+analyze\b|\s*\([^()]*\))?\s+(.*)$/is.exec(sql)?.[1];
  if (explained === undefined) return false;
  const statements = await asked(() => connection.extractStatements(explained));
  if (statements.count !== 1) return false;
  return (await asked(() => statements.prepare(0))).statementType === StatementType.SELECT;
}

function notAllowed(what: string): WorldError {
  return new WorldError('sql_not_allowed', `${what} is not allowed here: the lake is only read`);
}

function toSqlResult(result: DuckDBResult): SqlResult {
  const types = result.columnTypes().map(({ typeId }) => typeId);
  const names = result.deduplicatedColumnNames();
  return {
    columns: names.map((name, index) => ({ name, isNumeric: NUMERIC_TYPES.has(types[index]!) })),
    batches: readBatches(result, types),
  };
}

async function* readBatches(result: DuckDBResult, types: readonly DuckDBTypeId[]): AsyncIterable<Json[][]> {
  const batches = result.yieldRowsJson()[Symbol.asyncIterator]();
  for (let next = await asked(() => batches.next()); !next.done; next = await asked(() => batches.next())) {
    yield next.value.map((row) => row.map((value, index) => toNumberIfExact(value, types[index]!)));
  }
}

/** DuckDB hands wide numbers over as texts; those that JavaScript holds exactly become numbers. */
function toNumberIfExact(value: Json, type: DuckDBTypeId): Json {
  if (typeof value !== 'string' || !WIDE_NUMBER_TYPES.has(type)) return value;
  const digits = value.replace(/[-.]/g, '').replace(/^0+/, '').length;
  return digits <= 15 ? Number(value) : value;
}

const WIDE_NUMBER_TYPES: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
]);

const NUMERIC_TYPES: ReadonlySet<DuckDBTypeId> = new Set([
  ...WIDE_NUMBER_TYPES,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
]);

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw toWorldError(error);
  }
}

function toWorldError(error: unknown): WorldError {
  const words = error instanceof Error ? error.message : String(error);
  return new WorldError('sql_failed', words.replace(/^Failed to extract statements: /, ''), { cause: error });
}
