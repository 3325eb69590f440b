import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Journey, TimeInfo } from '../../../api/contract/definitions.ts';
import type { Itinerary } from '../../../api/engine/planner/itinerary.ts';
import { openPlanner } from '../../../api/engine/planner/open-planner.ts';
import type { FeedEntity, Modification, StopTimeUpdate } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { createGtfsRtSource } from '../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { plainQuestion } from '../../support/oracles/naive-plan-places.ts';
import { queryPlanner } from '../../support/oracles/query-planner.ts';
import {
  clockOf,
  instant,
  openWorld,
  queryDepartures,
  queryJourney,
  type World,
} from '../../support/worlds/board-world.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';

/** Line 1 from A to E, one stop every five minutes: `bus` at noon, `next` ten minutes later. */
const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehrsbetriebe,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  A,Ahorn,48.20,16.30,,,
  B,Birke,48.22,16.30,,,
  PC,Cedrus,48.24,16.30,1,,
  C,Cedrus,48.24,16.30,,PC,1
  C2,Cedrus,48.24,16.30,,PC,2
  D,Dorn,48.26,16.30,,,
  E,Eiche,48.28,16.30,,,
  X,Xylit,48.25,16.34,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  # trips.txt
  trip_id,route_id,service_id,trip_headsign
  bus,r,daily,Eiche
  next,r,daily,Eiche
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  bus,12:00:00,12:00:00,A,1
  bus,12:05:00,12:05:00,B,2
  bus,12:10:00,12:10:00,C,3
  bus,12:15:00,12:15:00,D,4
  bus,12:20:00,12:20:00,E,5
  next,12:10:00,12:10:00,A,1
  next,12:15:00,12:15:00,B,2
  next,12:20:00,12:20:00,C,3
  next,12:25:00,12:25:00,D,4
  next,12:30:00,12:30:00,E,5
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260301,20261031
`;

let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
});

const at = (clock: string) => `2026-03-03T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;
const source = createGtfsRtSource({ tripUpdates: 'https://example.org/rt', zone: 'Europe/Vienna' });

/** Encodes a response and applies it as the poller does. */
async function emit(live: LiveWorld, clock: string, entity: readonly FeedEntity[], part = 'trip-updates') {
  const timestamp = instant(at(clock));
  const bytes = encodeFeedMessage({ header: { gtfsRealtimeVersion: '2.0', timestamp }, entity });
  return live.report('rt', at(clock), await source.parse(bytes, source.listRequests(timestamp)[0]!, timestamp), part);
}

const text = (reported: string) => ({ translation: [{ text: reported }] });

const stopEntity: FeedEntity = {
  id: 's1',
  stop: { stopId: 'Xnew', stopName: text('Ersatzhalt'), stopLat: 48.23, stopLon: 16.32 },
};

function modify(
  modifications: readonly Modification[],
  over: { shapeId?: string; tripIds?: string[] } = {},
): FeedEntity {
  const { tripIds = ['bus'], shapeId } = over;
  return {
    id: 'm1',
    tripModifications: {
      selectedTrips: [{ tripIds, ...(shapeId && { shapeId }) }],
      startTimes: [],
      serviceDates: ['20260303'],
      modifications,
    },
  };
}

const detour: Modification = {
  startStopSelector: { stopSequence: 2, stopId: 'B' },
  endStopSelector: { stopSequence: 3, stopId: 'C' },
  propagatedModificationDelay: 180,
  replacementStops: [{ stopId: 'Xnew', travelTimeToStop: 200 }],
};

function reportTrip(
  tripId: string,
  stopTimeUpdate: readonly StopTimeUpdate[],
  { isModified = false, ...rest }: { isModified?: boolean; scheduleRelationship?: 'CANCELED' | 'REPLACEMENT' } = {},
): FeedEntity {
  const trip = isModified
    ? { modifiedTrip: { modificationsId: 'm1', affectedTripId: tripId, startDate: '20260303' } }
    : { tripId, startDate: '20260303' };
  return { id: `${tripId}${isModified}`, tripUpdate: { trip: { ...trip, ...rest }, stopTimeUpdate } };
}

const late = (seconds: number, sequence = 1): StopTimeUpdate => ({
  stopSequence: sequence,
  departure: { delay: seconds },
});

