import { randomUUID } from 'node:crypto';
import type PgBoss from 'pg-boss';
import type { Log } from '../../effects/log.ts';
import { openPostgres } from '../../effects/sql-store/postgres-database.ts';
import { openPool, type PostgresPool } from '../../effects/sql-store/postgres-pool.ts';
import type { SqlDatabase, SqlStoreRow } from '../../effects/sql-store/sql-database.ts';
import { type StoreSchema, storeError } from '../../effects/sql-store/store-schema.ts';
import {
  type SeenShard,
  type Shard,
  type ShardCounts,
  type ShardEnd,
  type ShardState,
  shardKey,
  type TakenShard,
} from './shard.ts';

/** Tables of pg-boss, which makes and migrates them. */
const TABLES = 'taktgeber_shards';
const MAX_CONNECTIONS = 2;

/** A shard is tried again after 5 s, 10 s, 20 s, each with some chance in it. */
const RETRIES = { retryLimit: 3, retryDelay: 5, retryBackoff: true } as const;
/** Until then what waits for a worker, and what has failed for good, is kept; by default it is two weeks. */
const RETENTION = { retentionMinutes: 365 * 24 * 60 } as const;
/** pg-boss allows less than a day. */
const MAX_EXPIRE_SECONDS = 86_399;
const DEAD_SUFFIX = '.failed';
const SHOWN_FAILURES = 5;

/** Serialises the making of queues. */
const PREPARING_LOCK = 0x74616b71;
const queueSchema: StoreSchema = { name: 'shard', holds: 'shards', migrations: [], postgresLock: 0 };

/**
 * Shards of backfills that workers share: one queue per job, and one beside it of those that failed for good.
 * @throws ExternalError `shard_store_failed`, retryable, from every method
 */
export interface ShardQueue {
  /** Makes the queues of jobs, where they are new. */
  prepare(jobs: readonly string[]): Promise<void>;
  /**
   * Adds shards of one job; one that waits or is active already, from whichever run, is not added again.
   * @param expireSeconds after which one counts as lost, whatever its worker reports
   * @returns their ids, in order
   */
  add(shards: readonly Shard[], expireSeconds: number): Promise<readonly string[]>;
  /** The states of shards of a job by id; those that have ended stay known for half a day and more. */
  look(job: string, ids: readonly string[]): Promise<ReadonlyMap<string, SeenShard>>;
  /** Withdraws those that wait. */
  cancel(job: string, ids: readonly string[]): Promise<void>;
  /** @returns the next shard of a job; null when none waits */
  take(job: string): Promise<TakenShard | null>;
  /** Acknowledges an active shard with its end, and forgets earlier failures of its unit, whatever their options. */
  end(shard: TakenShard, end: ShardEnd): Promise<void>;
  /** Ends an active shard whose failure may pass: it is tried again, or, after the last time, has failed for good. */
  retry(shard: Pick<TakenShard, 'job' | 'id' | 'unit'>, end: ShardEnd): Promise<void>;
  /**
   * Gives an active shard back as if it had not been taken; one that another worker has by now stays there.
   * @param waitSeconds until it may be taken again
   */
  giveBack(shard: TakenShard, waitSeconds: number): Promise<void>;
  /** Active shards of a job that were taken before so many seconds. */
  listActive(job: string, seconds: number): Promise<readonly TakenShard[]>;
  close(): Promise<void>;
}

/** @throws ExternalError `shard_store_failed` */
export async function openShardQueue(postgresUrl: string, log: Log): Promise<ShardQueue> {
  // Imported on demand: only workers, and runs that are distributed, need it.
  const { default: Boss } = await import('pg-boss');
  // Our pool: that of pg-boss would wait for an unresponsive server without end.
  const pool = openPool(postgresUrl, MAX_CONNECTIONS, queueSchema.holds, log);
  const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
  const boss = new Boss({ db, schema: TABLES, schedule: false });
  let lastTrouble = '';
  // Errors of the maintenance of pg-boss; its next round tries again.
  boss.on('error', ({ message }) => {
    if (message !== lastTrouble) log.warn(`the queue of shards: ${message}`);
    lastTrouble = message;
  });
  try {
    await attempt(() => boss.start());
  } catch (error) {
    // One that did not start cannot be stopped.
    await pool.close();
    throw error;
  }
  const database = openPostgres(postgresUrl, queueSchema, log);
  return {
    ...addingMethods(boss, database),
    ...takingMethods(boss, database),
    close: () => close(boss, pool, database),
  };
}

async function close(boss: PgBoss, pool: PostgresPool, database: SqlDatabase): Promise<void> {
  await boss.stop({ graceful: false }).catch(() => {});
  await Promise.allSettled([database.close(), pool.close()]);
}

async function attempt<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    throw storeError(queueSchema, 'the database', cause);
  }
}

// ---- Adding ------------------------------------------------------------------------------------

type AddingMethods = Pick<ShardQueue, 'prepare' | 'add' | 'look' | 'cancel'>;

