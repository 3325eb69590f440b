import { describe, expect, it } from 'vitest';
import type { SearchIndex } from '../../../pipeline/model/search-index.ts';
import { buildSearchIndex } from '../../../pipeline/timetable/snapshot/search-index.ts';

const ENTRIES = [
  { name: 'Wien Hbf', place: 'Wien', importance: 4 },
  { name: 'Mariahilfer Str.', place: 'Wien', importance: 1 },
  { name: 'Wien', place: 'Wien', importance: 0 },
  { name: 'Bahnhof Bahnhof', place: null, importance: 2 },
  { name: 'Neue Au', place: null, importance: 0 },
];

function listTerms({ termLetters, termStart, termShared }: SearchIndex): string[] {
  return Array.from(termShared, (_, term) =>
    String.fromCharCode(...termLetters.subarray(termStart[term], termStart[term + 1])),
  );
}

function listPostings(index: SearchIndex, text: string): number[] {
  const term = listTerms(index).indexOf(text);
  return [...index.postings.subarray(index.postingStart[term], index.postingStart[term + 1])];
}

describe('the search index', () => {
  const index = buildSearchIndex(ENTRIES);
  const terms = listTerms(index);

  it('contains every word, folded and as written, and every pair once, sorted', () => {
    expect(terms).toEqual(
      [
        ...['au', 'bahnhof', 'bahnhofbahnhof', 'hauptbahnhof', 'mariahilfer', 'mariahilferstrase', 'neu', 'neuau'],
        ...['neue', 'strase', 'wien', 'wienhauptbahnhof'],
      ].sort(),
    );
  });

  it('stores the shared prefixes of neighbouring terms', () => {
    expect(index.termShared[0]).toBe(0);
    expect(index.termShared[terms.indexOf('wienhauptbahnhof')]).toBe(4);
    expect(index.termShared[terms.indexOf('strase')]).toBe(0);
  });

  it.each([
    ['wien', [0, 2, 4]],
    ['hauptbahnhof', [1]],
    ['wienhauptbahnhof', [1]],
    ['mariahilferstrase', [3]],
    ['bahnhof', [7]],
  ])('lists the entries of %s, marked as word of the name or of the place', (text, postings) => {
    expect(listPostings(index, text)).toEqual(postings);
  });

  it('describes the entries', () => {
    expect([...index.entryImportance]).toEqual([1, 0.25, 0, 0.5, 0]);
    expect([...index.entryNameRank]).toEqual([4, 1, 3, 0, 2]);
    expect([...index.nameOwnLetters]).toEqual([12, 17, 0, 14, 5]);
    expect([...index.entryStationRank]).toEqual([2, 0, 0, 1, 0]);
  });

  it('contains the endings of single words, sorted', () => {
    const endings = Array.from(index.partTerm, (term, part) => terms[term]!.slice(index.partFrom[part]));
    expect(endings).toEqual([...endings].sort());
    expect(endings.filter((ending) => ending === 'bahnhof')).toHaveLength(1);
    expect(endings.filter((ending) => ending === 'hof')).toHaveLength(2);
    expect(endings).toContain('ase');
    expect(endings).not.toContain('hilferstrase');
    expect(endings.every((ending) => ending.length >= 3)).toBe(true);
  });
});

it('is empty without entries', () => {
  const index = buildSearchIndex([]);
  // One more start than there are terms.
  const { termStart, postingStart, ...others } = index;
  expect([...termStart, ...postingStart]).toEqual([0, 0]);
  expect(Object.values(others).filter((column) => column.length > 0)).toEqual([]);
});

it('consists of plain columns', () => {
  for (const column of Object.values(buildSearchIndex(ENTRIES))) expect(ArrayBuffer.isView(column)).toBe(true);
});

it.each([-1, Number.NaN, Infinity])('refuses the importance %d', (importance) => {
  expect(() => buildSearchIndex([{ name: 'Ort', place: null, importance }])).toThrow(
    new RangeError(`"Ort" has importance ${importance}`),
  );
});
