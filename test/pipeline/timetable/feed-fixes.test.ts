import { expect, it } from 'vitest';
import { type FeedRepairs, feedFixNames, noRepairs } from '../../../pipeline/model/feed-fixes.ts';
import {
  ingestFeeds,
  ingestFeedText,
  listRefused,
  listRepaired,
  temporaryFolder,
} from '../../support/worlds/ingest.ts';
import { feedFromText, withFiles } from '../../support/worlds/text-feed.ts';

/** Trains as the railway data set has them: every fault that a fix is for. */
const railway = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  81,ÖBB,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  Pat:49:1349,Wien Hbf,48.185,16.375,1,
  at:49:1349:0:1,Wien Hbf,48.185,16.375,0,Pat:49:1349
  Pat:43:1,St. Pölten Hbf,48.207,15.624,1,
  at:43:1,St. Pölten Hbf,48.207,15.624,0,Pat:43:1
  Pde:1:2,Passau Hbf,48.574,13.451,1,
  de:1:2:1,Passau Hbf,48.574,13.451,0,Pde:1:2
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  rjx,81,RJX 162,Wien - Linz - Salzburg - Innsbruck,2
  unnamed,81,,Wien - St. Pölten - Linz,2
  mixed,81,,Wien - Linz,2
  rex,81,REX 51,Wien Hbf - St. Pölten Hbf,2
  s,81,S80,,2
  nj,81,NJ 491,,2
  bus,81,ICBus 831,Graz - Klagenfurt - Villach,3
  city,81,R1,,3
  # shapes.txt
  shape_id,shape_pt_sequence,shape_pt_lat,shape_pt_lon
  border,1,48.185,16.375
  border,2,48.207,15.624
  # trips.txt
  trip_id,route_id,service_id,trip_short_name,shape_id
  t1,rjx,daily,,border
  t2,unnamed,daily,REX 1823,border
  t3,unnamed,daily,REX 1825,
  t4,mixed,daily,IC 542,
  t5,mixed,daily,REX 1827,
  t6,rex,daily,1829,
  t7,s,daily,,
  t8,nj,daily,,border
  t9,bus,daily,,
  t10,city,daily,,
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,at:49:1349:0:1,1,08:00:00,08:00:00
  t1,at:43:1,2,08:30:00,08:30:00
  t2,at:49:1349:0:1,1,09:00:00,09:00:00
  t2,at:43:1,2,09:30:00,09:30:00
  t3,at:49:1349:0:1,1,10:00:00,10:00:00
  t3,at:43:1,2,10:30:00,10:30:00
  t4,at:49:1349:0:1,1,11:00:00,11:00:00
  t4,at:43:1,2,11:30:00,11:30:00
  t5,at:49:1349:0:1,1,12:00:00,12:00:00
  t5,at:43:1,2,12:30:00,12:30:00
  t6,at:49:1349:0:1,1,13:00:00,13:00:00
  t6,at:43:1,2,13:30:00,13:30:00
  t7,at:49:1349:0:1,1,14:00:00,14:00:00
  t7,at:43:1,2,14:30:00,14:30:00
  t8,at:49:1349:0:1,1,20:00:00,20:00:00
  t8,de:1:2:1,2,23:30:00,23:30:00
  t9,at:49:1349:0:1,1,15:00:00,15:00:00
  t9,at:43:1,2,15:30:00,15:30:00
  t10,at:49:1349:0:1,1,16:00:00,16:00:00
  t10,at:43:1,2,16:30:00,16:30:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);

const all: FeedRepairs = { fixes: feedFixNames, zone: null };

it('changes nothing without fixes', async () => {
  const { report, timetable } = await ingestFeedText(railway);
  expect(listRepaired(report)).toEqual([]);
  expect(timetable.routes.join()).toContain('unnamed "Wien - St. Pölten - Linz" train');
});

