import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toBounds } from '../../../../pipeline/scale-out/iceberg/bounds.ts';

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Text with letters of every width, often with a common beginning. */
const text = fc
  .tuple(
    fc.constantFrom('', 'Haltestelle an der', '\u{10ffff}'.repeat(17), '\ud7ff'.repeat(16), 'ÄÖÜ🚋'.repeat(4)),
    fc.string({ unit: 'binary' }),
  )
  .map((parts) => parts.join(''));

it('bounds of texts contain all of them, and are short', () => {
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }), (groups) => {
      const ranges = groups.map((group) => {
        const sorted = [...group].sort(compareBytes);
        return { least: sorted[0]!, greatest: sorted.at(-1)! };
      });
      const { lower, upper } = toBounds('string', ranges);
      for (const value of groups.flat()) {
        expect(Buffer.compare(lower!, Buffer.from(value))).toBeLessThanOrEqual(0);
        if (upper) expect(Buffer.compare(upper, Buffer.from(value))).toBeGreaterThanOrEqual(0);
      }
      expect([...lower!.toString()].length).toBeLessThanOrEqual(16);
      expect([...(upper?.toString() ?? '')].length).toBeLessThanOrEqual(16);
    }),
  );
});

it('bounds of numbers contain all of them', () => {
  const numbers = fc.array(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { minLength: 1 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(numbers, (groups) => {
      const order = (a: bigint, b: bigint) => (a < b ? -1 : 1);
      const ranges = groups.map((group) => {
        const sorted = [...group].sort(order);
        return { least: sorted[0]!, greatest: sorted.at(-1)! };
      });
      const all = groups.flat().sort(order);
      const { lower, upper } = toBounds('long', ranges);
      expect([lower!.readBigInt64LE(), upper!.readBigInt64LE()]).toEqual([all[0], all.at(-1)]);
    }),
  );
});

it.each([
  ['a text at its limit', 'string', ['a'.repeat(16), 'b'.repeat(16)], ['a'.repeat(16), 'b'.repeat(16)]],
  ['a longer one', 'string', ['a'.repeat(17), 'b'.repeat(17)], ['a'.repeat(16), `${'b'.repeat(15)}c`]],
  ['one before the surrogates', 'string', ['a', '\ud7ff'.repeat(17)], ['a', `${'\ud7ff'.repeat(15)}\ue000`]],
  ['one whose end cannot be raised', 'string', ['a', `b${'\u{10ffff}'.repeat(16)}`], ['a', 'c']],
  ['one that cannot be raised at all', 'string', ['a', '\u{10ffff}'.repeat(17)], ['a', undefined]],
] as const)('%s', (_name, type, [least, greatest], [lower, upper]) => {
  const bounds = toBounds(type, [{ least, greatest }]);
  expect([bounds.lower?.toString(), bounds.upper?.toString()]).toEqual([lower, upper]);
});

it('are absent if a part is unknown or not a number', () => {
  const known = { least: 1, greatest: 2 };
  expect(toBounds('int', [])).toEqual({});
  expect(toBounds('int', [known, null])).toEqual({});
  expect(toBounds('double', [known, { least: Number.NaN, greatest: 3 }])).toEqual({});
  expect(toBounds('double', [{ least: 1, greatest: Number.NaN }, known])).toEqual({});
});

it('includes both zeros', () => {
  const { lower, upper } = toBounds('double', [{ least: 0, greatest: -0 }]);
  expect([Object.is(lower!.readDoubleLE(), -0), Object.is(upper!.readDoubleLE(), 0)]).toEqual([true, true]);
});
