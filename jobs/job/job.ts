import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { FeedRepairs } from '../../pipeline/model/feed-fixes.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { RunCounts } from '../../pipeline/operations/job-run.ts';

/** A timetable to ingest: its source and the location of its feed. */
export interface Feed {
  readonly id: SourceId;
  /** An absolute path of a zip or a folder, or an http(s) address. */
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of a data set of the platform of the Mobilitätsverbünde, which is at the location; absent for others. */
  readonly dataSet?: number;
  /** Its licence forbids serving it after the last day of its validity; absent: it does not. */
  readonly stopAfterValidity?: boolean;
  /** Absent: its rows are taken as published. */
  readonly repairs?: FeedRepairs;
}

/** Options of a run; a job lists those that it supports. */
export type JobOptionName = 'source' | 'gtfs' | 'file' | 'mapping' | 'from' | 'to' | 'date' | 'force' | 'into';

export interface JobOptions {
  /** Feeds of the command line; null: the configured ones. */
  readonly feeds: readonly Feed[] | null;
  /** Only these of the configured sources; null: all. */
  readonly sourceIds: readonly SourceId[] | null;
  /** Archives to import: absolute paths or patterns. */
  readonly files: readonly string[] | null;
  /** Name or absolute path of the mapping that reads them. */
  readonly mapping: string | null;
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  readonly date: ServiceDate | null;
  /** Another data folder, which the results go to: an absolute path. */
  readonly into: string | null;
  /** Publish nothing, and list what would be done. Every job supports it. */
  readonly isDryRun: boolean;
  /** Does skipped work as well: work with unchanged input, and work that a check of the job holds back. */
  readonly isForced: boolean;
  /** Units of a backfill that run at the same time. */
  readonly concurrency: number;
  /** Leave out the units that the last backfill with the same options has done. */
  readonly isResumed: boolean;
  /** Leave the units to workers. */
  readonly isDistributed: boolean;
}

export const noOptions: JobOptions = {
  feeds: null,
  sourceIds: null,
  files: null,
  mapping: null,
  from: null,
  to: null,
  date: null,
  into: null,
  isDryRun: false,
  isForced: false,
  concurrency: 1,
  isResumed: false,
  isDistributed: false,
};

export interface JobContext {
  readonly config: Config;
  readonly effects: Effects;
  readonly options: JobOptions;
  /** Aborts when the process should end: the job ends at its next step. What it has published stays valid. */
  readonly stopping?: AbortSignal | undefined;
}

