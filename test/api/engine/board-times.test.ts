import { beforeAll, describe, expect, test } from 'vitest';
import { openWorld, queryArrivals, queryDepartures, type World } from '../../support/worlds/board-world.ts';

const nights = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  at,Wien,https://example.org,Europe/Vienna
  uk,London,https://example.org,Europe/London
  us,New York,https://example.org,America/New_York
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.00,16.00
  b,Berg,48.01,16.01
  f,Fern,48.02,16.02
  h,Hafen,48.03,16.03
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  n,at,N1,Nachtbus,3
  l,at,L,Langzug,2
  d,at,D,Tagbus,3
  uk,uk,UK,Fähre,4
  us,us,US,Flug,1100
  # trips.txt
  trip_id,route_id,service_id
  late,n,daily
  long,l,daily
  twilight,d,daily
  early,d,daily
  uk,uk,daily
  us,us,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  late,a,1,25:30:00,25:30:00
  late,b,2,26:30:00,26:30:00
  late,a,3,27:30:00,27:30:00
  long,a,1,23:00:00,23:00:00
  long,b,2,48:45:00,48:50:00
  long,f,3,73:00:00,73:00:00
  twilight,a,1,02:30:00,02:30:00
  twilight,b,2,03:30:00,03:30:00
  early,a,1,00:10:00,00:10:00
  early,b,2,00:20:00,00:20:00
  uk,h,1,12:00:00,12:00:00
  uk,f,2,13:00:00,13:00:00
  us,h,1,12:00:00,12:00:00
  us,f,2,20:00:00,20:00:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20250301,20251130
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(nights);
});

async function departures(stop: string, time: string, durationMinutes: number, lines?: string[]) {
  const board = await queryDepartures(world, `at:${stop}`, { time, durationMinutes, ...(lines ? { lines } : {}) });
  return board.departures.map((row) => `${row.departure.scheduled} ${row.line.label}`);
}

async function arrivals(stop: string, time: string, durationMinutes: number) {
  const board = await queryArrivals(world, `at:${stop}`, { time, durationMinutes });
  return board.arrivals.map((row) => `${row.arrival.scheduled} ${row.line.label}`);
}

describe('service days that overlap at midnight', () => {
  test('assign 01:30 to the previous service date and 00:10 to the next', async () => {
    expect(await departures('a', '2025-06-11T00:00:00+02:00', 120)).toEqual([
      '2025-06-11T00:10:00+02:00 D',
      '2025-06-11T01:30:00+02:00 N1',
    ]);
  });

  test('show a call after two midnights on the board of its calendar day', async () => {
    expect(await departures('b', '2025-06-11T00:00:00+02:00', 60)).toEqual(['2025-06-11T00:50:00+02:00 L']);
    expect(await arrivals('b', '2025-06-11T00:00:00+02:00', 60)).toEqual([
      '2025-06-11T00:20:00+02:00 D',
      '2025-06-11T00:45:00+02:00 L',
    ]);
  });

  test('show a call after three midnights too', async () => {
    expect(await arrivals('f', '2025-06-11T01:00:00+02:00', 1)).toEqual(['2025-06-11T01:00:00+02:00 L']);
  });

  test('start with nothing from before the first service day', async () => {
    expect(await departures('a', '2025-03-01T00:00:00+01:00', 120)).toEqual(['2025-03-01T00:10:00+01:00 D']);
    expect(await departures('b', '2025-03-02T00:00:00+01:00', 120)).toEqual([]);
  });

  test('end with the night trips of the last service day', async () => {
    expect(await departures('a', '2025-12-01T00:00:00+01:00', 120)).toEqual(['2025-12-01T01:30:00+01:00 N1']);
    expect(await departures('b', '2025-12-02T00:00:00+01:00', 60)).toEqual(['2025-12-02T00:50:00+01:00 L']);
    expect(await arrivals('f', '2025-12-03T01:00:00+01:00', 1)).toEqual(['2025-12-03T01:00:00+01:00 L']);
  });
});

describe('the night without 02:30, 30 March 2025', () => {
  test('runs a trip at 02:30 an hour before 03:30, shown as 01:30, since service times count from noon', async () => {
    expect(await departures('a', '2025-03-30T00:00:00+01:00', 240)).toEqual([
      // 25:30 of the previous service date is an hour and a half after midnight.
      '2025-03-30T01:30:00+01:00 D',
      '2025-03-30T01:30:00+01:00 N1',
    ]);
    expect(await arrivals('b', '2025-03-30T01:00:00+01:00', 180)).toEqual([
      '2025-03-30T03:30:00+02:00 D',
      '2025-03-30T03:30:00+02:00 N1',
    ]);
  });

  test('shows 00:10 of that day as 23:10 of the day before', async () => {
    expect(await departures('a', '2025-03-29T23:05:00+01:00', 60)).toEqual(['2025-03-29T23:10:00+01:00 D']);
  });
});

