import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { readFeedPublications } from '../../../pipeline/timetable/feed/feed-manifest.ts';
import {
  folderFeed,
  type IngestOptions,
  ingestFeeds,
  soundFeed,
  temporaryFolder,
} from '../../support/worlds/ingest.ts';
import { type FeedFiles, withFiles } from '../../support/worlds/text-feed.ts';

/** The valid feed on other days, with its first trip at another hour: `t1: a 10:00, …`. */
function feedOf(begin: string, end: string, hour = '08', changes: Record<string, string> = {}): FeedFiles {
  return withFiles(soundFeed, {
    'calendar.txt': soundFeed.get('calendar.txt')!.replace('20260302,20260308', `${begin},${end}`),
    'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', `${hour}:`),
    ...changes,
  });
}

const march = feedOf('20260301', '20260331');
const april = feedOf('20260401', '20260430', '10');
const may = feedOf('20260501', '20260531', '11');

/** A data folder that receives an ingest per day. */
async function openFolder() {
  const dataDir = await temporaryFolder();
  const ingest = async (feed: Parameters<typeof ingestFeeds>[0][string], now: string, options: IngestOptions = {}) => {
    const { outcome, timetable } = await ingestFeeds({ test: feed }, { dataDir, now: `2026-${now}`, ...options });
    const { trips, dates, snapshot, stops } = await timetable();
    const { versions } = snapshot.manifest.sources[0]!;
    return {
      outcome: outcome.feeds[0]!,
      snapshotId: outcome.snapshotId,
      isUnchanged: outcome.isUnchanged,
      hours: trips.filter((trip) => trip.startsWith('t1:')).map((trip) => trip.slice(6, 8)),
      days: versions.map(({ beginDate, endDate }) => `${beginDate?.slice(5)}..${endDate?.slice(5)}`),
      inForce: outcome.feeds[0]!.versions.map(({ isInForce }) => isInForce),
      dates,
      stops,
      snapshot,
    };
  };
  return { dataDir, ingest };
}

describe('a version that begins later', () => {
  test('waits for its first day, and its predecessor is dropped after the last night', async () => {
    const { dataDir, ingest } = await openFolder();
    const march = feedOf('20260301', '20260331', '26');
    await ingest(march, '03-20T02:15:00Z');
    const waiting = await ingest(april, '03-21T02:15:00Z');
    expect(waiting).toMatchObject({
      days: ['03-01..03-31', '04-01..04-30'],
      inForce: [true, false],
      hours: ['10', '26'],
    });
    expect(waiting.snapshot.manifest).toMatchObject({ beginDate: '2026-03-01', endDate: '2026-04-30' });
    const again = await ingest(april, '03-25T02:15:00Z');
    expect([again.isUnchanged, again.snapshotId]).toEqual([true, waiting.snapshotId]);
    const first = await ingest(april, '04-01T02:15:00Z');
    expect(first).toMatchObject({ days: ['03-01..03-31', '04-01..04-30'], inForce: [false, true] });
    const done = await ingest(april, '04-02T02:15:00Z');
    expect(done).toMatchObject({ days: ['04-01..04-30'], inForce: [true], hours: ['10'] });
    const { publications } = await readFeedPublications(dataDir, toSourceId('test'));
    expect(publications.map(({ versions }) => versions.length)).toEqual([1, 2, 1]);
  });

  test('is withdrawn when the previous content is published again', async () => {
    const { ingest } = await openFolder();
    const alone = await ingest(march, '03-20T02:15:00Z');
    await ingest(april, '03-21T02:15:00Z');
    const back = await ingest(march, '03-22T02:15:00Z');
    expect([back.days, back.snapshotId]).toEqual([['03-01..03-31'], alone.snapshotId]);
    const may1 = await ingest(may, '03-23T02:15:00Z');
    expect(may1.days).toEqual(['03-01..03-31', '05-01..05-31']);
  });

  test('may wait behind another future version', async () => {
    const { ingest } = await openFolder();
    await ingest(march, '03-20T02:15:00Z');
    await ingest(april, '03-21T02:15:00Z');
    const three = await ingest(may, '03-22T02:15:00Z');
    expect(three).toMatchObject({ days: ['03-01..03-31', '04-01..04-30', '05-01..05-31'], hours: ['08', '10', '11'] });
    const earlier = await ingest(feedOf('20260326', '20260630', '12'), '03-23T02:15:00Z');
    expect(earlier.days).toEqual(['03-01..03-25', '03-26..06-30']);
  });

  test('waits also if fetching fails, another source is fetched, or the raw file is gone', async () => {
    const { dataDir, ingest } = await openFolder();
    await ingest(march, '03-20T02:15:00Z');
    await ingest(april, '03-21T02:15:00Z');
    await rm(path.join(dataDir, 'lake', 'raw'), { recursive: true });
    const failed = await ingest({ location: '/no/such/feed.zip' }, '03-22T02:15:00Z');
    expect(failed).toMatchObject({ days: ['03-01..03-31', '04-01..04-30'], outcome: { failure: /no feed/ } });
    const kept = await ingest(march, '03-23T02:15:00Z', { refresh: [] });
    expect(kept.days).toEqual(['03-01..03-31', '04-01..04-30']);
    const refetched = await ingest(april, '03-24T02:15:00Z');
    expect(refetched.days).toEqual(['03-01..03-31', '04-01..04-30']);
  });

  test('and its predecessor are restored without record and snapshots', async () => {
    const { dataDir, ingest } = await openFolder();
    await ingest(march, '03-20T02:15:00Z');
    await ingest(april, '03-21T02:15:00Z');
    await rm(path.join(dataDir, 'snapshots'), { recursive: true });
    await rm(path.join(dataDir, 'lake/manifests/timetable/source=test/publications.json'));
    expect((await ingest(april, '03-22T02:15:00Z')).days).toEqual(['03-01..03-31', '04-01..04-30']);
  });
});

