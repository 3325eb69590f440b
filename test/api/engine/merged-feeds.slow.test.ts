import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { hashTrip, runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { openWorld, queryDepartures, queryJourney, type World } from '../../support/worlds/board-world.ts';
import { mergeAll, mergeNothing } from '../../support/worlds/ingest.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { feedFromText, withFiles } from '../../support/worlds/text-feed.ts';
import { nightRailFeed, nightRegionFeed, railFeed, regionFeed } from '../../support/worlds/two-networks.ts';
import { buildTripRequest, openTrips, requestTrips } from './trips/trip-questions.ts';

const feeds = { rail: railFeed, region: regionFeed };
const MONDAY = 20_514;
const MONDAY_DATE = '2026-03-02' as ServiceDate;
const NOW = '2026-03-02T11:50:00+01:00';

let world: World;

beforeAll(async () => {
  world = await openWorld(feeds);
});

const refOf = (source: string, tripId: string) =>
  world.references.sealJourney({ tripKey: hashTrip(source, tripId, -1), day: MONDAY });

/** `12:00 RJX 7`: the expected time, the line, the platform. */
async function listBoard(of: World, stopId: string): Promise<string[]> {
  const { departures } = await queryDepartures(of, stopId, { time: NOW });
  return departures.map(({ departure, line, platform }) => {
    const time = departure.realtime ?? departure.scheduled!;
    return `${time.slice(11, 16)} ${line.label} ${platform.text ?? platform.scheduledText ?? '-'}`;
  });
}

describe('a station in two feeds', () => {
  it('is one search result, and its ids open one board', async () => {
    const { searchEntries, stops } = world.timetable.tables;
    const names = Array.from(searchEntries.stop, (stop) => stops.name.get(stop)).sort();
    expect(names).toEqual(['Linz/Donau Hbf', 'St. Pölten Hauptbahnhof', 'Wien Hauptbahnhof', 'Wien Meidling Bahnhof']);
    const expected = ['12:00 RJX 7', '12:10 REX 51 7'];
    expect(await listBoard(world, 'rail:8101')).toEqual(expected);
    expect(await listBoard(world, 'region:at:49:1349')).toEqual(expected);
    const { stop } = await queryDepartures(world, 'rail:8101', { time: NOW });
    expect(stop.id).toBe('region:at:49:1349');
  });

  it('keeps the board of a platform', async () => {
    expect(await listBoard(world, 'region:at:49:1349:0:7')).toEqual(['12:10 REX 51 7']);
  });

  it('is two if the merging rules are off', async () => {
    const apart = await openWorld(feeds, { settings: { merging: mergeNothing } });
    expect(await listBoard(apart, 'rail:8101')).toEqual(['12:00 RJX -']);
    expect(await listBoard(apart, 'region:at:49:1349')).toEqual(['12:00 Fernverkehr 7', '12:10 REX 51 7']);
  });

  it('is one with two departures of the train if only trip rules are off', async () => {
    const stationsOnly = await openWorld(feeds, { settings: { merging: { ...mergeAll, trips: false } } });
    expect(await listBoard(stationsOnly, 'rail:8101')).toHaveLength(3);
  });
});

describe('a train in two feeds', () => {
  it('is one journey under both references, with the data of both feeds', async () => {
    const journey = await queryJourney(world, refOf('rail', 'ra1'), { now: NOW });
    expect(await queryJourney(world, refOf('region', 'rb1'), { now: NOW })).toEqual(journey);
    expect(journey.ref).toBe(refOf('rail', 'ra1'));
    expect(journey.stops.map(({ name }) => name)).toHaveLength(4);
    expect(journey.stops[0]!.platform).toMatchObject({ scheduledText: '7' });
    expect(journey.attributes).toContain('bikes:yes');
  });

  it.each([
    { reason: 'of the feed that is shown', tripId: 'ra1', stop: '8101', sequence: 1, at: 'rail:8101' },
    {
      reason: 'of the other feed, with its numbers',
      tripId: 'rb1',
      stop: 'at:49:1349:0:7',
      sequence: 10,
      at: 'rail:8101',
    },
    {
      reason: 'of the other feed, by its numbers only',
      tripId: 'rb1',
      stop: null,
      sequence: 10,
      at: 'region:at:49:1349',
    },
  ])('has the realtime $why', async ({ tripId, stop, sequence, at }) => {
    const live = await openLiveWorld(world);
    live.report('rt', NOW, {
      isPropagating: true,
      trips: [
        reportOf(tripOf(tripId, { startDate: MONDAY_DATE }), {
          calls: [
            callOf(stopOf(stop), {
              stopSequence: sequence,
              departure: timeOf('2026-03-02T12:15:00+01:00'),
            }),
          ],
        }),
      ],
    });
    const present = live.at(NOW);
    expect(await listBoard(present, at)).toEqual(['12:10 REX 51 7', '12:15 RJX 7']);
    for (const ref of [refOf('rail', 'ra1'), refOf('region', 'rb1')]) {
      const journey = await queryJourney(present, ref, { now: NOW });
      expect(journey.stops.map(({ arrival }) => arrival?.realtime?.slice(11, 16))).toEqual([
        undefined,
        '12:20',
        '12:40',
        '13:15',
      ]);
    }
  });

  it('is found by line and schedule of either feed', async () => {
    const live = await openLiveWorld(world);
    const planned = '2026-03-02T12:05:00+01:00';
    const applied = live.report('rt', NOW, {
      trips: [
        reportOf(tripOf(null, { lineLabel: 'Fernverkehr', headsign: 'Linz' }), {
          calls: [callOf(stopOf('at:49:869'), { departure: timeOf('2026-03-02T12:12:00+01:00', planned) })],
        }),
      ],
    });
    expect(applied.tally.matched).toEqual({ stop_line_time: 1 });
    expect((await queryJourney(live.at(NOW), refOf('rail', 'ra1'), { now: NOW })).stops[1]!.departure).toMatchObject({
      realtime: '2026-03-02T12:12:00+01:00',
    });
  });

  it('has the vehicle position of the other feed', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', NOW, {
      vehicles: [
        vehicleOf('v1', {
          trip: tripOf('rb1', { startDate: MONDAY_DATE }),
          stopSequence: 20,
          stopStatus: 'inTransitTo',
        }),
      ],
    });
    const journey = await queryJourney(live.at(NOW), refOf('rail', 'ra1'), { now: NOW });
    expect(journey.stops.map(({ isCurrent }) => isCurrent)).toEqual([false, true, false, false]);
    expect(journey.lastPosition).toBeDefined();
  });

  it('is offered once, with its delay', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', NOW, {
      trips: [
        reportOf(tripOf('ra1', { startDate: MONDAY_DATE }), {
          calls: [callOf(stopOf('8101'), { stopSequence: 1, departure: timeOf('2026-03-02T12:15:00+01:00') })],
        }),
      ],
    });
    const { trips } = await requestTrips(
      openTrips(live.at(NOW), NOW),
      buildTripRequest({ stopId: 'region:at:49:1349' }, { stopId: 'region:at:32:100' }, { time: NOW }),
    );
    const rides = trips.map(({ legs }) => legs.map(({ line }) => line?.label).join());
    expect(rides.filter((line) => line === 'RJX')).toHaveLength(1);
    expect(rides).not.toContain('Fernverkehr');
  });
});