describe('the night with 02:30 twice, 26 October 2025', () => {
  test('distinguishes the repeated hour by offset', async () => {
    expect(await departures('a', '2025-10-26T00:00:00+02:00', 360)).toEqual([
      '2025-10-26T01:10:00+02:00 D',
      '2025-10-26T01:30:00+02:00 N1',
      '2025-10-26T02:30:00+01:00 D',
    ]);
    expect(await arrivals('b', '2025-10-26T00:00:00+02:00', 360)).toEqual([
      '2025-10-26T00:45:00+02:00 L',
      '2025-10-26T01:20:00+02:00 D',
      '2025-10-26T02:30:00+02:00 N1',
      '2025-10-26T03:30:00+01:00 D',
    ]);
  });

  test('accepts each of the two hours in a request', async () => {
    expect(await departures('b', '2025-10-26T02:00:00+02:00', 60, ['N1'])).toEqual(['2025-10-26T02:30:00+02:00 N1']);
    expect(await departures('b', '2025-10-26T02:00:00+01:00', 60, ['N1'])).toEqual([]);
    expect(await departures('a', '2025-10-26T02:00:00+01:00', 60)).toEqual(['2025-10-26T02:30:00+01:00 D']);
  });
});

describe('time zones', () => {
  test.each<[string, string, string[]]>([
    ['winter time everywhere', '2025-03-03', ['2025-03-03T13:00:00+01:00 UK', '2025-03-03T18:00:00+01:00 US']],
    // New York changes its clocks three weeks before Europe.
    ['summer time only in New York', '2025-03-12', ['2025-03-12T13:00:00+01:00 UK', '2025-03-12T17:00:00+01:00 US']],
    ['summer time everywhere', '2025-06-11', ['2025-06-11T13:00:00+02:00 UK', '2025-06-11T18:00:00+02:00 US']],
  ])('a trip at noon elsewhere is shown in Austrian time: %s', async (_season, day, expected) => {
    expect(await departures('h', `${day}T08:00:00+01:00`, 720)).toEqual(expected);
  });
});

const repeated = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  a,Anger,48.00,16.00
  b,Berg,48.01,16.01
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r,v,1,Pendel,3
  # trips.txt
  trip_id,route_id,service_id
  headway,r,daily
  exact,r,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  headway,a,1,04:00:00,04:00:00
  headway,b,2,04:05:00,04:05:00
  exact,b,1,04:00:00,04:00:00
  exact,a,2,04:05:00,04:05:00
  # frequencies.txt
  trip_id,start_time,end_time,headway_secs,exact_times
  headway,22:30:00,25:30:00,3600,0
  exact,08:00:00,09:00:00,1200,1
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

describe('frequencies', () => {
  test("a headway repeats across midnight, marks its times as approximate, and never runs at its template's times", async () => {
    const pendel = await openWorld(repeated);
    const { departures: rows } = await queryDepartures(pendel, 'at:a', {
      time: '2026-03-03T22:00:00+01:00',
      durationMinutes: 480,
    });
    expect(rows.map((row) => row.departure.scheduled)).toEqual([
      '2026-03-03T22:30:00+01:00',
      '2026-03-03T23:30:00+01:00',
      '2026-03-04T00:30:00+01:00',
    ]);
    expect(rows.map((row) => row.attributes)).toEqual(rows.map(() => ['time:headway']));
    expect(new Set(rows.map((row) => row.journeyRef)).size).toBe(3);
  });

  test('exact times are ordinary times, and the end is not a departure', async () => {
    const pendel = await openWorld(repeated);
    const { departures: rows } = await queryDepartures(pendel, 'at:b', {
      time: '2026-03-03T03:00:00+01:00',
      durationMinutes: 720,
    });
    expect(rows.map((row) => row.departure.scheduled)).toEqual([
      '2026-03-03T08:00:00+01:00',
      '2026-03-03T08:20:00+01:00',
      '2026-03-03T08:40:00+01:00',
    ]);
    expect(rows.map((row) => row.attributes)).toEqual(rows.map(() => []));
  });
});