describe('stops of two versions', () => {
  const renamed = {
    'stops.txt': soundFeed.get('stops.txt')!.replace('b,Berg,48.0,16.1', 'b,Gipfel,48.0,16.15\nd,Dorf,48.0,16.3'),
  };

  test('are one stop, as in the version in force', async () => {
    const { ingest } = await openFolder();
    await ingest(march, '03-20T02:15:00Z');
    const waiting = await ingest(feedOf('20260401', '20260430', '10', renamed), '03-21T02:15:00Z');
    expect(waiting.stops).toEqual(['a "Anger" 48,16', 'b "Berg" 48,16.1', 'c "Kirche" 48,16.2', 'd "Dorf" 48,16.3']);
    const first = await ingest(feedOf('20260401', '20260430', '10', renamed), '04-01T02:15:00Z');
    expect(first.stops).toEqual(['a "Anger" 48,16', 'b "Gipfel" 48,16.15', 'c "Kirche" 48,16.2', 'd "Dorf" 48,16.3']);
  });
});

describe('fares and transfer rules', () => {
  const stops = (zoneOfB: string) =>
    `stop_id,stop_name,stop_lat,stop_lon,zone_id\na,Anger,48.0,16.0,1\nb,Berg,48.0,16.1,${zoneOfB}\nc,Kirche,48.0,16.2,2\n`;
  const priced = (price: string, zoneOfB = '1') => ({
    'stops.txt': stops(zoneOfB),
    'fare_attributes.txt': `fare_id,price,currency_type,payment_method,transfers\nf,${price},EUR,0,\n`,
    'fare_rules.txt': 'fare_id,origin_id,destination_id\nf,1,2\n',
  });
  const amounts = ({ snapshot }: { snapshot: { tables: TimetableTables } }) => [
    ...snapshot.tables.fareClasses.amountCents,
  ];

  test('prices the rides of each version separately if the zones are equal', async () => {
    const { ingest } = await openFolder();
    await ingest(feedOf('20260301', '20260331', '08', priced('2.00')), '03-20T02:15:00Z');
    const waiting = await ingest(feedOf('20260401', '20260430', '10', priced('3.00')), '03-21T02:15:00Z');
    const { fareClasses, fareRules, feeds } = waiting.snapshot.tables;
    expect([amounts(waiting), [...fareClasses.feed], [...fareRules.feed]]).toEqual([
      [200, 300],
      [0, 1],
      [0, 1],
    ]);
    expect(fareRules.origin[0]).toBe(fareRules.origin[1]);
    expect(feeds.source.length).toBe(2);
  });

  test('has no fares for a version with other zones until it is in force', async () => {
    const { ingest } = await openFolder();
    const april = feedOf('20260401', '20260430', '10', priced('3.00', '2'));
    await ingest(feedOf('20260301', '20260331', '26', priced('2.00')), '03-20T02:15:00Z');
    expect(amounts(await ingest(april, '03-21T02:15:00Z'))).toEqual([200]);
    expect(amounts(await ingest(april, '04-01T02:15:00Z'))).toEqual([300]);
    expect(amounts(await ingest(april, '04-03T02:15:00Z'))).toEqual([300]);
  });

  test('applies rules between stops of the version in force, and rules of routes per version', async () => {
    const { ingest } = await openFolder();
    const rules = (seconds: number) => ({
      'transfers.txt':
        'from_stop_id,to_stop_id,from_route_id,transfer_type,min_transfer_time\n' +
        `a,c,,2,${seconds}\nb,b,r,2,${seconds + 1}\n`,
    });
    await ingest(feedOf('20260301', '20260331', '08', rules(500)), '03-20T02:15:00Z');
    const waiting = await ingest(feedOf('20260401', '20260430', '10', rules(900)), '03-21T02:15:00Z');
    const { transfers, transferPlaces } = waiting.snapshot.tables;
    const published = [...transfers.seconds].filter((seconds) => seconds > 0).sort((x, y) => x - y);
    expect([...new Set(published)]).toEqual([500, 501, 901]);
    expect([...new Set(transferPlaces.stop)]).toEqual([1]);
  });
});

