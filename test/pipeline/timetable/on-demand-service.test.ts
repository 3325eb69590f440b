import { expect, it } from 'vitest';
import { loadTimetable } from '../../support/worlds/board-world.ts';
import { flexFeed, zoneOnlyFeed } from '../../support/worlds/flex-feed.ts';
import { type FeedInput, ingestFeeds, listRefused, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { stageFeed } from '../../support/worlds/stage-feed.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

async function publish(feeds: Readonly<Record<string, FeedInput>>) {
  const dataDir = await temporaryFolder();
  const { outcome } = await ingestFeeds(feeds, { dataDir });
  expect(outcome.feeds.map(({ failure }) => failure)).toEqual(outcome.feeds.map(() => undefined));
  const { tables, sourceIds } = await loadTimetable(dataDir);
  return {
    feed: outcome.feeds[0]!,
    refused: outcome.feeds.flatMap((feed) => listRefused(feed.tables)),
    tables,
    sourceIds,
  };
}

it('publishes a feed of a single zone, without stops', async () => {
  const { feed, refused, tables } = await publish({ ruf: zoneOnlyFeed });
  expect(refused).toEqual([]);
  expect(feed.onDemand).toMatchObject([{ line: 'Ruf 1', trips: 1, calls: 2, places: ['ZONE'] }]);
  const { onDemandTrips, onDemandCalls, onDemandZones, trips } = tables;
  expect([trips.service.length, onDemandTrips.tripId.get(0), onDemandZones.zoneId.get(0)]).toEqual([0, 'T', 'zone']);
  expect([...onDemandCalls.windowStart, ...onDemandCalls.windowEnd]).toEqual([21600, 21600, 79200, 79200]);
  expect([...onDemandCalls.pickupRule, ...onDemandCalls.dropOffRule]).toEqual([0, -1, -1, 0]);
});

it('keeps all kinds of on-demand calls, and the fixed calls of their trips', async () => {
  const { refused, tables } = await publish({ at: flexFeed });
  expect(refused).toEqual([]);
  const { onDemandTrips, onDemandCalls, onDemandRings, onDemandGroups, trips } = tables;
  const names = Array.from({ length: onDemandTrips.route.length }, (_, trip) => onDemandTrips.tripId.get(trip));
  expect(names).toEqual(['door', 'east', 'group', 'inner', 'night']);
  expect(trips.service.length).toBe(4);
  expect([...onDemandTrips.durationFactor]).toEqual([1, 1, 1, 2, 1.5]);
  expect([...onDemandTrips.durationOffsetSeconds]).toEqual([0, 0, 0, 0, 300]);
  // The fixed call of `door` and its zone.
  expect([...onDemandCalls.isFixed.subarray(0, 2)]).toEqual([1, 0]);
  expect([onDemandRings.firstPoint.length, ...onDemandGroups.stopCount]).toEqual([4, 3]);
});

it('keeps the fixed calls of a trip with an on-demand call among them', async () => {
  const mixed = withFiles(soundFeed, {
    'stop_times.txt': `
      trip_id,stop_id,stop_sequence,arrival_time,departure_time,start_pickup_drop_off_window,end_pickup_drop_off_window
      t1,a,1,08:00:00,08:00:00,,
      t1,b,2,,,08:05:00,08:15:00
      t1,c,3,08:20:00,08:20:00,,
      t2,a,1,09:00:00,09:00:00,,
      t2,b,2,09:10:00,09:11:00,,
      `,
  });
  const { refused, tables } = await publish({ at: mixed });
  expect(refused).toEqual([]);
  const { onDemandCalls, trips, patterns } = tables;
  expect([trips.service.length, ...patterns.callCount]).toEqual([2, 2, 2]);
  expect([...onDemandCalls.isFixed]).toEqual([1, 0, 1]);
});

it('publishes a feed with a group that has no stops, before one with stops', async () => {
  const groups = 'location_group_id,location_group_name\nanywhere,Sammelpunkte\n';
  const { tables } = await publish({
    empty: withFiles(zoneOnlyFeed, { 'location_groups.txt': groups }),
    full: flexFeed,
  });
  expect([...tables.onDemandGroups.stopCount]).toEqual([0, 3]);
});

it('publishes it together with other feeds', async () => {
  const { tables, sourceIds } = await publish({ ruf: zoneOnlyFeed, test: soundFeed });
  expect([sourceIds, tables.trips.service.length, tables.onDemandTrips.route.length]).toEqual([['ruf', 'test'], 2, 1]);
});

it('refuses calls and zones that cannot be used, with a code', async () => {
  const box = [
    [16, 48],
    [16.1, 48],
    [16.1, 48.1],
    [16, 48],
  ];
  const polygon = (id: unknown, ring: unknown, type = 'Polygon') => ({ id, geometry: { type, coordinates: [ring] } });
  const features = [
    polygon('good', box),
    polygon('good', box),
    polygon(undefined, box),
    polygon('line', [
      [16, 48],
      [16.1, 48],
      [16.2, 48],
      [16, 48],
    ]),
    polygon('short', [
      [16, 48],
      [16.1, 48.1],
      [16, 48],
    ]),
    polygon('far', [
      [16, 48],
      [16.1, 98],
      [16, 49],
      [16, 48],
    ]),
    polygon('text', [
      ['x', 48],
      [16.1, 48],
      [16, 49],
    ]),
    polygon('point', [16, 48], 'Point'),
    { id: 'none', geometry: null },
    null,
    // A bow tie, which is valid as its rings decide, and an open ring.
    polygon(7, [
      [16, 48],
      [16.1, 48.1],
      [16.1, 48],
      [16, 48.1],
    ]),
  ];
  const { refused, db } = await stageFeed(
    withFiles(flexFeed, {
      'locations.geojson': JSON.stringify({ features }),
      'location_groups.txt': `
        location_group_id
        group
        group
        empty
        ,
        `,
      'location_group_stops.txt': `
        location_group_id,stop_id
        group,m
        group,m
        group,gone
        other,m
        `,
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,location_id,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type
        r1,a,1,,,08:00:00,08:00:00,
        r1,b,2,,,09:00:00,09:00:00,
        night,,1,good,,20:00:00,26:00:00,
        night,,2,7,,20:00:00,26:00:00,
        night,,2,7,,20:00:00,26:00:00,
        night,,x,7,,20:00:00,26:00:00,
        night,,4,gone,,20:00:00,26:00:00,
        night,,5,,gone,20:00:00,26:00:00,
        night,,6,,empty,20:00:00,26:00:00,
        night,,7,good,group,20:00:00,26:00:00,
        night,,8,good,,20:00:00,19:00:00,
        night,,9,good,,20:00:00,,
        night,,10,good,,20:00:00,21:00:00,7
        night,gone,11,,,20:00:00,21:00:00,
        nobody,,1,good,,20:00:00,21:00:00,
        east,,1,good,,20:00:00,21:00:00,
        `,
    }),
  );
  expect(refused.filter((row) => !row.startsWith('trips'))).toEqual([
    'location_group_stops 2 duplicate_row',
    'location_group_stops 3 unknown_stop',
    'location_group_stops 4 unknown_location_group',
    'location_groups 2 duplicate_row',
    'location_groups 4 missing_id',
    'locations 2 duplicate_row',
    'locations 3 missing_id',
    'locations 4 bad_geometry',
    'locations 5 bad_geometry',
    'locations 6 bad_geometry',
    'locations 7 bad_geometry',
    'locations 8 bad_geometry',
    'locations 9 bad_geometry',
    'locations 10 missing_id',
    'stop_times 5 duplicate_row',
    'stop_times 6 bad_sequence',
    'stop_times 7 unknown_location',
    'stop_times 8 unknown_location_group',
    'stop_times 9 empty_location_group',
    'stop_times 10 several_places',
    'stop_times 11 bad_window',
    'stop_times 12 bad_window',
    'stop_times 13 bad_boarding_type',
    'stop_times 14 unknown_stop',
    'stop_times 15 unknown_trip',
    'stop_times 16 trip_refused',
  ]);
  const [count] = await db.query('select count(*)::int as n from on_demand_calls');
  expect(count!.n).toBe(2);
});

it.each([
  ['text', 'not json'],
  ['list', '[]'],
  ['null', 'null'],
])('counts a file of zones that is not GeoJSON: %s', async (_, text) => {
  const { refused } = await stageFeed(withFiles(flexFeed, { 'locations.geojson': text }));
  expect(refused.filter((row) => row.startsWith('locations'))).toEqual(['locations 1 missing_id']);
});