/** Limits of a job's database engine, which is interrupted when the job should end. */
export function engineSettings({ config, stopping }: Pick<JobContext, 'config' | 'stopping'>) {
  return { ...config.ingest, signal: stopping };
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface JobOutcome {
  /** `unchanged`: the input was the same as last time, so nothing was published. */
  readonly status: 'done' | 'unchanged' | 'failed';
  /** One sentence. */
  readonly summary: string;
  /** Whether a retry a little later may succeed without intervention. */
  readonly isRetryable?: boolean;
  /** It failed because of its input; other units of the backfill may still succeed. */
  readonly hasBadInput?: boolean;
  /** It failed only for inputs that never were usable, and did its work for the others. */
  readonly isOnlyNeverLoaded?: boolean;
  /** It was retried piece by piece: not this run, but a later one may succeed. */
  readonly isRetriedInPieces?: boolean;
  readonly details?: Json;
  /** Counts of the run for the history, as far as the job has them. */
  readonly counts?: Partial<RunCounts>;
  /** What a dry run found to be done. */
  readonly due?: readonly DueWork[];
}

/** A piece of work that a run would do. */
export interface DueWork {
  /** e.g. a source and a day */
  readonly what: string;
  /** Why it is to be done, e.g. "its timetable has changed". */
  readonly reason: string;
}

/**
 * Something that runs write and that no two runs may write at the same time, e.g. `timetable` or `stop-events/wien` for
 * what belongs to one source.
 */
export type Resource = string;

/** A part of a backfill that runs on its own: the job with its options narrowed. */
export interface BackfillUnit {
  /** e.g. a day or a month */
  readonly name: string;
  readonly options: Partial<JobOptions>;
}

/** How a run over a range of service dates is divided. */
interface Division {
  /** Plural, for messages and the help. */
  readonly noun: string;
  /** @throws UsageError for options that cannot be divided */
  plan(context: JobContext): Promise<BackfillPlan>;
  /** How workers share it; absent: its units have something in common that is in one process. */
  readonly shards?: ShardDivision;
}

/** The units of a run that workers share: they have the data folder in common and nothing else. */
interface ShardDivision {
  /** Plural. */
  readonly noun: string;
  /**
   * As `plan` of the division, and without a range what is due. A run of fewer than two units is not distributed.
   * @throws UsageError for options that cannot be divided
   */
  plan(context: JobContext): Promise<Omit<BackfillPlan, 'runUnit'>>;
  /** Does one unit in the process of a worker; absent: a run of the job with the options of the unit. */
  runUnit?(context: JobContext, unit: BackfillUnit): Promise<JobOutcome>;
}

/** The units of one backfill. Any of them may run at the same time; the result is that of one after the other. */
export interface BackfillPlan {
  readonly units: readonly BackfillUnit[];
  /**
   * Work that the units share, before the first of them. Its context has the whole range.
   * @param waiting the units that will run: those that were done before are left out
   */
  begin?(context: JobContext, waiting: readonly BackfillUnit[]): Promise<void>;
  /** Does one unit; absent: a run of the job with the options of the unit. */
  runUnit?(context: JobContext, unit: BackfillUnit): Promise<JobOutcome>;
  /**
   * Work on what the units have made together, when all of them have ended, also failed ones; not after a stop.
   */
  end?(context: JobContext): Promise<BackfillEnd>;
}

/** What the work at the end adds to the outcome of the units; its `summary` follows theirs. */
export type BackfillEnd = Pick<JobOutcome, 'status'> &
  Partial<Pick<JobOutcome, 'summary' | 'isRetryable' | 'counts' | 'details'>>;

/** A finite, idempotent piece of work: a second run on the same input changes nothing. */
export interface Job {
  readonly name: string;
  /** One sentence for `taktgeber jobs`. */
  readonly summary: string;
  readonly accepts: readonly JobOptionName[];
  /** Cron expression in UTC; a job without one, or with null, runs only on request. */
  schedule?(config: Config): string | null;
  /** Minutes after which a run is stopped, unless `operations.timeoutMinutes` says otherwise; 4 hours when absent. */
  readonly timeoutMinutes?: number;
  /** What a run with these options writes; locked while it runs. Absent: the job only excludes itself. */
  listWritten?(context: JobContext): Promise<readonly Resource[]>;
  /** Jobs whose results it reads: the schedule lets those that are due or running end first. */
  readonly follows?: readonly string[];
  /** Absent: a run is one piece of work. */
  readonly division?: Division;
  /** Why a job on past days is not divided into them; one clause. */
  readonly notDivisibleReason?: string;
  /** Hours after which the last good run is stale. */
  maxAgeHours?(config: Config): number;
  /** @throws ExternalError for failures of disk or network; any other error is a bug */
  run(context: JobContext): Promise<JobOutcome>;
}

/**
 * Whether the options of a run include a day.
 * @param latest the last day without `--date` and `--to`; null: no limit
 */
export function isRequestedDay(
  serviceDate: ServiceDate,
  { date, from, to }: Pick<JobOptions, 'date' | 'from' | 'to'>,
  latest: ServiceDate | null = null,
): boolean {
  if (date) return serviceDate === date;
  return serviceDate >= (from ?? serviceDate) && serviceDate <= (to ?? latest ?? serviceDate);
}

/**
 * Returns the sources of a run: all unless the options name some.
 * @param known sources with data
 * @throws UsageError for one that is not known
 */
export function chooseSources(
  { sourceIds }: Pick<JobOptions, 'sourceIds'>,
  known: Iterable<SourceId>,
): readonly SourceId[] {
  const all = [...new Set(known)];
  const stray = sourceIds?.find((id) => !all.includes(id));
  if (stray === undefined) return sourceIds ?? all;
  const there = all.length > 0 ? `there are ${all.join(', ')}` : 'there is none yet';
  throw new UsageError(`there are no records of a source "${stray}"; ${there}`);
}
