import pg from 'pg';
import type { Log } from '../log.ts';
import type { SqlConnection, SqlDatabase, SqlRow, SqlValue } from './sql-database.ts';
import { type StoreSchema, storeError } from './store-schema.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MILLISECONDS = 3000;
/** A request waits for at most 15 s. */
const STATEMENT_MILLISECONDS = 10_000;

/**
 * The server ends a transaction whose process is paused, or whose machine has gone: the locks that it holds would keep
 * all others waiting. Less than they wait.
 */
const IDLE_IN_TRANSACTION_MILLISECONDS = 5000;

/** `int8`, which the client passes as text; all numbers of a store are below 2^53. */
const INT8 = 20;

/**
 * Opens a PostgreSQL database; connections are made when they are needed, also after the server was away.
 * @param url may hold a password, so it is in no message
 */
export function openPostgres(url: string, schema: StoreSchema, log: Log): SqlDatabase {
  const attempt = attemptFor(schema);
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLISECONDS,
    application_name: 'taktgeber',
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // An idle connection that the server ends is replaced by the next query; unheard, the event would end the process.
  pool.on('error', (error) => log.warn(`a connection to the database of ${schema.holds} has ended: ${error.message}`));
  return {
    query: (sql, values) => attempt(async () => toRows(await pool.query(numberParameters(sql), [...(values ?? [])]))),
    transaction: (work) => transact(pool, work, attempt),
    close: () => attempt(() => pool.end()),
  };
}

async function transact<Result>(
  pool: pg.Pool,
  work: (connection: SqlConnection) => Promise<Result>,
  attempt: Attempt,
): Promise<Result> {
  const client = await attempt(() => pool.connect());
  const query = (sql: string, values: readonly SqlValue[] = []) =>
    attempt(async () => toRows(await client.query(numberParameters(sql), [...values])));
  let broken: Error | undefined;
  const noteEnd = (error: Error) => {
    broken = error;
  };
  // Between two statements nothing else hears that the server has ended the connection; unheard, it ends the process.
  client.on('error', noteEnd);
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
    client.off('error', noteEnd);
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

type Attempt = <Result>(act: () => Promise<Result>) => Promise<Result>;

function attemptFor(schema: StoreSchema): Attempt {
  return async (act) => {
    try {
      return await act();
    } catch (cause) {
      throw storeError(schema, 'the database', cause);
    }
  };
}
