import type { Clock } from '../effects/clock.ts';
import type { Log } from '../effects/log.ts';
import { identifyThisProcess, isProcessAlive, type ProcessIdentity } from '../effects/process-identity.ts';
import { openSqlStore, type SqlStoreLocation } from '../effects/sql-store/open-sql-store.ts';
import type { SqlConnection, SqlDatabase, SqlStoreValue } from '../effects/sql-store/sql-database.ts';
import { type JobRun, type RunBy, type RunCounts, type RunState, readRun } from './job-run.ts';
import { operationsSchema } from './operations-schema.ts';

interface NewRun {
  readonly job: string;
  readonly arguments: string;
  readonly runBy: RunBy;
}

export interface RunEnd {
  readonly state: Exclude<RunState, 'running' | 'lost'>;
  readonly attempts: number | null;
  readonly isRetryable: boolean;
  readonly summary: string;
  readonly counts: RunCounts;
  readonly peakMemoryBytes: number | null;
}

/** A backfill by which its units are remembered: equal arguments are the same backfill. */
export interface Backfill {
  readonly job: string;
  readonly arguments: string;
}

/**
 * The runs of all jobs. A run whose process has ended without recording it is found by the next `begin` or `listRuns`,
 * and is `lost` from then on.
 * @throws ExternalError `operations_store_failed` from every method
 */
export interface RunHistory {
  /** @returns the number of the run */
  begin(run: NewRun): Promise<number>;
  /** Reports that a run is alive; at least every `STALE_MILLISECONDS / 2`. */
  keepAlive(number: number, peakMemoryBytes: number): Promise<void>;
  end(number: number, end: RunEnd): Promise<void>;
  /** Removes a run that has not taken place, e.g. because its options were wrong. */
  forget(number: number): Promise<void>;
  /** The last runs of a job, newest first. */
  listRuns(job: string, limit: number): Promise<readonly JobRun[]>;
  /** Inserts ended runs of former records, oldest first; one that is there already stays. */
  takeOver(runs: readonly FormerRun[]): Promise<void>;
  /** Units that the backfill has done. @param run only those that this run has noted last */
  listDoneUnits(backfill: Backfill, run?: number): Promise<ReadonlySet<string>>;
  noteDoneUnit(backfill: Backfill, unit: string, run: number): Promise<void>;
  forgetUnits(backfill: Backfill): Promise<void>;
  close(): Promise<void>;
}

/** A run of a record of an earlier version. Times are ISO 8601, UTC. */
export type FormerRun = Pick<JobRun, 'job' | 'state' | 'startedAt' | 'endedAt' | 'attempts' | 'summary'>;

/** Runs of a job that are kept. Their number and not their age limits them, as clocks jump. */
const MAX_KEPT_RUNS = 1000;
/** A run that has not reported for this long counts as lost, until it reports again. */
export const STALE_MILLISECONDS = 5 * 60_000;
const LOST_SUMMARY = 'ended without a word: its process was killed, the machine stopped, or the disk was full';

/** @throws ExternalError `operations_store_failed`, `operations_store_too_new` */
export async function openRunHistory(
  place: SqlStoreLocation,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<RunHistory> {
  const database = await openSqlStore(operationsSchema, place, log);
  const self = await identifyThisProcess();
  const now = () => Math.round(clock.nowMilliseconds());
  return {
    begin: async (run) => {
      await markLost(database, self, now());
      return database.transaction((connection) => begin(connection, run, self, now()));
    },
    keepAlive: async (number, peakMemoryBytes) => {
      await database.query(
        `update job_runs set seen_at = ?, peak_memory_bytes = ?, state = 'running', summary = null
          where number = ? and ended_at is null`,
        [now(), peakMemoryBytes, number],
      );
    },
    end: (number, end) => endRun(database, number, end, now()),
    forget: async (number) => {
      await database.query('delete from job_runs where number = ?', [number]);
    },
    listRuns: async (job, limit) => {
      await markLost(database, self, now());
      const sql = 'select * from job_runs where job = ? order by number desc limit ?';
      return (await database.query(sql, [job, limit])).map(readRun);
    },
    takeOver: (runs) => database.transaction((connection) => takeOver(connection, runs, self)),
    ...backfillMethods(database),
    close: () => database.close(),
  };
}

function backfillMethods(database: SqlDatabase): Pick<RunHistory, 'listDoneUnits' | 'noteDoneUnit' | 'forgetUnits'> {
  return {
    listDoneUnits: async (backfill, run) => {
      const sql = 'select unit, run from backfill_units where job = ? and arguments = ?';
      const rows = await database.query(sql, [backfill.job, backfill.arguments]);
      return new Set(rows.filter((row) => run === undefined || row.run === run).map(({ unit }) => unit as string));
    },
    noteDoneUnit: async (backfill, unit, run) => {
      await database.query(
        `insert into backfill_units (job, arguments, unit, run) values (?, ?, ?, ?)
          on conflict (job, arguments, unit) do update set run = excluded.run`,
        [backfill.job, backfill.arguments, unit, run],
      );
    },
    forgetUnits: async (backfill) => {
      await database.query('delete from backfill_units where job = ? and arguments = ?', [
        backfill.job,
        backfill.arguments,
      ]);
    },
  };
}

// ---- A run -------------------------------------------------------------------------------------

async function begin(connection: SqlConnection, run: NewRun, self: ProcessIdentity, now: number): Promise<number> {
  const number = await nextNumber(connection);
  await insertRun(connection, {
    number,
    job: run.job,
    arguments: run.arguments,
    run_by: run.runBy,
    state: 'running',
    started_at: now,
    is_retryable: 0,
    problems: '{}',
    ...identityColumns(self),
    seen_at: now,
  });
  await dropOldRuns(connection, run.job);
  return number;
}

/** The first statement of a transaction that adds runs: the row stays locked to its end, so numbers rise in order. */
async function nextNumber(connection: SqlConnection): Promise<number> {
  const [row] = await connection.query(
    `update operations_counters set value = value + 1 where name = 'run' returning value`,
  );
  return row!.value as number;
}

async function insertRun(connection: SqlConnection, columns: Readonly<Record<string, SqlStoreValue>>): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map(() => '?').join(', ');
  await connection.query(`insert into job_runs (${names.join(', ')}) values (${places})`, Object.values(columns));
}

