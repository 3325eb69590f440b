import { beforeAll, describe, expect, it } from 'vitest';
import type { Trip } from '../../../api/contract/definitions.ts';
import {
  clockOf,
  openWorld,
  queryArrivals,
  queryDepartures,
  queryJourney,
  type World,
} from '../../support/worlds/board-world.ts';
import { bookedFeed } from '../../support/worlds/on-demand-feed.ts';
import { buildTripRequest, openTrips, requestTrips } from './trips/trip-questions.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(bookedFeed);
});

// A Tuesday.
const on = (clock: string) => `2026-03-03T${clock}:00+01:00`;

describe('a departure', () => {
  const findDeparture = async (stopId: string, time: string, now: string) => {
    const { departures } = await queryDepartures(world, `at:${stopId}`, { time: on(time), now });
    return departures[0]!;
  };

  it('says until when it is booked, and how', async () => {
    const { attributes, notices, departure } = await findDeparture('a', '08:00', on('06:59'));
    expect(departure.scheduled).toBe(on('08:00'));
    expect(attributes).toEqual([
      'pickup:phone',
      'onDemand:yes',
      `bookBy:${on('07:00')}`,
      'phone:+43 1 234',
      'url:https://example.org/buchen',
    ]);
    expect(notices).toMatchObject([
      {
        title: 'Nur nach Anmeldung',
        text: 'Der Einstieg ist nur nach Anmeldung möglich, bis 3.3. um 07:00 Uhr. Bitte anrufen. Anmeldung: Telefon +43 1 234, https://example.org/buchen',
        kind: 'information',
        affectedLines: ['AST 1'],
      },
    ]);
  });

  it.each([
    ['07:00', false],
    ['07:01', true],
  ])('at %s is marked as no longer bookable: %s', async (clock, isClosed) => {
    const { attributes, notices } = await findDeparture('a', '08:00', on(clock));
    expect(attributes.includes('booking:closed')).toBe(isClosed);
    expect(notices[0]!.title).toBe(isClosed ? 'Anmeldefrist abgelaufen' : 'Nur nach Anmeldung');
  });

  it('is booked on an earlier day of the service that counts', async () => {
    // The last school day before Monday is Friday.
    const monday = await queryDepartures(world, 'at:a', { time: '2026-03-09T12:30:00+01:00' });
    expect(monday.departures[0]!.attributes).toContain('bookBy:2026-03-06T16:00:00+01:00');
    const { attributes } = await findDeparture('a', '13:00', on('12:00'));
    expect(attributes).toContain('bookBy:2026-03-02T16:00:00+01:00');
    expect(attributes.filter((text) => text.startsWith('url:'))).toEqual([]);
  });

  it('has no deadline where it may be booked at any time', async () => {
    const { attributes } = await findDeparture('a', '14:00', on('13:59'));
    expect(attributes).toEqual(['pickup:phone', 'onDemand:yes', 'phone:+43 9']);
  });

  it('without a rule has none of this', async () => {
    const { departures } = await queryDepartures(world, 'at:b', { time: on('08:10'), durationMinutes: 1 });
    expect(departures.map(({ attributes, notices }) => [attributes, notices])).toEqual([[[], []]]);
  });
});

it('an arrival names the deadline of alighting, which counts from the begin of the trip', async () => {
  const { arrivals } = await queryArrivals(world, 'at:m', { time: on('08:30'), now: on('07:00') });
  expect(arrivals[0]!.attributes).toEqual([
    'dropOff:phone',
    'onDemand:yes',
    `bookBy:${on('07:40')}`,
    'phone:+43 1 234',
  ]);
  expect(arrivals[0]!.notices[0]!.text).toBe(
    'Der Ausstieg ist nur nach Anmeldung möglich, bis 3.3. um 07:40 Uhr. Bis vor die Haustür. Anmeldung: Telefon +43 1 234',
  );
});

it('a deadline on the day of the ride is named if it is before the departure or arrival', async () => {
  const sameDay = bookedFeed
    .replace('before,2,,1,16:00:00', 'before,2,,0,23:59:00')
    .replace('half,1,30,,', 'half,2,,0,08:20:00');
  const booked = await openWorld(sameDay);
  const { departures } = await queryDepartures(booked, 'at:a', { time: on('13:00'), durationMinutes: 1 });
  expect(departures[0]!.attributes).toEqual(['pickup:phone', 'onDemand:yes']);
  const { arrivals } = await queryArrivals(booked, 'at:m', { time: on('08:30'), now: on('07:00') });
  expect(arrivals[0]!.attributes).toContain(`bookBy:${on('08:20')}`);
});

it.each([
  ['07:40', false],
  ['07:41', true],
])('an arrival at %s is marked as no longer bookable: %s', async (clock, isClosed) => {
  const { arrivals } = await queryArrivals(world, 'at:m', { time: on('08:30'), now: on(clock) });
  expect(arrivals[0]!.attributes.includes('booking:closed')).toBe(isClosed);
});

