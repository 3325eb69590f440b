import type { Config } from '../pipeline/config/load-config.ts';
import { UsageError } from '../pipeline/config/usage-error.ts';
import type { Effects } from '../pipeline/effects/effects.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { ServiceDate } from '../pipeline/model/service-time.ts';

/** A timetable to ingest: a publisher and where its feed lies. */
export interface Feed {
  readonly id: SourceId;
  /** An absolute path of a zip or a folder, or an http(s) address. */
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a person may narrow a run down with; a job says which of them it understands. */
export type JobOptionName = 'source' | 'gtfs' | 'file' | 'mapping' | 'from' | 'to' | 'date' | 'dryRun' | 'force';

export interface JobOptions {
  /** Feeds typed on the command line; null takes the configured ones. */
  readonly feeds: readonly Feed[] | null;
  /** Only these of the configured sources; null takes all. */
  readonly sourceIds: readonly SourceId[] | null;
  /** Archives to bring in: absolute paths, or patterns of such. */
  readonly files: readonly string[] | null;
  /** How they are read: the name of a mapping, or the absolute path of one. */
  readonly mapping: string | null;
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  readonly date: ServiceDate | null;
  /** Do everything but publish. */
  readonly isDryRun: boolean;
  /** Do what would be left: work whose input has not changed, and what a check of the job keeps back. */
  readonly isForced: boolean;
}

export const noOptions: JobOptions = {
  feeds: null,
  sourceIds: null,
  files: null,
  mapping: null,
  from: null,
  to: null,
  date: null,
  isDryRun: false,
  isForced: false,
};

export interface JobContext {
  readonly config: Config;
  readonly effects: Effects;
  readonly options: JobOptions;
  /** Aborts when the process is to end: the job ends at its next step. What it has published by then stays valid. */
  readonly stopping?: AbortSignal | undefined;
}

/** What the database engine of a job may take; it is interrupted when the job is to end. */
export function engineSettings({ config, stopping }: Pick<JobContext, 'config' | 'stopping'>) {
  return { ...config.ingest, signal: stopping };
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface JobOutcome {
  /** `unchanged`: the input was the same as last time, so nothing was published. */
  readonly status: 'done' | 'unchanged' | 'failed';
  /** One sentence. */
  readonly summary: string;
  /** Whether a failed run may go better a little later, without anybody's doing. */
  readonly isRetryable?: boolean;
  readonly details?: Json;
}

/** One piece of work that runs to its end; twice on the same input equals once. */
export interface Job {
  readonly name: string;
  /** One sentence for `taktgeber jobs`. */
  readonly summary: string;
  readonly accepts: readonly JobOptionName[];
  /** Cron expression in UTC; a job without one runs only when somebody asks for it. */
  schedule?(config: Config): string;
  /** Hours after which the last good run is stale. */
  maxAgeHours?(config: Config): number;
  /** @throws WorldError when the world failed; a bug throws what it likes */
  run(context: JobContext): Promise<JobOutcome>;
}

/**
 * Whether somebody who ran a job meant a day.
 * @param latest the last day that is meant where nobody names one; null: whichever there is
 */
export function isAskedDay(
  serviceDate: ServiceDate,
  { date, from, to }: Pick<JobOptions, 'date' | 'from' | 'to'>,
  latest: ServiceDate | null = null,
): boolean {
  if (date) return serviceDate === date;
  return serviceDate >= (from ?? serviceDate) && serviceDate <= (to ?? latest ?? serviceDate);
}

/**
 * The sources that somebody who ran a job meant: all where nobody names one.
 * @param known those of which there is something
 * @throws UsageError for one that is not among them
 */
export function chooseSources(
  { sourceIds }: Pick<JobOptions, 'sourceIds'>,
  known: Iterable<SourceId>,
): readonly SourceId[] {
  const all = [...new Set(known)];
  const stray = sourceIds?.find((id) => !all.includes(id));
  if (stray === undefined) return sourceIds ?? all;
  const there = all.length > 0 ? `there are ${all.join(', ')}` : 'there is none yet';
  throw new UsageError(`nothing is recorded of a source "${stray}"; ${there}`);
}
