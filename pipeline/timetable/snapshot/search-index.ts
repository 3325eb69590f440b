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
import { sortByHash } from './sort-by-hash.ts';

/** A searchable stop, or several that are one. */
export interface SearchEntry {
  /** As shown. */
  readonly name: string;
  /** Town of the stop ("Wien"), where known; the name need not repeat it. */
  readonly place: string | null;
  /** Increases with traffic, e.g. the logarithm of weighted daily departures; at least 0, any scale. */
  readonly importance: number;
  /** Further names and codes by which it is found. */
  readonly otherNames?: readonly OtherName[];
  /** Names of the place in other languages, "Vienna". */
  readonly placeNames?: readonly string[];
}

export interface OtherName {
  readonly kind: NameKind;
  readonly name: string;
}

interface Term {
  /** For a neighbouring pair written as one word, see `termHead`; its endings are those of its words. */
  head: number;
  readonly postings: number[];
}

/** A row of the name table. */
interface Name extends OtherName {
  readonly entry: number;
  readonly words: readonly NameWord[];
  /** Those that do not repeat the place. */
  readonly own: readonly NameWord[];
}

/**
 * Builds the search index of a timetable's stops.
 * @param entries in the order that results refer to
 * @throws RangeError for an importance that is negative or not a number
 */
export function buildSearchIndex(entries: readonly SearchEntry[]): SearchIndex {
  const wordsOf = rememberWords();
  const all = listNames(entries, wordsOf);
  const names = listDistinct(all);
  const terms = new Map<string, Term>();
  for (const [row, name] of names.entries()) addName(terms, row, name, listPlaceWords(entries[name.entry]!, wordsOf));
  const texts = [...terms.keys()].sort();
  return {
    entryImportance: normaliseImportance(entries),
    entryNameRank: rankNames(entries),
    entryStationRank: rankStations(names, entries.length),
    ...writeNames(names),
    ...writeTerms(texts),
    termHead: Uint8Array.from(texts, (text) => terms.get(text)!.head),
    ...writePostings(texts, terms),
    ...writeParts(texts, terms),
    ...writeKeys(all),
  };
}

type WordsOf = (name: string) => readonly NameWord[];

/** Splits each text once: most entries share their place, and many their name. */
function rememberWords(): WordsOf {
  const known = new Map<string, readonly NameWord[]>();
  return (name) => {
    let words = known.get(name);
    if (words === undefined) {
      words = nameWords(name);
      known.set(name, words);
    }
    return words;
  };
}

/** All names and codes by entry, the shown name first; equal spellings are one. */
function listNames(entries: readonly SearchEntry[], wordsOf: WordsOf): Name[] {
  const names: Name[] = [];
  const add = (entry: number, { kind, name }: OtherName, place: readonly NameWord[]) => {
    const words = wordsOf(name);
    const isOfPlace = (word: NameWord) => place.some(({ text }) => text === word.text);
    const own = words.some(isOfPlace) ? words.filter((word) => !isOfPlace(word)) : words;
    names.push({ kind, name, entry, words, own });
  };
  for (const [entry, { name, place, otherNames = [] }] of entries.entries()) {
    const placeWords = place === null ? [] : wordsOf(place);
    const seen = new Set([name]);
    add(entry, { kind: 'shown', name }, placeWords);
    for (const other of otherNames) {
      if (seen.has(other.name)) continue;
      seen.add(other.name);
      add(entry, other, placeWords);
    }
  }
  return names;
}

/** Names found by words: of an entry's names with equal words, the first. Codes are only found as a whole. */
function listDistinct(names: readonly Name[]): Name[] {
  let entry = -1;
  let seen = new Set<string>();
  return names.filter((name) => {
    if (name.entry !== entry) seen = new Set();
    entry = name.entry;
    if (name.kind === 'code') return false;
    const key = name.words.map(({ text }) => text).join(' ');
    return !seen.has(key) && seen.add(key);
  });
}

