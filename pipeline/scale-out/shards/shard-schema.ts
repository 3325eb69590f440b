import type { StoreSchema } from '../../effects/sql-store/store-schema.ts';

/** For PostgreSQL only. Times are milliseconds since 1970 UTC, by the server's clock. */
const migrations: StoreSchema['migrations'] = [
  [
    // `takes` rises with every worker that takes the shard, which distinguishes a former worker from the present one.
    `create table job_shards (
      id bigint generated always as identity primary key,
      job text not null,
      unit text not null,
      arguments text not null,
      options text not null,
      run bigint,
      state text not null check (state in ('waiting', 'active', 'ended', 'cancelled')),
      takes integer not null,
      failures integer not null,
      due_at bigint not null,
      changed_at bigint not null,
      outcome text
    )`,
    `create unique index job_shards_unended on job_shards (job, unit, arguments) where state in ('waiting', 'active')`,
    `create index job_shards_waiting on job_shards (job, id) where state = 'waiting'`,
    // Shards that failed for good, until one of the same unit is done. They outlive the rows of the queue.
    `create table job_shard_failures (
      job text not null,
      unit text not null,
      summary text not null,
      failed_at bigint not null,
      primary key (job, unit)
    )`,
  ],
];

/** The queue of shards. */
export const shardSchema: StoreSchema = {
  name: 'shard',
  holds: 'shards',
  migrations,
  postgresLock: 0x74616b71,
};