describe('a train after midnight with different service dates in two feeds', () => {
  const NIGHT = '2026-03-03T00:50:00+01:00';
  let night: World;

  beforeAll(async () => {
    night = await openWorld({ rail: nightRailFeed, region: nightRegionFeed });
  });

  const nightRefs = () =>
    [
      { tripKey: hashTrip('rail', 'na1', -1), day: MONDAY },
      { tripKey: hashTrip('region', 'nb1', -1), day: MONDAY + 1 },
    ].map(night.references.sealJourney);

  const listNight = async (of: World, stopId: string) => {
    const { departures } = await queryDepartures(of, stopId, { time: NIGHT });
    return departures.map(
      ({ departure, line }) => `${(departure.realtime ?? departure.scheduled!).slice(11, 16)} ${line.label}`,
    );
  };

  it('has one departure per night on the boards of both stops', async () => {
    expect(await listNight(night, 'rail:8101')).toEqual(['01:10 NJ']);
    expect(await listNight(night, 'region:at:49:1349')).toEqual(['01:10 NJ']);
  });

  it('is one journey under both references', async () => {
    const [ofRail, ofRegion] = nightRefs();
    const journey = await queryJourney(night, ofRail!, { now: NIGHT });
    expect(await queryJourney(night, ofRegion!, { now: NIGHT })).toEqual(journey);
    expect(journey).toMatchObject({ ref: ofRail, serviceDate: '2026-03-02' });
    expect(journey.stops[0]!.platform).toMatchObject({ scheduledText: '7' });
    expect(journey.attributes).toContain('bikes:yes');
  });

  it('is offered once', async () => {
    const { trips } = await requestTrips(
      openTrips(night, NIGHT),
      buildTripRequest({ stopId: 'region:at:49:1349' }, { stopId: 'region:at:49:869' }, { time: NIGHT, limit: 1 }),
    );
    expect(trips.flatMap(({ legs }) => legs.map(({ line }) => line?.label))).toEqual(['NJ']);
  });

  it.each([
    { feed: 'the railway', tripId: 'na1', date: '2026-03-02', stop: '8101', sequence: 1 },
    { feed: 'the association', tripId: 'nb1', date: '2026-03-03', stop: 'at:49:1349', sequence: 10 },
    { feed: 'the association without a date', tripId: 'nb1', date: null, stop: 'at:49:1349', sequence: 10 },
  ])('has the realtime reported for the trip of $feed', async ({ tripId, date, stop, sequence }) => {
    const live = await openLiveWorld(night);
    const report = reportOf(tripOf(tripId, { startDate: date as ServiceDate | null }), {
      calls: [callOf(stopOf(stop), { stopSequence: sequence, departure: timeOf('2026-03-03T01:22:00+01:00') })],
    });
    live.report('rt', NIGHT, { isPropagating: true, trips: [report] });
    const present = live.at(NIGHT);
    expect(await listNight(present, 'rail:8101')).toEqual(['01:22 NJ']);
    for (const ref of nightRefs()) {
      const { stops } = await queryJourney(present, ref, { now: NIGHT });
      expect(stops.map(({ arrival }) => arrival?.realtime?.slice(11, 16))).toEqual([undefined, '01:27', '01:47']);
    }
  });

  it('has the vehicle position reported for the trip of the association', async () => {
    const live = await openLiveWorld(night);
    const trip = tripOf('nb1', { startDate: '2026-03-03' as ServiceDate });
    live.report('rt', NIGHT, { vehicles: [vehicleOf('v1', { trip, stopSequence: 20, stopStatus: 'inTransitTo' })] });
    const journey = await queryJourney(live.at(NIGHT), nightRefs()[1]!, { now: NIGHT });
    expect(journey.stops.map(({ isCurrent }) => isCurrent)).toEqual([false, true, false]);
  });

  it('is two trips in the night of the clock change', async () => {
    const dates = (from: string, to: string) => (text: string) => text.replace(/\d{8},\d{8}\n/, `${from},${to}\n`);
    const inSpring = (feed: typeof railFeed, change: (text: string) => string) =>
      withFiles(feed, { 'calendar.txt': change(feed.get('calendar.txt')!) });
    const { timetable } = await openWorld({
      rail: inSpring(nightRailFeed, dates('20260327', '20260330')),
      region: inSpring(nightRegionFeed, dates('20260328', '20260331')),
    });
    const { duplicates } = timetable.tables;
    const days = [27, 28, 29, 30, 31].filter((day) =>
      runsOn(timetable.tables, duplicates.service[0]!, MONDAY + 23 + day - 25),
    );
    // 25:10 of the 28th is 01:10 standard time; 01:10 of the 29th counts back from noon in summer time.
    expect([duplicates.trip.length, duplicates.dayOffset[0], days]).toEqual([1, -1, [28, 30, 31]]);
  });
});

