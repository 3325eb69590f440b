import { beforeAll, describe, expect, test } from 'vitest';
import type { Place, TripRequest } from '../../../../api/contract/definitions.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { checkTime, readQuestion } from '../../../../api/engine/trips/plan-trips.ts';
import { straightWalkMeters } from '../../../../pipeline/model/walking.ts';
import type { Point, WalkRouter } from '../../../../pipeline/streets/walk-router.ts';
import { findRefusal, instant, type World } from '../../../support/worlds/board-world.ts';
import { at } from '../live-town.ts';
import { findStopRow, openTripTown } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

const TIME = instant(at('08:00'));
const stop = (id: string): Place => ({ stopId: `at:${id}` });
const point = (lat: number, lon: number, name?: string): Place => ({
  coord: { lat, lon },
  ...(name === undefined ? {} : { name }),
});

function read(over: Partial<TripRequest>, walks: WalkRouter | null = null) {
  const body: TripRequest = {
    from: stop('a'),
    to: stop('z'),
    timeMode: 'departure',
    limit: 4,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
    ...over,
  };
  return readQuestion(openPlaces(world.timetable), body, TIME, walks);
}

/** Streets with paths twice as long as the straight line, which record their requests. */
function twiceAsLong(): WalkRouter & { readonly routed: [from: Point, count: number, profile: string][] } {
  const routed: [Point, number, string][] = [];
  return {
    id: 'twice',
    routed,
    async measure(from, to, profile, maxMeters) {
      routed.push([from, to.length, profile]);
      const meters = to.map(({ lat, lon }) => Math.round((straightWalkMeters(from.lat, from.lon, lat, lon) / 1.3) * 2));
      return meters.map((way) => (way <= maxMeters ? way : null));
    },
    findPath: () => Promise.resolve(null),
  };
}

describe('a place', () => {
  const nameStops = (rows: readonly number[]) => rows.map((row) => world.timetable.tables.stops.stopId.get(row)).sort();

  test.each<[string, Place, { maxWalkMeters: number }, readonly string[], readonly string[]]>([
    ['a stop only', stop('a'), { maxWalkMeters: 1500 }, ['a'], []],
    ['a station: its platforms, and stops nearby', stop('s'), { maxWalkMeters: 1500 }, ['s1', 's2'], ['h']],
    ['a platform: the other one is reached on foot', stop('s1'), { maxWalkMeters: 100 }, ['s1'], ['s2']],
    ['no walking', stop('s'), { maxWalkMeters: 0 }, ['s1', 's2'], []],
    ['an entrance without service', stop('e'), { maxWalkMeters: 100 }, [], ['s1', 's2']],
    ['a point', point(48.0402, 16.04), { maxWalkMeters: 1500 }, [], ['h', 's1', 's2']],
    ['a point at a stop, without walking', point(48.04, 16.04), { maxWalkMeters: 0 }, [], ['s1']],
    ['a remote point', point(50, 10), { maxWalkMeters: 5000 }, [], []],
  ])('%s', async (_what, from, over, members, reach) => {
    const { query } = await read({ from, ...over });
    expect([nameStops(query.from.members), nameStops(query.from.reach.map((near) => near.stop))]).toEqual([
      members,
      reach,
    ]);
  });

  test('is reached by the rule for straight lines, to the metre', async () => {
    const h = findStopRow(world, 'h');
    const { lat, lon } = world.timetable.tables.stops;
    const meters = straightWalkMeters(48.04, 16.04, lat[h]!, lon[h]!);
    const reachOf = async (maxWalkMeters: number) => (await read({ from: stop('s'), maxWalkMeters })).query.from.reach;
    expect(await reachOf(meters)).toEqual([{ stop: h, meters }]);
    expect(await reachOf(meters - 1)).toEqual([]);
  });

  test('is measured on streets if available', async () => {
    const streets = twiceAsLong();
    const from = point(48.0402, 16.04);
    const { query } = await read({ from, maxWalkMeters: 500, wheelchair: true }, streets);
    expect(query.from.reach.map(({ stop: row, meters }) => [nameStops([row])[0], meters])).toEqual([
      ['s2', 22],
      ['s1', 45],
    ]);
    // The heath is near enough as the crow flies, but the path is too long.
    expect(streets.routed).toContainEqual([{ lat: 48.0402, lon: 16.04 }, 3, 'wheelchair']);
  });
});