/** Adds the words of a name, its pairs of neighbouring words, and the words of its place. */
function addName(terms: Map<string, Term>, row: number, { words, own }: Name, place: readonly NameWord[]): void {
  for (const word of own) addWord(terms, row, word, row * 2 + 1);
  for (let i = 1; i < words.length; i++) {
    const first = words[i - 1]!.text;
    const pair = joinWords(first, words[i]!.text);
    addPosting(terms, row, pair, { posting: row * 2 + 1, head: Math.max(1, sharedLetters(first, pair)) });
  }
  for (const word of place) addWord(terms, row, word, row * 2);
}

function addWord(terms: Map<string, Term>, row: number, { text, written }: NameWord, posting: number): void {
  addPosting(terms, row, text, { posting, head: 0 });
  // A typing error within "ue" or "ph" is one error in the written name, but two in the folded one.
  if (written !== text) addPosting(terms, row, written, { posting, head: 0 });
}

function addPosting(
  terms: Map<string, Term>,
  row: number,
  text: string,
  { posting, head }: { readonly posting: number; readonly head: number },
): void {
  const term = terms.get(text);
  if (term === undefined) {
    terms.set(text, { head, postings: [posting] });
    return;
  }
  term.head = Math.min(term.head, head);
  // A repeated word or pair of a name is one posting; words of the name itself come first and win.
  if (term.postings.at(-1)! >> 1 !== row) term.postings.push(posting);
}

function listPlaceWords({ place, placeNames = [] }: SearchEntry, wordsOf: WordsOf): readonly NameWord[] {
  const own = place === null ? [] : wordsOf(place);
  return placeNames.length === 0 ? own : [...own, ...placeNames.flatMap(wordsOf)];
}

function writeNames(
  names: readonly Name[],
): Pick<SearchIndex, 'nameEntry' | 'nameKind' | 'nameOwnLetters' | 'nameWordSum'> {
  const sum = (words: readonly NameWord[], value: (text: string) => number) =>
    words.reduce((total, { text }) => total + value(text), 0);
  return {
    nameEntry: Uint32Array.from(names, ({ entry }) => entry),
    nameKind: Uint8Array.from(names, ({ kind }) => nameKinds.indexOf(kind)),
    nameOwnLetters: Uint16Array.from(names, ({ own }) =>
      Math.min(
        0xffff,
        sum(own, (text) => text.length),
      ),
    ),
    nameWordSum: Uint32Array.from(names, ({ own }) => sum(own.slice(0, MAX_NAME_WORDS), hashWord)),
  };
}

type Keys = Pick<SearchIndex, 'keyHash' | 'keyCheck' | 'keySpelling' | 'keyEntry' | 'keyKind'>;

function writeKeys(names: readonly Name[]): Keys {
  const hash = new Uint32Array(names.length);
  const check = new Uint32Array(names.length);
  for (const [row, { name, words }] of names.entries()) {
    const key = hashKey(name, words);
    hash[row] = key.hash;
    check[row] = key.check;
  }
  const order = sortByHash(hash, (a, b) => names[a]!.entry - names[b]!.entry || kindOf(names[a]!) - kindOf(names[b]!));
  return {
    keyHash: order.map((row) => hash[row]!),
    keyCheck: order.map((row) => check[row]!),
    keySpelling: order.map((row) => hashSpelling(names[row]!.name)),
    keyEntry: order.map((row) => names[row]!.entry),
    keyKind: Uint8Array.from(order, (row) => kindOf(names[row]!)),
  };
}

function kindOf({ kind }: Name): number {
  return nameKinds.indexOf(kind);
}

function rankStations(names: readonly Name[], entries: number): Uint8Array {
  const ranks = new Uint8Array(entries);
  for (const { entry, kind, own } of names) {
    if (kind === 'shown') ranks[entry] = Math.max(ranks[entry]!, stationRank(own));
  }
  return ranks;
}

/** @param words without those of the place: a name that goes on after the word is that of a stop near the station */
function stationRank(words: readonly NameWord[]): number {
  const last = words.at(-1)?.text ?? '';
  if (last.endsWith('hauptbahnhof')) return 2;
  return last.endsWith('bahnhof') ? 1 : 0;
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
  // Compounds share endings, so grouping by ending first leaves far less to sort.
  const termsByEnding = new Map<string, number[]>();
  let count = 0;
  for (const [term, text] of texts.entries()) {
    if (terms.get(text)!.head > 0) continue;
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
