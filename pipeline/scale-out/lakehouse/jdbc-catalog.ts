import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import { isThere } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import { openSqlStore } from '../../effects/sql-store/open-sql-store.ts';
import type { SqlDatabase } from '../../effects/sql-store/sql-database.ts';
import type { StoreSchema } from '../../effects/sql-store/store-schema.ts';
import {
  metadataFolder,
  metadataName,
  readMetadata,
  type StoredMetadata,
  type TableFolder,
  toUri,
} from '../iceberg/table-folder.ts';
import type { TableDefinition } from '../iceberg/table-metadata.ts';

/** `catalog_name` of the tables; engines are configured with the same. */
export const JDBC_CATALOG = 'taktgeber';

/** The tables of Iceberg's JDBC catalog, its V1, which engines in V0 read as well. @see Iceberg's JdbcUtil */
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
    [
      // Ours alone: of which table an entry is, as a location is the same for the table that follows a removed one.
      `create table if not exists iceberg_catalog_table_uuids (
        catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
        metadata_location varchar(1000) not null, table_uuid varchar(36) not null,
        primary key (catalog_name, table_namespace, table_name))`,
    ],
    [
      // Engines in V0 make tables without the type. Only their owner may alter them, even where nothing changes.
      `do $$ begin
        if not exists (select from pg_attribute
          where attrelid = to_regclass('iceberg_tables') and attname = 'iceberg_type' and not attisdropped)
        then alter table iceberg_tables add column iceberg_type varchar(5);
        end if;
      end $$`,
    ],
  ],
};

/** Where engines find the newest metadata of each table. */
export interface JdbcCatalog {
  /**
   * Points the entry of a table to its newest metadata; does nothing without a table. An entry never goes back to an
   * older version of its table; a table that started over, as after a restore, replaces it with any version.
   * @throws ExternalError `iceberg_catalog_store_failed`, `commit_lost`
   */
  pointAt(definition: Pick<TableDefinition, 'namespace' | 'name'>, table: TableFolder): Promise<void>;
  close(): Promise<void>;
}

/** @throws ExternalError `iceberg_catalog_store_failed` */
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
    const wanted = {
      location: toUri(table, `metadata/${metadataName(stored.version)}`),
      uuid: stored.metadata['table-uuid'],
    };
    const before = await findEntry(database, key);
    if (before?.location === wanted.location) return;
    if (before && (await isNewer(before, { table, ...stored }))) return;
    if (await replaceEntry(database, key, before, wanted)) return;
  }
  const [, namespace, name] = key;
  throw new ExternalError('commit_lost', `others were writing the catalog's ${namespace}.${name} all the time`, {
    isRetryable: true,
  });
}

interface Entry {
  readonly location: string;
  /** Null where another program has written the entry, or an earlier version of this one. */
  readonly uuid: string | null;
}

/** Whether an entry names a later version of the same table. */
async function isNewer(entry: Entry, found: StoredMetadata & { readonly table: TableFolder }): Promise<boolean> {
  const { table, version, metadata } = found;
  const named = versionIn(entry.location, table);
  if (named <= version || (entry.uuid !== null && entry.uuid !== metadata['table-uuid'])) return false;
  // Otherwise this folder may be an outdated copy. If it is the table itself, it is up to date.
  const isTableItself = table.location === `file://${table.folder.split(path.sep).join('/')}`;
  return !isTableItself || isThere(path.join(metadataFolder(table), metadataName(named)));
}

async function findEntry(database: SqlDatabase, key: EntryKey): Promise<Entry | null> {
  const [row] = await database.query(
    `select metadata_location, table_uuid from iceberg_tables
      left join iceberg_catalog_table_uuids using (catalog_name, table_namespace, table_name, metadata_location)
      where catalog_name = ? and table_namespace = ? and table_name = ?`,
    key,
  );
  const location = row?.metadata_location as string | null | undefined;
  return location === null || location === undefined ? null : { location, uuid: row!.table_uuid as string | null };
}

/** Only one of two writers that have read the same entry replaces it. */
async function replaceEntry(
  database: SqlDatabase,
  key: EntryKey,
  before: Entry | null,
  wanted: { readonly location: string; readonly uuid: string },
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const changed =
      before === null
        ? await connection.query(
            `insert into iceberg_tables
              (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) values (?, ?, ?, ?, 'TABLE')
              on conflict do nothing returning table_name`,
            [...key, wanted.location],
          )
        : await connection.query(
            `update iceberg_tables set metadata_location = ?, previous_metadata_location = metadata_location
              where catalog_name = ? and table_namespace = ? and table_name = ? and metadata_location = ?
              returning table_name`,
            [wanted.location, ...key, before.location],
          );
    if (changed.length === 0) return false;
    await connection.query(
      `insert into iceberg_catalog_table_uuids
        (catalog_name, table_namespace, table_name, metadata_location, table_uuid) values (?, ?, ?, ?, ?)
        on conflict (catalog_name, table_namespace, table_name)
        do update set metadata_location = excluded.metadata_location, table_uuid = excluded.table_uuid`,
      [...key, wanted.location, wanted.uuid],
    );
    return true;
  });
}

/** The version that a location names; -1 for one of another place. */
function versionIn(location: string, table: TableFolder): number {
  if (!location.startsWith(toUri(table, 'metadata/'))) return -1;
  return Number(/\/v(\d+)\.metadata\.json$/.exec(location)?.[1] ?? -1);
}
