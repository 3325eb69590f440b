import type { Log } from '../../effects/log.ts';
import { openSqlStore } from '../../effects/sql-store/open-sql-store.ts';
import type { SqlConnection, SqlDatabase, SqlStoreRow } from '../../effects/sql-store/sql-database.ts';
import { backoffMilliseconds, HALF_JITTER, type RetryPolicy } from '../../model/retry-policy.ts';
import {
  type SeenShard,
  type Shard,
  type ShardCounts,
  type ShardEnd,
  type ShardState,
  shardKey,
  type TakenShard,
} from './shard.ts';
import { shardSchema } from './shard-schema.ts';

/** A failed shard is retried after 5 s to 10 s, 10 s to 20 s and 20 s to 40 s. */
const MAX_RETRIES = 3;
const shardRetry: RetryPolicy = {
  firstWaitMilliseconds: 10_000,
  factor: 2,
  maxWaitMilliseconds: 40_000,
  jitter: HALF_JITTER,
};

const DAY_MILLISECONDS = 86_400_000;
/** How long ended shards are kept, for runs that have not looked at them yet. */
const KEEP_ENDED_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** How long shards wait for a worker, and failures stay listed. */
const KEEP_MILLISECONDS = 365 * DAY_MILLISECONDS;

const SHOWN_FAILURES = 5;

/**
 * Shards of backfills in PostgreSQL, from which workers take them. The queue does not notice dead workers: a worker holds
 * the lock of its shard, and whoever finds that lock free returns the shard with `retry`.
 * @throws ExternalError `shard_store_failed`, retryable, from every method
 */
export interface ShardQueue {
  /**
   * Adds shards of one job. A shard that waits or is active already, from whichever run, is not added again.
   * @returns their ids, in order
   */
  add(shards: readonly Shard[]): Promise<readonly string[]>;
  /** The states of shards of a job by id. Ended shards stay known for a week. */
  look(job: string, ids: readonly string[]): Promise<ReadonlyMap<string, SeenShard>>;
  /** Withdraws shards that wait. */
  cancel(job: string, ids: readonly string[]): Promise<void>;
  /** @returns the next due shard of a job; null if there is none */
  take(job: string): Promise<TakenShard | null>;
  /** Ends an active shard. If it is done, earlier failures of its unit are forgotten, whatever their options. */
  end(shard: TakenShard, end: ShardEnd): Promise<void>;
  /** Ends an active shard after a temporary failure: it is retried later, or has failed for good after the last retry. */
  retry(shard: TakenShard, end: ShardEnd): Promise<void>;
  /**
   * Returns an active shard to the queue, without counting a failure.
   * @param waitSeconds until it may be taken again
   */
  giveBack(shard: TakenShard, waitSeconds: number): Promise<void>;
  /** Active shards of a job that were taken at least this many seconds ago. */
  listActive(job: string, seconds: number): Promise<readonly TakenShard[]>;
  close(): Promise<void>;
}

/** @throws ExternalError `shard_store_failed`, `shard_store_too_new` */
export async function openShardQueue(postgresUrl: string, log: Log): Promise<ShardQueue> {
  const database = await openDatabase(postgresUrl, log);
  return {
    add: (shards) => database.transaction((connection) => addShards(connection, shards)),
    look: (job, ids) => lookAt(database, job, ids),
    cancel: async (job, ids) => {
      const sql = `update job_shards set state = 'cancelled', changed_at = ${NOW}
        where job = ? and state = 'waiting' and ${ID_IN_LIST}`;
      await database.transaction(({ query }) => query(sql, [job, JSON.stringify(ids)]));
    },
    take: (job) => database.transaction((connection) => takeShard(connection, job)),
    end: (shard, end) => database.transaction((connection) => endShard(connection, shard, end)),
    retry: (shard, end) => database.transaction((connection) => retryShard(connection, shard, end)),
    giveBack: async (shard, waitSeconds) => {
      await database.transaction((connection) => returnShard(connection, shard, waitSeconds * 1000, 0));
    },
    listActive: async (job, seconds) => {
      const sql = `select * from job_shards where job = ? and state = 'active' and changed_at <= ${NOW} - ? order by id`;
      return (await database.query(sql, [job, Math.round(seconds * 1000)])).map(readTaken);
    },
    close: () => database.close(),
  };
}

function openDatabase(postgresUrl: string, log: Log): Promise<SqlDatabase> {
  return openSqlStore(shardSchema, { file: '', postgresUrl }, log);
}

/** Of the server, so the clocks of the machines do not matter. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The ids are passed as one JSON text. */
const ID_IN_LIST = 'id in (select value::bigint from json_array_elements_text(?::json))';

/** The shard as it was taken: not returned to the queue, and perhaps taken by another worker, since. */
const STILL_TAKEN = `id = ? and state = 'active' and takes = ?`;
const toTaking = ({ id, retries }: TakenShard) => [Number(id), retries + 1] as const;

async function addShards({ query }: SqlConnection, shards: readonly Shard[]): Promise<readonly string[]> {
  await query(
    `delete from job_shards where changed_at < ${NOW} - case when state in ('ended', 'cancelled') then ?::bigint else ?::bigint end`,
    [KEEP_ENDED_MILLISECONDS, KEEP_MILLISECONDS],
  );
  await query(`delete from job_shard_failures where failed_at < ${NOW} - ?`, [KEEP_MILLISECONDS]);
  const listed = shards.map(({ options, ...shard }, place) => ({ ...shard, place, options: JSON.stringify(options) }));
  // The update changes nothing, but locks the shard of another run and returns its id.
  const added = await query(
    `insert into job_shards (job, unit, arguments, options, run, state, takes, failures, due_at, changed_at)
      select job, unit, arguments, options, run, 'waiting', 0, 0, ${NOW}, ${NOW}
        from json_to_recordset(?::json)
          as added(job text, unit text, arguments text, options text, run bigint, place integer)
        order by place
      on conflict (job, unit, arguments) where state in ('waiting', 'active') do update set job = excluded.job
      returning id, unit, arguments`,
    [JSON.stringify(listed)],
  );
  const ids = new Map(added.map(({ id, ...row }) => [shardKey(row as unknown as Shard), String(id)]));
  return shards.map((shard) => ids.get(shardKey(shard))!);
}

