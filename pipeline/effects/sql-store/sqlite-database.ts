import { open } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import { HALF_JITTER, type RetryPolicy } from '../../model/retry-policy.ts';
import { createQueue } from '../concurrency.ts';
import type { ExternalError } from '../external-error.ts';
import { isThere, makeClosedFolder } from '../files.ts';
import { retry } from '../retry.ts';
import type { SqlConnection, SqlDatabase, SqlStoreRow, SqlStoreValue } from './sql-database.ts';
import { type StoreSchema, storeError } from './store-schema.ts';

/** How long a transaction waits for another process that writes, and how often it tries. */
const busyDatabase: RetryPolicy = {
  firstWaitMilliseconds: 5,
  factor: 1,
  maxWaitMilliseconds: 5,
  jitter: HALF_JITTER,
  maxMilliseconds: 5000,
};
/** How long the engine itself waits, blocking the thread, while even readers are locked out. */
const BLOCKING_MILLISECONDS = 100;

/**
 * Opens an SQLite file, or an empty database in memory for `:memory:`. Statements block the calling thread.
 * @throws ExternalError `<name>_store_failed`
 */
export async function openSqlite(file: string, schema: StoreSchema): Promise<SqlDatabase> {
  const guard = guardFor(schema);
  const isInMemory = file === ':memory:';
  if (!isInMemory) {
    // What a store holds, such as the addresses of devices, is for the service alone.
    await makeClosedFile(file).catch((cause) => {
      throw guard.toError(cause);
    });
  }
  const database = guard.attempt(() => {
    const opened = new Database(file);
    opened.exec(`pragma busy_timeout = ${BLOCKING_MILLISECONDS}`);
    // A commit is on the disk before it is confirmed; readers never wait for the writer.
    if (!isInMemory) opened.exec('pragma journal_mode = wal');
    opened.exec('pragma synchronous = full');
    return opened;
  });
  return serialise(database, guard);
}

/** Before SQLite makes it for everyone; the files that SQLite adds have the rights of the first. */
async function makeClosedFile(file: string): Promise<void> {
  if (await isThere(file)) return;
  const folder = path.dirname(file);
  // A store may be configured to lie in a folder that has other things.
  if (!(await isThere(folder))) await makeClosedFolder(folder);
  await (await open(file, 'a', 0o600)).close();
}

/** One connection, so a transaction and everything outside of it take turns. */
function serialise(database: Database.Database, guard: Guard): SqlDatabase {
  const { attempt } = guard;
  const statements = new Map<string, Database.Statement>();
  const connection: SqlConnection = {
    query: async (sql, values = []) =>
      attempt(() => prepare(database, statements, sql).all([...values]) as SqlStoreRow[]),
  };
  const inTurn = createQueue();
  return {
    query: (sql, values?: readonly SqlStoreValue[]) => inTurn(() => connection.query(sql, values)),
    transaction: (work) =>
      inTurn(async () => {
        await begin(database, guard);
        try {
          const result = await work(connection);
          attempt(() => database.exec('commit'));
          return result;
        } catch (error) {
          // A full disk has undone it already.
          if (database.inTransaction) attempt(() => database.exec('rollback'));
          throw error;
        }
      }),
    close: () =>
      inTurn(async () => {
        statements.clear();
        database.close();
      }),
  };
}

/** Begins a transaction that writes, as soon as no other process does. */
async function begin(database: Database.Database, { toError }: Guard): Promise<void> {
  const isBusy = (error: unknown) => error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
  try {
    await retry(busyDatabase, async () => void database.exec('begin immediate'), { isRetryable: isBusy });
  } catch (error) {
    throw toError(error);
  }
}

function prepare(database: Database.Database, statements: Map<string, Database.Statement>, sql: string) {
  const known = statements.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

/** Turns whatever a statement throws into the error of the store. */
interface Guard {
  attempt<Result>(act: () => Result): Result;
  toError(cause: unknown): ExternalError;
}

function guardFor(schema: StoreSchema): Guard {
  const toError = (cause: unknown) => storeError(schema, 'the file', cause);
  return {
    toError,
    attempt: (act) => {
      try {
        return act();
      } catch (cause) {
        throw toError(cause);
      }
    },
  };
}
