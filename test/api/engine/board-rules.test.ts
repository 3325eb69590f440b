import { beforeAll, describe, expect, test } from 'vitest';
import {
  type BoardQueryInput,
  clockOf,
  describeArrivals,
  describeDepartures,
  findRefusal,
  openWorld,
  queryArrivals,
  queryDepartures,
  type World,
} from '../../support/worlds/board-world.ts';

// One rule per hour, so that a window of an hour contains the trips of one rule only.
const town = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  a,Anger,48.00,16.00,0,,
  b,Berg,48.01,16.01,0,,
  k,Kirche,48.02,16.02,0,,
  z,Ziel,48.03,16.03,0,,
  s,Bahnhof,48.04,16.04,1,,
  s1,Bahnhof,48.04,16.04,0,s,1
  s2,Bahnhof,48.04,16.04,0,s,2
  s/e,Bahnhof Nord,48.04,16.04,2,s,
  idle,Heide,48.05,16.05,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Anger - Ziel,3
  rc,v,"A,B",Kommazug,2
  rs,v,S1,Schnellbahn,109
  rl,v,,Nur lang,2
  o10,v,10,Zehner,3
  o2,v,2,Zweier,3
  off,v,\ufb00,Ligatur,3
  oem,v,\u{1f600},Bild,3
  # trips.txt
  trip_id,route_id,service_id,trip_headsign,trip_short_name,wheelchair_accessible,bikes_allowed
  pick,r1,daily,,,,
  loop,r1,daily,,,,
  p1,r1,daily,,,,
  p2,r1,daily,,,,
  p0,r1,daily,,,,
  there,r1,daily,,,,
  back,r1,daily,,,,
  bus,r1,daily,,,,
  suburban,rs,daily,,,,
  long,rl,daily,,,,
  comma,rc,daily,,,,
  sign,r1,daily,Dorf,,,
  signs,r1,daily,Dorf,,,
  nosign,r1,daily,,,,
  t10,o10,daily,,,,
  t2,o2,daily,,,,
  tff,off,daily,,,,
  tem,oem,daily,,,,
  t2b,o2,daily,,,,
  t2c,o2,daily,,,,
  gap,r1,daily,,R 4711,1,2
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type,stop_headsign
  pick,a,1,08:00:00,08:00:00,0,0,
  pick,b,2,08:10:00,08:11:00,1,0,
  pick,k,3,08:20:00,08:20:00,2,3,
  pick,s1,4,08:30:00,08:30:00,3,1,
  pick,z,5,08:40:00,08:40:00,0,0,
  loop,a,1,09:00:00,09:00:00,,,
  loop,b,2,09:10:00,09:10:00,,,
  loop,a,3,09:20:00,09:20:00,,,
  loop,k,4,09:30:00,09:30:00,,,
  loop,a,5,09:40:00,09:40:00,,,
  p1,s1,1,10:00:00,10:00:00,,,
  p1,a,2,10:10:00,10:10:00,,,
  p2,s2,1,10:05:00,10:05:00,,,
  p2,b,2,10:15:00,10:15:00,,,
  p0,s,1,10:08:00,10:08:00,,,
  p0,z,2,10:18:00,10:18:00,,,
  there,a,1,11:00:00,11:00:00,,,
  there,s2,2,11:10:00,11:10:00,,,
  there,b,3,11:20:00,11:20:00,,,
  back,s2,1,11:30:00,11:30:00,,,
  back,a,2,11:40:00,11:40:00,,,
  back,b,3,11:50:00,11:50:00,,,
  bus,a,1,12:00:00,12:00:00,,,
  bus,b,2,12:30:00,12:30:00,,,
  suburban,a,1,12:01:00,12:01:00,,,
  suburban,b,2,12:31:00,12:31:00,,,
  long,a,1,12:02:00,12:02:00,,,
  long,b,2,12:32:00,12:32:00,,,
  comma,a,1,12:03:00,12:03:00,,,
  comma,b,2,12:33:00,12:33:00,,,
  sign,a,1,13:00:00,13:00:00,,,
  sign,z,2,13:30:00,13:30:00,,,
  signs,a,1,13:10:00,13:10:00,,,Erst Berg
  signs,b,2,13:20:00,13:20:00,,,
  signs,z,3,13:40:00,13:40:00,,,
  nosign,a,1,13:20:00,13:20:00,,,
  nosign,b,2,13:30:00,13:30:00,,,
  nosign,z,3,13:50:00,13:50:00,,,
  t10,a,1,14:00:00,14:00:00,,,
  t10,b,2,14:30:00,14:30:00,,,
  t2,a,1,14:00:00,14:00:00,,,
  t2,b,2,14:30:00,14:30:00,,,
  tff,a,1,14:00:00,14:00:00,,,
  tff,b,2,14:30:00,14:30:00,,,
  tem,a,1,14:00:00,14:00:00,,,
  tem,b,2,14:30:00,14:30:00,,,
  t2b,a,1,14:00:00,14:00:00,,,
  t2b,b,2,14:40:00,14:40:00,,,
  t2c,a,1,14:00:00,14:00:00,,,
  t2c,k,2,14:40:00,14:40:00,,,
  gap,a,1,15:00:00,15:00:00,,,
  gap,b,2,,,,,
  gap,k,3,15:20:00,15:20:00,,,
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

