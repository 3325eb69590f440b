import { expect, it } from 'vitest';
import { ingestFeedText, soundFeed } from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';
import { feedOfTrips } from './feed-of-trips.ts';

it.each([
  ['narrower than the days on which trips run', '20260303,20260306', '2026-03-06'],
  ['wider: trips run from the 2nd to the 8th', '20260301,20291231', '2029-12-31'],
  ['missing', ',', null],
  ['of another year', '20250101,20251231', '2025-12-31'],
])(
  'dates the timetable by the days on which trips run, whatever feed_info says: %s',
  async (_what, period, feedEndDate) => {
    const { timetable } = await ingestFeedText(
      withFiles(soundFeed, {
        'feed_info.txt': `
        feed_publisher_name,feed_lang,feed_start_date,feed_end_date,feed_version
        Verlag,de,${period},v7
        `,
      }),
    );
    expect(timetable.snapshot.manifest).toMatchObject({
      beginDate: '2026-03-02',
      endDate: '2026-03-08',
      dataDate: '2026-03-01',
      sources: [
        {
          sourceId: 'test',
          publisherName: 'Verlag',
          publishedVersion: 'v7',
          beginDate: '2026-03-02',
          endDate: '2026-03-08',
          versions: [{ feedEndDate, timeZone: 'Europe/Vienna', from: null, until: null }],
        },
      ],
    });
  },
);

it('uses straight lines if the shape has the opposite direction', async () => {
  const { timetable } = await ingestFeedText(
    feedOfTrips(['t1: c 08:00, b 08:10, a 08:20'], {
      'trips.txt': 'trip_id,route_id,service_id,shape_id\nt1,r,daily,s\n',
      'shapes.txt': 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\ns,48,16,1\ns,48,16.1,2\ns,48,16.2,3\n',
    }),
  );
  expect([...timetable.snapshot.tables.trips.tripShape]).toEqual([-1]);
});

it('locates trips on shapes by distance, else by location', async () => {
  const point = (id: string, i: number, lat: number, lon: number, distance: string) =>
    `${id},${lat},${lon},${i},${distance}\n`;
  const line = (id: string, points: readonly [number, number, string][]) =>
    points.map(([lat, lon, distance], i) => point(id, i, lat, lon, distance)).join('');
  const { timetable } = await ingestFeedText(
    feedOfTrips(
      ['t1: a 08:00 0, b 08:10 6, c 08:20 8', 't2: a 08:00, b 08:10, a 08:20', 't3: a 08:00, b 08:10, c 08:20'],
      {
        'trips.txt': 'trip_id,route_id,service_id,shape_id\nt1,r,daily,measured\nt2,r,daily,back\nt3,r,daily,\n',
        'shapes.txt': [
          'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n',
          line('measured', [
            [48, 16, '0'],
            [48, 16.1, '4'],
            [48, 16.2, '8'],
          ]),
          line('back', [
            [48, 16, ''],
            [48, 16.1, ''],
            [48, 16, ''],
          ]),
          line('unused', [
            [47, 15, ''],
            [47, 15.1, ''],
          ]),
        ].join(''),
      },
    ),
  );
  const { tables } = timetable.snapshot;
  const positions = new Map<string, number[] | null>();
  for (let trip = 0; trip < tables.trips.service.length; trip++) {
    const tripShape = tables.trips.tripShape[trip]!;
    const first = tables.tripShapes.firstPosition[tripShape]!;
    const calls = Array.from(tables.shapePositions.position.subarray(first, first + 3));
    positions.set(tables.trips.tripId.get(trip), tripShape < 0 ? null : calls);
  }
  expect(Object.fromEntries(positions)).toEqual({ t1: [0, 1.5, 2], t2: [0, 1, 2], t3: null });
  // A shape that no trip uses stays in the lake.
  expect(tables.shapes.pointCount).toEqual(Int32Array.of(3, 3));
});