function addingMethods(boss: PgBoss, database: SqlDatabase): AddingMethods {
  return {
    // One at a time: where several make queues, each waits for tables of another one, and the server ends some of them.
    prepare: (jobs) =>
      database.transaction(async (connection) => {
        await connection.query(`select pg_advisory_xact_lock(${PREPARING_LOCK})`);
        for (const job of jobs) {
          await attempt(() => boss.createQueue(deadQueue(job), { name: deadQueue(job), ...RETENTION }));
          const queue = { name: job, policy: 'short' as const, deadLetter: deadQueue(job), ...RETRIES, ...RETENTION };
          await attempt(() => boss.createQueue(job, queue));
        }
      }),
    add: (shards, expireSeconds) => addShards(boss, database, shards, expireSeconds),
    look: async (job, ids) => {
      const seen = new Map<string, SeenShard>(ids.map((id) => [id, { unit: '', state: 'gone', end: null }]));
      for (const table of ['archive', 'job']) {
        const sql = `select id::text as id, state::text as state, data->>'unit' as unit, output::text as output
          from ${TABLES}.${table} where name = ? and id in (select value::uuid from json_array_elements_text(?::json))`;
        for (const row of await database.query(sql, [job, JSON.stringify(ids)]))
          seen.set(row.id as string, readSeen(row));
      }
      return seen;
    },
    cancel: async (job, ids) => {
      const sql = `update ${TABLES}.job set state = 'cancelled', completed_on = now() where name = ? and state < 'active'
        and id in (select value::uuid from json_array_elements_text(?::json))`;
      await database.query(sql, [job, JSON.stringify(ids)]);
    },
  };
}

/** Rounds of adding: another is needed where the same shard of another run ends between two statements. */
const MAX_ROUNDS = 5;

async function addShards(
  boss: PgBoss,
  database: SqlDatabase,
  shards: readonly Shard[],
  expireSeconds: number,
): Promise<readonly string[]> {
  const job = shards[0]!.job;
  const expireInSeconds = Math.min(Math.ceil(expireSeconds), MAX_EXPIRE_SECONDS);
  const ids = new Map<string, string>();
  for (let round = 0; round < MAX_ROUNDS && ids.size < shards.length; round++) {
    for (const [key, id] of await listUnended(database, job)) ids.set(key, id);
    const missing = shards
      .filter((shard) => !ids.has(shardKey(shard)))
      .map((shard, i) => ({
        id: orderedId(i),
        name: job,
        data: shard,
        singletonKey: shardKey(shard),
        expireInSeconds,
        ...RETRIES,
      }));
    if (missing.length === 0) break;
    await attempt(() => boss.insert(missing));
    // One that waits already, of another run, has kept ours out.
    const sql = `select id::text as id, singleton_key as key from ${TABLES}.job where name = ?
      and id in (select value::uuid from json_array_elements_text(?::json))`;
    const added = await database.query(sql, [job, JSON.stringify(missing.map(({ id }) => id))]);
    for (const { id, key } of added) ids.set(key as string, id as string);
  }
  return shards.map((shard) => {
    const id = ids.get(shardKey(shard));
    if (id === undefined) throw storeError(queueSchema, 'the database', new Error(`${shard.unit} could not be added`));
    return id;
  });
}

/** Shards of one instant are taken in the order of their ids. */
function orderedId(place: number): string {
  return `${place.toString(16).padStart(8, '0')}${randomUUID().slice(8)}`;
}

/** Ids by key. */
async function listUnended(database: SqlDatabase, job: string): Promise<ReadonlyMap<string, string>> {
  const sql = `select id::text as id, singleton_key as key from ${TABLES}.job where name = ? and state <= 'active'
    order by state, created_on`;
  const rows = await database.query(sql, [job]);
  return new Map(rows.map(({ id, key }) => [key as string, id as string]));
}

function readSeen({ state, unit, output }: SqlStoreRow): SeenShard {
  const end = output === null ? null : readEnd(output as string);
  const states: Record<string, ShardState> = { created: 'waiting', retry: 'waiting', active: 'active' };
  if (state === 'cancelled') return { unit: unit as string, state, end: null };
  const known = states[state as string] ?? 'ended';
  return { unit: unit as string, state: known, end: known === 'ended' ? end : null };
}

/** What pg-boss itself says of one that expired has another shape. */
function readEnd(output: string): ShardEnd {
  const parsed = JSON.parse(output) as Partial<ShardEnd> & { readonly value?: { readonly message?: string } };
  if (parsed.status !== undefined) return parsed as ShardEnd;
  return { status: 'failed', summary: parsed.value?.message ?? 'it was lost', isRetryable: true, worker: '' };
}

function deadQueue(job: string): string {
  return `${job}${DEAD_SUFFIX}`;
}

// ---- Taking ------------------------------------------------------------------------------------

type TakingMethods = Pick<ShardQueue, 'take' | 'end' | 'retry' | 'giveBack' | 'listActive'>;

