/** Text, whole number or null: the types that both engines have in common. */
export type SqlStoreValue = string | number | null;
export type SqlStoreRow = Readonly<Record<string, SqlStoreValue>>;

export interface SqlConnection {
  /** @param sql one statement with `?` for each value */
  query(sql: string, values?: readonly SqlStoreValue[]): Promise<readonly SqlStoreRow[]>;
}

/**
 * SQLite or PostgreSQL behind the statements that both understand.
 * @throws ExternalError `<name>_store_failed` from every method, whatever has failed: the disk, the connection, a statement
 */
export interface SqlDatabase extends SqlConnection {
  /** Commits when the work resolves and undoes it when it rejects. The work uses the given connection alone. */
  transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