/** `12:15+4` minutes, `x` if cancelled. */
function describeTime({ scheduled, realtime }: TimeInfo, isCancelled: boolean): string {
  const minutes = realtime ? (instant(realtime) - instant(scheduled!)) / 60 : 0;
  return `${clockOf(scheduled!)}${minutes === 0 ? '' : `${minutes < 0 ? '' : '+'}${minutes}`}${isCancelled ? ' x' : ''}`;
}

/** `12:15+4 forecast`; only live calls have a prognosis. */
function describeKnown(time: TimeInfo | null | undefined): string | null {
  if (!time) return null;
  return [describeTime(time, false), ...(time.isRealtime ? [time.prognosis] : [])].join(' ');
}

async function findJourney(live: LiveWorld, now = '11:55', tripAt = 'A', line = 0): Promise<Journey> {
  const shown = live.at(at(now));
  const { departures } = await queryDepartures(shown, `at:${tripAt}`, { time: at('11:55'), now: at(now) });
  return queryJourney(shown, departures[line]!.journeyRef!, { now: at(now) });
}

async function describeJourney(live: LiveWorld, now = '11:55'): Promise<string[]> {
  const { stops } = await findJourney(live, now);
  return stops.map(
    ({ name, departure, arrival, cancellation }) =>
      `${name} ${describeTime(arrival ?? departure!, cancellation.fullyCancelled)}`,
  );
}

/** The departures of a stop between twelve and half past. */
async function describeBoard(live: LiveWorld, stop: string, now = '11:55'): Promise<string[]> {
  const { departures } = await queryDepartures(live.at(at(now)), `at:${stop}`, { time: at('11:55'), now: at(now) });
  return departures.map(({ departure, cancelled, direction }) => `${describeTime(departure, cancelled)} ${direction}`);
}

const DETOURED = [
  'Ahorn 12:00+1',
  'Ersatzhalt 12:03:20+1',
  'Birke 12:05 x',
  'Cedrus 12:10 x',
  'Dorn 12:15+4',
  'Eiche 12:20+4',
];

