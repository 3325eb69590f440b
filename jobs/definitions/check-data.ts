import { createQueue, type RunTask } from '../../pipeline/effects/concurrency.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type {
  BrokenInvariant,
  CheckedDays,
  DataReport,
  Day,
  SourceReport,
} from '../../pipeline/history/stop-events/check-stop-events.ts';
import { listStopEventDays, listStopEventSources } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import {
  type BackfillPlan,
  type BackfillUnit,
  engineSettings,
  isRequestedDay,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
  type Json,
} from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { renderTable } from '../job/text-table.ts';
import { withJobLocks } from '../locks/locks.ts';
import { divideIntoDays } from '../runner/backfill-units.ts';

export const CHECK_DATA = 'check-data';

/** Reports what the stop events contain, what is missing and what is impossible. */
export function checkDataJob(): Job {
  return {
    name: CHECK_DATA,
    summary: 'Checks the stop events: rows against manifests, duplicates, impossible times, gaps, coverage by hour.',
    accepts: ['source', 'date', 'from', 'to'],
    schedule: (config) => config.schedule.checkData,
    follows: ['finalise-stop-events', 'build-marts'],
    listWritten: async () => [],
    division: { noun: 'days', plan: async ({ options }) => planDays(divideIntoDays(options)) },
    run: async (context) => {
      if (context.options.isDryRun) return listDue(context);
      const checked = await check(context, createQueue());
      return report([checked], context);
    },
  };
}

/** The days are checked one by one, and reported together. A day with findings is done: checking it has not failed. */
function planDays(units: readonly BackfillUnit[]): BackfillPlan {
  const checks: CheckedDays[] = [];
  const inTurn = createQueue();
  return {
    units,
    runUnit: async (context) => {
      const checked = await check(context, inTurn);
      checks.push(checked);
      return { status: 'done', summary: `${checked.facts.length} sources checked, ${checked.broken.length} findings` };
    },
    end: (context) => report(checks, context),
  };
}

/** Days that a run would read; it writes nothing. */
async function listDue({ config, options }: JobContext): Promise<JobOutcome> {
  const days = (await listStopEventDays(config.dataDir)).filter((day) => isWanted(day, options));
  const due = days.map(({ source, serviceDate }) => ({
    what: `${source} ${serviceDate}`,
    reason: 'read by every run',
  }));
  return { status: 'done', summary: `would check ${days.length} days`, due };
}

function isWanted({ source, serviceDate }: Day, options: JobOptions): boolean {
  return (options.sourceIds?.includes(source) ?? true) && isRequestedDay(serviceDate, options);
}

/** @param inTurn runs what holds locks, of all checks of this process */
async function check(context: JobContext, inTurn: RunTask): Promise<CheckedDays> {
  const checked = await look((day) => isWanted(day, context.options), context);
  return checked.broken.length === 0 ? checked : inTurn(() => confirm(checked, context));
}

/**
 * Looks at the days with findings again while no job writes stop events: a day that was being replaced is not a finding.
 * While a job holds them, they are left to the next check.
 */
async function confirm({ facts, broken }: CheckedDays, context: JobContext): Promise<CheckedDays> {
  const { config, effects } = context;
  const found = new Set(broken.map(nameDay));
  const sound = facts.filter((day) => !found.has(nameDay(day)));
  // Which calls count depends on all sources of a day; one with findings may have no manifest to be listed by.
  const sources = [...(await listStopEventSources(config.dataDir)), ...broken.map(({ source }) => source)];
  const resources = ofSources('stop-events', sources);
  const holder = { job: CHECK_DATA, config, effects };
  try {
    const again = await withJobLocks(resources, holder, () => look((day) => found.has(nameDay(day)), context));
    return { facts: [...sound, ...again.facts], broken: again.broken };
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'job_running') throw error;
    effects.log.warn(`${error.message}, so ${found.size} days with findings are left to the next check`);
    return { facts: sound, broken: [] };
  }
}

