import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LonLat } from '../../../../api/contract/site-map.ts';
import { mergeWays } from '../../../../api/engine/network/merge-ways.ts';

/** Metres east and north of a place in Vienna. */
const at = ([east, north]: readonly [number, number]): LonLat => [
  16.37 + east / (111_195 * Math.cos((48.2 * Math.PI) / 180)),
  48.2 + north / 111_195,
];
const way = (...places: readonly (readonly [number, number])[]) => places.map(at);

/** Distance of a point from a way, in metres, piece by piece. */
function metersFrom([lon, lat]: LonLat, points: readonly LonLat[]): number {
  const scale = Math.cos((48.2 * Math.PI) / 180);
  const local = (other: LonLat) => [(other[0] - lon) * scale * 111_195, (other[1] - lat) * 111_195] as const;
  return Math.min(
    ...points.slice(1).map((end, i) => {
      const [[x, y], [x2, y2]] = [local(points[i]!), local(end)];
      const [dx, dy] = [x2 - x, y2 - y];
      const share = Math.max(0, Math.min(1, -(x * dx + y * dy) / (dx * dx + dy * dy || 1)));
      return Math.hypot(x + share * dx, y + share * dy);
    }),
  );
}

describe('ways of a line', () => {
  test('are one where both directions run side by side', () => {
    const there = way([0, 0], [400, 5], [1000, 0]);
    const back = way([1000, 8], [600, 12], [0, 8]);
    expect(mergeWays([there, back], 20)).toEqual([there]);
  });

  test('remain where they leave the others, and continue beside them for a little, so that both join', () => {
    const there = way([0, 0], [1000, 0]);
    const detour = way([1000, 5], [700, 5], [700, 300], [300, 300], [300, 5], [0, 5]);
    const [first, second, ...more] = mergeWays([there, detour], 20);
    expect([first, more]).toEqual([there, []]);
    expect(second!.slice(1, -1)).toEqual(way([700, 5], [700, 300], [300, 300], [300, 5]));
    for (const end of [second![0]!, second!.at(-1)!]) expect(metersFrom(end, there)).toBeLessThanOrEqual(6);
  });

  test('do not keep what is shorter than three times the tolerance', () => {
    const ways = [way([0, 0], [1000, 0]), way([0, 5], [1070, 5])];
    expect(mergeWays(ways, 20)).toHaveLength(1);
    expect(mergeWays(ways, 10)).toHaveLength(2);
  });

  test('stay as they are far from each other, and in one that turns back', () => {
    const ways = [way([0, 0], [500, 0], [0, 3]), way([0, 900], [500, 900])];
    expect(mergeWays(ways, 20)).toEqual(ways);
    expect(mergeWays([], 20)).toEqual([]);
  });

  test('cover each corner of each of them, and the first is whole', () => {
    const place = fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 900 }));
    const any = fc.array(fc.array(place, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(any, (places) => {
        const ways = places.map((one) => one.map(at));
        const merged = mergeWays(ways, 20);
        expect(merged[0]).toEqual(ways[0]);
        for (const corner of ways.flat()) {
          // A part of two cells may be left out, and a cell's neighbour is up to two diagonals away.
          expect(Math.min(...merged.map((one) => metersFrom(corner, one)))).toBeLessThanOrEqual(
            20 * (2 + 2 * Math.SQRT2),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
