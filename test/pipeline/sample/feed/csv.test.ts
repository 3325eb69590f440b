import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCsv, parseCsv } from '../../../../pipeline/sample/feed/csv.ts';

const plain = { hasByteOrderMark: false, lineEnd: '\n' } as const;

describe('CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' padded ', ' padded '],
  ])('quotes %j only if necessary', (value, written) => {
    expect(formatCsv({ header: ['a', 'b'], rows: [[value, 1]] }, plain)).toBe(`a,b\n${written},1\n`);
  });

  it('round-trips in every dialect', () => {
    const rows = fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' })));
    const dialect = fc.record({
      hasByteOrderMark: fc.boolean(),
      lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
    });
    fc.assert(
      fc.property(rows, dialect, (values, how) => {
        const text = formatCsv({ header: ['a', 'b'], rows: values }, how);
        expect(parseCsv(text)).toEqual(values.map(([a, b]) => ({ a, b })));
      }),
    );
  });

  it('throws for rows of another width', () => {
    expect(() => formatCsv({ header: ['a', 'b'], rows: [['1']] }, plain)).toThrow(RangeError);
    expect(() => parseCsv('a,b\n1\n')).toThrow(RangeError);
    expect(() => parseCsv('a,b\n1,2"3\n')).toThrow(RangeError);
  });
});
