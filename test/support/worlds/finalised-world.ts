import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  findStopEventManifest,
  type StopEventManifest,
} from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { openObservations } from '../../../pipeline/lake/observations/observation-store.ts';
import { type SourceId, toSourceId } from '../../../pipeline/model/ids.ts';
import type { CallObservation } from '../../../pipeline/model/observation.ts';
import { type Instant, parseTimestamp, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { hashTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { fakeEffects, runCommand } from '../../jobs/fake-world.ts';
import { openTemplateFolders } from '../setup/template-folders.ts';
import { ingestFeeds, silentLog, soundFeed, temporaryFolder } from './ingest.ts';
import { isCallCancelled, readStopEvents, type StopEventRow } from './stop-events.ts';
import { type FeedFiles, withFiles } from './text-feed.ts';

export const settings = { memoryLimit: '1GB', threads: 1 };

/** Report of a source at an instant: observations, by trip and position, of one service date. */
export interface ReportedEvent extends Partial<Omit<CallObservation, 'day' | 'time' | 'scheduledTime' | 'tripKey'>> {
  readonly trip: string;
  readonly position: number;
  readonly event: 'arrival' | 'departure';
  readonly stopId: string;
  /** Scheduled time, RFC 3339. */
  readonly planned?: string;
  /** Forecast or observed time. */
  readonly time?: string;
  readonly date?: string;
  /** Key of the trip, if it is not in the timetable. */
  readonly key?: bigint;
}

export interface Answer {
  /** Time of the observation, RFC 3339. */
  readonly at: string;
  readonly reported?: readonly ReportedEvent[];
  /** Trips that are not reported any more from then on. */
  readonly ends?: readonly { readonly trip: string; readonly date?: string }[];
}

// Caching is safe: the same feed makes the same timetable, and ingesting it takes most of a test.
const ingested = openTemplateFolders(
  'taktgeber-finalised-',
  async (dataDir, requested: { feed: FeedFiles; now: string }) => {
    await ingestFeeds({ city: requested.feed }, { dataDir, now: requested.now });
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIG);
  },
);

/** The valid feed on every day of a year, with one trip at the times of the case. */
export function feedOf(...times: readonly string[]): FeedFiles {
  return withFiles(soundFeed, {
    'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily',
    'stop_times.txt': [
      'trip_id,stop_id,stop_sequence,arrival_time,departure_time',
      ...times.map((time, i) => `t1,${'abc'[i]},${i + 1},${time},${time}`),
    ].join('\n'),
    'calendar.txt': [
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
      'daily,1,1,1,1,1,1,1,20260101,20261231',
    ].join('\n'),
  });
}

/** A data folder with a timetable `city`, and the realtime sources `live` and `other`, which report its trips. */
export async function openWorldToFinalise(feed: FeedFiles, date: string, now = `${date}T06:00:00Z`) {
  const template = await ingested(JSON.stringify([...feed, now]), { feed, now });
  const dataDir = await temporaryFolder();
  await cp(template, dataDir, { recursive: true });
  return { dataDir, date: date as ServiceDate };
}

const CONFIG = `
sources:
  - { id: city, gtfs: feeds/city.zip }
realtime:
  - { id: live, kind: gtfs-rt, timetable: city, tripUpdates: 'https://live.example.org' }
  - { id: other, kind: gtfs-rt, timetable: city, tripUpdates: 'https://other.example.org' }
`;

export type World = Awaited<ReturnType<typeof openWorldToFinalise>>;

export const live = toSourceId('live');
export const other = toSourceId('other');

/** Stores answers of a source in the lake; observations that are open at the end are closed. */
export async function storeAnswers(world: World, answers: readonly Answer[], source: SourceId = live): Promise<void> {
  const store = await openObservations(world.dataDir, source, settings, { log: silentLog });
  for (const { at, reported = [], ends = [] } of answers) {
    await store.append({
      part: 'trips',
      rawId: `source=${source}/fetch_date=${at.slice(0, 10)}/${at.slice(11, 19).replaceAll(':', '')}-trips-00.pb.gz`,
      seenAt: when(at),
      observations: reported.map((reported) => toObservation(world, reported)),
      resolved: [],
      ended: ends.map(({ trip, date }) => ({
        tripKey: hashTrip('city', trip, -1),
        day: toEpochDay((date ?? world.date) as ServiceDate),
      })),
    });
  }
  await store.flush((when(answers.at(-1)!.at) + 30 * 86_400) as Instant);
  await store.close();
}

function toObservation({ date }: World, reported: ReportedEvent): CallObservation {
  const { trip, planned, time, date: own, key, ...rest } = reported;
  return {
    tripKey: key ?? hashTrip('city', trip, -1),
    day: toEpochDay((own ?? date) as ServiceDate),
    tripId: trip,
    routeId: 'r',
    lineLabel: '1',
    channel: 'stop_events',
    scheduledTime: planned === undefined ? null : when(planned),
    time: time === undefined ? null : when(time),
    evidence: time === undefined ? 'unknown' : 'forecast',
    isCancelled: false,
    platform: null,
    uncertaintySeconds: null,
    occupancy: null,
    recordedAt: null,
    ...rest,
  };
}

function when(text: string): Instant {
  const instant = parseTimestamp(text);
  if (instant === null) throw new Error(`${text} is not a time`);
  return instant;
}

/** Runs the job. */
export async function finalise({ dataDir }: World, now: string, ...options: string[]) {
  await mkdir(path.join(dataDir, 'elsewhere'), { recursive: true });
  const argv = ['run', 'finalise-stop-events', '--config', path.join(dataDir, 'taktgeber.yaml'), ...options];
  return runCommand(argv, {
    dataDir,
    cwd: path.join(dataDir, 'elsewhere'),
    environment: { TAKTGEBER_INGEST_THREADS: '1' },
    effects: fakeEffects(now),
  });
}

export async function getManifest({ dataDir, date }: World, source: SourceId = live): Promise<StopEventManifest> {
  const manifest = await findStopEventManifest(dataDir, source, date);
  if (!manifest) throw new Error(`${source} has no stop events of ${date}`);
  return manifest;
}

/**
 * The rows of a day as lines, in order of trips and positions: `t1.1 b arrival 08:10 observed_actual +30`, scheduled
 * times in UTC; then the other columns: forecast and its age, flags, platform.
 */
export async function listRows(
  { dataDir, date }: World,
  source: SourceId = live,
  isWanted = (_line: string) => true,
): Promise<string[]> {
  const rows = await readStopEvents(
    dataDir,
    source,
    date,
    `* replace (strftime(scheduled_time, '%H:%M') as scheduled_time, strftime(observed_time, '%H:%M:%S') as observed_time)`,
  );
  const signed = (value: unknown) => (Number(value) < 0 ? String(value) : `+${value}`);
  return rows
    .map((row) =>
      [
        `${row.trip_id}.${row.position}`,
        row.stop_id,
        row.event,
        row.scheduled_time ?? '-',
        row.evidence,
        ...(row.delay_seconds === null ? [] : [signed(row.delay_seconds)]),
        ...(row.departure_delay_seconds === null ? [] : [`left ${signed(row.departure_delay_seconds)}`]),
        ...(row.occupancy === null ? [] : [row.occupancy]),
        ...(row.forecast_delay_seconds === null
          ? []
          : [`forecast ${signed(row.forecast_delay_seconds)} ${row.forecast_age_seconds} s before`]),
        ...(isCallCancelled(row as StopEventRow) ? ['cancelled'] : []),
        ...(row.event === 'arrival' && !row.arrival_is_cancelled && row.departure_is_cancelled ? ['ends here'] : []),
        ...(row.event === 'departure' && row.arrival_is_cancelled && !row.departure_is_cancelled
          ? ['begins here']
          : []),
        ...(row.is_added ? ['added'] : []),
        ...(row.platform === null ? [] : [`platform ${row.platform}${row.is_platform_changed ? ' changed' : ''}`]),
      ].join(' '),
    )
    .filter(isWanted)
    .sort();
}
