import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import { type SourceId, toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { hashTrip } from '../../pipeline/snapshots/timetable-lookups.ts';
import {
  finalise,
  getManifest,
  listRows,
  settings,
  storeAnswers,
  type World,
} from '../support/worlds/finalised-world.ts';
import { ingestFeeds, temporaryFolder } from '../support/worlds/ingest.ts';
import { readStopEvents } from '../support/worlds/stop-events.ts';
import { nightRailFeed, nightRegionFeed, railFeed, regionFeed } from '../support/worlds/two-networks.ts';

const DATE = '2026-03-02' as ServiceDate;
const [ofRail, ofRegion] = ['of-rail', 'of-region'].map(toSourceId) as [SourceId, SourceId];

const source = (id: string, timetable: string) =>
  `  - { id: ${id}, kind: gtfs-rt, ${timetable}tripUpdates: 'https://${id}.example.org' }`;

async function openTwoFeeds(merging = '', feeds = { rail: railFeed, region: regionFeed }): Promise<World> {
  const dataDir = await temporaryFolder();
  await ingestFeeds(feeds, { dataDir, now: '2026-03-02T06:00:00Z' });
  await writeFile(
    path.join(dataDir, 'taktgeber.yaml'),
    [
      'sources:',
      '  - { id: rail, gtfs: feeds/rail.zip }',
      '  - { id: region, gtfs: feeds/region.zip }',
      'realtime:',
      source('of-rail', 'timetable: rail, '),
      source('of-region', 'timetable: region, '),
      merging,
    ].join('\n'),
  );
  return { dataDir, date: DATE };
}

/** Rows that the poller writes for a report on either feed's trip, and those it wrote before the feeds were merged. */
async function observe(world: World): Promise<void> {
  const seen = { event: 'departure', evidence: 'observed_actual', at: '2026-03-02T11:20:00Z' } as const;
  const first = { ...seen, trip: 'ra1', position: 0, stopId: '8101', key: hashTrip('rail', 'ra1', -1) };
  await storeAnswers(
    world,
    [{ at: seen.at, reported: [{ ...first, planned: '2026-03-02T11:00:00Z', time: '2026-03-02T11:15:00Z' }] }],
    ofRail,
  );
  const second = { ...seen, trip: 'rb1', position: 1, stopId: 'at:49:869', key: hashTrip('region', 'rb1', -1) };
  const arrival = { ...second, event: 'arrival' as const };
  const times = { planned: '2026-03-02T11:05:00Z', time: '2026-03-02T11:19:00Z' };
  await storeAnswers(
    world,
    [
      {
        at: seen.at,
        reported: [
          { ...second, ...times },
          { ...arrival, ...times },
        ],
      },
    ],
    ofRegion,
  );
}

/** The counted calls of all sources, as `ra1.0 observed_actual`. */
async function listCounted({ dataDir }: World, sources: readonly SourceId[]): Promise<string[]> {
  const rows = await Promise.all(sources.map((of) => readStopEvents(dataDir, of, DATE)));
  return rows
    .flat()
    .filter((row) => row.is_counted)
    .map((row) => `${row.trip_id}.${row.position} ${row.line_label} ${row.evidence}`)
    .sort();
}

const silent = { progress: () => {}, warn: () => {} };

it('adds the calls of a train in two feeds to the sources of both, and counts them once', async () => {
  const world = await openTwoFeeds();
  await observe(world);
  await finalise(world, '2026-03-03T12:00:00Z');
  await countDays({ dataDir: world.dataDir, settings, from: null, to: null, log: silent });
  expect(await listRows(world, ofRail)).toEqual([
    'ra1.0 8101 departure 11:00 observed_actual +900 left +900',
    'ra1.1 8102 arrival 11:05 unknown',
    'ra1.2 8103 arrival 11:25 unknown',
    'ra1.3 8104 arrival 12:00 unknown',
  ]);
  expect(await listRows(world, ofRegion)).toEqual([
    'ra1.0 8101 departure 11:00 unknown',
    'ra1.1 8102 arrival 11:05 observed_actual +840 left +840',
    'ra1.2 8103 arrival 11:25 unknown',
    'ra1.3 8104 arrival 12:00 unknown',
    'rb3.0 at:49:1349:0:7 departure 11:10 unknown',
    'rb3.1 at:49:869 arrival 11:15 unknown',
    'rb3.2 at:32:100 arrival 11:55 unknown',
  ]);
  expect((await getManifest(world, ofRegion)).notes).toMatchObject({ trips_merged: 1 });
  expect(await listCounted(world, [ofRail, ofRegion])).toEqual([
    'ra1.0 RJX observed_actual',
    'ra1.1 RJX observed_actual',
    'ra1.2 RJX unknown',
    'ra1.3 RJX unknown',
    'rb3.0 REX 51 unknown',
    'rb3.1 REX 51 unknown',
    'rb3.2 REX 51 unknown',
  ]);
  const { stdout } = await finalise(world, '2026-03-03T12:00:00Z');
  expect(stdout).toContain('no day is due');
});

it('counts a train of two feeds twice if the rule is off', async () => {
  const world = await openTwoFeeds('merging: { trips: false }');
  await observe(world);
  await finalise(world, '2026-03-03T12:00:00Z');
  await countDays({ dataDir: world.dataDir, settings, from: null, to: null, log: silent });
  expect(await listCounted(world, [ofRail, ofRegion])).toHaveLength(4 + 6);
});

it('counts a train once if two feeds date it differently, under the service date that is shown', async () => {
  const world = await openTwoFeeds('', { rail: nightRailFeed, region: nightRegionFeed });
  const seen = { event: 'departure', evidence: 'observed_actual', at: '2026-03-03T00:20:00Z' } as const;
  const ofTrip = { ...seen, trip: 'na1', position: 0, stopId: '8101', key: hashTrip('rail', 'na1', -1) };
  const planned = '2026-03-03T00:10:00Z';
  // The poller writes a report on either trip under the shown one.
  await storeAnswers(
    world,
    [{ at: seen.at, reported: [{ ...ofTrip, planned, time: '2026-03-03T00:14:00Z' }] }],
    ofRegion,
  );
  // Rows written before the two were merged.
  const former = { ...seen, trip: 'nb1', position: 0, stopId: 'at:49:1349', key: hashTrip('region', 'nb1', -1) };
  const nextDay = { ...world, date: '2026-03-03' as ServiceDate };
  await storeAnswers(
    nextDay,
    [{ at: seen.at, reported: [{ ...former, planned, time: '2026-03-03T00:14:00Z' }] }],
    ofRegion,
  );
  await finalise(world, '2026-03-04T12:00:00Z', '--date', '2026-03-02');
  await finalise(world, '2026-03-05T12:00:00Z', '--date', '2026-03-03');
  const shown = (departed: string) => [
    `na1.0 8101 departure 00:10 ${departed}`,
    'na1.1 8102 arrival 00:15 unknown',
    'na1.2 8103 arrival 00:35 unknown',
  ];
  // The first night of the association's feed, before that of the railway's.
  const first = ['nb1.0 at:49:1349 departure 00:10 unknown', 'nb1.1 at:49:869 arrival 00:15 unknown'];
  expect(await listRows(world, ofRegion)).toEqual([...shown('observed_actual +240 left +240'), ...first]);
  expect(await listRows(world, ofRail)).toEqual(shown('unknown'));
  expect(await listRows(nextDay, ofRegion)).toEqual(shown('unknown'));
  expect((await getManifest(nextDay, ofRegion)).notes).toMatchObject({
    trips_merged: 1,
    observations: 1,
    observations_refused_other_service_date: 1,
  });
});
