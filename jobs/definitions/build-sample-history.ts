import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { shareItems } from '../../pipeline/effects/concurrency.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';
import { UsageError } from '../../pipeline/effects/usage-error.ts';
import { findMapping } from '../../pipeline/history/archives/find-mapping.ts';
import type { ImportOutcome } from '../../pipeline/history/archives/import-archive.ts';
import { findStopEventManifest } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { shareOutEngine } from '../../pipeline/lake/share-out-engine.ts';
import { noteSourceCredits } from '../../pipeline/lake/source-credits.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, type Instant, localDate, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { samplePublishers } from '../../pipeline/sample/feed/publishers.ts';
import { SAMPLE_ZONE } from '../../pipeline/sample/simulator/service-day.ts';
import type { PastRequest, WrittenDay } from '../../pipeline/sample/write-past.ts';
import {
  type BackfillUnit,
  engineSettings,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
  noOptions,
} from '../job/job.ts';
import { ofSources, SAMPLE_PAST } from '../job/resources.ts';
import { importFile } from './import-history.ts';
import { isSample } from './realtime-sources.ts';
import { sampleCredit, sampleSourceOf } from './sample-sources.ts';

export const BUILD_SAMPLE_HISTORY = 'build-sample-history';

/** Any whole month and some days before it. */
const DAYS = 35;
/** The maximum of a history request. */
const MAX_SAMPLE_DAYS = 366;
/** Days imported together: stopping the job waits for these. */
const DAYS_AT_ONCE = 4;
/** Engines that import one day each: much of that work uses one core. */
const CONCURRENCY = 2;
const MAPPING = 'sample';
/** Sources that continue the record live: each has a past made of its reports. */
const historySources = samplePublishers.map(sampleSourceOf);

/** Gives the sample a past: generates archives of its days and imports them like any other archive. */
export function buildSampleHistoryJob(writePast = writePastInThread): Job {
  return {
    name: BUILD_SAMPLE_HISTORY,
    summary: `Generates the past ${DAYS} days of the sample as archives and imports them; existing days stay.`,
    accepts: ['date', 'from', 'to', 'force'],
    division: { noun: 'days', plan: async (context) => ({ units: divide(context) }) },
    listWritten: async () => [SAMPLE_PAST, ...ofSources('stop-events', historySources)],
    run: (context) => buildSampleHistory(writePast, context),
  };
}

/** Folder of the archives: a folder per publisher with one file per day. */
export function samplePastFolder(dataDir: string): string {
  return path.join(dataDir, 'sample', 'history');
}

/** Days that a run without options would generate, newest first. */
export async function findMissingDays(config: Config, now: Instant): Promise<readonly ServiceDate[]> {
  const waiting = await listWaiting(config, listDates(noOptions, localDate(now, SAMPLE_ZONE)), noOptions);
  return waiting.map(({ date }) => date);
}

/** A day, and the sources without a record of it. */
interface WaitingDay {
  readonly date: ServiceDate;
  readonly sources: readonly SourceId[];
}

interface ImportedDay {
  readonly day: WrittenDay;
  readonly outcome: ImportOutcome;
}

interface Progress {
  readonly imported: ImportedDay[];
  /** Days whose last trips are still under way. */
  notOver: number;
}

/** Writes archives of simulated past days of the sample; the signal ends it after the current day. */
function writePastInThread(request: PastRequest, effects: Effects, signal?: AbortSignal) {
  const file = moduleUrl('pipeline/sample/write-past.js');
  return startThread<PastRequest, readonly WrittenDay[]>(file, request, effects, { signal }).result;
}

async function buildSampleHistory(writePast: typeof writePastInThread, context: JobContext): Promise<JobOutcome> {
  const { config, effects, options, stopping } = context;
  if (!isSample(config))
    throw new UsageError('sources are configured, and only the built-in sample has a generated past');
  const dates = listDates(options, localDate(nowInstant(effects.clock), SAMPLE_ZONE));
  const waiting = await listWaiting(config, dates, options);
  if (options.isDryRun) {
    const reason = options.isForced ? 'requested with --force' : 'it has no stop events';
    const due = waiting.flatMap(({ date, sources }) =>
      sources.map((source) => ({ what: `${source} ${date}`, reason })),
    );
    return { status: statusOf(waiting.length), summary: `would make ${countDays(waiting.length)}`, due };
  }
  await noteSourceCredits(
    config.dataDir,
    historySources.map((id) => ({ id, ...sampleCredit })),
  );
  const progress: Progress = { imported: [], notOver: 0 };
  const write = (at: number) => writeDays(writePast, waiting.slice(at, at + DAYS_AT_ONCE), context);
  let next = write(0);
  for (let at = 0; at < waiting.length; at += DAYS_AT_ONCE) {
    effects.log.progress(`${BUILD_SAMPLE_HISTORY}: ${waiting[at]!.date}, day ${at + 1} of ${waiting.length}`);
    const days = await next;
    if (stopping?.aborted) break;
    // The next days are generated while these are imported.
    next = write(at + DAYS_AT_ONCE);
    const wanted = days.filter((day) => isWanted(waiting, day));
    progress.imported.push(...(await importDays(wanted, context)));
    progress.notOver += Math.min(DAYS_AT_ONCE, waiting.length - at) - countDates(days);
  }
  await next;
  return toOutcome(progress, dates.length - waiting.length, stopping?.aborted === true);
}

