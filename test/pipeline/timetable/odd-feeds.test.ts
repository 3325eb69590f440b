import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listRaw } from '../../../pipeline/lake/raw-store.ts';
import { listRejectedFeeds } from '../../../pipeline/lake/rejected-feeds.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { readSourceChecks, readTimetableManifest } from '../../../pipeline/snapshots/timetable-files.ts';
import { ingestFeeds, listRefused, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { feedFromText, packFeed } from '../../support/worlds/text-feed.ts';

const onDemandFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  X,Xbus,https://example.org,Europe/Vienna
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  R,X,Ruf 1,715
  S,X,Ruf 2,715
  # trips.txt
  route_id,service_id,trip_id
  R,daily,T
  S,daily,U
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  # stop_times.txt
  trip_id,stop_sequence,location_id,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_booking_rule_id
  T,1,zone,,06:00:00,22:00:00,B
  T,2,far,,06:00:00,22:00:00,
  U,1,,group,06:00:00,22:00:00,
  U,2,,group,06:00:00,22:00:00,
  # location_groups.txt
  location_group_id,location_group_name
  group,Villages
  # booking_rules.txt
  booking_rule_id,booking_type,phone_number,info_url
  B,1,+43 000 000,https://example.org
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);
const zones = { features: [{ type: 'Feature', id: 'zone', properties: { stop_name: 'Zone' } }] };
const onDemand = new Map([...onDemandFeed, ['locations.geojson', JSON.stringify(zones)]]);

const services = [
  {
    line: 'Ruf 1',
    trips: 1,
    calls: 2,
    places: ['far', 'zone'],
    placeCount: 2,
    phone: '+43 000 000',
    url: 'https://example.org',
  },
  { line: 'Ruf 2', trips: 1, calls: 2, places: ['Villages'], placeCount: 1, phone: null, url: null },
];

it('accepts and lists a feed with unusable on-demand service only, and publishes the others', async () => {
  const dataDir = await temporaryFolder();
  const { outcome } = await ingestFeeds({ ruf: onDemand, test: soundFeed }, { dataDir });
  expect(outcome.feeds.map(({ failure, onDemand: offered }) => [failure, offered])).toEqual([
    [undefined, services],
    [undefined, []],
  ]);
  expect(listRefused(outcome.feeds[0]!.tables)).toEqual([
    'locations: 1 bad_geometry',
    'stop_times: 2 empty_location_group',
    'stop_times: 2 unknown_location',
    'trips: 2 unusable_call_count',
  ]);
  expect((await readTimetableManifest(dataDir, outcome.snapshotId!)).sources.map(({ sourceId }) => sourceId)).toEqual([
    'test',
  ]);
  expect(Object.keys(await readSourceChecks(dataDir)).sort()).toEqual(['ruf', 'test']);
});

it('publishes nothing without an error if all service is on demand and unusable', async () => {
  const dataDir = await temporaryFolder();
  const first = await ingestFeeds({ ruf: onDemand }, { dataDir });
  expect(first.outcome).toMatchObject({ snapshotId: null, isUnchanged: false, feeds: [{ onDemand: services }] });
  expect(first.outcome.feeds[0]!.failure).toBeUndefined();
  const again = await ingestFeeds({ ruf: onDemand }, { dataDir });
  expect(again.outcome).toMatchObject({ snapshotId: null, isUnchanged: true });
});

it('publishes the fixed trips of a feed with additional on-demand service that is unusable', async () => {
  const stopTimes = String(soundFeed.get('stop_times.txt')).trimEnd().split('\n');
  const rows = stopTimes.map((row, i) => `${row},${i === 0 ? 'start_pickup_drop_off_window' : ''}`);
  const mixed = new Map([
    ...soundFeed,
    ['trips.txt', `${soundFeed.get('trips.txt')}flex,r,daily\n`],
    ['stop_times.txt', `${[...rows, 'flex,a,1,,,06:00:00', 'flex,b,2,,,06:00:00'].join('\n')}\n`],
  ]);
  const { outcome } = await ingestFeeds({ test: mixed });
  const [feed] = outcome.feeds;
  expect(feed!.failure).toBeUndefined();
  expect(feed!.onDemand).toMatchObject([{ line: '1', trips: 1, calls: 2, places: ['Anger', 'Berg'] }]);
  expect(listRefused(feed!.tables)).toEqual(['stop_times: 2 bad_window', 'trips: 1 unusable_call_count']);
});

it('refuses an archive with two feeds, naming both, and reads the selected one', async () => {
  const dataDir = await temporaryFolder();
  const zip = path.join(dataDir, 'feeds', 'both.zip');
  const inFolder = (name: string) => [...soundFeed].map(([file, text]) => [`${name}/${file}`, text] as const);
  await mkdir(path.dirname(zip), { recursive: true });
  await writeFile(zip, await packFeed(new Map([...inFolder('alt'), ...inFolder('neu')])));
  const { outcome } = await ingestFeeds(
    { both: { location: zip }, neu: { location: `${zip}#neu` }, alt: { location: `${zip}#alt` } },
    { dataDir },
  );
  expect(outcome.feeds.map(({ failureCode }) => failureCode)).toEqual(['feed_several', undefined, undefined]);
  expect(outcome.feeds[0]!.failure).toContain('#alt, #neu');
});

it('removes an unusable feed from the raw store', async () => {
  const dataDir = await temporaryFolder();
  const unusable = new Map([...soundFeed, ['routes.txt', 'route_id,route_type\nother,3\n']]);
  const { outcome } = await ingestFeeds({ test: unusable }, { dataDir });
  expect(outcome.feeds[0]!.failureCode).toBe('feed_unusable');
  expect(await listRaw(dataDir, toSourceId('test'))).toEqual([]);
  expect(await listRejectedFeeds(dataDir)).toMatchObject([{ source: 'test', code: 'feed_unusable', isWhole: true }]);
});
