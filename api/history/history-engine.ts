import { type DuckDBConnection, DuckDBInstance, type DuckDBValue, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { allowFolders, connectInUtc } from '../../pipeline/effects/duckdb.ts';
import { clientGone, serviceStopping, timeLimitPassed } from '../contract/overload-problems.ts';
import { openWorkerPool, type PoolLimits, type TaskControl, type WhenGone } from './worker-pool.ts';

export interface HistoryLimits extends PoolLimits {
  /** Threads of the engine, shared by all connections. */
  readonly threads: number;
  /** DuckDB's syntax, e.g. `512MB`. */
  readonly memoryLimit: string;
}

/** Parameters of a statement: numbers, texts, lists of texts; null is an omitted text. */
export type SqlValues = Readonly<Record<string, number | string | null | readonly string[]>>;

/** A result column by column; sums are numbers, and small enough to be exact. */
export type Columns = Readonly<Record<string, readonly unknown[]>>;

export type QuerySql = (sql: string, values: SqlValues) => Promise<Columns>;

/** DuckDB over read-only files, off the thread of the requests. */
export interface HistoryEngine {
  /** @throws as `WorkerPool.work` */
  work<Result>(task: (query: QuerySql) => Promise<Result>, whenGone: WhenGone): Promise<Result>;
  /** Waiting queries. */
  readonly queueDepth: number;
  close(): Promise<void>;
}

/** @param folders the only folders that it can read */
export async function openHistoryEngine(folders: readonly string[], limits: HistoryLimits): Promise<HistoryEngine> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    threads: String(limits.threads),
    memory_limit: limits.memoryLimit,
    // A query beyond the memory limit fails: answers are small, and a request must not fill the disk.
    temp_directory: '',
  });
  const connections = await openConnections(instance, folders, limits.maxConcurrent).catch((error) => {
    // It is opened again when it is needed again, and what is left of this one would take its memory.
    instance.closeSync();
    throw error;
  });
  const pool = openWorkerPool({
    workers: connections,
    limits,
    interrupt: (connection) => connection.interrupt(),
    refusals: { timeLimitPassed, serviceStopping, clientGone },
  });
  return {
    work: (task, whenGone) =>
      pool.work((connection, control) => task((sql, values) => queryOne(connection, control, sql, values)), whenGone),
    get queueDepth() {
      return pool.queueDepth;
    },
    async close() {
      await pool.close();
      for (const connection of connections) connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Connections that can read the folders and nothing else. */
async function openConnections(
  instance: DuckDBInstance,
  folders: readonly string[],
  count: number,
): Promise<DuckDBConnection[]> {
  const connections: DuckDBConnection[] = [];
  for (let i = 0; i < count; i++) connections.push(await connectInUtc(instance));
  const [first] = connections;
  // Files of a snapshot never change, so their metadata can be cached.
  await first!.run('set parquet_metadata_cache = true');
  await first!.run(`set allowed_directories = ${allowFolders(folders)}`);
  await first!.run('set enable_external_access = false');
  await first!.run('set lock_configuration = true');
  return connections;
}

async function queryOne(db: DuckDBConnection, control: TaskControl, sql: string, values: SqlValues): Promise<Columns> {
  control.check();
  const bound: Record<string, DuckDBValue> = {};
  const types: Record<string, typeof VARCHAR | ReturnType<typeof LIST>> = {};
  for (const [name, value] of Object.entries(values)) {
    // A statement rejects unused parameters.
    if (!sql.includes(`$${name}`)) continue;
    bound[name] = Array.isArray(value) ? listValue(value) : (value as DuckDBValue);
    if (Array.isArray(value)) types[name] = LIST(VARCHAR);
    else if (typeof value !== 'number') types[name] = VARCHAR;
  }
  const reader = await db.runAndReadAll(sql, bound, types);
  control.check();
  const columns = reader.getColumns();
  // A result without rows has no columns either.
  return Object.fromEntries(reader.columnNames().map((name, i) => [name, columns[i] ?? []]));
}
