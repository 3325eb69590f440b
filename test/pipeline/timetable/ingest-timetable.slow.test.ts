import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { versionPartition } from '../../../pipeline/lake/paths.ts';
import { hashFile, listRaw } from '../../../pipeline/lake/raw-store.ts';
import type { FeedVersion } from '../../../pipeline/model/ids.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { readFolderState } from '../../support/checks/folder-state.ts';
import {
  folderFeed,
  type Ingest,
  ingestFeeds,
  readPublished,
  soundFeed,
  temporaryFolder,
} from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

/** The valid feed with its first trip an hour later: another version of it. */
const laterFeed = withFiles(soundFeed, {
  'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', '10:'),
});
const brokenFeed = new Map([['stops.txt', 'stop_id\n']]);

let published: { dataDir: string; outcome: Ingest['outcome'] };

beforeAll(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-published-'));
  published = { dataDir, outcome: (await ingestFeeds({ test: soundFeed }, { dataDir })).outcome };
});
afterAll(() => rm(published.dataDir, { recursive: true }));

/** A data folder in which the valid feed is published as source `test`. */
async function publishedFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await cp(published.dataDir, dataDir, { recursive: true });
  return dataDir;
}

const firstTrips = async ({ timetable }: Ingest) => (await timetable()).trips;
const failuresOf = ({ outcome }: Ingest) => outcome.feeds.map(({ failure }) => failure);

describe('several feeds', () => {
  it('are one timetable, in which ids are unique per source', async () => {
    const other = withFiles(laterFeed, {
      'agency.txt': 'agency_id,agency_name,agency_timezone\nv,Transport,Europe/London\n',
      'trips.txt': 'trip_id,route_id,service_id,block_id\nt1,r,daily,block\n',
      'calendar.txt': null,
      'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260401,1\n',
    });
    const first = withFiles(soundFeed, { 'trips.txt': 'trip_id,route_id,service_id,block_id\nt1,r,daily,block\n' });
    const ingest = await ingestFeeds({ one: first, two: other });
    const timetable = await ingest.timetable();
    expect(timetable).toMatchObject({
      trips: [
        'one:t1: one:a 08:00, one:b 08:10/08:11, one:c 08:20',
        'two:t1: two:a 10:00, two:b 10:10/10:11, two:c 10:20',
      ],
      routes: ['one:r "1" cityBus of Verkehr, Europe/Vienna', 'two:r "1" cityBus of Transport, Europe/London'],
    });
    expect(timetable.stops.map((stop) => stop.split(' ')[0])).toEqual([
      'one:a',
      'one:b',
      'one:c',
      'two:a',
      'two:b',
      'two:c',
    ]);
    expect(timetable.dates.get('two:t1')).toEqual(['2026-04-01']);
    const { trips } = timetable.snapshot.tables;
    expect(trips.key[0]).not.toBe(trips.key[1]);
    expect(trips.block[0]).not.toBe(trips.block[1]);
    expect(timetable.snapshot.manifest).toMatchObject({
      beginDate: '2026-03-02',
      endDate: '2026-04-01',
      sources: [{ sourceId: 'one' }, { sourceId: 'two' }],
    });
  });

  it('miss only the update of a failing one', async () => {
    const dataDir = await temporaryFolder();
    await ingestFeeds({ one: soundFeed, two: soundFeed }, { dataDir });
    const second = await ingestFeeds({ one: brokenFeed, two: laterFeed }, { dataDir });
    expect(failuresOf(second)).toEqual(['the feed has no rows in stops.txt', undefined]);
    expect(await firstTrips(second)).toEqual([
      'one:t1: one:a 08:00, one:b 08:10/08:11, one:c 08:20',
      'one:t2: one:a 09:00, one:b 09:10/09:11, one:c 09:20',
      'two:t1: two:a 10:00, two:b 10:10/10:11, two:c 10:20',
      'two:t2: two:a 09:00, two:b 09:10/09:11, two:c 09:20',
    ]);
  });

  it('leave out one that was never usable', async () => {
    const ingest = await ingestFeeds({ one: brokenFeed, two: soundFeed });
    expect(ingest.outcome.feeds[0]).toMatchObject({ sourceId: 'one', feedVersion: null, tables: [] });
    expect((await ingest.timetable()).snapshot.manifest.sources.map(({ sourceId }) => sourceId)).toEqual(['two']);
  });

  it('can be updated separately', async () => {
    const dataDir = await temporaryFolder();
    await ingestFeeds({ one: soundFeed, two: soundFeed }, { dataDir });
    const second = await ingestFeeds({ one: laterFeed, two: laterFeed }, { dataDir, refresh: ['two'] });
    expect(second.outcome.feeds.map(({ isUnchanged }) => isUnchanged)).toEqual([true, false]);
    expect((await firstTrips(second)).filter((trip) => trip.includes('t1:'))).toEqual([
      'one:t1: one:a 08:00, one:b 08:10/08:11, one:c 08:20',
      'two:t1: two:a 10:00, two:b 10:10/10:11, two:c 10:20',
    ]);
  });
});

