import { beforeAll, describe, expect, it, test } from 'vitest';
import type { FeedEntity, StopTimeUpdate } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { instant, openWorld, queryDepartures, queryJourney, type World } from '../../support/worlds/board-world.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  at,
  describeBoard,
  describeJourney,
  describeKnown,
  emit,
  feed,
  findJourney,
  late,
  reportTrip,
  text,
} from './modified-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
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
