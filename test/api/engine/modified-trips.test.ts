import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Itinerary } from '../../../api/engine/planner/itinerary.ts';
import { openPlanner } from '../../../api/engine/planner/open-planner.ts';
import type { FeedEntity, Modification } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { plainQuestion } from '../../support/oracles/naive-plan-places.ts';
import { queryPlanner } from '../../support/oracles/query-planner.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  at,
  DETOURED,
  describeBoard,
  describeJourney,
  detour,
  emit,
  feed,
  findJourney,
  late,
  modify,
  reportTrip,
  stopEntity,
} from './modified-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(feed);
});

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