describe('keeps the published timetable', () => {
  it.each<[title: string, feed: Parameters<typeof ingestFeeds>[0][string], failure: RegExp]>([
    ['no stops', withFiles(soundFeed, { 'stops.txt': null }), /^the feed has no rows in stops\.txt$/],
    ['no usable trips', withFiles(soundFeed, { 'trips.txt': 'trip_id\nt\n' }), /^the feed has no usable trip \(.*\)$/],
    ['not a zip', { location: import.meta.filename }, /^the feed is not a readable zip archive \(.*\)$/],
    ['a missing file', { location: '/no/such/feed.zip' }, /^there is no feed at \/no\/such\/feed\.zip$/],
    [
      'a refused connection',
      { location: 'https://example.org/feed.zip' },
      /^https:\/\/example\.org\/feed\.zip cannot be reached$/,
    ],
    [
      'a zip bomb',
      withFiles(soundFeed, { 'stops.txt': Buffer.alloc(2_000_000) }),
      /^stops\.txt unpacks to more than 200 times its packed size; the archive looks like a zip bomb$/,
    ],
  ])('%s', async (_title, feed, failure) => {
    const dataDir = await publishedFolder();
    const second = await ingestFeeds({ test: feed }, { dataDir });
    expect(second.outcome).toMatchObject({ snapshotId: published.outcome.snapshotId, isUnchanged: true });
    expect(failuresOf(second)).toEqual([expect.stringMatching(failure)]);
    expect(await firstTrips(second)).toHaveLength(2);
  });

  it('after a publisher has returned to an older version', async () => {
    const dataDir = await temporaryFolder();
    await ingestFeeds({ test: soundFeed }, { dataDir, now: '2026-03-01T12:00:00Z' });
    await ingestFeeds({ test: laterFeed }, { dataDir, now: '2026-03-02T12:00:00Z' });
    const back = await ingestFeeds({ test: soundFeed }, { dataDir, now: '2026-03-03T12:00:00Z' });
    const failed = await ingestFeeds({ test: brokenFeed }, { dataDir, now: '2026-03-04T12:00:00Z' });
    expect(failed.outcome.snapshotId).toBe(back.outcome.snapshotId);
    expect(await firstTrips(failed)).toContain('t1: a 08:00, b 08:10/08:11, c 08:20');
  });

  it('publishes nothing without one', async () => {
    const { outcome } = await ingestFeeds({ test: brokenFeed });
    expect(outcome).toMatchObject({ snapshotId: null, feeds: [{ feedVersion: null }] });
  });

  it('checks and reports without publishing in a dry run', async () => {
    const dataDir = await publishedFolder();
    const dry = await ingestFeeds({ test: laterFeed }, { dataDir, isDryRun: true });
    expect(dry.outcome).toMatchObject({ snapshotId: published.outcome.snapshotId, isUnchanged: false });
    expect(dry.outcome.feeds[0]!.tables.length).toBeGreaterThan(0);
    expect(await firstTrips(dry)).toContain('t1: a 08:00, b 08:10/08:11, c 08:20');
  });
});

describe('a second run', () => {
  // Beside the tables it records when each source was last requested.
  const isData = (file: string) => path.basename(file) !== 'checked.json';

  it('changes nothing and reports that', async () => {
    const dataDir = await temporaryFolder();
    const feed = await folderFeed(soundFeed);
    const first = await ingestFeeds({ test: feed }, { dataDir });
    const before = await readFolderState(dataDir, isData);
    const second = await ingestFeeds({ test: feed }, { dataDir, now: '2026-03-05T12:00:00Z' });
    expect(first.outcome.isUnchanged).toBe(false);
    expect(second.outcome).toEqual({
      ...first.outcome,
      isUnchanged: true,
      feeds: first.outcome.feeds.map((outcome) => ({ ...outcome, isUnchanged: true })),
    });
    expect(await readFolderState(dataDir, isData)).toEqual(before);
  });

  it('gives the same rows and snapshot when forced', async () => {
    const dataDir = await temporaryFolder();
    const dirty = withFiles(soundFeed, {
      'stop_times.txt': `${soundFeed.get('stop_times.txt')}t1,nowhere,9,08:00:00,08:00:00\n`,
      'shapes.txt': 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\ns,48,16,1\ns,48,16.1,2\n',
    });
    const first = await ingestFeeds({ test: dirty }, { dataDir });
    const rows = await readLakeRows(dataDir);
    const second = await ingestFeeds({ test: dirty }, { dataDir, isForced: true });
    expect(second.outcome.snapshotId).toBe(first.outcome.snapshotId);
    expect(second.outcome.feeds[0]!.isUnchanged).toBe(false);
    expect(await readLakeRows(dataDir)).toEqual(rows);
    expect([...rows.keys()]).toHaveLength(7 + 31);
  });

  it('keeps the configured number of snapshots, including the current one', async () => {
    const dataDir = await temporaryFolder();
    for (const hour of ['10', '11', '12']) {
      const feed = withFiles(soundFeed, {
        'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', `${hour}:`),
      });
      await ingestFeeds({ test: feed }, { dataDir, settings: { keepSnapshots: 2 } });
    }
    const folder = path.join(dataDir, 'snapshots', 'timetable');
    const kept = (await readdir(folder)).filter((name) => !name.endsWith('.json'));
    expect(kept).toHaveLength(2);
    expect((await readPublished(dataDir)).trips[0]).toBe('t1: a 12:00, b 12:10/12:11, c 12:20');
  });
});

