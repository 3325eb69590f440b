import { beforeAll, describe, expect, test } from 'vitest';
import type { Place, Trip, TripRequest, TripResult } from '../../../../api/contract/definitions.ts';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { planTrips } from '../../../../api/engine/trips/plan-trips.ts';
import type { WalkRouter } from '../../../../pipeline/streets/walk-router.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { findRefusal, instant, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { at } from '../live-town.ts';
import { openStreets } from './straight-streets.ts';
import { describeLegs, tripTown } from './trip-town.ts';

let world: World;
/** No bicycle on x1, and the hill is 2.6 km from the station, beyond any walk. */
beforeAll(async () => {
  world = await openWorld(tripTown.replace('x1,r5,daily,,,,,,', 'x1,r5,daily,,,,,,2'));
});

const stop = (id: string): Place => ({ stopId: `at:${id}` });
const hill: Place = { coord: { lat: 48.04, lon: 16.0131 }, name: 'Hügel' };
const meadow: Place = { coord: { lat: 48.08, lon: 16.125 }, name: 'Wiese' };
async function plan(body: Partial<TripRequest>, walks: WalkRouter | null): Promise<TripResult> {
  const { timetable, realtime, references } = world;
  const result = await planTrips(
    {
      published: { timetable, realtime },
      planner: openPlanner(timetable),
      places: openPlaces(timetable),
      references,
      instant: instant(at('07:00')),
      walks,
      isSpent: () => false,
    },
    {
      from: hill,
      to: stop('x'),
      time: at('08:00'),
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
      ...body,
    },
  );
  await expectValidAnswer('TripResult', result);
  return result;
}

async function describeTrips(body: Partial<TripRequest>, walks: WalkRouter): Promise<string[][]> {
  const { trips } = await plan(body, walks);
  return trips.map(describeLegs);
}

const all = openStreets(['bike', 'car'], [{ lat: 48.0405, lon: 16.0405 }]);
/** Of one trip of each answer. */
const first = async (body: Partial<TripRequest>) => (await describeTrips(body, all.walks))[0];

