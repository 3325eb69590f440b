import type { SqlStoreRow } from '../effects/sql-store/sql-database.ts';

/**
 * `running`; how a run ended; `stopped` by a signal; `lost`: its process ended without recording it, e.g. by a kill or a
 * power cut.
 */
export type RunState = 'running' | 'done' | 'unchanged' | 'failed' | 'timeout' | 'stopped' | 'lost';

/** What a run counted. Null: the job does not count it. */
export interface RunCounts {
  readonly rowsIn: number | null;
  readonly rowsOut: number | null;
  readonly rowsRefused: number | null;
  /** Bytes of the files that it published. */
  readonly bytesWritten: number | null;
  /** Refused and repaired rows, and violated checks, by code. */
  readonly problems: Readonly<Record<string, number>>;
}

export const noCounts: RunCounts = {
  rowsIn: null,
  rowsOut: null,
  rowsRefused: null,
  bytesWritten: null,
  problems: {},
};

/** `hand`: a command; `schedule`: the schedule, or the start of the service; `worker`: a unit of another run. */
export type RunBy = 'hand' | 'schedule' | 'worker';

/** One run of a job. Times are ISO 8601, UTC. */
export interface JobRun extends RunCounts {
  /** Rises with the starts, whatever the clock showed. */
  readonly number: number;
  readonly job: string;
  /** As on the command line, e.g. `--from 2026-03-01 --force`; empty for a run without options. */
  readonly arguments: string;
  readonly runBy: RunBy;
  readonly state: RunState;
  readonly startedAt: string;
  /** Null while it runs, and for a lost run. */
  readonly endedAt: string | null;
  /** Name of its machine. */
  readonly host: string;
  readonly attempts: number | null;
  /** Whether a failed run may succeed later without intervention. */
  readonly isRetryable: boolean;
  /** One sentence: the result, or why it failed. */
  readonly summary: string | null;
  /**
   * Largest memory of the whole process that was sampled during the run; in `up` this includes the api and all that ran
   * beside the job.
   */
  readonly peakMemoryBytes: number | null;
}

export function readRun(row: SqlStoreRow): JobRun {
  return {
    number: row.number as number,
    job: row.job as string,
    arguments: row.arguments as string,
    runBy: row.run_by as RunBy,
    state: row.state as RunState,
    startedAt: toIso(row.started_at as number),
    endedAt: row.ended_at === null ? null : toIso(row.ended_at as number),
    host: row.host as string,
    attempts: row.attempts as number | null,
    isRetryable: row.is_retryable === 1,
    summary: row.summary as string | null,
    rowsIn: row.rows_in as number | null,
    rowsOut: row.rows_out as number | null,
    rowsRefused: row.rows_refused as number | null,
    bytesWritten: row.bytes_written as number | null,
    problems: JSON.parse(row.problems as string) as JobRun['problems'],
    peakMemoryBytes: row.peak_memory_bytes as number | null,
  };
}

function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Seconds from start to end; null for a run without an end. */
export function durationSeconds({ startedAt, endedAt }: Pick<JobRun, 'startedAt' | 'endedAt'>): number | null {
  return endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}
