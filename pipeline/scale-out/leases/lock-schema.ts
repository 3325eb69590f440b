import type { StoreSchema } from '../../effects/sql-store/store-schema.ts';

/** For PostgreSQL alone. Times are milliseconds since 1970 UTC, of the server's clock. */
const migrations: StoreSchema['migrations'] = [
  [
    // `token` is of one acquisition, and rises; `share` names those who may hold a resource together.
    `create table job_locks (
      resource text not null,
      token bigint not null,
      share text,
      job text not null,
      host text not null,
      pid bigint not null,
      process_start text,
      started_at bigint not null,
      expires_at bigint not null,
      primary key (resource, token)
    )`,
    'create index job_locks_by_token on job_locks (token)',
    'create sequence job_lock_tokens',
  ],
];

/** Locks of what jobs write, held across machines. */
export const lockSchema: StoreSchema = {
  name: 'lock',
  holds: 'locks',
  migrations,
  postgresLock: 0x74616b6c,
};