describe('the fares of a train in two feeds', () => {
  const fares = 'fare_id,price,currency_type,payment_method,transfers,agency_id\nsingle,9.90,EUR,0,0,Y\n';
  const priceOf = async (stopId: string) => {
    const priced = withFiles(regionFeed, { 'fare_attributes.txt': fares });
    const both = await openWorld({ rail: railFeed, region: priced });
    const { trips } = await requestTrips(
      openTrips(both, NOW),
      buildTripRequest({ stopId: 'rail:8101' }, { stopId }, { time: NOW, limit: 1 }),
    );
    return trips[0]!.fares;
  };

  it('come from the feed that has fares', async () => {
    expect(await priceOf('rail:8103')).toEqual([{ name: 'single', amountCents: 990, currency: 'EUR' }]);
  });

  it('are unknown if that feed lacks an end of the ride', async () => {
    expect(await priceOf('rail:8104')).toEqual([]);
  });
});

describe('a train of which each feed lacks some calls', () => {
  // The railway omits Meidling, the association ends at the border of its region, one stop after St. Pölten.
  const express = withFiles(railFeed, {
    'stop_times.txt': railFeed.get('stop_times.txt')!.replace(/ra1,12:05.*\n/, ''),
  });
  const local = withFiles(regionFeed, {
    'stops.txt': `${regionFeed.get('stops.txt')}at:32:200,Amstetten Bahnhof,48.12,14.88,,,\n`,
    'stop_times.txt': regionFeed
      .get('stop_times.txt')!
      .replace(/(rb1,12:25.*\n)/, '$1rb1,12:45:00,12:46:00,at:32:200,40\n'),
  });
  const openBoth = () => openWorld({ rail: express, region: local });

  it('is one trip with all calls', async () => {
    const both = await openBoth();
    const journey = await queryJourney(both, refOf('rail', 'ra1'), { now: NOW });
    expect(
      journey.stops.map(({ name, arrival, departure }) => [name, (departure ?? arrival)!.scheduled!.slice(11, 16)]),
    ).toEqual([
      ['Wien Hauptbahnhof', '12:00'],
      ['Wien Meidling Bahnhof', '12:05'],
      ['St. Pölten Hauptbahnhof', '12:25'],
      ['Amstetten Bahnhof', '12:46'],
      ['Linz/Donau Hbf', '13:00'],
    ]);
    expect(await queryJourney(both, refOf('region', 'rb1'), { now: NOW })).toEqual(journey);
    expect(await listBoard(both, 'region:at:32:200')).toEqual(['12:46 Fernverkehr -']);
    expect(await listBoard(both, 'rail:8101')).toHaveLength(2);
  });

  it.each([
    { of: 'rail', tripId: 'ra1', stop: '8103', sequence: 3 },
    { of: 'region', tripId: 'rb1', stop: 'at:32:100', sequence: 30 },
    { of: 'rail, by its numbers alone', tripId: 'ra1', stop: null, sequence: 3 },
  ])('has the realtime of $of at the call', async ({ tripId, stop, sequence }) => {
    const live = await openLiveWorld(await openBoth());
    live.report('rt', NOW, {
      trips: [
        reportOf(tripOf(tripId, { startDate: MONDAY_DATE }), {
          calls: [callOf(stopOf(stop), { stopSequence: sequence, departure: timeOf('2026-03-02T12:33:00+01:00') })],
        }),
      ],
    });
    const { stops } = await queryJourney(live.at(NOW), refOf('rail', 'ra1'), { now: NOW });
    // The delay propagates from there.
    const late = stops.filter(({ departure }) => departure?.realtime !== undefined).slice(0, 1);
    expect(late.map(({ name, departure }) => [name, departure!.realtime!.slice(11, 16)])).toEqual([
      ['St. Pölten Hauptbahnhof', '12:33'],
    ]);
  });
});