/** As the job itself, newest first. */
function divide({ effects, options }: JobContext): BackfillUnit[] {
  const days = listDates(options, localDate(nowInstant(effects.clock), SAMPLE_ZONE));
  return days.map((day) => ({ name: day, options: { from: day, to: day, date: null } }));
}

/** Newest first, so that an interrupted run leaves a history without gaps. Never includes today. */
function listDates({ date, from, to }: JobOptions, today: ServiceDate): ServiceDate[] {
  const yesterday = addDays(today, -1);
  const last = date ?? (to && to < yesterday ? to : yesterday);
  const first = date ?? from ?? addDays(last, 1 - DAYS);
  const count = toEpochDay(last) - toEpochDay(first) + 1;
  if (last > yesterday) throw new UsageError(`${last} is not over yet`);
  if (count > MAX_SAMPLE_DAYS) throw new UsageError(`${count} days are too many; the maximum is ${MAX_SAMPLE_DAYS}`);
  return Array.from({ length: Math.max(0, count) }, (_, i) => addDays(last, -i));
}

/**
 * Lists days without stop events of a source. Days that the service has observed itself are kept even with `--force`.
 */
async function listWaiting(
  { dataDir }: Config,
  dates: readonly ServiceDate[],
  { isForced }: JobOptions,
): Promise<WaitingDay[]> {
  const waiting: WaitingDay[] = [];
  for (const date of dates) {
    const sources: SourceId[] = [];
    for (const source of historySources) {
      const manifest = await findStopEventManifest(dataDir, source, date);
      if (manifest === null || (isForced && manifest.kind === 'import')) sources.push(source);
    }
    if (sources.length > 0) waiting.push({ date, sources });
  }
  return waiting;
}

/** @returns the archives of the days, including those of sources that already have them */
function writeDays(
  writePast: typeof writePastInThread,
  waiting: readonly WaitingDay[],
  { config, effects, stopping }: JobContext,
): Promise<readonly WrittenDay[]> {
  if (waiting.length === 0 || stopping?.aborted) return Promise.resolve([]);
  const dates = waiting.map(({ date }) => date);
  const request = { folder: samplePastFolder(config.dataDir), dates, now: nowInstant(effects.clock) };
  const days = writePast(request, effects, stopping);
  // A failure before the promise is awaited must not be an unhandled rejection.
  days.catch(() => {});
  return days;
}

function isWanted(waiting: readonly WaitingDay[], { date, publisher }: WrittenDay): boolean {
  return waiting.some((day) => day.date === date && day.sources.includes(sampleSourceOf(publisher)));
}

/** Imports archives, several at the same time; when the job is stopped it ends after the days in progress. */
async function importDays(days: readonly WrittenDay[], context: JobContext): Promise<ImportedDay[]> {
  const { dataDir } = context.config;
  // One progress line for all of them suffices.
  const effects = { ...context.effects, log: { ...context.effects.log, progress: () => {} } };
  const mapping = await findMapping(MAPPING, '/');
  // Each file holds exactly its day.
  const options = { ...context.options, from: null, to: null, date: null };
  // Imported on demand, as it loads the database engine.
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const imported: ImportedDay[] = [];
  const concurrency = Math.min(CONCURRENCY, days.length);
  const settings = { ...engineSettings(context), ...shareOutEngine(context.config.ingest, Math.max(1, concurrency)) };
  await shareItems(days, concurrency, (queue) =>
    withEngine(dataDir, settings, async (db, folder) => {
      for (const day of queue) {
        if (context.stopping?.aborted) return;
        const archive = { ...mapping, source: sampleSourceOf(day.publisher) };
        const outcome = await importFile(db, folder, day.file, archive, { ...context, effects, options });
        imported.push({ day, outcome });
      }
    }),
  );
  return imported;
}

function toOutcome({ imported, notOver }: Progress, there: number, isStopped: boolean): JobOutcome {
  const rows = imported.reduce((sum, { day }) => sum + day.rows, 0);
  const days = countDates(imported.map(({ day }) => day));
  const made = `made ${countDays(days)} of ${rows.toLocaleString('en')} calls`;
  const summary = [
    imported.length === 0 ? 'no day was due' : made,
    ...(there > 0 ? [`${there} already present`] : []),
    ...(notOver > 0 ? [`${notOver} not over yet`] : []),
    ...(isStopped ? ['stopped before the end'] : []),
  ].join(', ');
  const details = {
    days: [...new Set(imported.map(({ day }) => day.date))],
    rowsRead: imported.reduce((sum, { outcome }) => sum + outcome.record.rowsRead, 0),
  };
  const counts = { rowsIn: details.rowsRead };
  return { status: statusOf(imported.length), summary, details, counts };
}

function statusOf(days: number): JobOutcome['status'] {
  return days === 0 ? 'unchanged' : 'done';
}

/** Days, each with the archives of several publishers. */
function countDates(days: readonly WrittenDay[]): number {
  return new Set(days.map(({ date }) => date)).size;
}

function countDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
