import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { LonLat } from '../../../../api/contract/site-map.ts';
import {
  readMapExtent,
  sectionPath,
  sortByDistance,
  stationKey,
  vehiclePath,
  widen,
  writeMapExtent,
} from '../../../../api/site/browser/map/map-state.ts';
import { findCourse, pointAlong } from '../../../../api/site/browser/map/move-along.ts';
import { type MapVehicle, MovingVehicles } from '../../../../api/site/browser/map/moving-vehicles.ts';

/** A line that goes east, then north, with a corner at 16.02. */
const corner: LonLat[] = [
  [16, 48],
  [16.02, 48],
  [16.02, 48.02],
];

const near = (point: LonLat, expected: LonLat) => {
  expect(point[0]).toBeCloseTo(expected[0], 6);
  expect(point[1]).toBeCloseTo(expected[1], 6);
};

describe('a vehicle between two observations', () => {
  test('follows the corner of its line', () => {
    const course = findCourse([corner], [16.01, 48], [16.02, 48.01]);
    expect(course.points).toEqual([
      [16.01, 48],
      [16.02, 48],
      [16.02, 48.01],
    ]);
    near(pointAlong(course, 0), [16.01, 48]);
    near(pointAlong(course, 1), [16.02, 48.01]);
  });

  test('moves back along the line after turning', () => {
    expect(findCourse([corner], [16.02, 48.01], [16.01, 48]).points[1]).toEqual([16.02, 48]);
  });

  test.each([
    [
      'of which it is far away',
      [
        [16, 48.1],
        [16.1, 48.1],
      ] as LonLat[],
    ],
    [
      'that leads a long way round',
      [
        [16.01, 48],
        [16.01, 47.9],
        [16.0105, 47.9],
        [16.0105, 48],
      ] as LonLat[],
    ],
  ])('moves straight with a line %s', (_, way) => {
    expect(findCourse([way], [16.01, 48], [16.0105, 48]).points).toHaveLength(2);
  });

  test('stays between them, and moves without jumps', () => {
    const place = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(place, { minLength: 2, maxLength: 8 }), place, place, (way, from, to) => {
        const at = ([x, y]: readonly [number, number]): LonLat => [16 + x / 2000, 48 + y / 2000];
        const course = findCourse([way.map(at)], at(from), at(to));
        near(pointAlong(course, -1), at(from));
        near(pointAlong(course, 2), at(to));
        const whole = course.lengths.at(-1)!;
        for (let i = 1; i <= 10; i++) {
          const [a, b] = [pointAlong(course, (i - 1) / 10), pointAlong(course, i / 10)];
          const meters = 111_195 * Math.hypot((a[0] - b[0]) * Math.cos((48 * Math.PI) / 180), a[1] - b[1]);
          expect(meters).toBeLessThanOrEqual(whole / 10 + 1);
        }
      }),
    );
  });
});

describe('moving vehicles', () => {
  const vehicle = (lon: number, observedAt: string, id = 'a') =>
    ({
      id,
      jid: null,
      line: '1',
      product: 'tram',
      direction: null,
      lat: 48,
      lon,
      headingDeg: null,
      observedAt,
    }) as MapVehicle;
  const line = { label: '1', product: 'tram' as const, colorHex: null, ways: [corner] };

  test('move from the drawn position to the newest observation, and stay there', () => {
    const moving = new MovingVehicles(1000);
    moving.update([vehicle(16, 'one')], [line], 0);
    near(moving.place(0)[0]!.at, [16, 48]);
    moving.update([vehicle(16.01, 'two')], [line], 0);
    near(moving.place(500)[0]!.at, [16.005, 48]);
    // Repeating the same observation changes nothing.
    moving.update([vehicle(16.01, 'two')], [line], 500);
    near(moving.place(1000)[0]!.at, [16.01, 48]);
    near(moving.place(99_000)[0]!.at, [16.01, 48]);
    expect([moving.isAtRest(999), moving.isAtRest(1000)]).toEqual([false, true]);
  });

  test('disappear when they are no longer reported, and jump with reduced motion', () => {
    const moving = new MovingVehicles(0);
    moving.update([vehicle(16, 'one'), vehicle(16, 'one', 'b')], [line], 0);
    moving.update([vehicle(16.01, 'two')], [line], 0);
    expect(moving.place(0).map(({ vehicle: { id }, at }) => [id, at[0]])).toEqual([['a', 16.01]]);
  });
});

describe('the URL of the map', () => {
  test('round-trips the map extent', () => {
    const extent = { lat: 48.2082, lon: 16.3738, zoom: 13.5 };
    expect(readMapExtent(new URLSearchParams(writeMapExtent(extent)))).toEqual(extent);
  });

  test.each(['', 'lat=48&lon=16', 'lat=99&lon=16&zoom=3', 'lat=a&lon=16&zoom=3', 'lat=48&lon=16&zoom=-1'])(
    'is none in "%s"',
    (query) => {
      expect(readMapExtent(new URLSearchParams(query))).toBeNull();
    },
  );

  test('requests the same section, which contains the view, for small moves', () => {
    const box = { minLat: 48.11, minLon: 16.21, maxLat: 48.18, maxLon: 16.33 };
    const moved = { minLat: 48.115, minLon: 16.215, maxLat: 48.183, maxLon: 16.335 };
    expect(sectionPath(box, 12.9)).toBe(sectionPath(moved, 12.1));
    const wide = widen(box);
    expect(
      wide.minLat <= box.minLat && wide.maxLat >= box.maxLat && wide.minLon <= box.minLon && wide.maxLon >= box.maxLon,
    ).toBe(true);
  });

  test('requests no vehicles for a whole country', () => {
    expect(vehiclePath({ minLat: 46, minLon: 9, maxLat: 49, maxLon: 17 })).toBeNull();
    expect(vehiclePath({ minLat: 48, minLon: 16, maxLat: 48.1, maxLon: 16.1 })).toContain('minLat=48.00000');
  });
});

test('lists places from the nearest to the centre of the map', () => {
  const places = [
    { name: 'a degree of latitude', lat: 49, lon: 16 },
    { name: 'a degree of longitude', lat: 48, lon: 17 },
    { name: 'the centre', lat: 48, lon: 16 },
  ];
  expect(sortByDistance(places, { lat: 48, lon: 16 }).map(({ name }) => name)).toEqual([
    'the centre',
    'a degree of longitude',
    'a degree of latitude',
  ]);
});

test('distinguishes sharing stations of two systems with the same id', async () => {
  // Set by the browser build.
  vi.stubGlobal('BASE_MAP_ADDRESS', '/borders.json');
  const { drawSharing } = await import('../../../../api/site/browser/map/map-style.ts');
  const station = { id: '1', name: 'Hauptplatz', lat: 48, lon: 16, bikes: 3, docks: 4, url: null };
  const stations = [
    { ...station, system: 'Stadtrad' },
    { ...station, system: 'Leihrad' },
  ];
  const keys = drawSharing(stations).features.map(({ properties }) => properties!.key);
  expect(keys).toEqual(stations.map(stationKey));
  expect(new Set(keys).size).toBe(2);
});
