import type { Log } from '../../effects/log.ts';
import { identifyThisProcess, type ProcessIdentity } from '../../effects/process-identity.ts';
import { openSqlStore } from '../../effects/sql-store/open-sql-store.ts';
import type { SqlConnection, SqlStoreRow } from '../../effects/sql-store/sql-database.ts';
import { lockSchema } from './lock-schema.ts';

/** Serialises the decisions about locks: each is one short transaction. */
const DECIDING_LOCK = 0x74616b6d;

/** A lock that a process holds. */
export interface StoredLock extends ProcessIdentity {
  readonly resource: string;
  /** The job that it runs. */
  readonly job: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** Something to be locked. */
export interface WantedLock {
  readonly resource: string;
  /** Holders of the same share hold it together; null: this one alone. */
  readonly share: string | null;
}

/**
 * Locks as leases in PostgreSQL: each expires unless it is renewed in time, by the server's clock. A lease that
 * has ended is never renewed.
 * @throws ExternalError `lock_store_failed`, retryable, from every method
 */
export interface LockStore {
  /**
   * Locks all or nothing.
   * @param token of an acquisition that the locks are added to; null: a new one
   * @returns the token, higher than those of all former acquisitions; or the lock that is in the way
   */
  acquire(job: string, wanted: readonly WantedLock[], token: number | null): Promise<number | StoredLock>;
  /** @returns whether all locks of the acquisition are still held */
  renew(token: number): Promise<boolean>;
  /** Asks without renewing. */
  isHeld(token: number): Promise<boolean>;
  release(token: number): Promise<void>;
  /** Locks that are held, by resource. @param prefix of the resource */
  list(prefix?: string): Promise<readonly StoredLock[]>;
  close(): Promise<void>;
}

/** @throws ExternalError `lock_store_failed`, `lock_store_too_new` */
export async function openLockStore(postgresUrl: string, leaseSeconds: number, log: Log): Promise<LockStore> {
  const database = await openSqlStore(lockSchema, { file: '', postgresUrl }, log);
  const self = await identifyThisProcess();
  const lease = { milliseconds: Math.round(leaseSeconds * 1000), self };
  return {
    acquire: (job, wanted, token) =>
      database.transaction(async (connection) => {
        await connection.query(`select pg_advisory_xact_lock(${DECIDING_LOCK})`);
        await connection.query(`delete from job_locks where expires_at <= ${NOW}`);
        return decide(connection, { job, wanted, token, ...lease });
      }),
    renew: async (token) => {
      const sql = `update job_locks set expires_at = ${NOW} + ? where token = ? and expires_at > ${NOW} returning token`;
      return (await database.query(sql, [lease.milliseconds, token])).length > 0;
    },
    isHeld: async (token) => {
      const sql = `select 1 as held from job_locks where token = ? and expires_at > ${NOW} limit 1`;
      return (await database.query(sql, [token])).length > 0;
    },
    release: async (token) => {
      await database.query('delete from job_locks where token = ?', [token]);
    },
    list: async (prefix = '') => {
      const sql = `select * from job_locks where expires_at > ${NOW} and starts_with(resource, ?) order by resource, token`;
      return (await database.query(sql, [prefix])).map(readLock);
    },
    close: () => database.close(),
  };
}

/** Of the server, so the clocks of the machines do not matter; it moves on within a transaction. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

interface Decision {
  readonly job: string;
  readonly wanted: readonly WantedLock[];
  readonly token: number | null;
  readonly milliseconds: number;
  readonly self: ProcessIdentity;
}

async function decide(connection: SqlConnection, decision: Decision): Promise<number | StoredLock> {
  const { job, wanted, milliseconds, self } = decision;
  for (const { resource, share } of wanted) {
    const sql = 'select * from job_locks where resource = ? and token <> ? and (share is null or share <> ?) limit 1';
    // No share is empty, so an empty one differs from all.
    const [other] = await connection.query(sql, [resource, decision.token ?? 0, share ?? '']);
    if (other) return readLock(other);
  }
  const token = decision.token ?? (await nextToken(connection));
  for (const { resource, share } of wanted) {
    await connection.query(
      `insert into job_locks (resource, token, share, job, host, pid, process_start, started_at, expires_at)
        values (?, ?, ?, ?, ?, ?, ?, ${NOW}, ${NOW} + ?) on conflict do nothing`,
      [resource, token, share, job, self.host, self.pid, self.processStart, milliseconds],
    );
  }
  return token;
}

async function nextToken(connection: SqlConnection): Promise<number> {
  const [row] = await connection.query(`select nextval('job_lock_tokens') as token`);
  return row!.token as number;
}

function readLock(row: SqlStoreRow): StoredLock {
  return {
    resource: row.resource as string,
    job: row.job as string,
    host: row.host as string,
    pid: row.pid as number,
    processStart: row.process_start as string | null,
    startedAt: new Date(row.started_at as number).toISOString(),
  };
}
