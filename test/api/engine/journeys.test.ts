import { beforeAll, describe, expect, test } from 'vitest';
import type { Journey } from '../../../api/contract/definitions.ts';
import {
  clockOf,
  findRefusal,
  openWorld,
  queryDepartures,
  queryJourney,
  type World,
} from '../../support/worlds/board-world.ts';

const valley = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  a,Anger,48.0,16.0,0,,
  s,Bahnhof,48.0,16.1,1,,
  s1,Bahnhof,48.0,16.1,0,s,1
  s2,Bahnhof,48.0,16.1,0,s,2
  k,Kirche,48.0,16.2,0,,
  lost,Nirgendwo,,,0,,
  z,Ziel,48.0,16.3,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type,route_color
  r,v,R5,Talbahn,106,CC0000
  # trips.txt
  trip_id,route_id,service_id,trip_headsign,trip_short_name,shape_id,wheelchair_accessible,bikes_allowed
  full,r,daily,Ziel über Kirche,R 5012,line,1,2
  part,r,daily,,,line,,
  plain,r,daily,,,,,
  lost,r,daily,,,,,
  nowhere,r,daily,,,line,,
  late,r,daily,,,,,
  change,r,daily,,,,,
  loop,r,daily,,,,,
  corner,r,daily,,,corners,,
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,stop_headsign
  full,a,1,08:00:00,08:02:00,
  full,s1,2,08:10:00,08:12:00,Nur Ziel
  full,k,3,08:20:00,08:20:00,
  full,z,4,08:30:00,08:33:00,
  part,s2,1,09:00:00,09:00:00,
  part,k,2,09:10:00,09:10:00,
  plain,a,1,10:00:00,10:00:00,
  plain,k,2,10:20:00,10:20:00,
  lost,a,1,11:00:00,11:00:00,
  lost,lost,2,11:05:00,11:05:00,
  lost,k,3,11:20:00,11:20:00,
  nowhere,s2,1,12:00:00,12:00:00,
  nowhere,lost,2,12:05:00,12:05:00,
  nowhere,z,3,12:20:00,12:20:00,
  late,a,1,23:50:00,23:50:00,
  late,k,2,24:10:00,24:10:00,
  late,z,3,49:00:00,49:00:00,
  change,a,1,25:30:00,25:30:00,
  change,s1,2,26:30:00,26:30:00,
  change,k,3,27:30:00,27:30:00,
  loop,a,1,14:00:00,14:00:00,
  loop,k,2,14:10:00,14:10:00,
  loop,a,3,14:20:00,14:20:00,
  corner,a,1,15:00:00,15:00:00,
  corner,s2,2,15:10:00,15:10:00,
  corner,k,3,15:20:00,15:20:00,
  # shapes.txt
  shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
  line,48.0,15.9,1
  line,48.0,16.05,2
  line,48.05,16.15,3
  line,48.0,16.25,4
  line,48.0,16.4,5
  corners,48.0,16.0,1
  corners,48.0,16.1,2
  corners,48.0,16.2,3
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20250301,20251130
`;

const NOW = '2025-06-11T12:00:00+02:00';

let world: World;
beforeAll(async () => {
  world = await openWorld(valley);
});

/** The reference of the departure at a stop at a given time. */
async function refOf(stopId: string, time: string): Promise<string> {
  const { departures } = await queryDepartures(world, `at:${stopId}`, { time, durationMinutes: 1 });
  expect(departures).toHaveLength(1);
  return departures[0]!.journeyRef!;
}

const journeyAt = async (stopId: string, clock: string, now = NOW) =>
  queryJourney(world, await refOf(stopId, `2025-06-11T${clock}:00+02:00`), { now });

/** `a 08:00/08:02`, with `-` for a missing time. */
function describeCalls({ stops }: Journey): string[] {
  return stops.map(({ id, arrival, departure }) => {
    const clock = (info: typeof arrival) => (info ? clockOf(info.scheduled!) : '-');
    return `${id.replace('at:', '')} ${clock(arrival)}/${clock(departure)}`;
  });
}

describe('calls', () => {
  test('include all calls, without an arrival at the first and a departure at the last', async () => {
    const journey = await journeyAt('s', '08:12');
    expect(describeCalls(journey)).toEqual(['a -/08:02', 's1 08:10/08:12', 'k 08:20/08:20', 'z 08:30/-']);
  });

  test('have all details of the trip', async () => {
    const { stops, polyline: _, ref, ...rest } = await journeyAt('s', '08:12');
    expect(ref).toBe(await refOf('a', '2025-06-11T08:02:00+02:00'));
    expect(rest).toEqual({
      line: {
        label: 'R5',
        name: 'Talbahn',
        product: 'regionalTrain',
        colorHex: '#CC0000',
        textColorHex: '#FFFFFF',
        operatorName: 'Verkehr',
        lineId: 'at:r',
      },
      direction: 'Ziel über Kirche',
      cancellation: { fullyCancelled: false, partiallyCancelled: false },
      notices: [],
      attributes: ['tripNumber:R 5012', 'wheelchair:yes', 'bikes:no'],
      serviceDate: '2025-06-11',
    });
    expect(stops[1]).toEqual({
      id: 'at:s1',
      name: 'Bahnhof',
      coord: { lat: 48, lon: 16.1 },
      arrival: { scheduled: '2025-06-11T08:10:00+02:00', isRealtime: false },
      departure: { scheduled: '2025-06-11T08:12:00+02:00', isRealtime: false },
      platform: { text: '1', scheduledText: '1', changed: false },
      cancellation: { fullyCancelled: false, partiallyCancelled: false },
      isCurrent: false,
    });
  });

  test('have no position if the stop has none', async () => {
    const { stops } = await journeyAt('a', '11:00');
    expect(stops.map((call) => call.coord !== undefined)).toEqual([true, false, true]);
  });
});

describe('the current call', () => {
  const currentOf = ({ stops }: Journey) => stops.flatMap((call, k) => (call.isCurrent ? [k] : []));

  test.each<[string, string, number[]]>([
    ['before it reaches its first stop', '07:59:59', []],
    ['at the first', '08:00:00', [0]],
    ['about to depart', '08:02:00', [0]],
    ['on the way to the second', '08:02:01', [1]],
    ['at the second', '08:11:00', [1]],
    ['on the way to the third', '08:12:01', [2]],
    ['at the third, which it leaves immediately', '08:20:00', [2]],
    ['on the way to the last', '08:20:01', [3]],
    ['at the last', '08:30:00', [3]],
    ['after the last passenger has alighted', '08:33:01', []],
    ['a day later', '23:59:59', []],
  ])('%s', async (_where, clock, expected) => {
    expect(currentOf(await journeyAt('a', '08:02', `2025-06-11T${clock}+02:00`))).toEqual(expected);
  });

  test.each<[string, number[]]>([
    ['at:a', [0]],
    ['at:s1', [1]],
    ['at:s', [1]],
    ['at:z', [3]],
  ])('is the call at %s if requested, regardless of the clock', async (stopId, expected) => {
    const ref = await refOf('a', '2025-06-11T08:02:00+02:00');
    for (const now of [NOW, '2025-06-11T08:20:01+02:00', '2025-06-10T08:00:00+02:00']) {
      expect(currentOf(await queryJourney(world, ref, { now, stopId }))).toEqual(expected);
    }
  });

  test('is the first visit on a loop', async () => {
    const ref = await refOf('a', '2025-06-11T14:00:00+02:00');
    expect(currentOf(await queryJourney(world, ref, { now: NOW, stopId: 'at:a' }))).toEqual([0]);
  });

  test.each([
    ['another platform of a station that is served', 'at:s2', 'invalid_parameter stopId'],
    ['a stop of other trips', 'at:lost', 'invalid_parameter stopId'],
    ['an unknown stop', 'at:nothing', 'unknown_stop stopId'],
    ['an id without its source', 'a', 'unknown_stop stopId'],
  ])('rejects %s as the current stop', async (_what, stopId, expected) => {
    const ref = await refOf('a', '2025-06-11T08:02:00+02:00');
    expect(await findRefusal(() => queryJourney(world, ref, { now: NOW, stopId }))).toBe(expected);
  });
});

describe('nights', () => {
  test('keep the service date past midnight, while dates of calls advance', async () => {
    const journey = await journeyAt('a', '23:50');
    expect(journey.serviceDate).toBe('2025-06-11');
    expect(journey.stops.map((call) => (call.arrival ?? call.departure)!.scheduled)).toEqual([
      '2025-06-11T23:50:00+02:00',
      '2025-06-12T00:10:00+02:00',
      '2025-06-13T01:00:00+02:00',
    ]);
    expect(journey.ref).toBe(await refOf('k', '2025-06-12T00:10:00+02:00'));
  });

  test.each([
    [
      'with one hour less',
      '2025-03-30T01:30:00+01:00',
      '2025-03-29',
      ['2025-03-30T01:30:00+01:00', '2025-03-30T03:30:00+02:00', '2025-03-30T04:30:00+02:00'],
    ],
    [
      'with one hour more',
      '2025-10-26T01:30:00+02:00',
      '2025-10-25',
      ['2025-10-26T01:30:00+02:00', '2025-10-26T02:30:00+02:00', '2025-10-26T02:30:00+01:00'],
    ],
  ])('the one %s: an hour between calls remains an hour', async (_which, start, serviceDate, expected) => {
    const journey = await queryJourney(world, await refOf('a', start), { now: start });
    expect(journey.stops.map((call) => (call.arrival ?? call.departure)!.scheduled)).toEqual(expected);
    expect(journey.serviceDate).toBe(serviceDate);
  });
});

test('times never decrease along a journey', async () => {
  const { departures } = await queryDepartures(world, 'at:a', {
    time: '2025-06-11T00:00:00+02:00',
    durationMinutes: 1440,
  });
  expect(departures.length).toBe(7);
  for (const { journeyRef } of departures) {
    const { stops } = await queryJourney(world, journeyRef!, { now: NOW });
    const times = stops.flatMap(({ arrival, departure }) => [arrival, departure]).filter((info) => info !== undefined);
    const instants = times.map((info) => Date.parse(info.scheduled!));
    expect(instants).toEqual([...instants].sort((x, y) => x - y));
  }
});

describe('the path', () => {
  const path = ({ polyline }: Journey) => polyline.map(({ lat, lon }) => `${lat},${lon}`);

  test('is the shape, cut at the first and last call', async () => {
    expect(path(await journeyAt('a', '08:02'))).toEqual(['48,16', '48,16.05', '48.05,16.15', '48,16.25', '48,16.3']);
  });

  test('is cut within a segment, at the points nearest to the stops', async () => {
    const [first, ...rest] = (await journeyAt('s', '09:00')).polyline;
    // Both stops lie below slanted segments; their nearest points are left and right of the bend.
    expect(first!.lon).toBeGreaterThan(16.05);
    expect(first!.lon).toBeLessThan(16.15);
    expect(rest[0]).toEqual({ lat: 48.05, lon: 16.15 });
    expect(rest[1]!.lon).toBeGreaterThan(16.15);
    expect(rest[1]!.lon).toBeLessThan(16.25);
    expect(rest).toHaveLength(2);
  });

  test('contains a corner once if it starts or ends there', async () => {
    expect(path(await journeyAt('a', '15:00'))).toEqual(['48,16', '48,16.1', '48,16.2']);
  });

  test('is a straight line between stops without a shape', async () => {
    expect(path(await journeyAt('a', '10:00'))).toEqual(['48,16', '48,16.2']);
  });

  test('skips stops without a position if there is no shape', async () => {
    expect(path(await journeyAt('a', '11:00'))).toEqual(['48,16', '48,16.2']);
  });

  test('with a shape, needs no positions of intermediate stops', async () => {
    const line = path(await journeyAt('s', '12:00'));
    expect(line.slice(1)).toEqual(['48.05,16.15', '48,16.25', '48,16.3']);
  });
});
