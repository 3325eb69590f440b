import { ExternalError } from '../external-error.ts';

/** The tables of one store: alone in an SQLite file, or beside those of other stores in a PostgreSQL database. */
export interface StoreSchema {
  /** Begins the codes of its errors and the name of the table of its version: `watch_store_failed`, `watch_version`. */
  readonly name: string;
  /** Completes "the database of …" in messages. */
  readonly holds: string;
  /**
   * Statements that lead from one version of the tables to the next, for both engines; the first entry makes version 1.
   * A released entry is never changed.
   */
  readonly migrations: readonly (readonly string[])[];
  /** PostgreSQL alone: number of the lock under which one process at a time migrates; no two stores have the same. */
  readonly postgresLock: number;
}

/** @param place where it failed, e.g. "the file" */
export function storeError({ name, holds }: StoreSchema, place: string, cause: unknown): ExternalError {
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new ExternalError(`${name}_store_failed`, `${place} of ${holds}: ${message}`, { cause, isRetryable: true });
}