describe('a modified trip', () => {
  const modifications = [modify([detour]), stopEntity];
  const ofModified = reportTrip('bus', [late(60)], { isModified: true });
  const asPlanned = reportTrip('bus', [late(60)]);

  test.each<[reason: string, ...answers: (readonly [part: string, entities: readonly FeedEntity[]])[]]>([
    ['all in one response', ['all', [...modifications, ofModified]]],
    ['the modification first', ['m', modifications], ['t', [ofModified]]],
    ['the report first, and only once', ['t', [ofModified]], ['m', modifications]],
    ['a report of the scheduled trip', ['m', modifications], ['t', [asPlanned]]],
    ['a report of the scheduled trip first', ['t', [asPlanned]], ['m', modifications]],
    ['both reports', ['all', [asPlanned, ofModified, ...modifications]]],
    ['everything twice', ['m', modifications], ['t', [ofModified]], ['m', modifications], ['t', [ofModified]]],
    [
      'the stop later than the modification',
      ['m', [modify([detour])]],
      ['s', [stopEntity]],
      ['t', [ofModified]],
      ['m', [modify([detour])]],
    ],
  ])('serves its replacement stop and later ones with the delay: %s', async (_case, ...answers) => {
    const live = await openLiveWorld(world);
    for (const [part, entities] of answers) await emit(live, '11:50', entities, part);
    expect(await describeJourney(live)).toEqual(DETOURED);
    expect(await describeBoard(live, 'B')).toEqual(['12:05 x Eiche', '12:15 Eiche']);
    expect(await describeBoard(live, 'PC')).toEqual(['12:10 x Eiche', '12:20 Eiche']);
    expect(await describeBoard(live, 'D')).toEqual(['12:15+4 Eiche', '12:25 Eiche']);
  });

  test.each([
    ['D', ['bus 12:01-12:19', 'next 12:10-12:25']],
    ['B', ['next 12:10-12:15']],
    ['PC', ['next 12:10-12:20']],
  ])('is planned as it runs: from A to %s', async (to, found) => {
    const live = await openLiveWorld(world);
    await emit(live, '11:50', [...modifications, ofModified]);
    const { timetable, realtime } = live.at(at('11:55'));
    const now = instant(at('11:55'));
    const timeMode = 'departure' as const;
    const question = {
      ...plainQuestion,
      timeMode,
      from: { stopId: 'A' },
      to: { stopId: to },
      time: now,
      limit: 2,
      instant: now,
    };
    const { itineraries } = queryPlanner({ planner: openPlanner(timetable), realtime }, question);
    const clock = (time: number) => new Date((time + 3600) * 1000).toISOString().slice(11, 16);
    const nameOf = (part: Itinerary['parts'][number]) =>
      part.kind !== 'ride' ? [] : part.trip < 0 ? ['bus'] : [timetable.tables.trips.tripId.get(part.trip)];
    expect(
      itineraries
        .filter(({ parts }) => parts.some(({ kind }) => kind === 'ride'))
        .map(({ parts, departure, arrival }) => `${parts.flatMap(nameOf)} ${clock(departure)}-${clock(arrival)}`),
    ).toEqual(found);
  });

  it('describes its replacement stop', async () => {
    const live = await openLiveWorld(world);
    await emit(live, '08:00', modifications);
    const { stops, polyline } = await findJourney(live);
    expect(stops[1]).toMatchObject({ name: 'Ersatzhalt', coord: { lat: 48.23, lon: 16.32 } });
    expect(polyline.map(({ lat }) => lat)).toEqual([48.2, 48.23, 48.26, 48.28]);
  });

  it('keeps calls that its vehicle has left, whatever a later replacement contains', async () => {
    const live = await openLiveWorld(world);
    await emit(live, '12:04', [reportTrip('bus', [late(60)])]);
    const time = instant(at('12:17'));
    const dorn = { stopSequence: 4, stopId: 'D', arrival: { time }, departure: { time } };
    await emit(live, '12:05', [reportTrip('bus', [dorn], { scheduleRelationship: 'REPLACEMENT' })]);
    expect((await describeJourney(live, '12:05')).slice(0, 3)).toEqual([
      'Ahorn 12:00+1',
      'Birke 12:05 x',
      'Cedrus 12:10 x',
    ]);
  });

  it('is late by its modification if nothing else is reported', async () => {
    const live = await openLiveWorld(world);
    await emit(live, '08:00', modifications);
    expect(await describeJourney(live)).toEqual([
      'Ahorn 12:00',
      'Ersatzhalt 12:03:20',
      'Birke 12:05 x',
      'Cedrus 12:10 x',
      'Dorn 12:15+3',
      'Eiche 12:20+3',
    ]);
  });

  it('takes reported times unchanged', async () => {
    const live = await openLiveWorld(world);
    const dorn = (sequence: number) => [{ stopSequence: sequence, arrival: { time: instant(at('12:17')) } }];
    await emit(live, '11:50', [...modifications, reportTrip('bus', dorn(4))]);
    expect((await describeJourney(live)).slice(-2)).toEqual(['Dorn 12:15+2', 'Eiche 12:20+2']);
    // Dorn is the third call of the modified trip.
    await emit(live, '11:51', [...modifications, reportTrip('bus', dorn(3), { isModified: true })]);
    expect((await describeJourney(live)).slice(-2)).toEqual(['Dorn 12:15+2', 'Eiche 12:20+2']);
  });

  it('runs as scheduled again when its modification is withdrawn, with its reported times', async () => {
    const live = await openLiveWorld(world);
    await emit(live, '11:50', modifications, 'm');
    await emit(live, '11:50', [asPlanned], 't');
    const { observations } = await emit(live, '11:51', [], 'm');
    expect(await describeJourney(live)).toEqual([
      'Ahorn 12:00+1',
      'Birke 12:05+1',
      'Cedrus 12:10+1',
      'Dorn 12:15+1',
      'Eiche 12:20+1',
    ]);
    expect(observations.map(({ stopId, event, isCancelled }) => `${stopId} ${event} ${isCancelled}`)).toEqual([
      'B arrival false',
      'B departure false',
      'C arrival false',
      'C departure false',
    ]);
  });

  it('is recorded under its scheduled calls, omitted ones as cancelled', async () => {
    const live = await openLiveWorld(world);
    const { observations } = await emit(live, '11:50', [...modifications, ofModified]);
    expect(
      observations.map(({ position, stopId, event, isCancelled, time }) =>
        [position, stopId, event, isCancelled ? 'x' : time! - instant(at('12:00'))].join(' '),
      ),
    ).toEqual(['0 A departure 60', '1 B arrival x', '1 B departure x', '2 C arrival x', '2 C departure x']);
    expect((await emit(live, '11:51', [...modifications, ofModified])).observations).toEqual([]);
  });

  it('does not run if it is cancelled', async () => {
    const live = await openLiveWorld(world);
    await emit(live, '11:50', modifications, 'm');
    await emit(live, '11:50', [reportTrip('bus', [], { scheduleRelationship: 'CANCELED' })], 't');
    await emit(live, '11:51', modifications, 'm');
    expect((await findJourney(live)).cancellation).toMatchObject({ fullyCancelled: true });
    expect(await describeBoard(live, 'D')).toEqual(['12:15 x Eiche', '12:25 Eiche']);
  });

  it('has the path of its shape', async () => {
    const live = await openLiveWorld(world);
    const shape: FeedEntity = { id: 'p', shape: { shapeId: 'way', encodedPolyline: '_p~iF~ps|U_ulLnnqC_mqNvxq`@' } };
    await emit(live, '11:50', [modify([detour], { shapeId: 'way' }), stopEntity, shape]);
    expect((await findJourney(live)).polyline).toEqual([
      { lat: 38.5, lon: -120.2 },
      { lat: 40.7, lon: -120.95 },
      { lat: 43.252, lon: -126.453 },
    ]);
  });

  test.each<[reason: string, modifications: readonly Modification[], shown: readonly string[]]>([
    [
      'stops without travel times are spaced evenly between their neighbours',
      [{ ...detour, replacementStops: [{ stopId: 'X' }, { stopId: 'Xnew' }] }],
      [
        'Ahorn 12:00',
        'Birke 12:05 x',
        'Xylit 12:06',
        'Cedrus 12:10 x',
        'Ersatzhalt 12:12',
        'Dorn 12:15+3',
        'Eiche 12:20+3',
      ],
    ],
    [
      'an inserted stop removes none',
      [{ ...detour, endStopSelector: undefined as never }],
      ['Ahorn 12:00', 'Ersatzhalt 12:03:20', 'Birke 12:05+3', 'Cedrus 12:10+3', 'Dorn 12:15+3', 'Eiche 12:20+3'],
    ],
    [
      'a detour without stop changes delays later calls',
      [{ startStopSelector: { stopSequence: 3 }, propagatedModificationDelay: 120, replacementStops: [] }],
      ['Ahorn 12:00', 'Birke 12:05', 'Cedrus 12:10', 'Dorn 12:15+2', 'Eiche 12:20+2'],
    ],
    [
      'the first stop is its own reference, and delays add up',
      [
        {
          startStopSelector: { stopId: 'A' },
          endStopSelector: { stopId: 'A' },
          propagatedModificationDelay: 60,
          replacementStops: [{ stopId: 'X', travelTimeToStop: -120 }],
        },
        {
          startStopSelector: { stopId: 'C' },
          endStopSelector: { stopId: 'C' },
          propagatedModificationDelay: -30,
          replacementStops: [],
        },
      ],
      ['Xylit 11:58', 'Ahorn 12:00 x', 'Birke 12:05+1', 'Cedrus 12:10 x', 'Dorn 12:15+0.5', 'Eiche 12:20+0.5'],
    ],
  ])('%s', async (_case, changes, shown) => {
    const live = await openLiveWorld(world);
    await emit(live, '11:50', [modify(changes.map((change) => JSON.parse(JSON.stringify(change)))), stopEntity]);
    expect(await describeJourney(live, '11:50')).toEqual(shown);
  });

  test.each<[reason: string, entity: FeedEntity, counted: Record<string, number>]>([
    [
      'trips that the timetable does not contain',
      modify([detour], { tripIds: ['bus', 'nobody'] }),
      { modified_unknown_trip: 1 },
    ],
    [
      'stops that the trip does not serve',
      modify([{ ...detour, startStopSelector: { stopSequence: 9 } }]),
      { modification_not_in_trip: 1 },
    ],
    ['overlapping ranges', modify([detour, detour]), { modification_not_in_trip: 1 }],
    ['the same trip twice', modify([detour], { tripIds: ['bus', 'bus'] }), { trip_modified_twice: 1 }],
  ])('counts %s', async (_case, entity, counted) => {
    const live = await openLiveWorld(world);
    expect((await emit(live, '11:50', [entity])).tally.problems).toMatchObject(counted);
  });

  it('is not confirmed by its reports if its modification cannot be applied', async () => {
    const live = await openLiveWorld(world);
    const { tally } = await emit(live, '11:50', [
      modify([{ ...detour, startStopSelector: { stopSequence: 9 } }]),
      asPlanned,
    ]);
    expect(tally.unmatched).toEqual({ modification_not_in_trip: 1 });
    expect((await findJourney(live)).stops[0]!.departure).toMatchObject({ isRealtime: false });
    const unknown = await emit(live, '11:51', [ofModified]);
    expect(unknown.tally.unmatched).toEqual({ unknown_modification: 1 });
    expect((await findJourney(live)).stops[0]!.departure).toMatchObject({ isRealtime: false });
  });
});

