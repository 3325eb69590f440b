import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  DuckDBTypeId,
  type Json,
  StatementType,
} from '@duckdb/node-api';
import {
  allowFiles,
  allowFolders,
  connectInUtc,
  createInstance,
  type DuckdbOptions,
  openInterruption,
  sqlName,
  sqlText,
} from './duckdb.ts';
import { ExternalError } from './external-error.ts';

/** A view over the files of one table. */
export interface ParquetView {
  readonly schema: string;
  readonly name: string;
  /** A pattern of files, e.g. `/data/lake/gtfs/stops/**` + `/*.parquet`; partitions become columns. */
  readonly files: string;
  /** False for files whose own columns contain the partition values. */
  readonly hasPartitions?: boolean;
  /** Types of partition columns other than text. */
  readonly partitionTypes?: Readonly<Record<string, 'date'>>;
  /** Selects from the relation of the files; all of it by default. */
  readonly select?: (relation: string) => string;
}

/** A view of a table that has no files yet. */
export interface EmptyView {
  readonly schema: string;
  readonly name: string;
  /** Types by column. */
  readonly columns: Readonly<Record<string, string>>;
}

/** A view over another one. */
export interface DerivedView {
  readonly name: string;
  /** In the schema `main`. */
  readonly of: string;
  readonly select: string;
}

/** Rows in result order, a few thousand at a time. */
export interface SqlResult {
  readonly columns: readonly SqlResultColumn[];
  /** Values as JSON: integers beyond 2^53 and types that JSON lacks are texts. */
  readonly batches: AsyncIterable<readonly (readonly Json[])[]>;
}

interface SqlResultColumn {
  readonly name: string;
  readonly isNumeric: boolean;
}

