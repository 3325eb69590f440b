import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { LonLat, MapSectionVehicle } from '../../../../api/contract/site-map.ts';
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
import { MovingVehicles } from '../../../../api/site/browser/map/moving-vehicles.ts';
import {
  includesSharing,
  listGroups,
  listProducts,
  readGroups,
  toggleGroup,
} from '../../../../api/site/view-model/product-groups.ts';
import { classifyDelay, describeDelay, shortDelay } from '../../../../api/site/view-model/vehicle-delay.ts';

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
      product: 'tram' as const,
      direction: null,
      lat: 48,
      lon,
      headingDeg: null,
      observedAt,
      colorHex: null,
      delaySeconds: null,
    }) satisfies MapSectionVehicle;
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
    expect(sectionPath(box, 12.9, null)).toBe(sectionPath(moved, 12.1, null));
    const wide = widen(box);
    expect(
      wide.minLat <= box.minLat && wide.maxLat >= box.maxLat && wide.minLon <= box.minLon && wide.maxLon >= box.maxLon,
    ).toBe(true);
  });

  test('requests vehicles at every zoom, of the chosen products alone', () => {
    const country = { minLat: 46.1, minLon: 9.2, maxLat: 49, maxLon: 17 };
    const path = vehiclePath(country, 6.4, null);
    expect(path).toMatch(/^\/site\/data\/vehicles\?minLat=44.*&zoom=6$/);
    // Where vehicles are dots, small moves request the same.
    expect(vehiclePath({ ...country, minLat: 46.2 }, 6.8, null)).toBe(path);
    const town = { minLat: 48, minLon: 16, maxLat: 48.1, maxLon: 16.1 };
    expect(vehiclePath(town, 12, ['tram', 'subway'])).toMatch(/minLat=48\.00000.*&zoom=12&products=tram,subway$/);
    expect(sectionPath(town, 12, ['tram'])).toMatch(/&products=tram$/);
  });
});

describe('the filter by kind of vehicle', () => {
  const present = ['train', 'sBahn', 'subway', 'tram', 'nightBus'] as const;
  const groups = listGroups(present);

  test('offers the groups that the timetable has', () => {
    expect(groups).toEqual(['rail', 'metro', 'tram', 'bus']);
    expect(listGroups([])).toEqual([]);
  });

  test('is stored in the address', () => {
    const read = (value: string) => readGroups(new URLSearchParams({ products: value }));
    expect([read(''), read('none'), read('bus,rail,none')]).toEqual([[], [], ['rail', 'bus']]);
    expect(listProducts(read('rail,metro'))).toEqual(['train', 'regionalTrain', 'sBahn', 'subway']);
    expect(listProducts([])).toBeNull();
  });

  test('is removed with the last group, and when all are chosen', () => {
    expect(toggleGroup([], 'tram', groups)).toBe('tram');
    expect(toggleGroup(['tram'], 'rail', groups)).toBe('rail,tram');
    expect(toggleGroup(['tram'], 'tram', groups)).toBeNull();
    expect(toggleGroup(['rail', 'metro', 'tram'], 'bus', groups)).toBeNull();
  });

  test('has shared bicycles beside the products', () => {
    const read = (value: string) => readGroups(new URLSearchParams({ products: value }));
    expect(['', 'tram', 'sharing', 'tram,sharing'].map((value) => includesSharing(read(value)))).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(listProducts(read('sharing'))).toEqual([]);
    expect(listProducts(read('tram,sharing'))).toEqual(['tram']);
    expect(toggleGroup(['rail', 'metro', 'tram', 'bus'], 'sharing', [...groups, 'sharing'])).toBeNull();
  });
});

test.each([
  [null, 'unknown', '', 'Verspätung unbekannt'],
  [0, 'onTime', '', 'pünktlich'],
  [-59, 'onTime', '', 'pünktlich'],
  [119, 'onTime', '', '1 Minute verspätet'],
  [120, 'late', '+2', '2 Minuten verspätet'],
  [299, 'late', '+4', '4 Minuten verspätet'],
  [300, 'veryLate', '+5', '5 Minuten verspätet'],
  [-120, 'early', '−2', '2 Minuten zu früh'],
] as const)('a delay of %s s is %s', (delaySeconds, kind, short, words) => {
  expect([classifyDelay(delaySeconds), shortDelay(delaySeconds), describeDelay(delaySeconds, 'de')]).toEqual([
    kind,
    short,
    words,
  ]);
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