describe('a replaced trip', () => {
  test.each(['REPLACEMENT', 'NEW'] as const)(
    'of kind %s has no forecasts from a call without data on',
    async (kind) => {
      const live = await openLiveWorld(world);
      const call = (stopSequence: number, stopId: string, scheduled: string, delay: number | null): StopTimeUpdate => {
        const event = { scheduledTime: instant(at(scheduled)), ...(delay !== null && { delay }) };
        const relationship = delay === null ? { scheduleRelationship: 'NO_DATA' as const } : {};
        return { stopSequence, stopId, arrival: event, departure: event, ...relationship };
      };
      const calls = [call(1, 'A', '12:02', 60), call(2, 'X', '12:06', null), call(3, 'D', '12:16', null)];
      const trip = { tripId: kind === 'NEW' ? 'fresh' : 'bus', routeId: 'r', startDate: '20260303' };
      await emit(live, '11:50', [
        { id: 'f', tripUpdate: { trip: { ...trip, scheduleRelationship: kind }, stopTimeUpdate: calls } },
      ]);
      const journeys = await Promise.all(
        (await queryDepartures(live.at(at('11:55')), 'at:X', { time: at('11:55'), now: at('11:55') })).departures.map(
          ({ journeyRef }) => queryJourney(live.at(at('11:55')), journeyRef!, { now: at('11:55') }),
        ),
      );
      const served = journeys.flatMap(({ stops }) => stops).filter(({ cancellation }) => !cancellation.fullyCancelled);
      expect(
        served.map(({ name, arrival, departure }) => [name, describeKnown(arrival), describeKnown(departure)]),
      ).toEqual([
        ['Ahorn', null, '12:02+1 forecast'],
        ['Xylit', '12:06', '12:06'],
        // After it, the replacement has a cancelled call of the trip that it replaces.
        ['Dorn', '12:16', kind === 'NEW' ? null : '12:16'],
      ]);
    },
  );

  it('keeps the calls that its replacement omits, as cancelled', async () => {
    const live = await openLiveWorld(world);
    const call = (stopSequence: number, stopId: string, clock: string): StopTimeUpdate => {
      const time = instant(at(clock));
      return { stopSequence, stopId, arrival: { time, scheduledTime: time }, departure: { time, scheduledTime: time } };
    };
    const calls = [call(1, 'A', '12:01'), call(2, 'nowhere', '12:06'), call(3, 'X', '12:09'), call(4, 'D', '12:16')];
    await emit(live, '11:50', [reportTrip('bus', calls, { scheduleRelationship: 'REPLACEMENT' })]);
    expect(await describeJourney(live)).toEqual([
      'Ahorn 12:01',
      'Birke 12:05 x',
      'nowhere 12:06',
      'Xylit 12:09',
      'Cedrus 12:10 x',
      'Dorn 12:16',
      'Eiche 12:20 x',
    ]);
    // The trip ends early, at Dorn.
    expect(await describeBoard(live, 'B')).toEqual(['12:05 x Dorn', '12:15 Eiche']);
    expect((await findJourney(live)).cancellation).toMatchObject({ fullyCancelled: false, partiallyCancelled: true });
  });
});