describe('walks', () => {
  const s1ToH = straightWalkMeters(48.04, 16.04, 48.041, 16.046);
  test.each<[string, Partial<TripRequest>, (number | null)[]]>([
    ['too far', {}, [null]],
    ['from stop to stop', { from: stop('s1'), to: stop('h') }, [s1ToH]],
    ['from point to stop', { from: point(48.04, 16.04), to: stop('h') }, [s1ToH]],
    ['at the maximum distance', { from: stop('s1'), to: stop('h'), maxWalkMeters: s1ToH }, [s1ToH]],
    ['a metre further', { from: stop('s1'), to: stop('h'), maxWalkMeters: s1ToH - 1 }, [null]],
    ['via places', { from: stop('s1'), via: [stop('h'), stop('z')], to: stop('z') }, [s1ToH, null, 0]],
  ])('%s', async (_what, over, expected) => {
    expect((await read(over)).query.stretchMeters).toEqual(expected);
  });

  test('over streets', async () => {
    const over = { from: stop('s1'), via: [stop('h')], to: stop('k') };
    const streets = twiceAsLong();
    expect((await read(over, streets)).query.stretchMeters).toEqual([Math.round((s1ToH / 1.3) * 2), null]);
    // Distances beyond the limit as the crow flies are not requested.
    expect(streets.routed.filter(([, count]) => count === 1).length).toBe(1);
  });
});

test.each<[string, Partial<TripRequest>, string]>([
  ['from', { from: stop('nowhere') }, 'unknown_stop /from/stopId'],
  ['to', { to: { stopId: 'elsewhere' } }, 'unknown_stop /to/stopId'],
  ['the first via', { via: [stop('nowhere'), stop('nobody')] }, 'unknown_stop /via/0/stopId'],
  ['the second via', { via: [stop('k'), stop('nobody')] }, 'unknown_stop /via/1/stopId'],
])('names an unknown stop: %s', async (_which, over, expected) => {
  expect(await findRefusal(() => read(over))).toBe(expected);
});

test('applies defaults to omitted members', async () => {
  const { query } = await read({});
  expect(query).toMatchObject({
    via: [],
    time: TIME,
    timeMode: 'departure',
    limit: 4,
    maxTransfers: 8,
    minTransferSeconds: 0,
    products: null,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
  });
  expect((await read({ products: [] })).query.products).toBeNull();
});

test('uses all requested options', async () => {
  const { query, places } = await read({
    via: [point(48.123456789, 16.1, 'Haus'), point(-0.00000001, 16.1)],
    timeMode: 'arrival',
    maxTransfers: 0,
    minTransferMinutes: 5,
    products: ['tram', 'regionalBus', 'tram'],
    wheelchair: true,
  });
  expect(query).toMatchObject({
    timeMode: 'arrival',
    maxTransfers: 0,
    minTransferSeconds: 300,
    products: 0b101,
    wheelchair: true,
  });
  expect(query.via.length).toBe(2);
  expect(places.map(({ shown }) => [shown.id, shown.name])).toEqual([
    ['at:a', 'Anger'],
    ['48.123457,16.100000', 'Haus'],
    ['0.000000,16.100000', '0.000000,16.100000'],
    ['at:z', 'Ziel'],
  ]);
});

describe('the time', () => {
  test.each<[string, string]>([
    ['before the timetable begins', '2026-03-01T22:59:59Z'],
    ['after it ends', '2026-03-08T23:00:01Z'],
  ])('rejects %s', async (_when, time) => {
    const check = () => checkTime(world.timetable, instant(time), '/time');
    expect(await findRefusal(check)).toBe('timetable_out_of_range /time');
  });

  test.each(['2026-03-01T23:00:00Z', '2026-03-08T23:00:00Z'])('accepts %s', (time) => {
    expect(() => checkTime(world.timetable, instant(time), '/time')).not.toThrow();
  });
});