describe('a version that shrank', () => {
  const full = feedOf('20260301', '20261231');
  const thin = withFiles(full, { 'trips.txt': 'trip_id,route_id,service_id\nt1,r,daily\n', 'frequencies.txt': null });
  const four = withFiles(full, {
    'trips.txt': 'trip_id,route_id,service_id\n'.concat(...['t1', 't2', 't3', 't4'].map((id) => `${id},r,daily\n`)),
    'stop_times.txt': `${full.get('stop_times.txt')}${['t3', 't4'].map((id) => `${id},a,1,11:00:00,11:00:00\n${id},b,2,11:10:00,11:10:00\n`).join('')}`,
  });
  const short = feedOf('20260301', '20260701');

  test.each([
    [
      'trips',
      thin,
      /^version [0-9a-f]{16} is held back, since it has \d+ trips from 2026-03-02 to 2026-12-31, .*; publish it with --force$/,
    ],
    [
      'days ahead',
      short,
      /^version [0-9a-f]{16} is held back, since it has trips on 122 days from 2026-03-02 on, .* on 305; /,
    ],
  ])('in %s is set aside until forced, and then stays published', async (_of, shrunk, failure) => {
    const { dataDir, ingest } = await openFolder();
    const good = await ingest(four, '03-01T12:00:00Z');
    const aside = await ingest(shrunk, '03-02T12:00:00Z');
    expect(aside.outcome).toMatchObject({ failure: expect.stringMatching(failure), isRetryable: false });
    expect(aside.snapshotId).toBe(good.snapshotId);
    const record = await readFeedPublications(dataDir, toSourceId('test'));
    expect(record.keptAside).toMatchObject({
      feedVersion: aside.outcome.keptAside,
      keptAsideAt: '2026-03-02T12:00:00.000Z',
    });
    // It is not reported as new the next night either.
    expect((await ingest(shrunk, '03-03T12:00:00Z')).outcome.failure).toMatch(/held back/);
    const forced = await ingest(shrunk, '03-04T12:00:00Z', { isForced: true });
    expect(forced.outcome.failure).toBeUndefined();
    expect(forced.outcome.feedVersion).toBe(aside.outcome.keptAside);
    expect((await readFeedPublications(dataDir, toSourceId('test'))).keptAside).toBeNull();
    const next = await ingest(shrunk, '03-05T12:00:00Z');
    expect([next.outcome.failure, next.snapshotId]).toEqual([undefined, forced.snapshotId]);
  });

  test('is dropped when a good version arrives', async () => {
    const { dataDir, ingest } = await openFolder();
    await ingest(four, '03-01T12:00:00Z');
    await ingest(thin, '03-02T12:00:00Z');
    await ingest(four, '03-03T12:00:00Z');
    expect((await readFeedPublications(dataDir, toSourceId('test'))).keptAside).toBeNull();
  });

  test('is published if the limit allows it', async () => {
    const { ingest } = await openFolder();
    await ingest(four, '03-01T12:00:00Z');
    expect(
      (await ingest(thin, '03-02T12:00:00Z', { settings: { minShareOfPrevious: 0.25 } })).outcome.failure,
    ).toBeUndefined();
  });

  test('is reported but not recorded by a dry run', async () => {
    const { dataDir, ingest } = await openFolder();
    await ingest(four, '03-01T12:00:00Z');
    expect((await ingest(thin, '03-02T12:00:00Z', { isDryRun: true })).outcome.failure).toMatch(/held back/);
    expect((await readFeedPublications(dataDir, toSourceId('test'))).keptAside).toBeNull();
  });

  test('counts each run of a frequency', async () => {
    const { ingest } = await openFolder();
    await ingest(four, '03-01T12:00:00Z');
    const often = withFiles(thin, {
      'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nt1,08:00:00,12:00:00,3600\n',
    });
    expect((await ingest(await folderFeed(often), '03-02T12:00:00Z')).outcome.failure).toBeUndefined();
  });
});
