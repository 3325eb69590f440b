import { distanceMeters } from '../../../pipeline/model/geo.ts';
import { type SearchIndex, SHORTEST_PART_LETTERS } from '../../../pipeline/model/search-index.ts';
import { joinWords, type QueryWord, queryWords } from '../../../pipeline/model/stop-name.ts';
import { findSimilarTerms, partsStartingWith, termLength, termsStartingWith } from './term-match.ts';

export interface SearchOptions {
  /** Maximum number of results. */
  readonly limit: number;
  /** Location of the traveller; stops near it rank somewhat higher. */
  readonly bias?: { readonly lat: number; readonly lon: number };
  /** Coordinates by entry, NaN where unknown; read only with a bias. */
  readonly coordinates: { readonly lat: Float64Array; readonly lon: Float64Array };
}

interface SearchResult {
  readonly entry: number;
  readonly score: number;
}

/** How well a word of the query matches a word of a name, in percent. */
const QUALITY = {
  exact: 100,
  /** The beginning of a word, where the query may still be being typed. */
  typedPrefix: 86,
  prefix: 75,
  /** The end of a compound: "bahnhof" of "Westbahnhof". */
  compoundEnd: 70,
  compoundMiddle: 55,
  /** By number of typing errors. */
  similar: [100, 50, 38],
  similarPrefix: [86, 42, 30],
} as const;

/** Penalty for two query words that only match as one ("west bahnhof"), compared with the name as it is written. */
const JOIN_COST = 3;

/**
 * The score is the share of the query that matches (0..100, weighted by letters and quality), plus these. An exact
 * name beats every other entry, whatever their importance, station and distance: together these are worth less.
 */
const POINTS = {
  exactName: 35,
  /** Times the share of the name that the query covers. */
  coverage: 12,
  importance: 10,
  /** By station rank; brings a town's main station to the top when only the town is asked for. */
  station: [0, 6, 12],
  /** At the traveller's location; half as much at `BIAS_HALF_METERS`. */
  bias: 8,
} as const;

const BIAS_HALF_METERS = 5000;

/** Entries with less than this share of the query's letters matched are no results. */
const MIN_MATCHED_SHARE = 0.5;
/** Entries with less than this share of the best score are dropped: next to a good match, poor ones are noise. */
const MIN_SHARE_OF_BEST = 0.45;

/** Words after these are ignored; no name of a stop has as many. */
const MAX_QUERY_WORDS = 10;
/** Limit on look-ups with typing errors, which are the costly part. */
const MAX_SIMILAR_LOOKUPS = 8;
/** Shorter words would be similar to everything, or begin half of all compounds. */
const SHORTEST_SIMILAR = 4;
const SHORTEST_TWO_ERRORS = 8;
const SHORTEST_INNER_PREFIX = 3;
const SHORTEST_COMPOUND_MIDDLE = 4;

/**
 * Finds stops by name.
 *
 * Best first: by score, then importance (both descending), then name (code units), then entry; a total order, so that
 * a smaller limit gives a beginning of what a larger one gives.
 *
 * @param query anything a person may type; its last word may be incomplete
 * @returns no entry twice; empty when too little of the query matches
 */
export function searchStops(index: SearchIndex, query: string, options: SearchOptions): SearchResult[] {
  const words = queryWords(query).slice(0, MAX_QUERY_WORDS);
  if (words.length === 0 || options.limit < 1) return [];
  const matches = matchWords(index, words);
  return rankEntries(index, matches, options);
}

/** All matches, as a table of query words by entries. */
interface Matches {
  /** Letters of each query word. */
  readonly weights: readonly number[];
  /** `word * entries + entry`: quality times two, plus 1 for a word of the name itself; 0 = no match. */
  readonly cells: Uint8Array;
  /** 1 where any word matches. */
  readonly isMatched: Uint8Array;
}