export interface ReadOnlyDuckdb {
  /**
   * Runs statements one after the other; each result is passed on before the next one runs.
   * @throws ExternalError `sql_failed` with DuckDB's message; `sql_empty`; `sql_not_allowed` for a statement that could
   * write
   */
  query(sql: string, onResult: (result: SqlResult) => Promise<void>): Promise<void>;
  /**
   * Creates a view of one query.
   * @returns its columns, types by name
   * @throws ExternalError as `query` does; `sql_not_allowed` for anything but one query
   */
  createView(name: string, sql: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes the rows of one query to `ReadableWorld.output`.
   * @param options further ones of COPY
   * @returns the number of rows
   * @throws ExternalError as `query` does; `sql_not_allowed` for anything but one query
   */
  writeParquet(sql: string, options: string): Promise<number>;
  /** Interrupts the running statement; its `query` then throws. */
  interrupt(): void;
  close(): void;
}

/** Opens an engine on the tables of the lake. */
export type OpenLake = (limits: {
  /** The only file that it can write; `null` for none. */
  readonly outputFile: string | null;
  /** Time limit of each statement. */
  readonly timeLimitSeconds: number;
}) => Promise<ReadOnlyDuckdb>;

/** Other statements could write files, open further ones or change the settings. */
const ALLOWED_STATEMENTS: readonly StatementType[] = [
  StatementType.SELECT,
  StatementType.EXPLAIN,
  StatementType.CREATE,
  StatementType.DROP,
];

/** Files and views that a read-only engine can access; it can read nothing else of the machine. */
export interface ReadableEffects {
  /** Folders whose files can be read. */
  readonly folders?: readonly string[];
  /** Single files that can be read. */
  readonly files?: readonly string[];
  readonly views?: readonly ParquetView[];
  /** Ignored where the underlying view does not exist. */
  readonly derived?: readonly DerivedView[];
  readonly empty?: readonly EmptyView[];
  /** Finds the table that a misspelt name most likely stands for; absent: DuckDB's suggestion stays. */
  readonly suggest?: (name: string, known: readonly string[]) => string | null;
  /** SQL of further views, by name. */
  readonly queries?: Readonly<Record<string, string>>;
  /** The only file that `writeParquet` can write, or an empty folder for partitioned files. */
  readonly output?: string | null;
  readonly engine?: DuckdbOptions;
}

/**
 * Opens an in-memory engine that can read the given Parquet files and nothing else of the machine. Tables and views can
 * be created in it; they exist in memory only.
 */
export async function openReadOnlyDuckdb(world: ReadableEffects): Promise<ReadOnlyDuckdb> {
  const { folders = [], files = [], output = null, engine = {} } = world;
  const instance = await createInstance(engine);
  const connection = await connectInUtc(instance);
  const interruption = openInterruption(connection, engine.signal);
  const close = () => {
    interruption.close();
    connection.closeSync();
    instance.closeSync();
  };
  try {
    for (const view of world.views ?? []) await connection.run(createView(view));
    for (const view of world.derived ?? []) await deriveView(connection, view);
    for (const view of world.empty ?? []) await connection.run(createEmptyView(view));
    for (const [name, sql] of Object.entries(world.queries ?? {})) {
      await connection.run(`create view ${sqlName(name)} as ${sql}`);
    }
    await connection.run(`set allowed_directories = ${allowFolders([...folders, ...(output ? [output] : [])])}`);
    await connection.run(`set allowed_paths = ${allowFiles([...files, ...(output ? [output] : [])])}`);
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
  } catch (error) {
    close();
    throw toExternalError(error);
  }
  const naming = <Answer>(run: () => Promise<Answer>) => suggestTables(connection, world.suggest, run);
  return {
    query: (sql, onResult) => naming(() => runStatements(connection, sql, onResult)),
    createView: (name, sql) =>
      naming(async () => {
        await createQueryView(connection, name, sql);
        return readTypes(connection, name);
      }),
    writeParquet: (sql, options) => {
      if (output === null) throw new Error('no output file was given');
      return naming(() => writeParquet(connection, sql, output, options));
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
  select = (relation) => `select * from ${relation}`,
}: ParquetView): string {
  const relation = `${sqlName(schema)}.${sqlName(name)}`;
  const types = Object.entries(partitionTypes).map(([column, type]) => `${sqlName(column)}: ${type}`);
  const options = [
    `hive_partitioning = ${hasPartitions}`,
    'hive_types_autocast = false',
    'union_by_name = true',
    ...(types.length > 0 ? [`hive_types = {${types.join(', ')}}`] : []),
  ];
  const rows = select(`read_parquet(${sqlText(files)}, ${options.join(', ')})`);
  return `create schema if not exists ${sqlName(schema)}; create view ${relation} as ${rows}`;
}

function createEmptyView({ schema, name, columns }: EmptyView): string {
  const nulls = Object.entries(columns).map(([column, type]) => `null::${type} as ${sqlName(column)}`);
  const relation = `${sqlName(schema)}.${sqlName(name)}`;
  return `create schema if not exists ${sqlName(schema)}; create view ${relation} as select ${nulls.join(', ')} where false`;
}

async function deriveView(connection: DuckDBConnection, { name, of, select }: DerivedView): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select 1 from duckdb_views() where schema_name = 'main' and view_name = ${sqlText(of)}`,
  );
  if (reader.currentRowCount > 0) await connection.run(`create view ${sqlName(name)} as ${select}`);
}

async function runStatements(
  connection: DuckDBConnection,
  sql: string,
  onResult: (result: SqlResult) => Promise<void>,
): Promise<void> {
  const statements = await extractStatements(connection, sql);
  for (let index = 0; index < statements.count; index++) {
    // Prepared one by one: a statement may depend on the result of the one before.
    const statement = await withExternalErrors(() => statements.prepare(index));
    await assertReadOnly(connection, statement, sql);
    const result = await withExternalErrors(() => statement.stream());
    const hasRows = [StatementType.SELECT, StatementType.EXPLAIN].includes(statement.statementType);
    if (hasRows) await onResult(toSqlResult(result));
    else await withExternalErrors(() => result.fetchAllChunks());
  }
}

async function extractStatements(connection: DuckDBConnection, sql: string): Promise<DuckDBExtractedStatements> {
  try {
    return await connection.extractStatements(sql);
  } catch (error) {
    // The engine has no message for a text without a statement, e.g. one of comments only.
    const isEmpty = error instanceof Error && error.message.endsWith('Error in native callback');
    throw isEmpty ? new ExternalError('sql_empty', 'there is no statement', { cause: error }) : toExternalError(error);
  }
}

async function createQueryView(connection: DuckDBConnection, name: string, sql: string): Promise<void> {
  const statements = await extractStatements(connection, sql);
  const isQuery =
    statements.count === 1 &&
    (await withExternalErrors(() => statements.prepare(0))).statementType === StatementType.SELECT;
  if (!isQuery) throw notAllowed('anything but one query');
  // CREATE VIEW accepts the statement as typed, with a semicolon or comment at its end.
  await withExternalErrors(() => connection.run(`create or replace temp view ${sqlName(name)} as ${sql}`));
}

/** Types by column. DESCRIBE would report an untyped `null` as a number, and the catalog is slow. */
async function readTypes(connection: DuckDBConnection, view: string): Promise<ReadonlyMap<string, string>> {
  const typeOfEach = `select typeof(columns(own.*)) from (values (1)) left join (from temp.${sqlName(view)} limit 0) as own on true`;
  const reader = await withExternalErrors(() => connection.runAndReadAll(typeOfEach));
  const types = reader.getRows()[0] ?? [];
  return new Map(reader.columnNames().map((name, index) => [name, String(types[index])]));
}

async function writeParquet(connection: DuckDBConnection, sql: string, to: string, options: string): Promise<number> {
  await createQueryView(connection, 'rows_to_write', sql);
  const copy = `copy (from temp.rows_to_write) to ${sqlText(to)} (format parquet, ${options})`;
  const reader = await withExternalErrors(() => connection.runAndReadAll(copy));
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

/** `explain analyze` runs the explained statement, so that must be a query too. */
async function explainsQuery(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const explained = /^\s*explain(?:\s+analyze\b|\s*\([^()]*\))?\s+(.*)$/is.exec(sql)?.[1];
  if (explained === undefined) return false;
  const statements = await extractStatements(connection, explained);
  if (statements.count !== 1) return false;
  return (await withExternalErrors(() => statements.prepare(0))).statementType === StatementType.SELECT;
}

function notAllowed(what: string): ExternalError {
  return new ExternalError('sql_not_allowed', `${what} is not allowed here: the lake is only read`);
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
  for (
    let next = await withExternalErrors(() => batches.next());
    !next.done;
    next = await withExternalErrors(() => batches.next())
  ) {
    yield next.value.map((row) => row.map((value, index) => toNumberIfExact(value, types[index]!)));
  }
}

/** DuckDB returns wide numbers as texts; those that JavaScript represents exactly become numbers. */
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

/** DuckDB's message about a missing table, with its suggestion, which may be a table of DuckDB's catalog. */
const MISSING_TABLE = /^Catalog Error: Table with name (\S+) does not exist!\n(?:Did you mean "[^\n]*\n)?/;

/** Suggests tables of the lake instead of DuckDB's, where a statement names a table that does not exist. */
async function suggestTables<Answer>(
  connection: DuckDBConnection,
  suggest: ReadableEffects['suggest'],
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    const [found, name] = (error instanceof ExternalError && MISSING_TABLE.exec(error.message)) || [];
    if (!suggest || !(error instanceof ExternalError) || found === undefined || name === undefined) throw error;
    const nearest = suggest(name, await listTables(connection));
    const hint = nearest === null ? '"show all tables" lists all' : `did you mean ${nearest}?`;
    const message = `there is no table ${name}: ${hint}\n${error.message.slice(found.length)}`.trimEnd();
    throw new ExternalError(error.code, message, { cause: error });
  }
}

/** Names as statements have them. */
async function listTables(connection: DuckDBConnection): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    "select if(schema_name = 'main', view_name, schema_name || '.' || view_name) from duckdb_views() where not internal",
  );
  return reader.getRows().map(([name]) => String(name));
}

async function withExternalErrors<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    throw toExternalError(error);
  }
}

function toExternalError(error: unknown): ExternalError {
  const words = error instanceof Error ? error.message : String(error);
  return new ExternalError('sql_failed', words.replace(/^Failed to extract statements: /, ''), { cause: error });
}
