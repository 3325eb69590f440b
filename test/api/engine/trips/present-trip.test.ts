import { beforeAll, describe, expect, test } from 'vitest';
import type { Leg, Place, Trip } from '../../../../api/contract/definitions.ts';
import type { Plan } from '../../../../api/engine/trips/timeline.ts';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import type { WalkRouter } from '../../../../pipeline/streets/walk-router.ts';
import { expectGolden } from '../../../support/checks/golden.ts';
import type { World } from '../../../support/worlds/board-world.ts';
import { describeTime } from '../live-town.ts';
import { describeLegs, openTripTown, type PresentOptions, presentParts, rideOn, walkFrom } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

type Parts = Plan['parts'];
const HOUSE: Place = { coord: { lat: 47.999, lon: 16.0 }, name: 'Haus' };
const HOF: Place = { coord: { lat: 48.03, lon: 16.061 } };

/** By bus to the station, to the other platform, on by tram. */
const byTram = (): Parts => [
  rideOn(world, 't1', [0, 2]),
  walkFrom(world, 'transfer', ['s1', 's2'], { meters: 43, seconds: 33, transferSeconds: 180 }),
  rideOn(world, 't2', [0, 1]),
];
const byHeath = (): Parts => [
  rideOn(world, 't1', [0, 2]),
  walkFrom(world, 'transfer', ['s1', 'h'], { meters: 599, seconds: 459, transferSeconds: 579 }),
  rideOn(world, 't3', [0, 2]),
];
const fromHouse = () => walkFrom(world, 'access', [0, 'a'], { meters: 145, seconds: 112 });
const toHof = () => walkFrom(world, 'egress', ['z', 1], { meters: 97, seconds: 75 });
const places = [HOUSE, HOF];