describe('the platform of a call', () => {
  const platformAt = async (live: LiveWorld) => (await findJourney(live)).stops[2]!.platform;
  const stopC9: FeedEntity = {
    id: 's2',
    stop: {
      stopId: 'C9',
      stopName: text('Cedrus'),
      stopLat: 48.2401,
      stopLon: 16.3001,
      parentStation: 'PC',
      platformCode: text('9'),
    },
  };
  const reported = (rest: StopTimeUpdate) =>
    reportTrip('bus', [{ stopSequence: 3, departure: { delay: 60 }, ...rest }]);

  test.each<[reason: string, call: StopTimeUpdate, platform: unknown]>([
    ['the scheduled one', { stopId: 'C' }, { text: '1', scheduledText: '1', changed: false }],
    ['the station', { stopId: 'PC' }, { text: '1', scheduledText: '1', changed: false }],
    [
      'another one, assigned',
      { stopTimeProperties: { assignedStopId: 'C2' } },
      { text: '2', scheduledText: '1', changed: true },
    ],
    ['another one as stop', { stopId: 'C2' }, { text: '2', scheduledText: '1', changed: true }],
    [
      'a stop entity, assigned',
      { stopId: 'C', stopTimeProperties: { assignedStopId: 'C9' } },
      { text: '9', scheduledText: '1', changed: true },
    ],
    ['a stop entity as stop', { stopId: 'C9' }, { text: '9', scheduledText: '1', changed: true }],
    ['an unknown one', { stopId: 'C4b' }, { scheduledText: '1', changed: true }],
    [
      'an unknown one, assigned',
      { stopTimeProperties: { assignedStopId: 'C4b' } },
      { scheduledText: '1', changed: true },
    ],
    [
      'assigned without a time',
      { departure: {}, scheduleRelationship: 'NO_DATA', stopTimeProperties: { assignedStopId: 'C2' } },
      { text: '2', scheduledText: '1', changed: true },
    ],
  ])('is that of the reported stop: %s', async (_case, call, platform) => {
    const live = await openLiveWorld(world);
    await emit(live, '11:50', [stopC9, reported(call)]);
    expect(await platformAt(live)).toEqual(platform);
  });
});

