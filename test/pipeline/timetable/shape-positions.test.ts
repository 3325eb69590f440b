import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findShapePositions } from '../../../pipeline/timetable/snapshot/shape-tables.ts';

type Place = readonly [lat: number, lon: number, distance?: number];

function positions(shape: readonly Place[], calls: readonly Place[]): number[] {
  const column = (places: readonly Place[], i: 0 | 1 | 2) =>
    Float64Array.from(places, (place) => place[i] ?? Number.NaN);
  const distance = column(shape, 2);
  return Array.from(
    findShapePositions(
      { lat: column(shape, 0), lon: column(shape, 1), distance: distance.some(Number.isNaN) ? null : distance },
      { lat: column(calls, 0), lon: column(calls, 1), distance: column(calls, 2) },
    ),
  );
}

const NOWHERE: Place = [Number.NaN, Number.NaN];
const line: readonly Place[] = [
  [48, 16.0],
  [48, 16.1],
  [48, 16.2],
];
const measured: readonly Place[] = [
  [48, 16.0, 0],
  [48, 16.1, 10],
  [48, 16.2, 30],
];

describe('locates calls on a shape', () => {
  it.each<[title: string, shape: readonly Place[], calls: readonly Place[], expected: readonly number[]]>([
    [
      'by distance',
      measured,
      [
        [0, 0, 0],
        [0, 0, 20],
        [0, 0, 30],
      ],
      [0, 1.5, 2],
    ],
    [
      'by distance, slightly past the end',
      measured,
      [
        [0, 0, 5],
        [0, 0, 30.2],
      ],
      [0.5, 2],
    ],
    [
      'by distance, before the beginning',
      measured,
      [
        [0, 0, -5],
        [0, 0, 30],
      ],
      [0, 2],
    ],
    [
      'by position if distances have another unit',
      measured,
      [
        [48, 16.0, 0],
        [48, 16.2, 3000],
      ],
      [0, 2],
    ],
    [
      'by position if distances decrease',
      measured,
      [
        [48, 16.0, 9],
        [48, 16.2, 3],
      ],
      [0, 2],
    ],
    [
      'by position if a distance is missing',
      measured,
      [
        [48, 16.0, 0],
        [48, 16.2],
      ],
      [0, 2],
    ],
    [
      'by position',
      line,
      [
        [48.01, 16.05],
        [47.99, 16.15],
      ],
      [0.5, 1.5],
    ],
    [
      'not beyond the ends',
      line,
      [
        [48, 15.9],
        [48, 16.3],
      ],
      [0, 2],
    ],
    [
      'out and back on one street',
      [
        [48, 16],
        [48, 16.1],
        [48, 16],
      ],
      [
        [48, 16],
        [48, 16.1],
        [48, 16],
      ],
      [0, 1, 2],
    ],
    [
      'out and back, stops in between',
      [
        [48, 16],
        [48, 16.1],
        [48, 16],
      ],
      [
        [48, 16.05],
        [48, 16.1],
        [48, 16.05],
      ],
      [0.5, 1, 1.5],
    ],
    [
      'a loop: the last call at the end, although the first place is equally near',
      [
        [48, 16],
        [48, 16.1],
        [48.1, 16.1],
        [48, 16],
      ],
      [
        [48, 16],
        [48, 16.1],
        [48.1, 16.1],
        [48, 16],
      ],
      [0, 1, 2, 3],
    ],
    [
      'calls in the wrong order keep theirs',
      line,
      [
        [48, 16.06],
        [48, 16.05],
        [48, 16.2],
      ],
      [0.6, 0.6, 2],
    ],
    ['a call without a position lies between its neighbours', line, [[48, 16.05], NOWHERE, [48, 16.2]], [0.5, 1, 2]],
    ['no call has a position', line, [NOWHERE, NOWHERE], [0, 0]],
    [
      'points on top of each other',
      [
        [48, 16],
        [48, 16],
        [48, 16],
      ],
      [
        [48, 16],
        [48, 16],
      ],
      [0, 0],
    ],
  ])('%s', (_title, shape, calls, expected) => {
    const found = positions(shape, calls);
    expect(found).toHaveLength(expected.length);
    for (const [i, position] of found.entries()) expect(position).toBeCloseTo(expected[i]!, 5);
  });
});

it('gives non-decreasing positions within the shape', () => {
  const coordinate = fc.integer({ min: 0, max: 20 });
  const place = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(coordinate, coordinate).map(([a, b]): Place => [48 + a / 100, 16 + b / 100]) },
    { weight: 1, arbitrary: fc.constant(NOWHERE) },
  );
  const distances = fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: Number.NaN });
  fc.assert(
    fc.property(
      fc.array(
        place.filter(([lat]) => !Number.isNaN(lat)),
        { minLength: 2, maxLength: 12 },
      ),
      fc.array(fc.tuple(place, distances), { minLength: 2, maxLength: 8 }),
      fc.boolean(),
      (shape, calls, isMeasured) => {
        const found = positions(
          shape.map(([lat, lon], i) => (isMeasured ? [lat, lon, i * 4] : [lat, lon])),
          calls.map(([[lat, lon], distance]) => [lat, lon, distance]),
        );
        expect(found).toHaveLength(calls.length);
        for (const [i, position] of found.entries()) {
          expect(position).toBeGreaterThanOrEqual(i === 0 ? 0 : found[i - 1]!);
          expect(position).toBeLessThanOrEqual(shape.length - 1);
        }
      },
    ),
  );
});

it('locates calls at points of a shape exactly there', () => {
  const step = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
      const shape: Place[] = [[48, 16]];
      for (const [dy, dx] of steps) {
        const [lat, lon] = shape.at(-1)!;
        shape.push([lat + dy / 100, lon + dx / 100]);
      }
      for (const [i, position] of positions(shape, shape).entries()) {
        const before = shape[Math.floor(position)]!;
        const after = shape[Math.ceil(position)]!;
        const share = position - Math.floor(position);
        expect(before[0] + (after[0] - before[0]) * share).toBeCloseTo(shape[i]![0], 4);
        expect(before[1] + (after[1] - before[1]) * share).toBeCloseTo(shape[i]![1], 4);
      }
    }),
  );
});
