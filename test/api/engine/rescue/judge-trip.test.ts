import { describe, expect, test } from 'vitest';
import { judgeTrip } from '../../../../api/engine/rescue/judge-trip.ts';
import { findLeg, readLegs } from '../../../../api/engine/rescue/read-legs.ts';
import type { SourceUpdate, TripReport } from '../../../../pipeline/model/realtime.ts';
import { type EpochDay, type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { instant, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, DAY, townTrip } from '../live-town.ts';
import { liveTripTown, openTripTown } from '../trips/trip-town.ts';

const today = toEpochDay(DAY as ServiceDate);

type RequestedLeg = readonly [tripId: string, originId: string, destinationId: string];

/** The bus to the station, then the tram from its other platform. */
const busAndTram: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['t2', 's2', 'z'],
];

function refOf({ timetable, references }: World, tripId: string, day = today): string {
  const { tripId: ids, key } = timetable.tables.trips;
  for (let row = 0; row < ids.length; row++) {
    if (ids.get(row) === tripId) return references.sealJourney({ tripKey: key[row]!, day });
  }
  throw new Error(`there is no trip ${tripId}`);
}

function read(world: World, legs: readonly RequestedLeg[], now = '08:01') {
  const { timetable, realtime, references } = world;
  const requested = legs.map(([tripId, origin, destination]) => ({
    journeyRef: tripId.length > 20 ? tripId : refOf(world, tripId),
    originId: `at:${origin}`,
    destinationId: `at:${destination}`,
  }));
  return readLegs({ timetable, realtime }, references, requested, instant(at(now)));
}

describe('legs of a request', () => {
  test('are rides from one call to a later one', async () => {
    const world = await openTripTown();
    const { rides, named } = read(world, busAndTram);
    expect(rides.map(({ boardPosition, alightPosition, day }) => [boardPosition, alightPosition, day])).toEqual([
      [0, 2, today],
      [0, 1, today],
    ]);
    expect(findLeg({ timetable: world.timetable, realtime: null }, named[0]!)).toEqual(rides[0]);
  });

  test('may use a station in place of its platform', async () => {
    const { rides } = read(await openTripTown(), [['t1', 'a', 's']]);
    expect(rides[0]!.alightPosition).toBe(2);
  });

  test.each<[string, readonly RequestedLeg[], string, string]>([
    ['an unknown origin', [['t1', 'nowhere', 's1']], 'unknown_stop', '/legs/0/originId'],
    ['an unknown destination', [['t1', 'a', 'nowhere']], 'unknown_stop', '/legs/0/destinationId'],
    ['a stop of other trips', [['t1', 'x', 's1']], 'invalid_body', '/legs/0/originId'],
    ['a ride in the opposite direction', [['t1', 's1', 'a']], 'invalid_body', '/legs/0/destinationId'],
    ['a ride from a stop to itself', [['t1', 'a', 'a']], 'invalid_body', '/legs/0/destinationId'],
    [
      'a leg that does not connect',
      [
        ['t1', 'a', 'k'],
        ['x1', 's2', 'x'],
        ['t3', 'h', 'z'],
      ],
      'invalid_body',
      '/legs/2/originId',
    ],
  ])('with %s are rejected', async (_what, legs, code, parameter) => {
    const world = await openTripTown();
    expect(() => read(world, legs)).toThrow(expect.objectContaining({ code, parameter }));
  });

  test('are rejected if their reference was modified, has expired or never ran', async () => {
    const world = await openTripTown();
    const altered = `${refOf(world, 't1').slice(0, -1)}_`;
    expect(() => read(world, [[altered, 'a', 's1']])).toThrow(
      expect.objectContaining({ code: 'unknown_journey', parameter: '/legs/0/journeyRef' }),
    );
    for (const day of [today - 4, today + 400]) {
      const ref = refOf(world, 't1', day as EpochDay);
      expect(() => read(world, [[ref, 'a', 's1']])).toThrow(expect.objectContaining({ code: 'journey_expired' }));
    }
  });

  test('are rejected if they depart hours before the previous one arrives, but not because of a delay', async () => {
    const world = await openTripTown();
    expect(() =>
      read(world, [
        ['late', 's2', 'z'],
        ['t4', 'z', 'a'],
      ]),
    ).not.toThrow();
    expect(() =>
      read(world, [
        ['x2', 's2', 'x'],
        ['t1', 'a', 's1'],
      ]),
    ).toThrow(expect.objectContaining({ code: 'invalid_body' }));
  });
});

describe('the state of a trip', () => {
  const bus = (clock: string): TripReport =>
    reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });
  const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });

  const judge = async (trips: TripReport[], now: string, update: Partial<SourceUpdate> = {}) => {
    const world = await liveTripTown('08:01', { trips, ...update });
    const { timetable, realtime } = world;
    const { rides } = read(world, busAndTram, '08:01');
    const { state, atLeg } = judgeTrip({ timetable, realtime }, rides, instant(at('08:01')), instant(at(now)));
    return [state, atLeg];
  };

  test.each<[string, TripReport[], string, unknown[]]>([
    ['nothing is reported', [], '08:01', ['unknown', null]],
    ['the bus is on time', [bus('08:10')], '08:01', ['onTrack', null]],
    ['the bus is late: the walk fits, the minimum transfer time does not', [bus('08:16')], '08:01', ['atRisk', 1]],
    ['the bus is late, and the minimum transfer time remains', [bus('08:15')], '08:01', ['onTrack', null]],
    ['the bus arrives after the tram', [bus('08:20')], '08:01', ['missed', 1]],
    ['the bus does not run', [cancelled('t1')], '08:01', ['cancelled', 0]],
    ['the tram does not run', [bus('08:10'), cancelled('t2')], '08:01', ['cancelled', 1]],
    ['a cancelled tram cannot be missed', [bus('08:20'), cancelled('t2')], '08:01', ['cancelled', 1]],
    ['the transfer was made', [bus('08:14')], '08:19', ['unknown', null]],
    ['the transfer was missed', [bus('08:20')], '08:25', ['missed', 1]],
    ['the bus was cancelled, but the traveller is already on the tram', [cancelled('t1')], '08:31', ['unknown', null]],
    ['the trip has ended', [bus('08:20')], '08:59', ['unknown', null]],
  ])('%s', async (_what, trips, now, expected) => {
    expect(await judge(trips, now)).toEqual(expected);
  });
});
