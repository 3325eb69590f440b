import type { StoreSchema } from '../effects/sql-store/store-schema.ts';

/** Times are milliseconds since 1970 UTC; JSON is text. */
const migrations: StoreSchema['migrations'] = [
  [
    `create table job_runs (
      number bigint primary key,
      job text not null,
      arguments text not null,
      run_by text not null,
      state text not null,
      started_at bigint not null,
      ended_at bigint,
      attempts bigint,
      is_retryable bigint not null,
      summary text,
      rows_in bigint,
      rows_out bigint,
      rows_refused bigint,
      problems text not null,
      bytes_written bigint,
      peak_memory_bytes bigint,
      host text not null,
      pid bigint not null,
      process_start text,
      seen_at bigint not null
    )`,
    'create index job_runs_by_job on job_runs (job, number)',
    `create index job_runs_under_way on job_runs (number) where state = 'running'`,
    // Units of backfills that are done; `run` is the number of the run that did them.
    `create table backfill_units (
      job text not null,
      arguments text not null,
      unit text not null,
      run bigint not null,
      primary key (job, arguments, unit)
    )`,
    // Numbers of runs rise with their starts, whatever the clock shows.
    'create table operations_counters (name text primary key, value bigint not null)',
    `insert into operations_counters (name, value) values ('run', 0)`,
  ],
];

/** What the service records about its own work. */
export const operationsSchema: StoreSchema = {
  name: 'operations',
  holds: 'the runs of jobs',
  migrations,
  postgresLock: 0x74616b6f,
};