/** A text to look up, and the query words that count as matched in its entries. */
interface Lookup {
  readonly text: string;
  readonly firstWord: number;
  readonly lastWord: number;
  readonly isComplete: boolean;
  readonly allowsErrors: boolean;
}

function matchWords(index: SearchIndex, words: readonly QueryWord[]): Matches {
  const entries = index.entryImportance.length;
  const matches: Matches = {
    weights: words.map(({ letters }) => letters),
    cells: new Uint8Array(words.length * entries),
    isMatched: new Uint8Array(entries),
  };
  let similarLookups = 0;
  for (const lookup of listLookups(index, words)) {
    matchExactly(index, matches, lookup);
    matchCompounds(index, matches, lookup);
    if (lookup.allowsErrors && lookup.text.length >= SHORTEST_SIMILAR && similarLookups++ < MAX_SIMILAR_LOOKUPS) {
      matchSimilar(index, matches, lookup);
    }
  }
  return matches;
}

function listLookups(index: SearchIndex, words: readonly QueryWord[]): Lookup[] {
  const lookups: Lookup[] = [];
  const isKnown = words.map(({ forms }) => forms.some((form) => hasTerm(index, form)));
  for (const [word, { forms, isComplete }] of words.entries()) {
    for (const text of forms) {
      lookups.push({ text, firstWord: word, lastWord: word, isComplete, allowsErrors: true });
    }
  }
  for (let word = 1; word < words.length; word++) {
    const { forms, isComplete } = words[word]!;
    const texts = words[word - 1]!.forms.flatMap((first) => forms.map((second) => joinWords(first, second)));
    // Two words that both exist are unlikely to be one mistyped compound.
    const allowsErrors = !(isKnown[word - 1] && isKnown[word]);
    for (const text of new Set(texts)) {
      lookups.push({ text, firstWord: word - 1, lastWord: word, isComplete, allowsErrors });
    }
  }
  return lookups;
}

function hasTerm(index: SearchIndex, text: string): boolean {
  const { from, to } = termsStartingWith(index, text);
  return from < to && termLength(index, from) === text.length;
}

function matchExactly(index: SearchIndex, matches: Matches, lookup: Lookup): void {
  const { text, isComplete } = lookup;
  const { from, to } = termsStartingWith(index, text);
  const prefixQuality = isComplete ? QUALITY.prefix : QUALITY.typedPrefix;
  const prefixCounts = !isComplete || text.length >= SHORTEST_INNER_PREFIX;
  for (let term = from; term < to; term++) {
    if (termLength(index, term) === text.length) credit(index, matches, lookup, term, QUALITY.exact);
    else if (prefixCounts) credit(index, matches, lookup, term, prefixQuality);
    else return;
  }
}

function matchCompounds(index: SearchIndex, matches: Matches, lookup: Lookup): void {
  const { text } = lookup;
  if (text.length < SHORTEST_PART_LETTERS) return;
  const { from, to } = partsStartingWith(index, text);
  for (let part = from; part < to; part++) {
    const term = index.partTerm[part]!;
    const isEnd = index.partFrom[part]! + text.length === termLength(index, term);
    if (isEnd) credit(index, matches, lookup, term, QUALITY.compoundEnd);
    else if (text.length >= SHORTEST_COMPOUND_MIDDLE) credit(index, matches, lookup, term, QUALITY.compoundMiddle);
    else return;
  }
}

function matchSimilar(index: SearchIndex, matches: Matches, lookup: Lookup): void {
  const { text, isComplete } = lookup;
  const maxErrors = text.length >= SHORTEST_TWO_ERRORS ? 2 : 1;
  findSimilarTerms(index, text, maxErrors, !isComplete, (term, wholeErrors, prefixErrors) => {
    const quality = Math.max(QUALITY.similar[wholeErrors] ?? 0, QUALITY.similarPrefix[prefixErrors] ?? 0);
    credit(index, matches, lookup, term, quality);
  });
}

