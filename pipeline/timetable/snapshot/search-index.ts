import {
  hashKey,
  hashSpelling,
  hashWord,
  MAX_NAME_WORDS,
  type NameKind,
  nameKinds,
  type SearchIndex,
  SHORTEST_PART_LETTERS,
} from '../../model/search-index.ts';
import { joinWords, type NameWord, nameWords } from '../../model/stop-name.ts';

/** A searchable stop, or several that are one. */
export interface SearchEntry {
  /** As shown. */
  readonly name: string;
  /** Town of the stop ("Wien"), where known; the name need not repeat it. */
  readonly place: string | null;
  /** Grows with the traffic, e.g. the logarithm of weighted daily departures; 0 or more, any scale. */
  readonly importance: number;
  /** Other names and codes that find it. */
  readonly otherNames?: readonly OtherName[];
  /** Names of the place in other languages, "Vienna". */
  readonly placeNames?: readonly string[];
}

export interface OtherName {
  readonly kind: NameKind;
  readonly name: string;
}

interface Term {
  /** A neighbouring pair written as one word; its parts are those of its words. */
  isPair: boolean;
  readonly postings: number[];
}

interface NameWords {
  readonly own: readonly NameWord[];
  readonly place: readonly NameWord[];
  readonly pairs: readonly string[];
}

/** A row of the name table. */
interface Name extends OtherName {
  readonly entry: number;
  readonly words: NameWords;
}

/**
 * Builds the search index of a timetable's stops.
 * @param entries in the order that results refer to
 * @throws RangeError for an importance that is negative or not a number
 */
export function buildSearchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const names = listNames(entries);
  const terms = new Map<string, Term>();
  for (const [row, { words }] of names.entries()) addPostings(terms, row, words);
  const texts = [...terms.keys()].sort();
  return {
    entryImportance: normaliseImportance(entries),
    entryNameRank: rankNames(entries),
    entryStationRank: Uint8Array.from(entries, ({ name, place }) => stationRank(splitName(name, place, []).own)),
    ...writeNames(names),
    ...writeTerms(texts),
    ...writePostings(texts, terms),
    ...writeParts(texts, terms),
    ...writeKeys(entries),
  };
}

/** Names with words; of those of an entry that have the same words, the first. Codes have none: they are keys alone. */
function listNames(entries: readonly SearchEntry[]): Name[] {
  return entries.flatMap(({ name, place, otherNames = [], placeNames = [] }, entry) => {
    const seen = new Set<string>();
    return [{ kind: 'shown' as const, name }, ...otherNames]
      .filter(({ kind }) => kind !== 'code')
      .filter(({ name: text }) => {
        const words = nameWords(text).map((word) => word.text);
        const key = words.join(' ');
        return !seen.has(key) && seen.add(key);
      })
      .map((one) => ({ ...one, entry, words: splitName(one.name, place, placeNames) }));
  });
}

function splitName(name: string, placeName: string | null, placeNames: readonly string[]): NameWords {
  const words = nameWords(name);
  const place = placeName === null ? [] : nameWords(placeName);
  const placeTexts = new Set(place.map(({ text }) => text));
  const pairs: string[] = [];
  for (let i = 1; i < words.length; i++) pairs.push(joinWords(words[i - 1]!.text, words[i]!.text));
  return {
    own: words.filter(({ text }) => !placeTexts.has(text)),
    place: [...place, ...placeNames.flatMap(nameWords)],
    pairs,
  };
}

function addPostings(terms: Map<string, Term>, row: number, { own, place, pairs }: NameWords): void {
  const add = (text: string, posting: number, isPair: boolean) => {
    let term = terms.get(text);
    if (term === undefined) {
      term = { isPair, postings: [] };
      terms.set(text, term);
    }
    term.isPair &&= isPair;
    // A word that the name holds twice, or a pair repeats, is one posting; own words come first and win.
    if ((term.postings.at(-1) ?? -2) >> 1 !== row) term.postings.push(posting);
  };
  const addWord = ({ text, written }: NameWord, posting: number) => {
    add(text, posting, false);
    // A typing error within "ue" or "ph" is one error in the written name, but two in the folded one.
    if (written !== text) add(written, posting, false);
  };
  for (const word of own) addWord(word, row * 2 + 1);
  for (const pair of pairs) add(pair, row * 2 + 1, true);
  for (const word of place) addWord(word, row * 2);
}

function writeNames(
  names: readonly Name[],
): Pick<SearchIndex, 'nameEntry' | 'nameKind' | 'nameOwnLetters' | 'nameWordSum'> {
  const sum = (words: readonly NameWord[], value: (text: string) => number) =>
    words.reduce((total, { text }) => total + value(text), 0);
  return {
    nameEntry: Uint32Array.from(names, ({ entry }) => entry),
    nameKind: Uint8Array.from(names, ({ kind }) => nameKinds.indexOf(kind)),
    nameOwnLetters: Uint16Array.from(names, ({ words }) =>
      Math.min(
        0xffff,
        sum(words.own, (text) => text.length),
      ),
    ),
    nameWordSum: Uint32Array.from(names, ({ words }) => sum(words.own.slice(0, MAX_NAME_WORDS), hashWord)),
  };
}

