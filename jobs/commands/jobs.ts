import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import { exitCode } from '../exit-code.ts';
import type { Job, JobOutcome } from '../job.ts';
import { findJobRecord, findLockHolder } from '../job-lock.ts';
import { nextRunAt } from '../schedule.ts';
import { renderTable } from '../text-table.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';

/** One line of `taktgeber jobs`. Times are UTC. */
interface JobListing {
  readonly job: string;
  readonly summary: string;
  readonly schedule: string | null;
  readonly isRunning: boolean;
  readonly lastRunAt: string | null;
  readonly lastStatus: JobOutcome['status'] | null;
  readonly lastSummary: string | null;
  readonly lastDurationSeconds: number | null;
  readonly lastSuccessAt: string | null;
  /** In the past when a run was missed: the schedule runs it at its start. */
  readonly nextRunAt: string | null;
  /** Null for a job without a maximum age. */
  readonly freshness: 'fresh' | 'stale' | 'never' | null;
}

export function addJobsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('jobs')
    .description('List the jobs: last run and its result, next run, freshness.')
    .option('--json', 'print JSON')
    .action(async (options: CommonOptions & { json?: boolean }) => {
      const config = await loadCommandConfig(tools, options);
      const listings = await listJobs(tools, config);
      if (options.json) printJson(tools.io, { jobs: listings });
      else for (const line of renderListings(listings)) printLine(tools.io, line);
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [['taktgeber jobs --json', 'the same for a machine']]);
}

/** Collects the state of every job. */
export async function listJobs(tools: CommandTools, config: Config): Promise<JobListing[]> {
  return Promise.all(tools.jobs.map((job) => listJob(job, tools, config)));
}

async function listJob(job: Job, { effects }: CommandTools, config: Config): Promise<JobListing> {
  const record = await findJobRecord(config.dataDir, job.name);
  const now = effects.clock.nowMilliseconds();
  const next = nextRunAt(job, config, record?.lastRun.startedAt ?? null, now);
  const run = record?.lastRun;
  return {
    job: job.name,
    summary: job.summary,
    schedule: job.schedule?.(config) ?? null,
    isRunning: (await findLockHolder(config.dataDir, job.name, effects.clock)) !== null,
    lastRunAt: run?.startedAt ?? null,
    lastStatus: run?.status ?? null,
    lastSummary: run?.summary ?? null,
    lastDurationSeconds: run?.durationSeconds ?? null,
    lastSuccessAt: record?.lastSuccessAt ?? null,
    nextRunAt: next === null ? null : new Date(next).toISOString(),
    freshness: freshnessOf(job.maxAgeHours?.(config) ?? null, record?.lastSuccessAt ?? null, now),
  };
}

function freshnessOf(maxAgeHours: number | null, lastSuccessAt: string | null, now: number): JobListing['freshness'] {
  if (maxAgeHours === null) return null;
  // A success in the future was dated by a wrong clock: its age is unknown.
  if (lastSuccessAt === null || isTextAhead(lastSuccessAt, now)) return 'never';
  return now - Date.parse(lastSuccessAt) <= maxAgeHours * 3_600_000 ? 'fresh' : 'stale';
}

/** The listings as a table, and a sentence for each job whose last run failed. */
export function renderListings(listings: readonly JobListing[]): string[] {
  const columns = ['JOB', 'LAST RUN', 'OUTCOME', 'LAST SUCCESS', 'NEXT RUN', 'FRESHNESS'].map((title) => ({ title }));
  const rows = listings.map((listing) => [
    listing.job,
    shortTime(listing.lastRunAt),
    listing.isRunning ? 'running' : (listing.lastStatus ?? '-'),
    shortTime(listing.lastSuccessAt),
    shortTime(listing.nextRunAt),
    listing.freshness ?? '-',
  ]);
  const failures = listings
    .filter(({ lastStatus }) => lastStatus === 'failed')
    .map(({ job, lastSummary }) => `${job} failed: ${lastSummary}`);
  return [...renderTable(columns, rows), ...failures];
}

function shortTime(iso: string | null): string {
  return iso === null ? '-' : `${iso.slice(0, 16)}Z`;
}
