import { beforeAll, describe, expect, test } from 'vitest';
import { queryDepartures, queryJourney, type World } from '../../../support/worlds/board-world.ts';
import { at } from '../live-town.ts';
import { openTripTown, type PresentOptions, presentParts, rideOn } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

describe('a ride', () => {
  const onlyLeg = async (tripId: string, positions: [number, number], options: PresentOptions = {}) =>
    (await presentParts(world, [rideOn(world, tripId, positions)], options)).legs[0]!;

  test('names the journey as boards do, with the headsign of the boarding stop', async () => {
    const leg = await onlyLeg('t1', [2, 3]);
    const { departures } = await queryDepartures(world, 'at:s1', { time: at('08:00') });
    expect([leg.journeyRef, leg.direction, leg.line]).toEqual([
      departures[0]!.journeyRef,
      'Nach Ziel',
      departures[0]!.line,
    ]);
    expect((await onlyLeg('t1', [0, 3])).direction).toBe('Ziel');
  });

  test('has the calls of its journey between boarding and alighting', async () => {
    const leg = await onlyLeg('t1', [1, 3]);
    const journey = await queryJourney(world, leg.journeyRef!, { now: at('07:00') });
    const plain = journey.stops.slice(1).map(({ isCurrent: _, ...call }) => call);
    const calls = [leg.origin, ...leg.intermediateStops, leg.destination].map(({ placeId: _, ...call }) => call);
    expect(calls).toEqual(plain);
    expect([leg.origin, ...leg.intermediateStops].map(({ placeId }) => placeId)).toEqual([undefined, 'at:s']);
  });

  test.each<[string, string, [number, number], [number, number][], number]>([
    [
      'the shape cut at both stops',
      't1',
      [1, 2],
      [
        [48.02, 16.02],
        [48.04, 16.04],
      ],
      2674,
    ],
    [
      'the whole shape',
      't1',
      [0, 3],
      [
        [48, 16],
        [48.01, 16.02],
        [48.02, 16.02],
        [48.04, 16.04],
        [48.03, 16.06],
      ],
      7500,
    ],
    [
      'straight lines without a shape',
      't2',
      [0, 1],
      [
        [48.0403, 16.04],
        [48.03, 16.06],
      ],
      1876,
    ],
  ])('its path is %s', async (_what, tripId, positions, expected, meters) => {
    const { polyline, distanceMeters } = await onlyLeg(tripId, positions);
    expect(polyline.map(({ lat, lon }) => [lat, lon])).toEqual(expected);
    expect(Math.abs(distanceMeters! - meters)).toBeLessThan(30);
  });

  test.each<[string, [number, number], string[]]>([
    ['t1', [0, 2], ['wheelchair:yes', 'stopWheelchair:yes']],
    ['t1', [0, 3], ['wheelchair:yes', 'stopWheelchair:unknown']],
    ['late', [0, 1], ['wheelchair:unknown', 'stopWheelchair:unknown']],
  ])('reports unknown accessibility to wheelchair users: %s %j', async (tripId, positions, texts) => {
    const expected = texts.filter((text) => text !== 'stopWheelchair:yes');
    expect((await onlyLeg(tripId, positions, { wheelchair: true })).attributes).toEqual(expected);
  });
});
