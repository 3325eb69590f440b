import pg from 'pg';
import type { Log } from '../log.ts';
import { openPool, type PostgresPool } from './postgres-pool.ts';
import type { SqlConnection, SqlDatabase, SqlStoreRow, SqlStoreValue } from './sql-database.ts';
import { type StoreSchema, storeError } from './store-schema.ts';

const MAX_CONNECTIONS = 4;

/**
 * The answer of a standby to a write. After a failover the address leads to the new primary, but a connection that is used
 * every second would stay with the old one.
 */
const READ_ONLY = '25006';

/**
 * A statement that has waited for a lock reads what was committed meanwhile, whatever level the database has by default:
 * two could hold the same lock otherwise. The server ends a transaction whose process is paused, or whose machine has
 * gone: the locks that it holds would keep all others waiting. Less than they wait. Set in each transaction, so it holds
 * through a pooler too.
 */
const BEGIN =
  "begin isolation level read committed; set local statement_timeout = '10s'; set local idle_in_transaction_session_timeout = '5s'";

/**
 * Opens a PostgreSQL database; connections are made when they are needed, also after the server was away.
 * @param url may hold a password, so it is in no message
 */
export function openPostgres(url: string, schema: StoreSchema, log: Log): SqlDatabase {
  const attempt = attemptFor(schema);
  const pool = openPool(url, MAX_CONNECTIONS, schema.holds, log);
  return {
    query: (sql, values) => attempt(async () => toRows(await pool.query(numberParameters(sql), [...(values ?? [])]))),
    transaction: (work) => transact(pool, work, attempt),
    close: () => attempt(() => pool.close()),
  };
}

async function transact<Result>(
  pool: PostgresPool,
  work: (connection: SqlConnection) => Promise<Result>,
  attempt: Attempt,
): Promise<Result> {
  const client = await attempt(() => pool.connect());
  let broken: Error | undefined;
  const noteEnd = (error: Error) => {
    broken = error;
  };
  const query = (sql: string, values: readonly SqlStoreValue[] = []) =>
    attempt(async () => {
      try {
        return toRows(await client.query(numberParameters(sql), [...values]));
      } catch (error) {
        // The server did not answer: a further statement would wait as long.
        const isAnswered = error instanceof pg.DatabaseError;
        if (!isAnswered || error.code === READ_ONLY) broken = error as Error;
        throw error;
      }
    });
  // Between two statements nothing else handles the end of the connection; an unhandled event would end the process.
  client.on('error', noteEnd);
  try {
    await query(BEGIN);
    const result = await work({ query });
    await query('commit');
    return result;
  } catch (error) {
    if (!broken) {
      await query('rollback').catch((cause: Error) => {
        broken = cause;
      });
    }
    throw error;
  } finally {
    client.off('error', noteEnd);
    // A connection that cannot even undo is not used again.
    client.release(broken);
  }
}

function toRows({ rows }: pg.QueryResult): SqlStoreRow[] {
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