/** A Tuesday in winter time. */
const at = (hour: string) => `2026-03-03T${hour}:00+01:00`;

const departures = async (stop: string, time: string, query: BoardQueryInput = {}) =>
  describeDepartures(await queryDepartures(world, `at:${stop}`, { time: at(time), ...query }));
const arrivals = async (stop: string, time: string, query: BoardQueryInput = {}) =>
  describeArrivals(await queryArrivals(world, `at:${stop}`, { time: at(time), ...query }));

describe('boarding and alighting', () => {
  test.each([
    ['a', ['08:00 1 Ziel']],
    ['b', []],
    ['k', ['08:20 1 Ziel']],
    ['s', ['08:30 1 Ziel']],
    ['z', []],
  ])('lists departures of %s: %j', async (stop, expected) => {
    expect(await departures(stop, '08:00')).toEqual(expected);
  });

  test.each([
    ['a', []],
    ['b', ['08:10 1 Anger']],
    ['k', ['08:20 1 Anger']],
    ['s', []],
    ['z', ['08:40 1 Anger']],
  ])('lists arrivals of %s: %j', async (stop, expected) => {
    expect(await arrivals(stop, '08:00')).toEqual(expected);
  });

  test.each([
    ['a', []],
    ['k', ['pickup:phone', 'dropOff:driver']],
    ['s', ['pickup:driver']],
  ])('marks calls on request at %s: %j', async (stop, expected) => {
    const { departures: rows } = await queryDepartures(world, `at:${stop}`, { time: at('08:00') });
    expect(rows.map((row) => row.attributes)).toEqual([expected]);
  });
});

describe('a trip that calls at one stop three times', () => {
  test('does not depart at its last call', async () => {
    expect(await departures('a', '09:00')).toEqual(['09:00 1 Anger', '09:20 1 Anger']);
  });

  test('does not arrive at its first call', async () => {
    expect(await arrivals('a', '09:00')).toEqual(['09:20 1 Anger', '09:40 1 Anger']);
  });

  test('has one row per call', async () => {
    const { departures: rows } = await queryDepartures(world, 'at:a', { time: at('09:00') });
    expect(new Set(rows.map((row) => row.id)).size).toBe(2);
    expect(new Set(rows.map((row) => row.journeyRef)).size).toBe(1);
  });

  test.each([
    ['a', ['09:00', '09:20']],
    ['b', ['09:00']],
    ['k', ['09:00', '09:20']],
    ['z', []],
  ])('departures towards %s include trips that call there later: %j', async (stop, expected) => {
    const board = await queryDepartures(world, 'at:a', { time: at('09:00'), otherStopId: `at:${stop}` });
    expect(board.departures.map((row) => clockOf(row.departure.scheduled!))).toEqual(expected);
  });

  test.each([
    ['a', ['09:20', '09:40']],
    ['b', ['09:20', '09:40']],
    ['k', ['09:40']],
    ['z', []],
  ])('arrivals from %s include trips that called there before: %j', async (stop, expected) => {
    const board = await queryArrivals(world, 'at:a', { time: at('09:00'), otherStopId: `at:${stop}` });
    expect(board.arrivals.map((row) => clockOf(row.arrival.scheduled!))).toEqual(expected);
  });
});

