import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { ExternalError } from './external-error.ts';
import type { InsertColumn } from './insert-columns.ts';
import { interruptAtExit } from './process-identity.ts';
import { readProjectFile } from './project-files.ts';

/** Loads the engine when it is first used: every command imports this file, and most need no engine. */
async function loadEngine() {
  const engine = await import('@duckdb/node-api');
  // The package would print instants with the UTC offset that this machine has today, in winter and summer alike.
  engine.DuckDBTimestampTZValue.timezoneOffsetInMinutes = 0;
  return engine;
}

export type SqlValue = DuckDBValue;
export type SqlRow = Record<string, DuckDBValue>;

/** One DuckDB connection: an embedded engine, no server. Close it when done. */
export interface Duckdb {
  /** Its options, to open a second engine alike. */
  readonly options: DuckdbOptions;
  /**
   * A second connection to the same engine, for statements that run beside those of this one. They share threads, memory
   * limit and views, but not temporary tables. Close it before this one.
   */
  openBeside(): Promise<Duckdb>;
  /** Runs one or more statements and discards their results. */
  run(sql: string): Promise<void>;
  /** Rows as objects; for small results only. Values are bound, never pasted. */
  query(sql: string, values?: Record<string, SqlValue>): Promise<SqlRow[]>;
  /**
   * Streams a result column by column, for results of millions of rows.
   * @param onChunk receives the row count and a reader of the i-th column of this chunk
   */
  streamColumns(
    sql: string,
    onChunk: (rowCount: number, column: (index: number) => ColumnChunk) => void,
  ): Promise<void>;
  /** The same for readers that wait between chunks. A chunk is valid until the next one is requested. */
  readChunks(sql: string): AsyncIterable<RowChunk>;
  /**
   * Appends rows to a table, column by column, for millions of rows.
   * @param columns in the table's order, of the types of `InsertColumn`; all of equal length
   */
  insertColumns(table: string, columns: readonly InsertColumn[]): Promise<void>;
  close(): void;
}

/** At most 2,048 values of a column, as DuckDB holds them. */
export interface ColumnChunk {
  /** The values in place, for columns of numbers and times; undefined content where a value is null. */
  readonly items:
    | Int8Array
    | Uint8Array
    | Int16Array
    | Uint16Array
    | Int32Array
    | Uint32Array
    | Float32Array
    | Float64Array
    | BigInt64Array
    | BigUint64Array
    | null;
  isNull(row: number): boolean;
  get(row: number): DuckDBValue;
}

/** Rows of a result, column by column. */
interface RowChunk {
  readonly rowCount: number;
  column(index: number): ColumnChunk;
}

export interface DuckdbOptions {
  /** Threads; 0 or absent: one per core that this process may use. */
  readonly threads?: number;
  /** DuckDB's own spelling, e.g. `2GB`; beyond it, work spills to `temporaryFolder`. */
  readonly memoryLimit?: string;
  readonly temporaryFolder?: string;
  /** Interrupts the running statement and refuses further ones; each throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens an in-memory database; the tables themselves are Parquet files. */
export async function openDuckdb(options: DuckdbOptions = {}): Promise<Duckdb> {
  const instance = await createInstance(options);
  return openConnection(instance, options, () => instance.closeSync());
}

/** Creates an in-memory database that downloads no extensions. */
export async function createInstance(options: DuckdbOptions): Promise<DuckDBInstance> {
  const settings: Record<string, string> = {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  };
  const threads = options.threads || findAllowedCores();
  if (threads) settings.threads = String(threads);
  if (options.memoryLimit) settings.memory_limit = options.memoryLimit;
  if (options.temporaryFolder) settings.temp_directory = options.temporaryFolder;
  const { DuckDBInstance } = await loadEngine();
  return DuckDBInstance.create(':memory:', settings);
}

/**
 * Cores that this process may use, where these are fewer than the machine has: the engine counts the cores of the
 * machine, and threads that share a core double its processor time by waiting for each other.
 * @returns null where the engine's own count is right
 */
function findAllowedCores(): number | null {
  const allowed = availableParallelism();
  return allowed < cpus().length ? allowed : null;
}

/** Opens a connection whose results do not depend on the time zone of this machine. */
export async function connectInUtc(instance: DuckDBInstance): Promise<DuckDBConnection> {
  await loadEngine();
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return connection;
}

/** @param onClose closes the instance, if the connection is its first */
async function openConnection(instance: DuckDBInstance, options: DuckdbOptions, onClose = () => {}): Promise<Duckdb> {
  const connection = await connectInUtc(instance);
  const interruption = openInterruption(connection, options.signal);
  const { guard } = interruption;
  return {
    options,
    openBeside: () => openConnection(instance, options),
    run: async (sql) => {
      await guard(() => connection.run(sql));
    },
    query: async (sql, values) => {
      const reader = await guard(() => connection.runAndReadAll(sql, values));
      return reader.getRowObjects();
    },
    streamColumns: async (sql, onChunk) => {
      for await (const { rowCount, column } of readChunks(connection, guard, sql)) onChunk(rowCount, column);
    },
    readChunks: (sql) => readChunks(connection, guard, sql),
    insertColumns: async (table, columns) => {
      const { insertColumns } = await import('./insert-columns.ts');
      return guard(() => insertColumns(connection, table, columns));
    },
    close: () => {
      interruption.close();
      connection.closeSync();
      onClose();
    },
  };
}

/** The engine divides a table into pieces of this many rows; a thread works on a piece. */
export const ROWS_PER_THREAD = 122_880;

/**
 * Runs a task on one thread of the engine. A statement over few rows uses no more, but the thread that waits for it
 * takes as much processor time as the one that works.
 */
export async function withOneThread<Result>(db: Duckdb, task: () => Promise<Result>): Promise<Result> {
  const [setting] = await db.query("select current_setting('threads') as threads");
  await db.run('set threads = 1');
  try {
    return await task();
  } finally {
    await db.run(`set threads = ${Number(setting?.threads)}`);
  }
}

/** Messages of the engine for a damaged Parquet file; the engine has no error type for this. */
const DAMAGED_PARQUET =
  /be a Parquet file|magic bytes|Failed to read file .*\.parquet|Out of buffer|don't know what type|TProtocolException|Variable-length int over|Corrupt/i;

/** Words of the system for a full disk, as the engine passes them on. */
const NO_SPACE = /No space left on device|Disk quota exceeded/;

/** Converts errors of disk, memory and damaged files to `ExternalError`; all others are returned unchanged. */
export function convertEngineError(cause: unknown): unknown {
  const [kind, ...words] = (cause instanceof Error ? cause.message.split('\n')[0]! : '').split(': ');
  if (kind === 'IO Error') {
    const code = words[0]!.startsWith('No files found') ? 'file_missing' : 'disk_failed';
    const sentence = words.join(': ');
    return new ExternalError(code, sentence, { cause, isRetryable: NO_SPACE.test(sentence) });
  }
  if (/^Invalid/.test(kind ?? '') && DAMAGED_PARQUET.test(words.join(': '))) {
    return new ExternalError('file_damaged', `a Parquet file is damaged: ${words.join(': ')}`, { cause });
  }
  if (kind !== 'Out of Memory Error') return cause;
  return new ExternalError('out_of_memory', `the memory limit of DuckDB is too low (${words.join(': ')})`, { cause });
}

/** Runs one step of work on a connection, unless the signal has aborted. */
type Guard = <Result>(step: () => Promise<Result>) => Promise<Result>;

const INTERRUPT_AGAIN_MILLISECONDS = 50;

/** Interrupts the running statement of a connection when the signal aborts or the process ends. */
export function openInterruption(connection: DuckDBConnection, signal: AbortSignal | undefined) {
  const interrupt = () => connection.interrupt();
  let again: NodeJS.Timeout | undefined;
  const onAbort = () => {
    interrupt();
    // A statement that starts at the same time loses the interrupt.
    again = setInterval(interrupt, INTERRUPT_AGAIN_MILLISECONDS);
    again.unref();
  };
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  // A process that exits waits for the running statement, however long that takes.
  const stopWatching = interruptAtExit(interrupt);
  const guard: Guard = async (step) => {
    signal?.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      signal?.throwIfAborted();
      throw convertEngineError(error);
    }
  };
  const close = () => {
    clearInterval(again);
    signal?.removeEventListener('abort', onAbort);
    stopWatching();
  };
  return { guard, close };
}