type Keys = Pick<SearchIndex, 'keyHash' | 'keyCheck' | 'keySpelling' | 'keyEntry' | 'keyKind'>;

function writeKeys(entries: readonly SearchEntry[]): Keys {
  const rows = entries.flatMap(({ name, otherNames = [] }, entry) => {
    const seen = new Set<string>();
    return [{ kind: 'shown' as const, name }, ...otherNames]
      .filter(({ name: text }) => !seen.has(text) && seen.add(text))
      .map((one) => ({
        ...hashKey(one.name),
        spelling: hashSpelling(one.name),
        entry,
        kind: nameKinds.indexOf(one.kind),
      }));
  });
  rows.sort((a, b) => a.hash - b.hash || a.entry - b.entry || a.kind - b.kind);
  return {
    keyHash: Uint32Array.from(rows, ({ hash }) => hash),
    keyCheck: Uint32Array.from(rows, ({ check }) => check),
    keySpelling: Uint32Array.from(rows, ({ spelling }) => spelling),
    keyEntry: Uint32Array.from(rows, ({ entry }) => entry),
    keyKind: Uint8Array.from(rows, ({ kind }) => kind),
  };
}

function stationRank(words: readonly NameWord[]): number {
  if (words.some(({ text }) => text.endsWith('hauptbahnhof'))) return 2;
  return words.some(({ text }) => text.endsWith('bahnhof')) ? 1 : 0;
}

function normaliseImportance(entries: readonly SearchEntry[]): Float32Array {
  let most = 0;
  for (const { name, importance } of entries) {
    if (!(importance >= 0 && importance < Infinity)) throw new RangeError(`"${name}" has importance ${importance}`);
    most = Math.max(most, importance);
  }
  return Float32Array.from(entries, ({ importance }) => (most === 0 ? 0 : importance / most));
}

function rankNames(entries: readonly SearchEntry[]): Uint32Array {
  const order = Uint32Array.from(entries.keys()).sort((a, b) => {
    const nameA = entries[a]!.name;
    const nameB = entries[b]!.name;
    if (nameA === nameB) return a - b;
    return nameA < nameB ? -1 : 1;
  });
  const ranks = new Uint32Array(entries.length);
  for (const [rank, entry] of order.entries()) ranks[entry] = rank;
  return ranks;
}

function writeTerms(texts: readonly string[]): Pick<SearchIndex, 'termLetters' | 'termStart' | 'termShared'> {
  const termStart = startsOf(texts.map((text) => text.length));
  const termLetters = new Uint16Array(termStart.at(-1)!);
  const termShared = new Uint8Array(texts.length);
  for (const [term, text] of texts.entries()) {
    for (let i = 0; i < text.length; i++) termLetters[termStart[term]! + i] = text.charCodeAt(i);
    termShared[term] = sharedLetters(texts[term - 1] ?? '', text);
  }
  return { termLetters, termStart, termShared };
}

function writePostings(
  texts: readonly string[],
  terms: ReadonlyMap<string, Term>,
): Pick<SearchIndex, 'postingStart' | 'postings'> {
  const lists = texts.map((text) => terms.get(text)!.postings);
  const postingStart = startsOf(lists.map((list) => list.length));
  const postings = new Uint32Array(postingStart.at(-1)!);
  for (const [term, list] of lists.entries()) postings.set(list, postingStart[term]!);
  return { postingStart, postings };
}

function writeParts(
  texts: readonly string[],
  terms: ReadonlyMap<string, Term>,
): Pick<SearchIndex, 'partTerm' | 'partFrom'> {
  // Compounds share their endings, so grouping by ending first leaves far less to sort.
  const termsByEnding = new Map<string, number[]>();
  let count = 0;
  for (const [term, text] of texts.entries()) {
    if (terms.get(text)!.isPair) continue;
    for (let from = 1; from <= text.length - SHORTEST_PART_LETTERS; from++, count++) {
      const ending = text.slice(from);
      const group = termsByEnding.get(ending);
      if (group === undefined) termsByEnding.set(ending, [term]);
      else group.push(term);
    }
  }
  const partTerm = new Uint32Array(count);
  const partFrom = new Uint8Array(count);
  let part = 0;
  for (const ending of [...termsByEnding.keys()].sort()) {
    for (const term of termsByEnding.get(ending)!) {
      partTerm[part] = term;
      partFrom[part++] = texts[term]!.length - ending.length;
    }
  }
  return { partTerm, partFrom };
}

function startsOf(lengths: readonly number[]): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) starts[i + 1] = starts[i]! + length;
  return starts;
}

function sharedLetters(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  return shared;
}