describe('properties of stop times', () => {
  const departureAt = async (live: LiveWorld, stop: string) =>
    (await queryDepartures(live.at(at('11:55')), `at:${stop}`, { time: at('11:55') })).departures[0]!;

  it('can forbid boarding or alighting at a call', async () => {
    const live = await openLiveWorld(world);
    const closed = (
      stopSequence: number,
      stopTimeProperties: StopTimeUpdate['stopTimeProperties'],
    ): StopTimeUpdate => ({
      stopSequence,
      stopTimeProperties: stopTimeProperties!,
      departure: { delay: 0 },
    });
    const calls = [
      closed(2, { pickupType: 'NONE' }),
      closed(3, { dropOffType: 'NONE' }),
      closed(4, { pickupType: 'NONE', dropOffType: 'NONE' }),
      { stopSequence: 5, arrival: { delay: 0 }, stopTimeProperties: { pickupType: 'NONE' } } as const,
    ];
    const { tally } = await emit(live, '11:50', [reportTrip('bus', calls)]);
    expect(tally.problems).toEqual({});
    const { stops } = await findJourney(live);
    expect(
      stops.map(({ cancellation: { fullyCancelled, partiallyCancelled } }) => [fullyCancelled, partiallyCancelled]),
    ).toEqual([
      [false, false],
      [false, true],
      [false, true],
      [true, false],
      [false, false],
    ]);
    expect((await departureAt(live, 'B')).cancelled).toBe(true);
    expect((await departureAt(live, 'PC')).cancelled).toBe(false);
  });

  it('are counted if this version cannot show them', async () => {
    const live = await openLiveWorld(world);
    const call: StopTimeUpdate = { ...late(60, 2), stopTimeProperties: { pickupType: 'PHONE_AGENCY', dropOffType: 9 } };
    expect((await emit(live, '11:50', [reportTrip('bus', [call])])).tally.problems).toEqual({
      unsupported_pickup_type: 1,
      unsupported_drop_off_type: 1,
    });
  });

  it('of the trip give the destination', async () => {
    const live = await openLiveWorld(world);
    const trip = reportTrip('bus', [{ ...late(60, 2), stopTimeProperties: { stopHeadsign: 'Eiche über Umweg' } }]);
    await emit(live, '11:50', [
      { ...trip, tripUpdate: { ...trip.tripUpdate!, tripProperties: { tripHeadsign: 'Sonderfahrt' } } },
    ]);
    expect((await departureAt(live, 'A')).direction).toBe('Sonderfahrt');
    expect((await departureAt(live, 'B')).direction).toBe('Eiche über Umweg');
    expect((await departureAt(live, 'D')).direction).toBe('Sonderfahrt');
  });

  it('of a call with unknown values are ignored from there on', async () => {
    const live = await openLiveWorld(world);
    const { tally } = await emit(live, '11:50', [
      reportTrip('bus', [late(60), { stopSequence: 3, scheduleRelationship: 9 }]),
    ]);
    expect(tally.problems).toEqual({ unknown_call_relationship: 1 });
    expect((await findJourney(live)).stops.map(({ arrival, departure }) => (departure ?? arrival)!.isRealtime)).toEqual(
      [true, true, false, false, false],
    );
  });
});
