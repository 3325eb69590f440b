import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound, partitionPoint } from '../../../pipeline/model/binary-search.ts';

const ranges = fc
  .array(fc.integer({ min: -5, max: 20 }), { maxLength: 40 })
  .map((values) => values.sort((a, b) => a - b))
  .chain((sorted) =>
    fc.record({
      sorted: fc.constant(sorted),
      wanted: fc.integer({ min: -7, max: 22 }),
      bounds: fc.tuple(fc.nat({ max: sorted.length }), fc.nat({ max: sorted.length })),
    }),
  );

describe('binary search', () => {
  it('finds what a linear search finds, in any part of the list', () => {
    fc.assert(
      fc.property(ranges, ({ sorted, wanted, bounds }) => {
        const [from, end] = [Math.min(...bounds), Math.max(...bounds)];
        let linear = from;
        while (linear < end && sorted[linear]! < wanted) linear++;
        expect(partitionPoint(from, end, (at) => sorted[at]! < wanted)).toBe(linear);
        for (const list of [sorted, Int32Array.from(sorted), Float64Array.from(sorted)]) {
          expect(lowerBound(list, wanted, from, end)).toBe(linear);
        }
      }),
    );
  });

  it('searches the whole list by default', () => {
    expect([0, 2, 3, 9].map((wanted) => lowerBound([1, 2, 2, 4], wanted))).toEqual([0, 1, 3, 4]);
  });
});
