import type { Log } from '../effects/log.ts';
import { openSqlStore } from '../effects/sql-store/open-sql-store.ts';
import type { SqlDatabase } from '../effects/sql-store/sql-database.ts';
import type { StoreSchema } from '../effects/sql-store/store-schema.ts';
import { WorldError } from '../effects/world-error.ts';
import { metadataName, readMetadata, type TableFolder, toUri } from '../iceberg/table-folder.ts';
import type { TableDefinition } from '../iceberg/table-metadata.ts';

/** `catalog_name` of the tables; engines are configured with the same. */
export const JDBC_CATALOG = 'taktgeber';

/** The tables of Iceberg's JDBC catalog, version 1. @see Iceberg's JdbcUtil */
const schema: StoreSchema = {
  name: 'iceberg_catalog',
  holds: 'the catalog of the Iceberg tables',
  postgresLock: 0x74616b69,
  migrations: [
    [
      // An engine may have made them before.
      `create table if not exists iceberg_tables (
        catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
        metadata_location varchar(1000), previous_metadata_location varchar(1000), iceberg_type varchar(5),
        primary key (catalog_name, table_namespace, table_name))`,
      `create table if not exists iceberg_namespace_properties (
        catalog_name varchar(255) not null, namespace varchar(255) not null, property_key varchar(255) not null,
        property_value varchar(1000), primary key (catalog_name, namespace, property_key))`,
    ],
  ],
};

/** Where engines find the newest metadata of each table. */
export interface JdbcCatalog {
  /**
   * Lets the entry of a table name its newest metadata; nothing where there is no table. An entry never goes back.
   * @throws WorldError `iceberg_catalog_store_failed`, `commit_lost`
   */
  pointAt(definition: Pick<TableDefinition, 'namespace' | 'name'>, table: TableFolder): Promise<void>;
  close(): Promise<void>;
}

/** @throws WorldError `iceberg_catalog_store_failed` */
export async function openJdbcCatalog(postgresUrl: string, log: Log): Promise<JdbcCatalog> {
  const database = await openSqlStore(schema, { file: '', postgresUrl }, log);
  return {
    pointAt: ({ namespace, name }, table) => pointAt(database, [JDBC_CATALOG, namespace, name], table),
    close: () => database.close(),
  };
}

/** Other writers at the same time are rare: this is a limit, not a wait. */
const MAX_ATTEMPTS = 5;

type EntryKey = readonly [catalog: string, namespace: string, name: string];

async function pointAt(database: SqlDatabase, key: EntryKey, table: TableFolder): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await readMetadata(table);
    if (!stored) return;
    const wanted = toUri(table, `metadata/${metadataName(stored.version)}`);
    const before = await findLocation(database, key);
    if (before === wanted || versionIn(before, table) > stored.version) return;
    if (await replaceLocation(database, key, before, wanted)) return;
  }
  const [, namespace, name] = key;
  throw new WorldError('commit_lost', `others were writing the catalog's ${namespace}.${name} all the time`, {
    isRetryable: true,
  });
}

const ENTRY = 'catalog_name = ? and table_namespace = ? and table_name = ?';

async function findLocation(database: SqlDatabase, key: EntryKey): Promise<string | null> {
  const [row] = await database.query(`select metadata_location from iceberg_tables where ${ENTRY}`, key);
  return (row?.metadata_location as string | null | undefined) ?? null;
}

/** Only one of two writers that have read the same location replaces it. */
async function replaceLocation(database: SqlDatabase, key: EntryKey, before: string | null, location: string) {
  const changed =
    before === null
      ? await database.query(
          `insert into iceberg_tables
            (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) values (?, ?, ?, ?, 'TABLE')
            on conflict do nothing returning table_name`,
          [...key, location],
        )
      : await database.query(
          `update iceberg_tables set metadata_location = ?, previous_metadata_location = metadata_location
            where ${ENTRY} and metadata_location = ? returning table_name`,
          [location, ...key, before],
        );
  return changed.length > 0;
}

/** The version that a location names; -1 for one of another place. */
function versionIn(location: string | null, table: TableFolder): number {
  if (!location?.startsWith(toUri(table, 'metadata/'))) return -1;
  return Number(/\/v(\d+)\.metadata\.json$/.exec(location)?.[1] ?? -1);
}
