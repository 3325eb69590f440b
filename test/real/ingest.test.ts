import { describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { countRefused, type TableReport } from '../../pipeline/model/feed-report.ts';
import { addDays, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../pipeline/snapshots/timetable-contract.ts';
import { ingestFeeds, listRefused, listRepaired, mergeNothing, temporaryFolder } from '../support/worlds/ingest.ts';
import { copyRawFeed, countRawCalls } from '../support/worlds/raw-feed.ts';
import { realData } from '../support/worlds/real-data.ts';

interface RealFeed {
  readonly feed: string;
  /** Rows of stops, trips and stop_times as published. */
  readonly rows: readonly [stops: number, trips: number, stopTimes: number];
  readonly period: readonly [begin: string, end: string];
  readonly refused?: readonly string[];
  readonly repaired?: readonly string[];
  /** A check of a feature that only this feed has. */
  readonly oddity?: (tables: TimetableTables) => void;
}

const DAY = 86_400;

const feeds: readonly RealFeed[] = [
  {
    feed: 'gtfs/bydgoszcz.zip',
    rows: [1060, 25_534, 583_164],
    period: ['2020-04-16', '2020-10-25'],
    oddity: ({ times }) => expect(latest(times.departure)).toBe(32 * 3600 + 41 * 60),
  },
  { feed: 'gtfs/vilnius-2018.zip', rows: [1293, 23_398, 445_217], period: ['2014-01-01', '2016-09-01'] },
  { feed: 'gtfs/milano-small.zip', rows: [516, 10_608, 248_555], period: ['2014-10-19', '2014-11-01'] },
  {
    feed: 'gtfs/vienna-ubahn.zip',
    rows: [306, 19_853, 413_739],
    period: ['2026-01-01', '2027-12-31'],
    oddity: ({ routes }) => {
      const labels = Array.from(routes.source, (_, route) => routes.label.get(route));
      expect(labels.sort()).toEqual(['U1', 'U2', 'U3', 'U4', 'U6']);
    },
  },
  { feed: 'gtfs/caltrain.zip', rows: [95, 218, 3103], period: ['2014-03-23', '2019-03-31'] },
  {
    feed: 'gtfs/tricky/amtrak-2021-10-06.zip',
    rows: [672, 3181, 39_729],
    period: ['2020-10-01', '2023-08-02'],
    refused: ['stop_times: 8 trip_refused', 'trips: 8 unusable_call_count'],
    oddity: ({ times, zones }) => {
      expect(latest(times.departure)).toBeGreaterThan(3 * DAY);
      expect(zones.name.length).toBe(1);
    },
  },
  {
    feed: 'gtfs/tricky/cairns.zip',
    rows: [416, 1339, 37_790],
    period: ['2014-05-26', '2014-12-28'],
    repaired: ['stop_times: 65 interpolated_time'],
  },
  { feed: 'gtfs/tricky/calendar-dates-only', rows: [10, 2, 4], period: ['2019-07-15', '2019-08-01'] },
  {
    feed: 'gtfs/tricky/invalid-empty-agency-id',
    rows: [2, 2, 4],
    period: ['2023-07-13', '2023-07-13'],
    repaired: ['routes: 1 unknown_agency'],
  },
  {
    feed: 'gtfs/tricky/sample-gtfs-feed',
    rows: [10, 10, 29],
    period: ['2019-03-01', '2019-08-20'],
    oddity: ({ trips }) => {
      const repeated = trips.frequencyStart.filter((start) => start >= 0);
      // Both kinds of frequencies: with exact times, and without.
      expect([repeated.length, trips.isHeadway.reduce((sum, isHeadway) => sum + isHeadway, 0)]).toEqual([18, 6]);
    },
  },
  { feed: 'realtime/kingston/gtfs.zip', rows: [809, 7113, 176_768], period: ['2025-12-29', '2026-05-03'] },
  {
    feed: 'realtime/king-county/kcm_gtfs.zip',
    rows: [56, 282, 6923],
    period: ['2016-04-13', '2016-09-09'],
    // A cut of a larger feed: its stops lie in zones 1 and 21, its rules are of all zones.
    refused: ['fare_rules: 504 unknown_zone'],
  },
];

describe('publishes every real feed, and accounts for every row', () => {
  it.each(feeds)('$feed', async ({ feed, rows, period, refused = [], repaired = [], oddity }) => {
    const location = realData(feed);
    const { outcome, timetable } = await ingestFeeds(
      { test: { location } },
      { settings: { memoryLimit: '2GB', merging: mergeNothing } },
    );
    const [only] = outcome.feeds;
    expect(only!.failure).toBeUndefined();
    print(feed, only!.tables);
    const rowsIn = (name: string) => only!.tables.find(({ table }) => table === name)?.rowsIn;
    expect([rowsIn('stops'), rowsIn('trips'), rowsIn('stop_times')]).toEqual(rows);
    expect(listRefused(only!.tables)).toEqual(refused);
    expect(listRepaired(only!.tables)).toEqual(repaired);

    const { manifest, tables } = (await timetable()).snapshot;
    expect([manifest.beginDate, manifest.endDate]).toEqual(period);
    const dates = spread(manifest.beginDate, manifest.endDate);
    const counts = dates.map((date) => countCalls(tables, toEpochDay(date)));
    expect(Math.max(...counts)).toBeGreaterThan(0);
    const folder = await temporaryFolder();
    await copyRawFeed(location, folder);
    const db = await openDuckdb();
    onTestFinished(() => db.close());
    const raw = await countRawCalls(
      db,
      folder,
      dates.map((date) => date.replaceAll('-', '')),
    );
    expect(counts).toEqual(raw);
    oddity?.(tables);
  });

  it('except the one without tables', async () => {
    const { outcome } = await ingestFeeds({ test: { location: realData('gtfs/tricky/badgtfs.zip') } });
    expect(outcome).toMatchObject({
      snapshotId: null,
      feeds: [{ feedVersion: null, failure: 'the feed has no rows in stops.txt' }],
    });
  });
});

it('publishes all of them as one timetable', async () => {
  const sources = feeds.map(({ feed }, i) => [`feed-${i}`, { location: realData(feed) }] as const);
  const { outcome, timetable } = await ingestFeeds(Object.fromEntries(sources), {
    settings: { memoryLimit: '2GB', merging: mergeNothing },
  });
  expect(outcome.feeds.map(({ failure }) => failure)).toEqual(feeds.map(() => undefined));
  const { manifest } = (await timetable()).snapshot;
  const sum = (i: 0 | 1 | 2) => feeds.reduce((total, { rows }) => total + rows[i], 0);
  expect(manifest.rows.stops).toBe(sum(0));
  // Eight trips of a single call go; those of the frequencies come sixteen times over.
  expect(manifest.rows.trips).toBe(sum(1) - 8 + 16);
  expect(manifest.sources).toHaveLength(feeds.length);
});

/** Seven days, from the first to the last. */
function spread(begin: ServiceDate, end: ServiceDate): ServiceDate[] {
  const days = toEpochDay(end) - toEpochDay(begin);
  const dates = Array.from({ length: 7 }, (_, i) => addDays(begin, Math.floor((days * i) / 6)));
  return [...new Set(dates)];
}

function countCalls({ trips, patterns, services, serviceBits }: TimetableTables, day: number): number {
  let calls = 0;
  for (let trip = 0; trip < trips.service.length; trip++) {
    const service = trips.service[trip]!;
    const bit = day - services.firstDay[service]!;
    if (bit < 0 || day > services.lastDay[service]!) continue;
    const byte = serviceBits.bits[services.firstByte[service]! + (bit >> 3)]!;
    if ((byte >> (bit & 7)) & 1) calls += patterns.callCount[trips.pattern[trip]!]!;
  }
  return calls;
}

function latest(times: Int32Array): number {
  return times.reduce((late, time) => Math.max(late, time), 0);
}

function print(feed: string, tables: readonly TableReport[]): void {
  const sum = (count: (table: TableReport) => number) => tables.reduce((total, table) => total + count(table), 0);
  const [rowsIn, rowsOut] = [sum((table) => table.rowsIn), sum((table) => table.rowsOut)];
  process.stdout.write(`${feed}: ${rowsIn} rows in, ${rowsOut} out, ${sum(countRefused)} refused\n`);
}