function nameDay({ source, serviceDate }: Day): string {
  return `${source} ${serviceDate}`;
}

async function look(isLookedAt: (day: Day) => boolean, context: JobContext): Promise<CheckedDays> {
  const { dataDir } = context.config;
  const { log } = context.effects;
  // Imported on demand, as both load the database engine.
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const { checkStopEvents } = await import('../../pipeline/history/stop-events/check-stop-events.ts');
  return withEngine(dataDir, engineSettings(context), (db) =>
    checkStopEvents(db, dataDir, isLookedAt, ({ source, serviceDate }) =>
      log.progress(`${source}: checking ${serviceDate}`),
    ),
  );
}

async function report(checks: readonly CheckedDays[], { config, effects, options }: JobContext): Promise<JobOutcome> {
  const { listDays, reportChecks } = await import('../../pipeline/history/stop-events/check-stop-events.ts');
  const there = (await listDays(config.dataDir)).filter((day) => isWanted(day, options));
  const found = reportChecks(checks, there);
  for (const line of renderReport(found)) effects.log.info(line);
  return toOutcome(found);
}

function toOutcome({ sources, broken }: DataReport): JobOutcome {
  const days = sources.reduce((sum, source) => sum + source.days, 0);
  const checked = `${days} days of ${sources.length} sources checked`;
  const details = { sources, broken } as unknown as Json;
  if (broken.length === 0) return { status: 'done', summary: `${checked}, all invariants hold`, details };
  const codes = [...new Set(broken.map(({ code }) => code))].sort().join(', ');
  return { status: 'failed', summary: `${checked}, ${broken.length} invariants are violated: ${codes}`, details };
}

/** Maximum number of lines per kind of finding. */
const MAX_LINES = 20;

function renderReport({ sources, broken }: DataReport): string[] {
  return [...sources.flatMap(renderSource), ...renderBroken(broken)];
}

function renderSource(report: SourceReport): string[] {
  const { source, from, to, days, gaps, scheduled, observed, cancelled, falling, refused } = report;
  const count = (n: number) => n.toLocaleString('en');
  const missing = gaps.map((gap) => (gap.from === gap.to ? gap.from : `${gap.from} to ${gap.to}`));
  const codes = Object.entries(refused).map(([code, n]) => `${count(n)} ${code}`);
  return [
    `${source}: ${days} days from ${from} to ${to}`,
    `  ${count(scheduled)} planned calls, ${count(observed)} observed (${share(observed, scheduled)}), ${count(cancelled)} cancelled`,
    `  days that are missing in between: ${missing.length === 0 ? 'none' : cut(missing, ', ')}`,
    `  refused: ${codes.length === 0 ? 'none' : codes.join(', ')}`,
    ...(falling > 0 ? [`  ${count(falling)} calls are scheduled before the preceding call`] : []),
    ...renderTable(
      [
        { title: 'HOUR', align: 'end' },
        { title: 'PLANNED', align: 'end' },
        { title: 'OBSERVED', align: 'end' },
        { title: 'SHARE', align: 'end' },
      ],
      report.hours.map((row) => [
        String(row.hour),
        count(row.scheduled),
        count(row.observed),
        share(row.observed, row.scheduled),
      ]),
    ).map((line) => `  ${line}`),
  ];
}

function renderBroken(broken: readonly BrokenInvariant[]): string[] {
  const lines = broken.map(
    ({ code, source, serviceDate, detail }) => `broken: ${source} ${serviceDate} ${code}: ${detail}`,
  );
  const rest = lines.length - MAX_LINES;
  return rest > 0 ? [...lines.slice(0, MAX_LINES), `… and ${rest} more; see --json`] : lines;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

function cut(texts: readonly string[], separator: string): string {
  const shown = texts.slice(0, MAX_LINES).join(separator);
  return texts.length > MAX_LINES ? `${shown} and ${texts.length - MAX_LINES} more` : shown;
}
