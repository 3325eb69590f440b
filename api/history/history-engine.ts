import { type DuckDBConnection, DuckDBInstance, type DuckDBValue, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { allowFolders, connectInUtc } from '../../pipeline/effects/duckdb.ts';
import { clientGone, serviceStopping, timeLimitPassed } from '../planning/planning.ts';
import { openPlaces, type PlaceLimits, type Turn, type WhenGone } from './places.ts';

export interface HistoryLimits extends PlaceLimits {
  /** Threads of the engine, for all places together. */
  readonly threads: number;
  /** DuckDB's own spelling, e.g. `512MB`. */
  readonly memoryLimit: string;
}

/** What a statement is asked with: numbers, texts, lists of texts; null is a text that is not given. */
export type SqlValues = Readonly<Record<string, number | string | null | readonly string[]>>;

/** A result column by column; sums are numbers, and small enough to be exact. */
export type Columns = Readonly<Record<string, readonly unknown[]>>;

export type AskSql = (sql: string, values: SqlValues) => Promise<Columns>;

/** DuckDB over files that are only read, away from the thread of the requests. */
export interface HistoryEngine {
  /** @throws as `Places.work` */
  work<Result>(task: (ask: AskSql) => Promise<Result>, whenGone: WhenGone): Promise<Result>;
  close(): Promise<void>;
}

/** @param folder the only one whose files it can read */
export async function openHistoryEngine(folder: string, limits: HistoryLimits): Promise<HistoryEngine> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    threads: String(limits.threads),
    memory_limit: limits.memoryLimit,
    // What does not fit is refused: answers are small, and a request must not fill the disk.
    temp_directory: '',
  });
  const places: DuckDBConnection[] = [];
  for (let i = 0; i < limits.maxConcurrent; i++) places.push(await connectInUtc(instance));
  const [first] = places;
  // Files of a snapshot never change, so what was read of them once holds.
  await first!.run('set parquet_metadata_cache = true');
  await first!.run(`set allowed_directories = ${allowFolders([folder])}`);
  await first!.run('set enable_external_access = false');
  await first!.run('set lock_configuration = true');
  const desk = openPlaces({
    places,
    limits,
    interrupt: (connection) => connection.interrupt(),
    refusals: { timeLimitPassed, serviceStopping, clientGone },
  });
  return {
    work: (task, whenGone) =>
      desk.work((connection, turn) => task((sql, values) => askOne(connection, turn, sql, values)), whenGone),
    async close() {
      await desk.close();
      for (const connection of places) connection.closeSync();
      instance.closeSync();
    },
  };
}

async function askOne(connection: DuckDBConnection, turn: Turn, sql: string, values: SqlValues): Promise<Columns> {
  turn.check();
  const bound: Record<string, DuckDBValue> = {};
  const types: Record<string, typeof VARCHAR | ReturnType<typeof LIST>> = {};
  for (const [name, value] of Object.entries(values)) {
    // A statement knows its own names alone, and refuses others.
    if (!sql.includes(`$${name}`)) continue;
    bound[name] = Array.isArray(value) ? listValue(value) : (value as DuckDBValue);
    if (Array.isArray(value)) types[name] = LIST(VARCHAR);
    else if (typeof value !== 'number') types[name] = VARCHAR;
  }
  const reader = await connection.runAndReadAll(sql, bound, types);
  turn.check();
  const columns = reader.getColumns();
  // A result without rows has no columns either.
  return Object.fromEntries(reader.columnNames().map((name, i) => [name, columns[i] ?? []]));
}