function identityColumns({ host, pid, processStart }: ProcessIdentity) {
  return { host, pid, process_start: processStart };
}

/** Drops the oldest runs of a job beyond the limit, and the units of backfills that only they did. */
async function dropOldRuns(connection: SqlConnection, job: string): Promise<void> {
  const sql = 'select number from job_runs where job = ? order by number desc limit 1 offset ?';
  const [oldest] = await connection.query(sql, [job, MAX_KEPT_RUNS - 1]);
  if (!oldest) return;
  await connection.query('delete from job_runs where job = ? and number < ?', [job, oldest.number!]);
  await connection.query('delete from backfill_units where job = ? and run < ?', [job, oldest.number!]);
}

async function endRun(database: SqlDatabase, number: number, end: RunEnd, now: number): Promise<void> {
  const { counts } = end;
  await database.query(
    `update job_runs set state = ?, ended_at = ?, attempts = ?, is_retryable = ?, summary = ?, rows_in = ?,
      rows_out = ?, rows_refused = ?, bytes_written = ?, problems = ?, peak_memory_bytes = ? where number = ?`,
    [
      ...[end.state, now, end.attempts, end.isRetryable ? 1 : 0, end.summary],
      ...[counts.rowsIn, counts.rowsOut, counts.rowsRefused, counts.bytesWritten],
      ...[JSON.stringify(counts.problems), end.peakMemoryBytes, number],
    ],
  );
}

// ---- Runs without an end -----------------------------------------------------------------------

async function markLost(database: SqlDatabase, self: ProcessIdentity, now: number): Promise<void> {
  const rows = await database.query(
    `select number, host, pid, process_start, seen_at from job_runs where state = 'running'`,
  );
  for (const row of rows) {
    const holder = { host: row.host as string, pid: row.pid as number, processStart: row.process_start as string };
    if (await isAlive(holder, row.seen_at as number, self, now)) continue;
    await database.query(
      `update job_runs set state = 'lost', summary = ? where number = ? and state = 'running' and seen_at = ?`,
      [LOST_SUMMARY, row.number!, row.seen_at!],
    );
  }
}

/** A process of another machine cannot be checked: it is alive as long as it reports. */
async function isAlive(holder: ProcessIdentity, seenAt: number, self: ProcessIdentity, now: number): Promise<boolean> {
  if (Math.abs(now - seenAt) > STALE_MILLISECONDS) return false;
  const isThis = holder.pid === self.pid && holder.processStart === self.processStart;
  return holder.host !== self.host || isThis || isProcessAlive(holder.pid, holder.processStart);
}

// ---- Former records ----------------------------------------------------------------------------

async function takeOver(connection: SqlConnection, runs: readonly FormerRun[], self: ProcessIdentity): Promise<void> {
  for (const run of runs) {
    const startedAt = Date.parse(run.startedAt);
    const sql = 'select number from job_runs where job = ? and started_at = ?';
    if ((await connection.query(sql, [run.job, startedAt])).length > 0) continue;
    await insertRun(connection, {
      number: await nextNumber(connection),
      job: run.job,
      arguments: '',
      run_by: 'schedule',
      state: run.state,
      started_at: startedAt,
      ended_at: run.endedAt === null ? null : Date.parse(run.endedAt),
      attempts: run.attempts,
      is_retryable: 0,
      summary: run.summary,
      problems: '{}',
      ...identityColumns(self),
      seen_at: startedAt,
    });
  }
}