describe('access and egress', () => {
  test('are on foot by default, whatever streets there are', async () => {
    expect(await describeTrips({}, all.walks)).toEqual([]);
    const onFoot = openStreets([]).walks;
    for (const from of [stop('h'), stop('s'), hill]) {
      expect(await plan({ from }, all.walks)).toEqual(await plan({ from }, onFoot));
    }
  });

  test('bike and ride: the bicycle is parked at the station', async () => {
    expect(await first({ access: { modes: ['walk', 'bike'] } })).toEqual([
      'bike: Hügel 08:07:15 - Bahnhof 2 08:18 (2600 m, parking:station)',
      'transit S5: Bahnhof 2 08:18 - Hof 08:45 (bikes:no)',
    ]);
  });

  test('park and ride: only where there is a car park, unless every station may be used', async () => {
    const parkAndRide = await first({ access: { modes: ['car'] } });
    expect(parkAndRide?.[0]).toMatch(/^car: Hügel 08:10:34 - Bahnhof 2 08:18 \(2736 m, parking:parkAndRide\)$/);
    const none = openStreets(['car']).walks;
    expect(await describeTrips({ access: { modes: ['car'] } }, none)).toEqual([]);
    const any = await describeTrips({ access: { modes: ['car'], parking: 'anyStation' } }, none);
    expect(any[0]?.[0]).toMatch(/^car: Hügel 08:11:45 - Bahnhof 2 08:18 \(2600 m, parking:station\)$/);
  });

  test('kiss and ride: nothing is parked, also after the ride', async () => {
    const legs = await first({
      to: meadow,
      access: { modes: ['car'], parking: 'none', maxCarSeconds: 200 },
      egress: { modes: ['car'], maxCarSeconds: 200 },
    });
    expect(legs?.map((leg) => leg.replace(/ \d\d:\d\d(:\d\d)?/g, ''))).toEqual([
      'car: Hügel - Bahnhof 2 (2600 m, car:dropOff)',
      'transit S5: Bahnhof 2 - Hof (bikes:no)',
      'car: Hof - Wiese (2414 m, car:pickUp)',
    ]);
  });

  test('a bicycle on board is used at both ends, on vehicles that may carry it', async () => {
    const legs = await first({ to: meadow, bikeOnBoard: true });
    expect(legs?.map((leg) => leg.replace(/^(\w+ ?\w*): .* \(/, '$1 ('))).toEqual([
      'bike (2600 m, bike:onBoard)',
      // An hour later: the earlier one carries none.
      'transit S5 (bikes:unknown)',
      'bike (2414 m, bike:onBoard)',
    ]);
    const { trips } = await plan({ to: meadow, bikeOnBoard: true }, all.walks);
    expect(trips[0]?.attributes).toEqual(['bikes:unknown']);
    expect(trips[0]?.legs[1]?.origin.departure?.scheduled).toContain('T09:18');
  });

  test('respect their limits', async () => {
    expect(await first({ access: { modes: ['bike'], maxBikeMeters: 2599 } })).toBe(undefined);
    expect(await first({ access: { modes: ['bike'], maxBikeMeters: 2600 } })).toBeDefined();
    const car = { modes: ['car'], parking: 'none' } as const;
    expect(await first({ access: { ...car, modes: ['car'], maxCarSeconds: 194 } })).toBe(undefined);
    expect(await first({ access: { ...car, modes: ['car'], maxCarSeconds: 195 } })).toBeDefined();
    const slow = await first({ access: { modes: ['bike'], bikeSpeedKmh: 10 } });
    expect(slow?.[0]).toMatch(/^bike: Hügel 08:01:24 /);
  });

  test('take the fastest way to each stop', async () => {
    const near: Place = { coord: { lat: 48.04, lon: 16.0398 }, name: 'Nah' };
    const legs = await first({ from: near, access: { modes: ['walk', 'bike'] } });
    expect(legs?.[0]).toMatch(/^walk: Nah/);
  });

  test('measure all stations in one request', async () => {
    const { walks, requests } = openStreets(['bike', 'car']);
    await plan({ access: { modes: ['bike'], maxBikeMeters: 20_000 } }, walks);
    // Two platforms of the station are one place; the entrance has no service.
    expect(requests).toEqual(['bike from 6']);
  });
});

describe('direct ways', () => {
  const modesOf = ({ legs }: Trip) => legs.map(({ mode }) => mode).join(' ');

  test('are one leg with polyline, steps and distance, beside the trips', async () => {
    const { trips } = await plan(
      { access: { modes: ['bike'] }, direct: { modes: ['walk', 'bike', 'car'] } },
      all.walks,
    );
    expect(trips.map(modesOf).sort()).toEqual(['bike', 'bike transit', 'bike transit', 'car']);
    const car = trips.find((trip) => modesOf(trip) === 'car')!;
    const [leg] = car.legs;
    expect(leg).toMatchObject({ mode: 'car', attributes: [], steps: [{ instruction: 'Mit car los.' }] });
    expect(leg!.polyline).toHaveLength(2);
    expect(leg!.distanceMeters).toBeGreaterThan(8000);
    expect(car.departure.scheduled).toContain('T08:00:00');
    expect(new Set(trips.map(({ id }) => id)).size).toBe(trips.length);
  });

  test('arrive at the requested time', async () => {
    const { trips } = await plan({ direct: { modes: ['bike'] }, timeMode: 'arrival', time: at('08:00') }, all.walks);
    expect(trips.map(modesOf)).toEqual(['bike']);
    expect(trips[0]!.arrival.scheduled).toContain('T08:00:00');
  });

  test('are shown where no stop is near, and left out where they are too long', async () => {
    const away: Place = { coord: { lat: 48.15, lon: 16.0 }, name: 'Fern' };
    const body = { from: away, to: { coord: { lat: 48.16, lon: 16.0 } }, direct: { modes: ['bike'] } } as const;
    const near: Partial<TripRequest> = { ...body, direct: { modes: ['bike'] } };
    expect((await plan(near, all.walks)).trips.map(modesOf)).toEqual(['bike']);
    expect((await plan({ ...near, direct: { modes: ['bike'], maxBikeMeters: 1000 } }, all.walks)).trips).toEqual([]);
  });

  test('leave out the walk unless it is requested', async () => {
    const near: Place = { coord: { lat: 48.0412, lon: 16.0462 }, name: 'Nah' };
    const body: Partial<TripRequest> = { from: near, to: stop('h') };
    expect((await plan(body, all.walks)).trips.map(modesOf)).toEqual(['walk']);
    expect((await plan({ ...body, direct: { modes: ['walk'] } }, all.walks)).trips.map(modesOf)).toEqual(['walk']);
    const byCar = (await plan({ ...body, direct: { modes: ['car'] } }, all.walks)).trips.map(modesOf);
    expect([byCar.includes('car'), byCar.includes('walk')]).toEqual([true, false]);
  });
});

describe('refusals', () => {
  const bikes = openStreets(['bike']).walks;
  const cases: readonly [what: string, body: Partial<TripRequest>, walks: WalkRouter | null, expected: string][] = [
    ['no streets', { access: { modes: ['walk', 'bike'] } }, null, 'mode_unavailable /access/modes'],
    ['streets without cars', { egress: { modes: ['car'] } }, bikes, 'mode_unavailable /egress/modes'],
    ['direct', { direct: { modes: ['car'] } }, bikes, 'mode_unavailable /direct/modes'],
    ['on board', { bikeOnBoard: true }, null, 'mode_unavailable /bikeOnBoard'],
    ['a bicycle after the ride', { egress: { modes: ['bike'] } }, bikes, 'invalid_body /egress/modes'],
    ['a bicycle in a car', { bikeOnBoard: true, access: { modes: ['car'] } }, all.walks, 'invalid_body /access/modes'],
  ];
  test.each(cases)('%s', async (_what, body, walks, expected) => {
    expect(await findRefusal(() => plan(body, walks))).toBe(expected);
  });

  test('walking needs no streets', async () => {
    expect(await plan({ from: stop('s'), access: { modes: ['walk'] } }, null)).toMatchObject({
      trips: [{}, {}],
    });
  });
});

test('a page reference belongs to its modes', async () => {
  const body: Partial<TripRequest> = { access: { modes: ['bike'] }, limit: 1 };
  const { laterRef } = await plan(body, all.walks);
  const next = (over: Partial<TripRequest>) => plan({ ...body, ...over, pageRef: laterRef! }, all.walks);
  expect((await next({})).trips).toHaveLength(1);
  const other = () => next({ access: { modes: ['bike'], bikeSpeedKmh: 20 } });
  expect(await findRefusal(other)).toBe('invalid_body /pageRef');
});
