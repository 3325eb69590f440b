import type { StoreSchema } from '../../../pipeline/effects/sql-store/store-schema.ts';

/** Instants are seconds since 1970 UTC; JSON is text. */
const migrations: StoreSchema['migrations'] = [
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
  // Hashes of the keys that the replicas on this store have in common.
  ['create table watch_keys (name text primary key, fingerprint text not null)'],
];

export const watchSchema: StoreSchema = {
  name: 'watch',
  holds: 'the watches',
  migrations,
  // Any number that no other program of the database uses.
  postgresLock: 0x74616b74,
};