async function* readChunks(connection: DuckDBConnection, guard: Guard, sql: string): AsyncIterable<RowChunk> {
  const result = await guard(() => connection.stream(sql));
  const nextChunk = () => guard(() => result.fetchChunk());
  for (let chunk = await nextChunk(); chunk && chunk.rowCount > 0; chunk = await nextChunk()) {
    const current = chunk;
    yield {
      rowCount: current.rowCount,
      column: (index) => {
        const vector = current.getColumnVector(index);
        // A vector holds the values as they are in memory, and separately which of them are valid.
        const { items, validity } = vector as { items?: unknown; validity?: { itemValid(row: number): boolean } };
        return {
          items: (items ?? null) as ColumnChunk['items'],
          isNull: (row) => (validity ? !validity.itemValid(row) : vector.getItem(row) === null),
          get: (row) => vector.getItem(row),
        };
      },
    };
  }
}

/** A text as an SQL literal, for places where DuckDB accepts no bound value, e.g. the target of COPY. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Escapes a path for SQL functions that read files, which take it for a pattern: only the file of that name matches.
 * @throws ExternalError `path_not_readable`: DuckDB patterns cannot escape a backslash that is part of a name
 */
export function globPath(literal: string): string {
  if (path.sep === '/' && literal.includes('\\')) {
    throw new ExternalError('path_not_readable', `the engine reads no path with a backslash, such as ${literal}`);
  }
  return literal.replaceAll(/[[*?]/g, '[$&]');
}

/** The path of a file to be read, as an SQL literal. */
export function sqlPath(file: string): string {
  return sqlText(globPath(file));
}

/** A pattern of files below a folder, as an SQL literal. */
export function sqlPattern(folder: string, ...pattern: readonly string[]): string {
  return sqlText(path.join(globPath(folder), ...pattern));
}

/**
 * Value of `allowed_directories`: each folder as it is and escaped as a pattern, because the engine checks the pattern
 * and then each file that it finds.
 */
export function allowFolders(folders: readonly string[]): string {
  const allowed = folders.flatMap((folder) => [...new Set([folder, globPath(folder)])]);
  return `[${allowed.map((folder) => sqlText(`${folder}/`)).join(', ')}]`;
}

/** Value of `allowed_paths`: each file as it is and escaped as a pattern. */
export function allowFiles(files: readonly string[]): string {
  const allowed = files.flatMap((file) => [...new Set([file, globPath(file)])]);
  return `[${allowed.map(sqlText).join(', ')}]`;
}

/** A name as an SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The text of a project's `.sql` file; `name` as in `pipeline/timetable/feed/sql/stops.sql`. */
export async function readSql(name: string): Promise<string> {
  return readProjectFile(name);
}
