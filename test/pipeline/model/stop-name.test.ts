import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinWords, nameWords, queryWords } from '../../../pipeline/model/stop-name.ts';

const texts = (name: string) => nameWords(name).map(({ text }) => text);
const forms = (query: string) => queryWords(query).map((word) => [...word.forms]);

describe('a name is split into words', () => {
  it.each([
    ['Wien Hbf', ['wien', 'hauptbahnhof']],
    ['Südtiroler Pl. - Hbf.', ['sudtiroler', 'platz', 'hauptbahnhof']],
    ['Währinger Str.-Volksoper', ['wahringer', 'strase', 'volksoper']],
    ['Mariahilferstr.', ['mariahilferstrase']],
    ['MARIAHILFERSTRASSE', ['mariahilferstrase']],
    ['Mariahilferstraße', ['mariahilferstrase']],
    ['Westbf', ['westbahnhof']],
    ['Westbhf.', ['westbahnhof']],
    ['Graz Ostbf-Messe', ['graz', 'ostbahnhof', 'mese']],
    ['St.Pölten', ['sankt', 'polten']],
    ['St. Poelten', ['sankt', 'polten']],
    ['Stephansplatz', ['stefansplatz']],
    ['Ziegler G.', ['ziegler', 'gase']],
    ['Zieglerg.', ['zieglergase']],
    ['Weg', ['weg']],
    ['Kapl', ['kapl']],
    ['Linz/Donau', ['linz', 'donau']],
    ['Œdt (Łódź), Åre', ['odt', 'lodz', 'are']],
    ['Αθήνα Брест', ['αθηνα', 'брест']],
    // Unicode makes capitals of these symbols, and no rule makes them small.
    ['Radio ℂ1 Platz™', ['radio', 'C1', 'platzTM']],
    ['12A', ['12a']],
    ['', []],
    [' -–./() 🚋 ', []],
  ])('%s', (name, expected) => {
    expect(texts(name)).toEqual(expected);
  });

  it('keeps the written form if folding hides a letter', () => {
    expect(nameWords('Neue Stephansgasse Ost')).toEqual([
      { text: 'neu', written: 'neue' },
      { text: 'stefansgase', written: 'stephansgase' },
      { text: 'ost', written: 'ost' },
    ]);
  });
});

describe('a query keeps all readings', () => {
  it.each([
    ['hbf', [['hbf', 'hauptbahnhof']]],
    ['st', [['st', 'sankt']]],
    ['schwedenpl wien', [['schwedenpl', 'schwedenplatz'], ['wien']]],
    ['templ', [['templ', 'templatz']]],
    ['kepl', [['kepl']]],
    ['OberSt. Veit', [['oberst', 'obersankt'], ['veit']]],
    ['forst', [['forst']]],
    ['berg', [['berg']]],
    ['Neue', [['neu', 'neue']]],
  ])('%s', (query, expected) => {
    expect(forms(query)).toEqual(expected);
  });

  it.each([
    ['wien mitt', [true, false]],
    ['wien mitt ', [true, true]],
    ['wien mitt.', [true, true]],
    ['süd', [false]],
    ['su\u0308', [false]],
  ])('detects whether the last word of "%s" is complete', (query, expected) => {
    expect(queryWords(query).map(({ isComplete }) => isComplete)).toEqual(expected);
  });

  it.each([
    ['hbf', 12],
    ['templ', 5],
    ['Südtiroler', 10],
    ['Suedtiroler', 10],
  ])('%s has a weight of %i letters', (query, letters) => {
    expect(queryWords(query)[0]!.letters).toBe(letters);
  });
});

describe('for any text', () => {
  // Letters that occur in the rules, so that they collide often.
  const word = fc.string({ unit: fc.constantFrom(...'aeouphsßäöübftlrg'), minLength: 1, maxLength: 12 });

  it('folding is idempotent', () => {
    fc.assert(
      fc.property(word, (name) => {
        const once = texts(`x${name}x`);
        expect(texts(once.join(' '))).toEqual(once);
      }),
    );
  });

  it('two joined words equal their compound', () => {
    fc.assert(
      fc.property(word, word, (first, second) => {
        // The x's prevent abbreviations.
        const [a, b] = [`x${first}x`, `y${second}x`];
        expect(joinWords(texts(a)[0]!, texts(b)[0]!)).toBe(texts(a + b)[0]);
      }),
    );
  });

  it('umlauts equal their two-letter spellings', () => {
    fc.assert(
      fc.property(word, (name) => {
        const spelledOut = name.replace(/ä/g, 'ae').replace(/ö/g, 'oe').replace(/ü/g, 'ue').replace(/ß/g, 'ss');
        expect(texts(`x${spelledOut}x`)).toEqual(texts(`x${name}x`));
        expect(texts(`x${name}x`.toUpperCase())).toEqual(texts(`x${name}x`));
      }),
    );
  });

  it('words are short, of letters and digits, and never empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const { text: folded, written } of nameWords(text)) {
          expect(folded).toMatch(/^[\p{L}\p{N}]+$/u);
          expect(written.length).toBeLessThanOrEqual(60);
          expect(folded.length).toBeLessThanOrEqual(written.length);
        }
        expect(queryWords(text).length).toBe(nameWords(text).length);
      }),
    );
  });
});
