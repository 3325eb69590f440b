import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrast, getLineColors } from '../../../api/engine/read/timetable.ts';

const NONE = -1;

describe('a readable line sign', () => {
  test.each<[string, number, number, string, string]>([
    ['published and readable', 0xe3000f, 0xffffff, '#E3000F', '#FFFFFF'],
    ['black on yellow', 0xffd800, 0x000000, '#FFD800', '#000000'],
    ['no text colour, on a dark background', 0x1d1d1b, NONE, '#1D1D1B', '#FFFFFF'],
    ['no text colour, on a bright background', 0xffd800, NONE, '#FFD800', '#000000'],
    ['white on yellow is unreadable', 0xffd800, 0xffffff, '#FFD800', '#000000'],
    ['black on black is unreadable', 0x000000, 0x000000, '#000000', '#FFFFFF'],
    ['white on white is unreadable', 0xffffff, 0xffffff, '#FFFFFF', '#000000'],
    ['a readable text colour is used as published', 0x0073ac, 0xfff200, '#0073AC', '#FFF200'],
    ['leading zeros are kept', 0x00000a, 0x00ffff, '#00000A', '#00FFFF'],
  ])('%s', (_case, color, textColor, colorHex, textColorHex) => {
    expect(getLineColors(color, textColor)).toEqual({ colorHex, textColorHex });
  });

  test.each([NONE, 0xffffff])('without a line colour there is no sign, whatever the text colour: %d', (textColor) => {
    expect(getLineColors(NONE, textColor)).toEqual({});
  });

  test('is readable with any published colours', () => {
    const color = fc.integer({ min: 0, max: 0xffffff });
    fc.assert(
      fc.property(color, fc.oneof(color, fc.constant(NONE)), (sign, text) => {
        const { colorHex, textColorHex } = getLineColors(sign, text);
        const toNumber = (hex: string | undefined) => Number.parseInt(hex!.slice(1), 16);
        expect(toNumber(colorHex)).toBe(sign);
        expect(contrast(sign, toNumber(textColorHex))).toBeGreaterThanOrEqual(3);
      }),
    );
  });
});

test.each([
  [0x000000, 0xffffff, 21],
  [0xffffff, 0xffffff, 1],
  // The example of the WCAG working group: the lightest grey that is readable on white.
  [0x767676, 0xffffff, 4.54],
])('contrast of %d and %d is %d in both directions', (a, b, expected) => {
  expect(contrast(a, b)).toBeCloseTo(expected, 2);
  expect(contrast(b, a)).toBe(contrast(a, b));
});
