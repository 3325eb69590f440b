import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { Http } from '../../../pipeline/effects/http.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { FeedRepairs } from '../../../pipeline/model/feed-fixes.ts';
import { countRefused, type TableReport } from '../../../pipeline/model/feed-report.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../../pipeline/snapshots/timetable-files.ts';
import type { WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import {
  type FeedOutcome,
  type IngestOutcome,
  type IngestRequest,
  ingestTimetable,
} from '../../../pipeline/timetable/ingest-timetable.ts';
import { readTimetable, type Timetable } from '../checks/read-timetable.ts';
import { type FeedFiles, feedFromText, writeFeedFolder, writeFeedZip } from './text-feed.ts';

export const silentLog: Log = { info: () => {}, warn: () => {}, progress: () => {} };

/** All rules, and no table of the operator. */
export const mergeAll: IngestRequest['settings']['merging'] = {
  stationsById: true,
  stationsByName: true,
  trips: true,
  throughTrips: true,
  decisions: [],
  problems: [],
};

/** For tests of differences between publishers. */
export const mergeNothing: IngestRequest['settings']['merging'] = {
  ...mergeAll,
  stationsById: false,
  stationsByName: false,
  trips: false,
  throughTrips: false,
};

export const testSettings: IngestRequest['settings'] = {
  memoryLimit: '1GB',
  threads: 1,
  maxZipEntries: 100,
  maxEntryBytes: 100_000_000,
  maxTotalBytes: 200_000_000,
  maxCompressionRatio: 200,
  maxDownloadBytes: 100_000_000,
  downloadTimeoutSeconds: 10,
  refetchHours: 24,
  maxRejectedBytes: 100_000_000,
  keepSnapshots: 3,
  minShareOfPrevious: 0.5,
  merging: mergeAll,
};

/** No server can be reached, unless a test replaces it. */
export const offlineHttp: Http = async ({ url }) => {
  throw new ExternalError('http_unreachable', `${url} cannot be reached`, { isRetryable: true });
};

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-ingest-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ingest {
  readonly outcome: IngestOutcome;
  /** The published timetable; throws without one. */
  readonly timetable: () => Promise<Timetable>;
}

export interface IngestOptions {
  readonly dataDir?: string;
  readonly now?: string;
  readonly refresh?: readonly string[];
  readonly isForced?: boolean;
  readonly isDryRun?: boolean;
  readonly http?: Http;
  readonly settings?: Partial<IngestRequest['settings']>;
  readonly walks?: WalkRouter;
  readonly log?: Log;
  /** Of every feed. */
  readonly repairs?: FeedRepairs;
}

/** A feed: its text, or its location. */
export type FeedInput = string | FeedFiles | { readonly location: string; readonly headers?: Record<string, string> };

/** Ingests and publishes feeds by the id of their source; the text of a feed is packed as a zip. */
export async function ingestFeeds(
  feeds: Readonly<Record<string, FeedInput>>,
  options: IngestOptions = {},
): Promise<Ingest> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const sources = [];
  for (const [id, feed] of Object.entries(feeds)) {
    const placed = await placeFeed(feed, path.join(dataDir, 'feeds', `${id}.zip`));
    sources.push({ id: toSourceId(id), ...placed, ...(options.repairs ? { repairs: options.repairs } : {}) });
  }
  const outcome = await ingestTimetable(
    {
      sources,
      dataDir,
      settings: { ...testSettings, ...options.settings },
      isDryRun: options.isDryRun ?? false,
      isForced: options.isForced ?? false,
      ...(options.refresh ? { refresh: new Set(options.refresh.map(toSourceId)) } : {}),
    },
    {
      clock: fixedClock(options.now ?? '2026-03-01T12:00:00Z'),
      http: options.http ?? offlineHttp,
      log: options.log ?? silentLog,
      walks: options.walks ?? null,
    },
  );
  for (const feed of outcome.feeds) checkArithmetic(feed.tables);
  return { outcome, timetable: () => readPublished(dataDir) };
}

/** Ingests one feed as source `test`; throws its error. */
export async function ingestFeedText(
  feed: FeedInput,
  options: IngestOptions = {},
): Promise<{ timetable: Timetable; report: readonly TableReport[]; feed: FeedOutcome }> {
  const { outcome, timetable } = await ingestFeeds({ test: feed }, options);
  const [only] = outcome.feeds;
  if (only!.failure !== undefined) throw new Error(only!.failure);
  return { timetable: await timetable(), report: only!.tables, feed: only! };
}

async function placeFeed(
  feed: FeedInput,
  file: string,
): Promise<{ location: string; headers?: Record<string, string> }> {
  if (typeof feed === 'object' && 'location' in feed) return feed;
  await writeFeedZip(typeof feed === 'string' ? feedFromText(feed) : feed, file);
  return { location: file };
}

/** Like `placeFeed`, but leaves the feed as a folder. */
export async function folderFeed(feed: FeedFiles): Promise<{ location: string }> {
  const location = path.join(await temporaryFolder(), 'feed');
  await writeFeedFolder(feed, location);
  return { location };
}

export async function readPublished(dataDir: string): Promise<Timetable> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error('nothing is published');
  return readTimetable(await readTimetableSnapshot(dataDir, id));
}

/** Asserts rows in = rows out + rows refused for every table of every ingested feed. */
function checkArithmetic(tables: readonly TableReport[]): void {
  for (const table of tables) {
    if (table.rowsIn !== table.rowsOut + countRefused(table)) {
      throw new Error(`${table.table}: ${table.rowsIn} in, ${table.rowsOut} out, ${countRefused(table)} refused`);
    }
  }
}

/** Lines such as `stops: 2 duplicate_id`, in order of tables and codes. */
export function listRefused(report: readonly TableReport[]): string[] {
  return report.flatMap(({ table, refused }) => refused.map(({ code, count }) => `${table}: ${count} ${code}`)).sort();
}

export function listRepaired(report: readonly TableReport[]): string[] {
  return report
    .flatMap(({ table, repaired }) => repaired.map(({ code, count }) => `${table}: ${count} ${code}`))
    .sort();
}

/** A small valid feed that cases change: one bus line, three stops, two trips on every day of a week. */
export const soundFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.0,16.0
  b,Berg,48.0,16.1
  c,Kirche,48.0,16.2
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r,v,1,Anger - Kirche,3
  # trips.txt
  trip_id,route_id,service_id
  t1,r,daily
  t2,r,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,a,1,08:00:00,08:00:00
  t1,b,2,08:10:00,08:11:00
  t1,c,3,08:20:00,08:20:00
  t2,a,1,09:00:00,09:00:00
  t2,b,2,09:10:00,09:11:00
  t2,c,3,09:20:00,09:20:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);