// ---- Through trains ----------------------------------------------------------------------------

const nightFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  X,Bahn,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  A,Ahorn,48.2,16.3
  B,Birke,48.22,16.3
  C,Cedrus,48.24,16.3
  D,Dorn,48.26,16.3
  E,Eiche,48.28,16.3
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  RN,X,NJ,,2
  # trips.txt
  route_id,service_id,trip_id,trip_headsign,trip_short_name
  RN,S,N1,Eiche,NJ 491
  RN,S,N2,Eiche,NJ 491
  RN,S,M1,Eiche,NJ 493
  RN,S,M2,Eiche,NJ 493
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  N1,23:00:00,23:00:00,A,1
  N1,23:20:00,23:20:00,B,2
  N1,23:40:00,23:40:00,C,3
  N2,23:40:00,23:40:00,C,1
  N2,24:00:00,24:00:00,D,2
  N2,24:20:00,24:20:00,E,3
  M1,10:00:00,10:00:00,A,1
  M1,10:20:00,10:20:00,B,2
  M1,10:40:00,10:40:00,C,3
  M2,10:50:00,10:50:00,C,1
  M2,11:10:00,11:10:00,D,2
  M2,11:30:00,11:30:00,E,3
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  S,1,1,1,1,1,1,1,20260302,20260308
`);

describe('a train in two trips without a block', () => {
  it.each([
    { time: '2026-03-02T22:50:00+01:00', train: 'with no time between them' },
    { time: '2026-03-02T09:50:00+01:00', train: 'with ten minutes between them' },
  ])('is one ride, $train', async ({ time }) => {
    const night = await openWorld({ at: nightFeed });
    expect(night.timetable.manifest.merges.derivedContinuations).toBe(2);
    const { trips } = await requestTrips(
      openTrips(night, time),
      buildTripRequest({ stopId: 'at:A' }, { stopId: 'at:E' }, { time, limit: 1 }),
    );
    expect(trips.map(({ transfers }) => transfers)).toEqual([0]);
  });

  it('is no ride if the rule is off', async () => {
    const night = await openWorld({ at: nightFeed }, { settings: { merging: { ...mergeAll, throughTrips: false } } });
    expect(night.timetable.manifest.merges.derivedContinuations).toBe(0);
    expect(night.timetable.tables.continuations.fromTrip).toHaveLength(0);
  });
});
