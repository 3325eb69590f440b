import { WorldError } from '../../../pipeline/effects/world-error.ts';
import type { SqlConnection, SqlDatabase } from './sql-database.ts';

/**
 * Statements that lead from one version of the tables to the next, for both engines; the first entry makes version 1.
 * A released entry is never changed. Instants are seconds since 1970 UTC; JSON is text.
 */
const migrations: readonly (readonly string[])[] = [
  [
    `create table watches (
      id text primary key,
      kind text not null,
      owner text not null,
      address text not null,
      spec text not null,
      target text,
      memory text not null,
      event_count bigint not null,
      expires_at bigint not null,
      change bigint not null,
      removed_at bigint
    )`,
    'create index watches_by_change on watches (change)',
    'create index watches_by_expiry on watches (expires_at) where removed_at is null',
    'create index watches_by_removal on watches (removed_at) where removed_at is not null',
    'create index watches_by_owner on watches (owner) where removed_at is null',
    'create index watches_by_address on watches (address) where removed_at is null',
    `create table watch_events (
      watch_id text not null,
      number bigint not null,
      body text not null,
      primary key (watch_id, number)
    )`,
    `create table watch_pushes (
      id text primary key,
      watch_id text not null,
      number bigint not null,
      payload text not null,
      urgency text not null,
      useful_until bigint not null,
      attempts bigint not null,
      due_at bigint not null
    )`,
    'create index watch_pushes_by_watch on watch_pushes (watch_id, number)',
    'create index watch_pushes_by_time on watch_pushes (due_at)',
    // change: number of the last change; total: watches that are not removed; judged: creation of the newest realtime
    // snapshot that any replica has judged by, in milliseconds since 1970.
    'create table watch_counters (name text primary key, value bigint not null)',
    `insert into watch_counters (name, value) values ('change', 0), ('total', 0), ('judged', 0)`,
  ],
];

/** PostgreSQL alone: one replica at a time migrates. Any number that no other program of the database uses. */
const POSTGRES_LOCK = 0x74616b74;

/**
 * Brings the tables to the newest version, in one transaction.
 * @throws WorldError `watch_store_too_new` where a newer version of the service has written them
 */
export async function migrate(database: SqlDatabase, engine: 'sqlite' | 'postgres'): Promise<void> {
  await database.transaction(async (connection) => {
    if (engine === 'postgres') await connection.query(`select pg_advisory_xact_lock(${POSTGRES_LOCK})`);
    await connection.query('create table if not exists watch_version (version bigint not null)');
    const version = await readVersion(connection);
    if (version > migrations.length) {
      throw new WorldError(
        'watch_store_too_new',
        `the store of the watches has version ${version}; this service knows ${migrations.length}`,
      );
    }
    if (version === migrations.length) return;
    for (const statements of migrations.slice(version)) {
      for (const statement of statements) await connection.query(statement);
    }
    await connection.query('delete from watch_version');
    await connection.query('insert into watch_version (version) values (?)', [migrations.length]);
  });
}

async function readVersion(connection: SqlConnection): Promise<number> {
  const [row] = await connection.query('select version from watch_version');
  return (row?.version as number | undefined) ?? 0;
}