describe('legs', () => {
  const cases: [string, () => Parts, PresentOptions, string[]][] = [
    ['one ride', () => [rideOn(world, 't1', [0, 3])], {}, ['transit 1: Anger 08:00 - Ziel 08:30 (wheelchair:yes)']],
    [
      'a transfer between the platforms of a station',
      byTram,
      {},
      [
        'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
        'transfer: Bahnhof 1 08:10 - Bahnhof 2 08:10:33 (43 m, ok, walk:straightLine)',
        'transit 2: Bahnhof 2 08:18 - Ziel 08:40 (tripNumber:TR 2, bikes:yes)',
      ],
    ],
    [
      'a transfer to another stop',
      byHeath,
      {},
      [
        'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
        'walk: Bahnhof 1 08:10 - Heide 08:17:39 (599 m, ok, walk:straightLine)',
        'transit 3: Heide 08:25 - Ziel 08:50 (wheelchair:yes, pickup:driver, dropOff:phone)',
      ],
    ],
    [
      'a transfer at one stop, without a walk',
      () => [
        rideOn(world, 't2', [0, 1]),
        walkFrom(world, 'transfer', ['z', 'z'], { transferSeconds: 120 }),
        rideOn(world, 't4', [0, 1]),
      ],
      {},
      [
        'transit 2: Bahnhof 2 08:18 - Ziel 08:40 (tripNumber:TR 2, bikes:yes)',
        'transfer: Ziel 08:40 - Ziel 08:40 (0 m, ok)',
        'transit 4: Ziel 08:52 - Anger 09:20 (wheelchair:yes)',
      ],
    ],
    [
      'the vehicle continues as another trip',
      () => [rideOn(world, 't3', [0, 2]), rideOn(world, 't4', [0, 1], { isStaying: true })],
      {},
      [
        'transit 3: Heide 08:25 - Ziel 08:50 (wheelchair:yes, pickup:driver, dropOff:phone)',
        'transit 4: Ziel 08:52 - Anger 09:20 (wheelchair:yes, staySeated:yes)',
      ],
    ],
    [
      'walks from and to places: as late as possible, and immediately',
      () => [fromHouse(), ...byTram(), toHof()],
      { places },
      [
        'walk: Haus 07:58:08 - Anger 08:00 (145 m, walk:straightLine)',
        'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
        'transfer: Bahnhof 1 08:10 - Bahnhof 2 08:10:33 (43 m, ok, walk:straightLine)',
        'transit 2: Bahnhof 2 08:18 - Ziel 08:40 (tripNumber:TR 2, bikes:yes)',
        'walk: Ziel 08:40 - 48.030000,16.061000 08:41:15 (97 m, walk:straightLine)',
      ],
    ],
    [
      'no walk at the requested stop',
      () => [walkFrom(world, 'access', [0, 'a']), rideOn(world, 't1', [0, 3]), walkFrom(world, 'egress', ['z', 1])],
      { places: [{ stopId: 'at:a' }, { stopId: 'at:z' }] },
      ['transit 1: Anger 08:00 - Ziel 08:30 (wheelchair:yes)'],
    ],
    [
      'a walk all the way, via a place',
      () => [
        walkFrom(world, 'direct', [0, 1], { meters: 145, seconds: 112 }),
        walkFrom(world, 'direct', [1, 2], { meters: 97, seconds: 75 }),
      ],
      { places: [HOUSE, { stopId: 'at:a' }, HOF], departure: '08:00' },
      [
        'walk: Haus 08:00 - Anger 08:01:52 (145 m, walk:straightLine)',
        'walk: Anger 08:01:52 - 48.030000,16.061000 08:03:07 (97 m, walk:straightLine)',
      ],
    ],
    [
      'waiting for 15 minutes or more is a leg',
      () => [
        rideOn(world, 't1', [0, 2]),
        walkFrom(world, 'transfer', ['s1', 's2'], { meters: 43, seconds: 33, transferSeconds: 180 }),
        rideOn(world, 'late', [0, 1]),
      ],
      {},
      [
        'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
        'transfer: Bahnhof 1 08:10 - Bahnhof 2 08:10:33 (43 m, ok, walk:straightLine)',
        'wait: Bahnhof 2 08:10:33 - Bahnhof 2 09:00',
        'transit 2: Bahnhof 2 09:00 - Ziel 09:22',
      ],
    ],
    [
      'waiting at a via place',
      () => [
        rideOn(world, 't1', [0, 2]),
        walkFrom(world, 'egress', ['s1', 1], { meters: 22, seconds: 17 }),
        walkFrom(world, 'access', [1, 's2'], { meters: 22, seconds: 17 }),
        rideOn(world, 'late', [0, 1]),
      ],
      { places: [{ stopId: 'at:a' }, { coord: { lat: 48.0402, lon: 16.04 }, name: 'Kiosk' }, { stopId: 'at:z' }] },
      [
        'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
        'walk: Bahnhof 1 08:10 - Kiosk 08:10:17 (22 m, ok, walk:straightLine)',
        'wait: Kiosk 08:10:17 - Kiosk 08:59:43',
        'walk: Kiosk 08:59:43 - Bahnhof 2 09:00 (22 m, walk:straightLine)',
        'transit 2: Bahnhof 2 09:00 - Ziel 09:22',
      ],
    ],
    [
      'boarding on request, and unknown accessibility',
      () => [rideOn(world, 't3', [0, 1])],
      {},
      ['transit 3: Heide 08:25 - Kirche 08:37:13 (wheelchair:yes, pickup:driver, time:interpolated)'],
    ],
  ];
  test.each(cases)('%s', async (_what, parts, options, expected) => {
    expect(describeLegs(await presentParts(world, parts(), options))).toEqual(expected);
  });
});

test('a complete trip', async () => {
  const trip = await presentParts(world, [fromHouse(), ...byTram(), toHof()], { places });
  await expectGolden(projectPath('test/api/golden/engine-trip.json'), trip);
});