function takingMethods(boss: PgBoss, database: SqlDatabase): TakingMethods {
  return {
    take: async (job) => {
      const [taken] = await attempt(() => boss.fetch<Shard>(job, { includeMetadata: true }));
      return taken ? { ...taken.data, id: taken.id, retries: taken.retryCount } : null;
    },
    end: async (shard, end) => {
      await attempt(() => boss.complete(shard.job, shard.id, end));
      await forgetFailures(database, shard);
      if (end.status !== 'failed') return;
      const { id: _id, retries: _retries, ...data } = shard;
      await attempt(() => boss.send(deadQueue(shard.job), { ...data, end }));
    },
    retry: async (shard, end) => {
      // After the last time pg-boss itself adds one.
      await forgetFailures(database, shard);
      await attempt(() => boss.fail(shard.job, shard.id, end));
    },
    giveBack: async (shard, waitSeconds) => {
      const sql = `update ${TABLES}.job set state = 'retry', started_on = null, start_after = now() + ? * interval '1 second'
        where name = ? and id = ?::uuid and state = 'active' and retry_count = ?`;
      await database.query(sql, [waitSeconds, shard.job, shard.id, shard.retries]);
    },
    listActive: async (job, seconds) => {
      const sql = `select id::text as id, retry_count, data::text as data from ${TABLES}.job where name = ?
        and state = 'active' and started_on < now() - ? * interval '1 second'`;
      const rows = await database.query(sql, [job, seconds]);
      return rows.map(({ id, retry_count, data }) => ({
        ...(JSON.parse(data as string) as Shard),
        id: id as string,
        retries: Number(retry_count),
      }));
    },
  };
}

/** A unit is the same whatever the options of the run that asked for it: what has done it has done it for all. */
async function forgetFailures(database: SqlDatabase, { job, unit }: Pick<Shard, 'job' | 'unit'>): Promise<void> {
  const sql = `delete from ${TABLES}.job where name = ? and data->>'unit' = ?`;
  await database.query(sql, [deadQueue(job), unit]);
}

// ---- Counts -----------------------------------------------------------------------------------

/**
 * Counts the shards of all jobs, without making anything. @returns none where nothing was ever distributed
 * @throws ExternalError `shard_store_failed`
 */
export async function readShardCounts(postgresUrl: string, log: Log): Promise<readonly ShardCounts[]> {
  const database = openPostgres(postgresUrl, queueSchema, log);
  try {
    const [table] = await database.query(`select to_regclass('${TABLES}.job')::text as name`);
    if (table?.name === null) return [];
    const counts = await database.query(
      `select name, state::text as state, count(*) as count from ${TABLES}.job group by name, state order by name`,
    );
    const queues = await database.query(`select name from ${TABLES}.queue where dead_letter is not null order by name`);
    return await Promise.all(queues.map(async ({ name }) => readCounts(database, name as string, counts)));
  } finally {
    await database.close().catch(() => {});
  }
}

/**
 * Forgets all units of a job that have failed for good; nothing is made where nothing was ever distributed.
 * @throws ExternalError `shard_store_failed`
 */
export async function forgetShardFailures(postgresUrl: string, job: string, log: Log): Promise<void> {
  const database = openPostgres(postgresUrl, queueSchema, log);
  try {
    const [table] = await database.query(`select to_regclass('${TABLES}.job')::text as name`);
    if (table?.name !== null) await database.query(`delete from ${TABLES}.job where name = ?`, [deadQueue(job)]);
  } finally {
    await database.close().catch(() => {});
  }
}

async function readCounts(database: SqlDatabase, job: string, counts: readonly SqlStoreRow[]): Promise<ShardCounts> {
  const count = (name: string, states: readonly string[]) =>
    counts
      .filter((row) => row.name === name && states.includes(row.state as string))
      .reduce((sum, row) => sum + Number(row.count), 0);
  const ofFailed = `from ${TABLES}.job where name = ? and state = 'created'`;
  // Those that pg-boss has let expire may be there more than once.
  const [failed] = await database.query(`select count(distinct data->>'unit') as units ${ofFailed}`, [deadQueue(job)]);
  const failures = await database.query(
    `select * from (select distinct on (data->>'unit') data->>'unit' as unit,
        coalesce(data->'end'->>'summary', output->>'summary', output->'value'->>'message') as summary,
        (extract(epoch from created_on) * 1000)::bigint as failed_at
        ${ofFailed} order by data->>'unit', created_on desc) newest
      order by failed_at desc limit ${SHOWN_FAILURES}`,
    [deadQueue(job)],
  );
  return {
    job,
    waiting: count(job, ['created', 'retry']),
    active: count(job, ['active']),
    failed: Number(failed?.units ?? 0),
    failures: failures.map(({ unit, summary, failed_at }) => ({
      unit: unit as string,
      summary: (summary as string | null) ?? 'it was lost',
      failedAt: new Date(failed_at as number).toISOString(),
    })),
  };
}
