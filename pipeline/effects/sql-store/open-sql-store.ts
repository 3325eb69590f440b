import type { Log } from '../log.ts';
import { migrate } from './migrate.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { StoreSchema } from './store-schema.ts';

/** Where the tables of a store lie. */
export interface SqlStoreLocation {
  /** Path, or `:memory:`; used without `postgresUrl`. */
  readonly file: string;
  readonly postgresUrl: string | null;
}

/**
 * Opens a store and brings its tables up to date.
 * @throws ExternalError `<name>_store_failed`, `<name>_store_too_new`
 */
export async function openSqlStore(schema: StoreSchema, place: SqlStoreLocation, log: Log): Promise<SqlDatabase> {
  const { file, postgresUrl } = place;
  // Each engine is loaded only where it is used.
  const database =
    postgresUrl === null
      ? await (await import('./sqlite-database.ts')).openSqlite(file, schema)
      : (await import('./postgres-database.ts')).openPostgres(postgresUrl, schema, log);
  try {
    await migrate(database, schema, postgresUrl === null ? 'sqlite' : 'postgres');
    return database;
  } catch (error) {
    await database.close().catch(() => {});
    throw error;
  }
}