describe('over streets', () => {
  const walks: WalkRouter = {
    id: 'streets',
    measure: async (_from, to) => to.map(() => null),
    async findPath(from, to, profile) {
      if (to.lat > 48.0401) return null;
      return {
        distanceMeters: 150,
        durationSeconds: 115,
        points: [from, { lat: 47.9995, lon: 16.0001 }, to],
        steps: [{ instruction: `Gehen (${profile}).`, maneuver: 'start', from: 0, to: 2 }],
      };
    },
  };

  test('walks have the path and the instructions of the street graph', async () => {
    const trip = await presentParts(world, [fromHouse(), ...byTram()], { places, walks });
    const { distanceMeters, polyline, steps, attributes } = trip.legs[0]!;
    expect({ distanceMeters, polyline, steps, attributes }).toEqual({
      distanceMeters: 150,
      polyline: [
        { lat: 47.999, lon: 16 },
        { lat: 47.9995, lon: 16.0001 },
        { lat: 48, lon: 16 },
      ],
      steps: [{ instruction: 'Gehen (foot).', maneuver: 'start', polyFrom: 0, polyTo: 2 }],
      attributes: [],
    });
    // Without a path in the graph there is a straight line, which is marked.
    expect(trip.legs[2]!.attributes).toEqual([
      'walk:straightLine',
      'transferSeconds:480',
      'minTransferSeconds:180',
      'walkSeconds:33',
    ]);
  });

  test('a line drawn by the graph itself is marked too', async () => {
    const drawing: WalkRouter = {
      ...walks,
      findPath: async (from, to) => ({
        distanceMeters: 150,
        durationSeconds: 115,
        points: [from, to],
        steps: [{ instruction: 'Gehen.', maneuver: 'straightLine', from: 0, to: 1 }],
      }),
    };
    const trip = await presentParts(world, [fromHouse(), ...byTram()], { places, walks: drawing });
    expect(trip.legs[0]).toMatchObject({ attributes: ['walk:straightLine'], steps: [{ maneuver: 'straightLine' }] });
  });

  test('requests each path once per response', async () => {
    const routed: string[] = [];
    const counting: WalkRouter = {
      ...walks,
      findPath: async (from, to) => {
        routed.push(`${from.lat} ${to.lat}`);
        return null;
      },
    };
    const loop = [...byTram(), ...byTram().slice(1)];
    await presentParts(world, loop, { walks: counting });
    expect(routed).toEqual(['48.04 48.0403', '48.03 48.0403']);
  });
});

describe('the trip as a whole', () => {
  const wholeOf = ({ departure, arrival, transfers, attributes, cancellation }: Trip) => ({
    times: `${describeTime(departure)} - ${describeTime(arrival)}`,
    transfers,
    attributes,
    cancellation,
  });

  test('lasts from door to door', async () => {
    expect(wholeOf(await presentParts(world, [fromHouse(), ...byHeath(), toHof()], { places }))).toEqual({
      times: '07:58:08 - 08:51:15',
      transfers: 1,
      attributes: ['walk:straightLine'],
      cancellation: { fullyCancelled: false, partiallyCancelled: false },
    });
  });

  test('reports uncertainty of its legs', async () => {
    const trip = await presentParts(world, [rideOn(world, 't3', [1, 2])], { wheelchair: true });
    expect(wholeOf(trip).attributes).toEqual(['time:interpolated', 'stopWheelchair:unknown']);
  });
});

describe('the id', () => {
  const idOf = async (parts: Parts, options: PresentOptions = {}) => (await presentParts(world, parts, options)).id;

  test('is the same for the same trip at any time', async () => {
    expect(await idOf(byTram(), { now: '08:20' })).toBe(await idOf(byTram()));
    expect(await idOf(byTram())).toMatch(/^[\w-]{43}$/);
  });

  test('is different for every other trip', async () => {
    const foot = () => [walkFrom(world, 'direct', [0, 1], { meters: 145, seconds: 112 })];
    const ids = [
      await idOf(byTram()),
      await idOf(byHeath()),
      await idOf([rideOn(world, 't1', [0, 3])]),
      await idOf([rideOn(world, 't1', [0, 2])]),
      await idOf([rideOn(world, 't1', [1, 3])]),
      await idOf([rideOn(world, 't1', [0, 3], { day: rideOn(world, 't1', [0, 3]).day + 1 })]),
      await idOf([fromHouse(), rideOn(world, 't1', [0, 3]), toHof()], { places }),
      await idOf([fromHouse(), rideOn(world, 't1', [0, 3]), toHof()], { places: [HOUSE, HOUSE] }),
      await idOf(foot(), { places, departure: '08:00' }),
      await idOf(foot(), { places, departure: '08:01' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('legs follow one another in place and time', async () => {
  const trip = await presentParts(
    world,
    [fromHouse(), ...byHeath(), rideOn(world, 't4', [0, 1], { isStaying: true })],
    {
      places,
    },
  );
  const timeOf = (time: Leg['origin']['departure']) => time?.realtime ?? time!.scheduled!;
  for (const [i, leg] of trip.legs.entries()) {
    expect(timeOf(leg.origin.departure) <= timeOf(leg.destination.arrival)).toBe(true);
    const before = trip.legs[i - 1];
    if (!before) continue;
    expect(leg.origin.id).toBe(before.destination.id);
    expect(timeOf(before.destination.arrival) <= timeOf(leg.origin.departure)).toBe(true);
  }
});
