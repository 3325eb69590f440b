import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantileOf } from '../../../pipeline/predictions/forest/train-forest.ts';

/** Few distinct values, as delays have, or many. */
const values = fc.oneof(
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 60 }),
  fc.array(fc.float({ noNaN: true, min: -1000, max: 1000 }), { minLength: 1, maxLength: 60 }),
);

describe('the quantile of values', () => {
  it('equals the one of a sorted list', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0, 0.1, 0.25, 0.5, 0.9, 1), (list, share) => {
        const sorted = Float32Array.from(list).sort();
        const place = share * (sorted.length - 1);
        const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
        const expected = low + (place - Math.floor(place)) * (high - low);
        const given = Float32Array.from(list);
        expect(quantileOf(given, share)).toBeCloseTo(expected, 9);
        expect(given.sort()).toEqual(sorted);
      }),
    );
  });

  it('of none is 0', () => {
    expect(quantileOf(new Float32Array(), 0.5)).toBe(0);
  });
});