it('repairs the railway data set, and counts each fix', async () => {
  const { report, timetable } = await ingestFeedText(railway, { repairs: all });
  expect(listRefused(report)).toEqual([]);
  expect(listRepaired(report)).toEqual([
    'routes: 1 train-numbers',
    'routes: 2 corridor-names',
    'routes: 6 train-categories',
    'stops: 2 parent-ids',
    'trips: 1 border-shapes',
    'trips: 2 train-numbers',
  ]);
  expect(timetable.routes).toEqual([
    'bus "ICBus 831" regionalBus of ÖBB, Europe/Vienna',
    'city "R1" cityBus of ÖBB, Europe/Vienna',
    'mixed "Wien - Linz" train of ÖBB, Europe/Vienna',
    'nj "NJ 491" train of ÖBB, Europe/Vienna',
    'rex "REX 51" regionalTrain of ÖBB, Europe/Vienna',
    'rjx "RJX 162" train of ÖBB, Europe/Vienna',
    's "S80" sBahn of ÖBB, Europe/Vienna',
    'unnamed "REX" regionalTrain of ÖBB, Europe/Vienna',
  ]);
  // `Pat:43:1` keeps its id: the platform has that of the station.
  expect(timetable.stops.map((stop) => stop.split(' ')[0])).toEqual([
    'Pat:43:1',
    'at:43:1',
    'at:49:1349',
    'at:49:1349:0:1',
    'de:1:2',
    'de:1:2:1',
  ]);
});

it('repairs ids of stations in every table that names stops', async () => {
  const feed = withFiles(railway, {
    'transfers.txt': 'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nPat:49:1349,Pde:1:2,2,120\n',
    'networks.txt': 'network_id\nn\n',
    'areas.txt': 'area_id\na\n',
    'stop_areas.txt': 'area_id,stop_id\na,Pat:49:1349\n',
    'fare_leg_join_rules.txt': 'from_network_id,to_network_id,from_stop_id,to_stop_id\nn,n,Pat:49:1349,Pde:1:2\n',
  });
  const { report } = await ingestFeedText(feed, { repairs: { fixes: ['parent-ids'], zone: null } });
  expect(listRefused(report)).toEqual([]);
});

it('stages a version again when its fixes differ, and publishes the result', async () => {
  const dataDir = await temporaryFolder();
  const ingest = async (repairs: FeedRepairs) => (await ingestFeeds({ rail: railway }, { dataDir, repairs })).outcome;
  const [plain, fixed, again] = [await ingest(noRepairs), await ingest(all), await ingest(all)];
  expect([plain, fixed, again].map(({ isUnchanged }) => isUnchanged)).toEqual([false, false, true]);
  expect(fixed.feeds[0]!.feedVersion).toBe(plain.feeds[0]!.feedVersion);
  expect(fixed.snapshotId).not.toBe(plain.snapshotId);
});

const zone: FeedRepairs = { fixes: [], zone: 'Europe/Vienna' };
const agencies: readonly [feed: string, agency: string, refusal: string, repaired: readonly string[]][] = [
  [
    'without agencies',
    'agency_id,agency_name,agency_url,agency_timezone\n',
    'the feed names no agency with a time zone',
    ['routes: 8 assumed_time_zone', 'routes: 8 unknown_agency'],
  ],
  [
    'whose agency has no zone',
    'agency_id,agency_name,agency_url,agency_timezone\n81,ÖBB,https://example.org,\n',
    '1 row of agency was refused as missing_time_zone',
    ['agency: 1 assumed_time_zone'],
  ],
  [
    'whose agency has an unknown zone',
    'agency_id,agency_name,agency_url,agency_timezone\n81,ÖBB,https://example.org,Vienna\n',
    '1 row of agency was refused as unknown_time_zone',
    ['agency: 1 assumed_time_zone'],
  ],
];
it.each(agencies)('a feed %s needs the zone of its source', async (_feed, agency, refusal, repaired) => {
  const feed = withFiles(railway, { 'agency.txt': agency });
  await expect(ingestFeedText(feed)).rejects.toThrow(refusal);
  const { report, timetable } = await ingestFeedText(feed, { repairs: zone });
  expect(listRepaired(report)).toEqual(repaired);
  expect(timetable.routes[3]).toMatch(/^nj "NJ 491" train .*Europe\/Vienna$/);
});

it('counts exact copies of rows apart from rows that contradict each other', async () => {
  const rows = railway.get('stop_times.txt')!;
  const trips = railway.get('trips.txt')!;
  const feed = withFiles(railway, {
    'stop_times.txt': `${rows}${rows.split('\n').slice(1, 5).join('\n')}\nt3,at:49:1349:0:1,1,10:07:00,10:07:00\n`,
    'trips.txt': `${trips}t1,rjx,daily,,border\nt2,s,daily,,\n`,
  });
  const { report, timetable } = await ingestFeedText(feed);
  expect(listRefused(report)).toEqual([
    'stop_times: 1 duplicate_sequence',
    'stop_times: 4 duplicate_row',
    'trips: 1 duplicate_id',
    'trips: 1 duplicate_row',
  ]);
  expect(timetable.trips).toHaveLength(10);
});