describe('stations', () => {
  test.each([
    ['a station includes its platforms and itself', 's', ['10:00 1', '10:05 2', '10:08 -']],
    ['a platform is only itself', 's1', ['10:00 1']],
    ['so is the other platform', 's2', ['10:05 2']],
    ['nothing calls at an entrance', 's/e', []],
    ['a stop without service has no departures', 'idle', []],
  ])('%s', async (_rule, stop, expected) => {
    const { departures: rows } = await queryDepartures(world, `at:${stop}`, { time: at('10:00') });
    expect(rows.map((row) => `${clockOf(row.departure.scheduled!)} ${row.platform.text ?? '-'}`)).toEqual(expected);
  });

  test('the board names the requested stop, and its rows the stops of the calls', async () => {
    const { stop, departures: rows } = await queryDepartures(world, 'at:s', { time: at('10:00') });
    expect([stop.id, stop.extId, stop.name]).toEqual(['at:s', 's', 'Bahnhof']);
    expect(rows.map((row) => row.stopName)).toEqual(['Bahnhof', 'Bahnhof', 'Bahnhof']);
    expect(rows[0]!.platform).toEqual({ text: '1', scheduledText: '1', changed: false });
  });

  test.each([
    ['towards the station', 'a', 's', ['11:00']],
    ['towards its platform', 'a', 's2', ['11:00']],
    ['towards another of its platforms', 'a', 's1', []],
    ['never towards a stop that the trip has passed', 'a', 'a', []],
    ['nothing goes towards an entrance', 'a', 's/e', []],
    ['towards a stop served by both', 'a', 'b', ['11:00', '11:40']],
  ])('%s', async (_rule, stop, other, expected) => {
    const board = await queryDepartures(world, `at:${stop}`, { time: at('11:00'), otherStopId: `at:${other}` });
    expect(board.departures.map((row) => clockOf(row.departure.scheduled!))).toEqual(expected);
  });

  test.each([
    ['from the station', 'a', 's', ['11:40']],
    ['from its platform', 'a', 's2', ['11:40']],
    ['from another of its platforms', 'a', 's1', []],
    ['never from a stop that the trip has yet to reach', 'a', 'b', []],
    ['not from the stop of the board itself', 'b', 'b', []],
  ])('%s', async (_rule, stop, other, expected) => {
    const board = await queryArrivals(world, `at:${stop}`, { time: at('11:00'), otherStopId: `at:${other}` });
    expect(board.arrivals.map((row) => clockOf(row.arrival.scheduled!))).toEqual(expected);
  });
});

describe('filters', () => {
  test.each<[string, BoardQueryInput, string[]]>([
    ['none', {}, ['1', 'S1', 'Nur lang', 'A,B']],
    ['a product', { products: ['sBahn'] }, ['S1']],
    ['two products', { products: ['train', 'cityBus'] }, ['1', 'Nur lang', 'A,B']],
    ['a product without trips', { products: ['ship'] }, []],
    ['a line', { lines: ['1'] }, ['1']],
    ['two lines', { lines: ['S1', '1'] }, ['1', 'S1']],
    ['a line whose label contains a comma', { lines: ['A,B'] }, ['A,B']],
    ['a line without a short name', { lines: ['Nur lang'] }, ['Nur lang']],
    ['a line in a different case', { lines: ['s1'] }, []],
    ['part of a label', { lines: ['A', 'B', ''] }, []],
    ['a line and a product without a common trip', { lines: ['1'], products: ['sBahn'] }, []],
    [
      'a line, a product and a direction with a common trip',
      { lines: ['S1'], products: ['sBahn'], otherStopId: 'at:b' },
      ['S1'],
    ],
  ])('%s', async (_name, query, expected) => {
    const board = await queryDepartures(world, 'at:a', { time: at('12:00'), ...query });
    expect(board.departures.map((row) => row.line.label)).toEqual(expected);
    if (query.otherStopId !== undefined) return;
    const mirrored = await queryArrivals(world, 'at:b', { time: at('12:30'), durationMinutes: 30, ...query });
    expect(mirrored.arrivals.map((row) => row.line.label)).toEqual(expected);
  });
});

describe('direction', () => {
  test.each([
    ['a', ['13:00 1 Dorf', '13:10 1 Erst Berg', '13:20 1 Ziel']],
    // The headsign of one call does not affect the next.
    ['b', ['13:20 1 Dorf', '13:30 1 Ziel']],
  ])('at %s: %j', async (stop, expected) => {
    expect(await departures(stop, '13:00')).toEqual(expected);
  });
});

describe('order', () => {
  test('sorts equal times by line in code point order, then by id', async () => {
    const { departures: rows } = await queryDepartures(world, 'at:a', { time: at('14:00') });
    expect(rows.map((row) => row.line.label)).toEqual(['10', '2', '2', '2', '\ufb00', '\u{1f600}']);
    const ids = rows.slice(1, 4).map((row) => row.id);
    expect(ids).toEqual([...ids].sort());
  });
});