/** Records the match of the lookup's words in all entries with the term, unless they match it better already. */
function credit(index: SearchIndex, matches: Matches, lookup: Lookup, term: number, quality: number): void {
  const { postings, postingStart } = index;
  const { cells, isMatched } = matches;
  const { firstWord, lastWord } = lookup;
  const entries = isMatched.length;
  const worth = (firstWord === lastWord ? quality : quality - JOIN_COST) * 2;
  for (let i = postingStart[term]!; i < postingStart[term + 1]!; i++) {
    const posting = postings[i]!;
    const entry = posting >>> 1;
    const cell = worth + (posting & 1);
    isMatched[entry] = 1;
    for (let word = firstWord; word <= lastWord; word++) {
      if (cells[word * entries + entry]! < cell) cells[word * entries + entry] = cell;
    }
  }
}

function rankEntries(index: SearchIndex, matches: Matches, options: SearchOptions): SearchResult[] {
  const { isMatched } = matches;
  const best: SearchResult[] = [];
  for (let entry = 0; entry < isMatched.length; entry++) {
    if (isMatched[entry] === 0) continue;
    let score = scoreEntry(index, matches, entry);
    if (score === 0) continue;
    if (options.bias) {
      // Computes the distance only where it can decide.
      const last = best.length < options.limit ? undefined : best.at(-1);
      if (last && score + POINTS.bias < last.score) continue;
      score += biasPoints(options.bias, options.coordinates, entry);
    }
    insertResult(index, best, { entry, score }, options.limit);
  }
  const minScore = (best[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  return best.filter(({ score }) => score >= minScore);
}

/** 0 when too little of the query matches for the entry to be a result. */
function scoreEntry(index: SearchIndex, { weights, cells, isMatched }: Matches, entry: number): number {
  let letters = 0;
  let matchedLetters = 0;
  let ownLetters = 0;
  let points = 0;
  let isExact = true;
  for (let word = 0; word < weights.length; word++) {
    const weight = weights[word]!;
    const cell = cells[word * isMatched.length + entry]!;
    const quality = cell >>> 1;
    letters += weight;
    if (cell > 0) matchedLetters += weight;
    if (cell & 1) ownLetters += weight;
    points += quality * weight;
    isExact &&= quality === QUALITY.exact;
  }
  if (matchedLetters < letters * MIN_MATCHED_SHARE) return 0;
  const nameLetters = index.entryOwnLetters[entry]!;
  const coverage = nameLetters === 0 ? 0 : Math.min(1, ownLetters / nameLetters);
  return (
    points / letters +
    (isExact && ownLetters > 0 && ownLetters === nameLetters ? POINTS.exactName : 0) +
    coverage * POINTS.coverage +
    index.entryImportance[entry]! * POINTS.importance +
    POINTS.station[index.entryStationRank[entry] as 0 | 1 | 2]
  );
}

function biasPoints(
  { lat, lon }: NonNullable<SearchOptions['bias']>,
  coordinates: SearchOptions['coordinates'],
  entry: number,
): number {
  const distance = distanceMeters(lat, lon, coordinates.lat[entry]!, coordinates.lon[entry]!);
  return Number.isNaN(distance) ? 0 : POINTS.bias / (1 + distance / BIAS_HALF_METERS);
}

/** Keeps the list sorted and within the limit. */
function insertResult(index: SearchIndex, best: SearchResult[], result: SearchResult, limit: number): void {
  if (best.length === limit && compareResults(index, best[limit - 1]!, result) <= 0) return;
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareResults(index, best[middle]!, result) <= 0) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, result);
  if (best.length > limit) best.pop();
}

function compareResults({ entryImportance, entryNameRank }: SearchIndex, a: SearchResult, b: SearchResult): number {
  return (
    b.score - a.score ||
    entryImportance[b.entry]! - entryImportance[a.entry]! ||
    entryNameRank[a.entry]! - entryNameRank[b.entry]!
  );
}
