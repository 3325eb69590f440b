import type { Command } from 'commander';
import type { Config } from '../../pipeline/config/load-config.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import { AUSTRIA } from '../../pipeline/model/service-time.ts';
import { durationSeconds, type JobRun, type RunState } from '../../pipeline/operations/job-run.ts';
import { openOperationsToRead } from '../../pipeline/operations/open-operations.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { exitCode } from '../job/exit-code.ts';
import { unitRuns } from '../job/resources.ts';
import { renderTable } from '../job/text-table.ts';
import { renderSeconds } from '../runner/backfill-progress.ts';
import { type JobState, readJobStates } from '../runner/job-state.ts';
import { countFailures, findUsualSeconds, isFailure } from '../runner/run-statistics.ts';
import {
  addCommonOptions,
  addExamples,
  type CommandTools,
  type CommonOptions,
  loadCommandConfig,
} from './command-tools.ts';
import { printJson, printLine } from './io.ts';
import { renderRuns, renderRunTable, shortTime } from './job-runs.ts';

/** One line of `taktgeber jobs`. Times are UTC. */
interface JobListing {
  readonly job: string;
  readonly summary: string;
  readonly schedule: string | null;
  readonly isRunning: boolean;
  readonly lastRunAt: string | null;
  readonly lastStatus: RunState | null;
  readonly lastSummary: string | null;
  readonly lastDurationSeconds: number | null;
  /** Median of the last good runs. */
  readonly usualDurationSeconds: number | null;
  readonly lastSuccessAt: string | null;
  /** Of the last seven days: runs, and those among them that failed, took too long or were lost. */
  readonly recentRuns: number;
  readonly recentFailures: number;
  /** In the past when a run was missed: the schedule runs it at its start. */
  readonly nextRunAt: string | null;
  /** Null for a job without a maximum age. */
  readonly freshness: 'fresh' | 'stale' | 'never' | null;
}

const SHOWN_RUNS = 20;

export function addJobsCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('jobs')
    .description('List the jobs with their last run, result, duration, failures, next run and freshness.')
    .argument('[job]', `only this one, with its last ${SHOWN_RUNS} runs`)
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, options: CommonOptions & { json?: boolean }) => {
      const config = await loadCommandConfig(tools, options);
      await (name === undefined ? showJobs(tools, config, options) : showJob(name, tools, config, options));
      tools.finish(exitCode.done);
    });
  addExamples(addCommonOptions(command), [
    ['taktgeber jobs', 'what ran, what failed, what runs next'],
    ['taktgeber jobs build-marts', `the last ${SHOWN_RUNS} runs of one job`],
    ['taktgeber jobs --json', 'the same for programs'],
  ]);
}

async function showJobs(tools: CommandTools, config: Config, options: { json?: boolean }): Promise<void> {
  const listings = await listJobs(tools, config);
  if (options.json) printJson(tools.io, { jobs: listings });
  else for (const line of renderListings(listings)) printLine(tools.io, line);
}

async function showJob(name: string, tools: CommandTools, config: Config, options: { json?: boolean }): Promise<void> {
  const [state] = await readJobStates([getJob(tools.jobs, name)], config, tools.effects);
  const runs = state!.runs.slice(0, SHOWN_RUNS);
  const units = await listUnits(name, tools, config);
  if (options.json) printJson(tools.io, { ...listJob(state!, tools, config), runs, units });
  else for (const line of renderRuns(state!.job, runs, config)) printLine(tools.io, line);
  if (options.json || units.length === 0) return;
  printLine(tools.io, '\nUnits done by workers:');
  for (const line of renderRunTable(units)) printLine(tools.io, line);
}

/** The last units of a job that workers have done, newest first. */
async function listUnits(name: string, { effects }: CommandTools, config: Config): Promise<readonly JobRun[]> {
  const history = await openOperationsToRead(config, effects);
  try {
    return await history.listRuns(unitRuns(name), SHOWN_RUNS);
  } finally {
    await history.close();
  }
}

/** Collects the state of every job. */
export async function listJobs(tools: CommandTools, config: Config): Promise<JobListing[]> {
  const states = await readJobStates(tools.jobs, config, tools.effects);
  return states.map((state) => listJob(state, tools, config));
}

function listJob(state: JobState, { effects }: CommandTools, config: Config): JobListing {
  const { job, runs, runningSince, lastSuccessAt, nextAt } = state;
  const now = effects.clock.nowMilliseconds();
  const [run] = runs;
  const recent = countFailures(runs, now);
  return {
    job: job.name,
    summary: job.summary,
    schedule: job.schedule?.(config) ?? null,
    isRunning: runningSince !== null,
    lastRunAt: run?.startedAt ?? null,
    lastStatus: run?.state ?? null,
    lastSummary: run?.summary ?? null,
    lastDurationSeconds: run ? durationSeconds(run) : null,
    usualDurationSeconds: findUsualSeconds(runs),
    lastSuccessAt,
    recentRuns: recent.runs,
    recentFailures: recent.failures,
    nextRunAt: nextAt === null ? null : new Date(nextAt).toISOString(),
    freshness: freshnessOf(job.maxAgeHours?.(config) ?? null, lastSuccessAt, now),
  };
}

function freshnessOf(maxAgeHours: number | null, lastSuccessAt: string | null, now: number): JobListing['freshness'] {
  if (maxAgeHours === null) return null;
  // A success in the future was dated by a wrong clock: its age is unknown.
  if (lastSuccessAt === null || isTextAhead(lastSuccessAt, now)) return 'never';
  return now - Date.parse(lastSuccessAt) <= maxAgeHours * 3_600_000 ? 'fresh' : 'stale';
}

/** The listings as a table of at most 80 columns, and a sentence for each job whose last run failed. */
export function renderListings(listings: readonly JobListing[]): string[] {
  const columns = [
    ...['JOB', 'LAST RUN', 'OUTCOME'].map((title) => ({ title })),
    { title: 'TOOK', align: 'end' as const },
    ...['NEXT RUN', 'FRESHNESS'].map((title) => ({ title })),
  ];
  const rows = listings.map((listing) => [
    listing.job,
    dayTime(listing.lastRunAt),
    listing.isRunning ? 'running' : (listing.lastStatus ?? '-'),
    shortDuration(listing.lastDurationSeconds),
    dayTime(listing.nextRunAt),
    listing.freshness ?? '-',
  ]);
  const failures = listings.flatMap(({ job, lastStatus, lastSummary }) =>
    lastStatus !== null && isFailure(lastStatus) ? [`${job} ${failureVerb(lastStatus)}: ${lastSummary}`] : [],
  );
  return [
    ...renderTable(columns, rows),
    `Times are local (${AUSTRIA}).`,
    ...failures,
    ...listings.flatMap(describeRecent),
  ];
}

/** Failures of the last seven days besides the last run. */
function describeRecent({ job, recentRuns, recentFailures, lastSuccessAt }: JobListing): string[] {
  if (recentFailures === 0) return [];
  const success = lastSuccessAt === null ? 'it has never succeeded' : `last success ${shortTime(lastSuccessAt)}`;
  return [`${job}: ${recentFailures} of ${recentRuns} runs failed in the last 7 days, ${success}`];
}

/** Without the year, so that the table fits 80 columns. */
function dayTime(iso: string | null): string {
  return iso === null ? '-' : shortTime(iso).slice(5);
}

function failureVerb(state: RunState): string {
  if (state === 'lost') return 'was lost';
  return state === 'timeout' ? 'took too long' : 'failed';
}

function shortDuration(seconds: number | null): string {
  return seconds === null ? '-' : renderSeconds(seconds);
}
