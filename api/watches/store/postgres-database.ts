import pg from 'pg';
import type { Log } from '../../../pipeline/effects/log.ts';
import { WorldError } from '../../../pipeline/effects/world-error.ts';
import type { SqlConnection, SqlDatabase, SqlRow, SqlValue } from './sql-database.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MILLISECONDS = 3000;
/** A request waits for at most 15 s. */
const STATEMENT_MILLISECONDS = 10_000;

/** `int8`, which the client passes as text; all numbers of the store are below 2^53. */
const INT8 = 20;

/**
 * Opens a PostgreSQL database; connections are made when they are needed, also after the server was away.
 * @param url may hold a password, so it is in no message
 */
export function openPostgres(url: string, log: Log): SqlDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    application_name: 'taktgeber',
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // An idle connection that the server ends is replaced by the next query; unheard, the event would end the process.
  pool.on('error', (error) => log.warn(`a connection to the database of the watches has ended: ${error.message}`));
  return {
    query: (sql, values) => attempt(async () => toRows(await pool.query(numberParameters(sql), [...(values ?? [])]))),
    transaction: (work) => transact(pool, work),
    close: () => attempt(() => pool.end()),
  };
}

async function transact<Result>(pool: pg.Pool, work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
  const client = await attempt(() => pool.connect());
  const query = (sql: string, values: readonly SqlValue[] = []) =>
    attempt(async () => toRows(await client.query(numberParameters(sql), [...values])));
  let broken: Error | undefined;
  try {
    await query('begin');
    const result = await work({ query });
    await query('commit');
    return result;
  } catch (error) {
    await query('rollback').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    // A connection that cannot even undo is not used again.
    client.release(broken);
  }
}

function toRows({ rows }: pg.QueryResult): SqlRow[] {
  return rows;
}

const numbered = new Map<string, string>();

/** `?` is `$1`, `$2` and so on here; no statement has a question mark in a text. */
function numberParameters(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(/\?/g, () => `$${++count}`);
  numbered.set(sql, text);
  return text;
}

async function attempt<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new WorldError('watch_store_failed', `the database of the watches: ${message}`, { cause, isRetryable: true });
  }
}