it('a departure of a trip that a more detailed feed shows keeps the rule of the hidden one', async () => {
  const detailed = bookedFeed
    .replace(/# booking_rules[^#]*/, '')
    .replaceAll(/,(hour|half|before|phone)?,(hour|half)?$/gm, ',,')
    .replace('trip_id,route_id,service_id', 'trip_id,route_id,service_id,trip_headsign')
    .replaceAll(/^( *\w+,(?:ast|bus|school|free),(?:daily|school))$/gm, '$1,Zum Ziel');
  const merged = await openWorld({ at: bookedFeed, more: detailed });
  const { departures } = await queryDepartures(merged, 'at:a', { time: on('08:00'), durationMinutes: 1 });
  expect(departures.map(({ direction }) => direction)).toEqual(['Zum Ziel']);
  expect(departures[0]!.attributes).toContain(`bookBy:${on('07:00')}`);
});

describe('a journey', () => {
  const findJourney = async (stopId: string, time: string, now: string) => {
    const { departures } = await queryDepartures(world, `at:${stopId}`, { time: on(time), now });
    return queryJourney(world, departures[0]!.journeyRef!, { now });
  };

  it.each([
    ['06:00', [`bookBy:${on('07:00')}`]],
    ['07:05', [`bookBy:${on('07:15')}`]],
    ['07:20', [`bookBy:${on('07:15')}`, 'booking:closed']],
  ])('at %s names the next deadline', async (clock, expected) => {
    const { attributes } = await findJourney('a', '08:00', on(clock));
    expect(attributes.filter((text) => text.startsWith('book'))).toEqual(expected);
  });

  it('names the stops that are served on demand', async () => {
    const { notices, attributes } = await findJourney('b', '08:10', on('07:00'));
    expect(attributes).toContain('onDemand:yes');
    expect(notices).toMatchObject([{ title: 'Nur nach Anmeldung', affectedStops: ['Sammelpunkt'] }]);
    expect(notices[0]!.text).toMatch(/^Ein- und Ausstieg in Sammelpunkt ist nur nach Anmeldung möglich, bis /);
  });
});

describe('a trip', () => {
  const search = async (from: string, to: string, now: string, over = {}) => {
    const body = buildTripRequest({ stopId: `at:${from}` }, { stopId: `at:${to}` }, { limit: 1, ...over });
    return (await requestTrips(openTrips(world, on(now)), body)).trips;
  };
  const describeTrip = ({ departure, arrival, legs }: Trip) =>
    `${clockOf(departure.scheduled!)} ${clockOf(arrival.scheduled!)} ${legs.flatMap(({ line }) => line?.label ?? []).join(' ')}`;

  it('is a leg with the deadline of boarding and of alighting, whichever is earlier', async () => {
    const [trip] = await search('a', 'c', '06:30');
    expect(describeTrip(trip!)).toBe('08:00 08:30 AST 1');
    expect(trip!.attributes).toEqual(['onDemand:yes']);
    expect(trip!.legs[0]!.attributes).toContain(`bookBy:${on('07:00')}`);
    expect(trip!.legs[0]!.notices).toMatchObject([
      { text: expect.stringMatching(/^Diese Fahrt ist nur nach Anmeldung/) },
    ]);
  });

  it.each([
    ['a', 'c', '07:00', '08:00 08:30 AST 1'],
    // Boarding in Berg could be booked for longer, alighting in Dorf not: by the bus of line 7 instead.
    ['a', 'c', '07:01', '09:00 09:30 AST 1'],
    ['b', 'c', '07:01', '08:10 08:20 7'],
    ['b', 'm', '07:40', '08:10 08:30 7'],
    ['b', 'm', '07:41', '09:10 09:30 7'],
    ['a', 'm', '08:01', '14:00 14:20 9'],
  ])('from %s to %s asked for at %s is %s', async (from, to, now, expected) => {
    expect((await search(from, to, now)).map(describeTrip)).toEqual([expected]);
  });

  it('arriving by a time, and for a past time, is one that can still be booked', async () => {
    const byNine = { timeMode: 'arrival' as const, time: on('09:30') };
    expect((await search('b', 'm', '08:41', byNine)).map(describeTrip)).not.toContain('09:10 09:30 7');
    expect((await search('b', 'm', '08:40', byNine)).map(describeTrip)).toEqual(['09:10 09:30 7']);
    expect((await search('b', 'm', '12:00', { time: on('08:00') })).map(describeTrip)).not.toContain('08:10 08:30 7');
  });
});

it('a trip on which passengers stay, boards them though nobody can be booked to alight from it any more', async () => {
  const continued = await openWorld(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    a,Anger,48.00,16.00
    b,Berg,48.02,16.02
    c,Dorf,48.04,16.04
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    bus,v,7,3
    # trips.txt
    trip_id,route_id,service_id,block_id
    first,bus,daily,block
    second,bus,daily,block
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time,drop_off_type,drop_off_booking_rule_id
    first,a,1,08:00:00,08:00:00,,
    first,b,2,08:20:00,08:20:00,2,half
    second,b,1,08:20:00,08:20:00,,
    second,c,2,08:40:00,08:40:00,,
    # booking_rules.txt
    booking_rule_id,booking_type,prior_notice_duration_min
    half,1,30
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260303,20260303
  `);
  const search = async (to: string, now: string) => {
    const body = buildTripRequest({ stopId: 'at:a' }, { stopId: `at:${to}` }, { limit: 1, maxWalkMeters: 0 });
    return (await requestTrips(openTrips(continued, on(now)), body)).trips.map(({ arrival }) => arrival.scheduled);
  };
  expect(await search('b', '07:30')).toEqual([on('08:20')]);
  expect(await search('b', '07:31')).toEqual([]);
  expect(await search('c', '07:31')).toEqual([on('08:40')]);
});
