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

export interface PreparedSql {
  readonly sql: string;
  readonly values: SqlValues;
}

/** A result column by column; sums are numbers, and small enough to be exact. */
export type Columns = Readonly<Record<string, readonly unknown[]>>;

export type QuerySql = (sql: string, values: SqlValues) => Promise<Columns>;

/** Tables in memory. */
export interface LoadedTables {
  /** Their names, by the keys of their statements. */
  readonly names: ReadonlyMap<string, string>;
  /** Call it when no further query will read them. A later load drops them, once running and waiting queries have ended. */
  release(): void;
}

/** DuckDB over read-only files, off the thread of the requests. */
export interface HistoryEngine {
  /** @throws as `WorkerPool.work` */
  work<Result>(task: (query: QuerySql) => Promise<Result>, whenGone: WhenGone): Promise<Result>;
  /** Creates tables in memory from statements. */
  loadTables(selects: Readonly<Record<string, PreparedSql>>): Promise<LoadedTables>;
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
  const opened = await openConnections(instance, folders, limits.maxConcurrent + 1).catch((error) => {
    // It is opened again when it is needed again, and what is left of this one would take its memory.
    instance.closeSync();
    throw error;
  });
  const [loading, ...connections] = opened;
  const pool = openWorkerPool({
    workers: connections,
    limits,
    interrupt: (connection) => connection.interrupt(),
    refusals: { timeLimitPassed, serviceStopping, clientGone },
  });
  return {
    work: (task, whenGone) =>
      pool.work((connection, control) => task((sql, values) => queryOne(connection, control, sql, values)), whenGone),
    loadTables: openTableLoader(loading!, limits.timeLimitSeconds),
    get queueDepth() {
      return pool.queueDepth;
    },
    async close() {
      await pool.close();
      for (const connection of opened) connection.closeSync();
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

/** @param limitSeconds time limit of queries: after it, no query that began before a release needs the tables */
function openTableLoader(db: DuckDBConnection, limitSeconds: number): HistoryEngine['loadTables'] {
  let count = 0;
  let released: { readonly name: string; readonly at: number }[] = [];
  const dropUnused = async () => {
    const isUnused = ({ at }: { readonly at: number }) => performance.now() - at > limitSeconds * 1000;
    const unused = released.filter(isUnused);
    released = released.filter((table) => !unused.includes(table));
    for (const { name } of unused) await db.run(`drop table if exists ${name}`);
  };
  return async (selects) => {
    await dropUnused();
    const names = new Map<string, string>();
    const release = () => {
      const at = performance.now();
      released.push(...[...names.values()].map((name) => ({ name, at })));
    };
    try {
      for (const [key, { sql, values }] of Object.entries(selects)) {
        const name = `loaded_${count++}`;
        await runBound(db, `create table ${name} as\n${sql}`, values);
        names.set(key, name);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { names, release };
  };
}

async function queryOne(db: DuckDBConnection, control: TaskControl, sql: string, values: SqlValues): Promise<Columns> {
  control.check();
  const reader = await runBound(db, sql, values);
  control.check();
  const columns = reader.getColumns();
  // A result without rows has no columns either.
  return Object.fromEntries(reader.columnNames().map((name, i) => [name, columns[i] ?? []]));
}

async function runBound(db: DuckDBConnection, sql: string, values: SqlValues) {
  const bound: Record<string, DuckDBValue> = {};
  const types: Record<string, typeof VARCHAR | ReturnType<typeof LIST>> = {};
  for (const [name, value] of Object.entries(values)) {
    // A statement rejects unused parameters.
    if (!sql.includes(`$${name}`)) continue;
    bound[name] = Array.isArray(value) ? listValue(value) : (value as DuckDBValue);
    if (Array.isArray(value)) types[name] = LIST(VARCHAR);
    else if (typeof value !== 'number') types[name] = VARCHAR;
  }
  return db.runAndReadAll(sql, bound, types);
}
