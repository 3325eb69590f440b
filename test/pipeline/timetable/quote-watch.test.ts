import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type QuoteFacts, watchQuotes } from '../../../pipeline/timetable/feed/feed-text.ts';

function watch(chunks: readonly string[]): QuoteFacts {
  const watching = watchQuotes();
  for (const chunk of chunks) watching.push(Buffer.from(chunk));
  return watching.facts();
}

it.each<[title: string, text: string, expected: QuoteFacts]>([
  ['no quotes', 'a,b\n1,2\n', { spanLines: false, openAt: null }],
  ['quotes within lines', 'a,"b"\n"1","2"\n', { spanLines: false, openAt: null }],
  ['a value over two lines', 'a,b\n"1\n",2\n', { spanLines: true, openAt: null }],
  ['doubled quotes stay inside', '"a ""x"", \nb",c\n', { spanLines: true, openAt: null }],
  ['a quote inside an unquoted value opens nothing', 'a,b\nx"y,2\n', { spanLines: false, openAt: null }],
  ['spaces before a quote do not matter', 'a,b\n1, \t"x\ny"\n', { spanLines: true, openAt: null }],
  ['nor does a byte order mark', '\uFEFF"a\nb",c\n', { spanLines: true, openAt: null }],
  ['an unterminated quote', 'a\n"x\ny\n', { spanLines: true, openAt: 2 }],
  ['an unterminated quote, on the last line', 'a\n"x', { spanLines: false, openAt: 2 }],
  ['a quote that ends with the text', 'a\n"x"', { spanLines: false, openAt: null }],
])('%s', (_title, text, expected) => {
  expect(watch([text])).toEqual(expected);
});

it('does not depend on chunk boundaries', () => {
  const letter = fc.constantFrom('"', '"', ',', '\n', 'x', ' ');
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 40 }), (letters) => {
      expect(watch(letters)).toEqual(watch([letters.join('')]));
    }),
    { numRuns: 500 },
  );
});

it('parses values written by RFC 4180', () => {
  const value = fc.array(fc.constantFrom('"', ',', '\n', 'x'), { maxLength: 6 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(fc.array(fc.array(value, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), (rows) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const text = rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
      expect(watch([text])).toEqual({ spanLines: rows.flat().some((cell) => cell.includes('\n')), openAt: null });
    }),
  );
});