describe('leftovers of a crash', () => {
  it('are harmless', async () => {
    const dataDir = await temporaryFolder();
    const snapshots = path.join(dataDir, 'snapshots', 'timetable');
    const leftovers = [
      path.join(dataDir, 'tmp', 'dead', 'typed-stops.parquet.new', 'part-0.parquet'),
      path.join(dataDir, 'lake', 'manifests', 'timetable', 'source=test', 'feed_version=half.json.1234.tmp'),
      path.join(snapshots, '.half.tmp', 'stops.arrow'),
      path.join(snapshots, 'current.json.1234.tmp'),
    ];
    for (const file of leftovers) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, 'half');
    }
    const { outcome } = await ingestFeeds({ test: soundFeed }, { dataDir });
    expect((await readdir(snapshots)).sort()).toEqual(['checked.json', 'current.json', outcome.snapshotId].sort());
  });

  it.each(['gtfs', 'timetable'] as const)('include a missing part of %s, which is rebuilt', async (schema) => {
    const dataDir = await publishedFolder();
    const { outcome } = published;
    const version = outcome.feeds[0]!.feedVersion as FeedVersion;
    const partition = versionPartition(dataDir, schema, 'stops', toSourceId('test'), version);
    await rm(partition, { recursive: true });
    const again = await ingestFeeds({ test: soundFeed }, { dataDir });
    expect(again.outcome).toMatchObject({ snapshotId: outcome.snapshotId, isUnchanged: false });
    expect(await readdir(partition)).toEqual(['part-0.parquet']);
  });

  it('include a version without manifest, which is rebuilt', async () => {
    const dataDir = await publishedFolder();
    const { outcome } = published;
    await rm(path.join(dataDir, 'lake', 'manifests'), { recursive: true });
    const again = await ingestFeeds({ test: soundFeed }, { dataDir });
    expect(again.outcome).toMatchObject({ snapshotId: outcome.snapshotId, feeds: [{ isUnchanged: false }] });
  });

  it('include a raw file without facts, which is fetched again', async () => {
    const dataDir = await publishedFolder();
    const { outcome } = published;
    const [raw] = await listRaw(dataDir, toSourceId('test'));
    await rm(`${raw!.file}.json`);
    await writeFile(raw!.file, 'half');
    const again = await ingestFeeds({ test: soundFeed }, { dataDir });
    expect(again.outcome.snapshotId).toBe(outcome.snapshotId);
    const [stored] = await listRaw(dataDir, toSourceId('test'));
    expect(stored).toMatchObject({ file: raw!.file, version: raw!.version });
    expect(await hashFile(stored!.file)).toBe(raw!.facts.sha256);
  });

  it('include a truncated snapshot, which is rebuilt', async () => {
    const dataDir = await publishedFolder();
    const { outcome } = published;
    await writeFile(path.join(dataDir, 'snapshots', 'timetable', outcome.snapshotId!, 'times.arrow'), 'half');
    await expect(readPublished(dataDir)).rejects.toThrow(/was damaged after it was published/);
    const again = await ingestFeeds({ test: soundFeed }, { dataDir });
    expect(again.outcome).toMatchObject({ snapshotId: outcome.snapshotId, isUnchanged: false });
    expect(await firstTrips(again)).toHaveLength(2);
  });
});

async function readLakeRows(dataDir: string): Promise<Map<string, unknown>> {
  const db = await openDuckdb({ threads: 1 });
  const rows = new Map<string, unknown>();
  for (const schema of ['gtfs', 'timetable']) {
    for (const table of (await readdir(path.join(dataDir, 'lake', schema))).sort()) {
      const files = sqlText(path.join(dataDir, 'lake', schema, table, '**', '*.parquet'));
      rows.set(`${schema}.${table}`, await db.query(`select * from read_parquet(${files})`));
    }
  }
  db.close();
  return rows;
}