describe('window', () => {
  test.each<[string, string, BoardQueryInput, string[]]>([
    ['includes a call at the start of the window', '12:00', { durationMinutes: 1 }, ['12:00 1 Berg']],
    ['excludes a call at the end of the window', '11:59', { durationMinutes: 1 }, []],
    ['the limit takes the first departures', '12:00', { limit: 2 }, ['12:00 1 Berg', '12:01 S1 Berg']],
    ['excludes past departures', '12:02', { durationMinutes: 5 }, ['12:02 Nur lang Berg', '12:03 A,B Berg']],
    ['is empty without service', '16:00', {}, []],
  ])('%s', async (_rule, time, query, expected) => {
    expect(await departures('a', time, query)).toEqual(expected);
  });

  test('a time with another offset is the same instant', async () => {
    const board = await queryDepartures(world, 'at:a', { time: '2026-03-03T11:00:00Z', durationMinutes: 1 });
    expect(board.departures.map((row) => row.departure.scheduled)).toEqual(['2026-03-03T12:00:00+01:00']);
  });

  test('without a time, the board starts now and reports its start', async () => {
    const board = await queryDepartures(world, 'at:a', { now: at('12:01'), durationMinutes: 1 });
    expect(describeDepartures(board)).toEqual(['12:01 S1 Berg']);
    expect(board.generatedAt).toBe('2026-03-03T12:01:00+01:00');
  });

  test('with a time, the board still reports when it was generated', async () => {
    const board = await queryArrivals(world, 'at:b', { time: at('12:30'), now: at('07:15') });
    expect(board.generatedAt).toBe('2026-03-03T07:15:00+01:00');
  });
});

describe('attributes', () => {
  test.each([
    ['a', [['tripNumber:R 4711', 'wheelchair:yes', 'bikes:no']]],
    ['b', [['tripNumber:R 4711', 'wheelchair:yes', 'bikes:no', 'time:interpolated']]],
  ])('at %s: %j', async (stop, expected) => {
    const { departures: rows } = await queryDepartures(world, `at:${stop}`, { time: at('15:00') });
    expect(rows.map((row) => row.attributes)).toEqual(expected);
  });

  test('shows interpolated times', async () => {
    expect(await departures('b', '15:00')).toEqual(['15:10 1 Kirche']);
    expect(await arrivals('b', '15:00')).toEqual(['15:10 1 Anger']);
  });
});

describe('refusals', () => {
  const outside = ['2026-03-01T23:00:00+01:00', '2026-03-09T00:00:01+01:00', '1970-01-01T00:00:00Z'];
  const inside = ['2026-03-01T23:00:01+01:00', '2026-03-02T00:00:00+01:00', '2026-03-08T23:59:59+01:00'];

  test.each<[string, BoardQueryInput, string]>([
    ['at:nowhere', {}, 'unknown_stop'],
    ['a', {}, 'unknown_stop'],
    ['other:a', {}, 'unknown_stop'],
    ['at:', {}, 'unknown_stop'],
    ['', {}, 'unknown_stop'],
    ['at:A', {}, 'unknown_stop'],
    ['at:nowhere', { otherStopId: 'at:gone' }, 'unknown_stop'],
  ])('stop "%s" %j: %s', async (stop, query, expected) => {
    const question = { time: at('08:00'), ...query };
    expect(await findRefusal(() => queryDepartures(world, stop, question))).toBe(expected);
    expect(await findRefusal(() => queryArrivals(world, stop, question))).toBe(expected);
  });

  test('an unknown other stop is reported for its own parameter', async () => {
    const question = { time: at('08:00'), otherStopId: 'at:gone' };
    expect(await findRefusal(() => queryDepartures(world, 'at:a', question))).toBe('unknown_stop directionStopId');
    expect(await findRefusal(() => queryArrivals(world, 'at:a', question))).toBe('unknown_stop originStopId');
  });

  test.each(outside)('rejects %s as outside the timetable', async (time) => {
    expect(await findRefusal(() => queryDepartures(world, 'at:a', { time }))).toBe('timetable_out_of_range time');
    expect(await findRefusal(() => queryArrivals(world, 'at:a', { time }))).toBe('timetable_out_of_range time');
  });

  test.each(inside)('accepts %s, although nothing runs', async (time) => {
    expect(describeDepartures(await queryDepartures(world, 'at:a', { time }))).toEqual([]);
  });

  test('a clock outside the timetable is not reported for a parameter', async () => {
    expect(await findRefusal(() => queryDepartures(world, 'at:a', { now: '2026-05-01T08:00:00Z' }))).toBe(
      'timetable_out_of_range',
    );
  });
});
