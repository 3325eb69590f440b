import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSimilarTerms, partsStartingWith, termsStartingWith } from '../../../api/engine/search/term-match.ts';
import { buildSearchIndex } from '../../../pipeline/timetable/snapshot/search-index.ts';

// Few letters, none of which folds or abbreviates, so that words are often similar.
const word = fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 1, maxLength: 9 });
const vocabulary = fc.uniqueArray(word, { maxLength: 40 }).map((words) => words.sort());
const indexOf = (words: readonly string[]) =>
  buildSearchIndex(words.map((name) => ({ name, place: null, importance: 0 })));

/** Optimal string alignment, the textbook algorithm. */
function countErrors(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  const at = (i: number, j: number) => rows[i]![j]!;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let errors = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        errors = Math.min(errors, at(i - 2, j - 2) + 1);
      rows[i]![j] = errors;
    }
  }
  return at(a.length, b.length);
}

describe('similar terms are those that a comparison with every word finds', () => {
  it.each([1, 2])('with up to %i errors', (maxErrors) => {
    fc.assert(
      fc.property(vocabulary, word, fc.boolean(), (words, text, asPrefix) => {
        const orTooMany = (errors: number) => Math.min(errors, maxErrors + 1);
        const found: [string, number, number][] = [];
        findSimilarTerms(indexOf(words), text, maxErrors, asPrefix, (term, whole, prefix) => {
          found.push([words[term]!, orTooMany(whole), prefix]);
        });
        const expected = words
          .map((candidate): [string, number, number] => {
            const beginnings = Array.from({ length: candidate.length + 1 }, (_, length) => candidate.slice(0, length));
            const prefix = Math.min(...beginnings.map((beginning) => countErrors(text, beginning)));
            return [candidate, orTooMany(countErrors(text, candidate)), asPrefix ? orTooMany(prefix) : maxErrors + 1];
          })
          .filter(([, whole, prefix]) => whole <= maxErrors || prefix <= maxErrors);
        expect(found).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

it('terms with a prefix are one range', () => {
  fc.assert(
    fc.property(vocabulary, word, (words, text) => {
      const { from, to } = termsStartingWith(indexOf(words), text);
      expect(words.slice(from, to)).toEqual(words.filter((candidate) => candidate.startsWith(text)));
    }),
  );
});

it('parts with a prefix give every word that contains it', () => {
  fc.assert(
    fc.property(vocabulary, word, (words, text) => {
      const index = indexOf(words);
      const { from, to } = partsStartingWith(index, text);
      const found = new Set([...index.partTerm.subarray(from, to)].map((term) => words[term]!));
      // Suffixes of under three letters are not stored.
      const expected = words.filter((candidate) => {
        const last = candidate.lastIndexOf(text, candidate.length - 3);
        return candidate.indexOf(text, 1) !== -1 && last >= 1;
      });
      expect([...found].sort()).toEqual(expected);
    }),
  );
});