async function lookAt(
  database: SqlDatabase,
  job: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeenShard>> {
  const seen = new Map<string, SeenShard>(ids.map((id) => [id, { unit: '', state: 'gone', end: null }]));
  const sql = `select id, unit, state, outcome from job_shards where job = ? and ${ID_IN_LIST}`;
  for (const { id, unit, state, outcome } of await database.query(sql, [job, JSON.stringify(ids)])) {
    const end = state === 'ended' ? (JSON.parse(outcome as string) as ShardEnd) : null;
    seen.set(String(id), { unit: unit as string, state: state as ShardState, end });
  }
  return seen;
}

async function takeShard({ query }: SqlConnection, job: string): Promise<TakenShard | null> {
  const [taken] = await query(
    `update job_shards set state = 'active', takes = takes + 1, changed_at = ${NOW}
      where id = (select id from job_shards where job = ? and state = 'waiting' and due_at <= ${NOW}
        order by id limit 1 for update skip locked)
      returning *`,
    [job],
  );
  return taken === undefined ? null : readTaken(taken);
}

async function endShard({ query }: SqlConnection, shard: TakenShard, end: ShardEnd): Promise<void> {
  const ended = await query(
    `update job_shards set state = 'ended', outcome = ?, changed_at = ${NOW} where ${STILL_TAKEN} returning id`,
    [JSON.stringify(end), ...toTaking(shard)],
  );
  if (ended.length === 0) return;
  const { job, unit } = shard;
  if (end.status !== 'failed') {
    await query('delete from job_shard_failures where job = ? and unit = ?', [job, unit]);
    return;
  }
  await query(
    `insert into job_shard_failures (job, unit, summary, failed_at) values (?, ?, ?, ${NOW})
      on conflict (job, unit) do update set summary = excluded.summary, failed_at = excluded.failed_at`,
    [job, unit, end.summary],
  );
}

async function retryShard(connection: SqlConnection, shard: TakenShard, end: ShardEnd): Promise<void> {
  const sql = `select failures from job_shards where ${STILL_TAKEN} for update`;
  const [row] = await connection.query(sql, toTaking(shard));
  if (row === undefined) return;
  const failures = row.failures as number;
  if (failures >= MAX_RETRIES) return endShard(connection, shard, end);
  await returnShard(connection, shard, backoffMilliseconds(shardRetry, failures + 1), 1);
}

async function returnShard(
  { query }: SqlConnection,
  shard: TakenShard,
  waitMilliseconds: number,
  failures: number,
): Promise<void> {
  await query(
    `update job_shards set state = 'waiting', failures = failures + ?, due_at = ${NOW} + ?, changed_at = ${NOW}
      where ${STILL_TAKEN}`,
    [failures, Math.round(waitMilliseconds), ...toTaking(shard)],
  );
}

function readTaken({ id, job, unit, arguments: args, options, run, takes }: SqlStoreRow): TakenShard {
  return {
    id: String(id),
    job: job as string,
    unit: unit as string,
    arguments: args as string,
    options: JSON.parse(options as string) as Shard['options'],
    run: run as number | null,
    retries: (takes as number) - 1,
  };
}

// ---- Counts ------------------------------------------------------------------------------------

/** Counts the shards of all jobs that were distributed lately, or have failed. @throws as `openShardQueue` */
export async function readShardCounts(postgresUrl: string, log: Log): Promise<readonly ShardCounts[]> {
  const database = await openDatabase(postgresUrl, log);
  try {
    const counted = await database.query(
      `select job, count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'active') as active
        from job_shards group by job`,
    );
    const failures = await database.query(
      `select * from (
          select *, count(*) over (partition by job) as failed,
            row_number() over (partition by job order by failed_at desc, unit) as place
          from job_shard_failures) as ranked
        where place <= ? order by job, place`,
      [SHOWN_FAILURES],
    );
    const jobs = [...new Set([...counted, ...failures].map(({ job }) => job as string))].sort();
    return jobs.map((job) => toCounts(job, counted, failures));
  } finally {
    await database.close().catch(() => {});
  }
}

function toCounts(job: string, counted: readonly SqlStoreRow[], failures: readonly SqlStoreRow[]): ShardCounts {
  const counts = counted.find((row) => row.job === job);
  const failed = failures.filter((row) => row.job === job);
  return {
    job,
    waiting: Number(counts?.waiting ?? 0),
    active: Number(counts?.active ?? 0),
    failed: Number(failed[0]?.failed ?? 0),
    failures: failed.map(({ unit, summary, failed_at }) => ({
      unit: unit as string,
      summary: summary as string,
      failedAt: new Date(failed_at as number).toISOString(),
    })),
  };
}

/** Forgets all units of a job that have failed for good. @throws as `openShardQueue` */
export async function forgetShardFailures(postgresUrl: string, job: string, log: Log): Promise<void> {
  const database = await openDatabase(postgresUrl, log);
  try {
    await database.query('delete from job_shard_failures where job = ?', [job]);
  } finally {
    await database.close().catch(() => {});
  }
}
