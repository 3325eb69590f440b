import { type SearchIndex, SHORTEST_PART_LETTERS } from '../../../pipeline/model/search-index.ts';
import { joinWords, type QueryWord } from '../../../pipeline/model/stop-name.ts';
import type { SearchWorkspace } from '../read/search-workspace.ts';
import { findSimilarTerms, partsStartingWith, type RowRange, termLength, termsStartingWith } from './term-match.ts';

/** How well a word of the query matches a word of a name, in percent. */
export const QUALITY = {
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

/** Names with less than this share of the query's weight matched are not results. */
const MIN_MATCHED_SHARE = 0.5;
/** The same if the query is a whole name: then a name with half of its words is noise. */
const MIN_SHARE_BESIDE_EXACT = 0.9;

/** @param isExact whether the whole query is a name already */
export function minMatchedShare(isExact: boolean): number {
  return isExact ? MIN_SHARE_BESIDE_EXACT : MIN_MATCHED_SHARE;
}

/** Limit on look-ups with typing errors, which are the costly part. */
const MAX_SIMILAR_LOOKUPS = 8;
/** Shorter words would be similar to everything, or begin half of all compounds. */
const SHORTEST_SIMILAR = 4;
const SHORTEST_TWO_ERRORS = 8;
const SHORTEST_INNER_PREFIX = 3;
const SHORTEST_COMPOUND_MIDDLE = 4;

/** Weight of a letter; an article or preposition counts as one letter in total. */
const LETTER_WEIGHT = 4;

/** Weight of each word of a query. */
export function weighWords(words: readonly QueryWord[]): number[] {
  return words.map(({ letters, isConnecting }) => (isConnecting ? 1 : letters * LETTER_WEIGHT));
}

/** A text to look up, and the query words that count as matched in its names. */
interface Lookup {
  readonly text: string;
  /** Terms that begin with the text. */
  readonly terms: RowRange;
  readonly firstWord: number;
  readonly lastWord: number;
  readonly isComplete: boolean;
  /** When typing errors are allowed: in unknown words first, in known ones only if the query finds nothing whole. */
  readonly tolerance: 'first' | 'last' | 'never';
  /** Whether names that only this text matches may be results. */
  readonly isDecisive: boolean;
}

/**
 * Matches all words of a query with the names of the index.
 *
 * A query that a name holds word for word needs no tolerant matching; nor do its words that exist, unless the unknown
 * ones leave the query unanswered. The most frequent words, which are less than the share of the query that must match,
 * only add to names that the others have found.
 *
 * @param isExact whether the whole query is a name already
 */
export function matchWords(
  index: SearchIndex,
  words: readonly QueryWord[],
  isExact: boolean,
  workspace: SearchWorkspace,
): void {
  workspace.start(words.length);
  const weights = weighWords(words);
  const lookups = listLookups(index, words, weights, isExact);
  const [decisive, others] = [lookups.filter((one) => one.isDecisive), lookups.filter((one) => !one.isDecisive)];
  matchPlain(index, workspace, decisive);
  if (isExact) {
    matchRest(index, workspace, others, weights);
    return;
  }
  matchPlain(index, workspace, others);
  if (hasWhole(workspace, words.length, QUALITY.exact)) return;
  let remaining = MAX_SIMILAR_LOOKUPS;
  for (const tolerance of ['first', 'last'] as const) {
    for (const list of [decisive, others]) {
      const tolerant = list.filter((one) => one.tolerance === tolerance && one.text.length >= SHORTEST_SIMILAR);
      for (const lookup of tolerant.slice(0, remaining)) matchSimilar(index, workspace, lookup);
      remaining -= Math.min(remaining, tolerant.length);
      // Names that are considered only now have not seen the other words.
      if (list === decisive && tolerant.length > 0) matchPlain(index, workspace, others);
    }
    if (hasWhole(workspace, words.length, 1)) return;
  }
}

function matchPlain(index: SearchIndex, workspace: SearchWorkspace, lookups: readonly Lookup[]): void {
  for (const lookup of lookups) {
    matchBeginnings(index, workspace, lookup);
    matchCompounds(index, workspace, lookup);
  }
}

/**
 * Matches the words that add to names already considered, the rarest first, where the query is a whole name: after each
 * word, the names that cannot match enough of it any more are dropped, so that hardly any are left for the frequent ones.
 */
function matchRest(
  index: SearchIndex,
  workspace: SearchWorkspace,
  lookups: readonly Lookup[],
  weights: readonly number[],
): void {
  const minWeight = weights.reduce((sum, weight) => sum + weight, 0) * MIN_SHARE_BESIDE_EXACT;
  const byWord = weights.map((_, word) => lookups.filter((one) => one.firstWord <= word && word <= one.lastWord));
  const frequency = byWord.map((texts) => texts.reduce((sum, { terms }) => sum + countPostings(index, terms), 0));
  const isOpen = byWord.map((texts) => texts.length > 0);
  for (const word of [...frequency.keys()].sort((a, b) => frequency[a]! - frequency[b]!)) {
    matchPlain(index, workspace, byWord[word]!);
    isOpen[word] = false;
    workspace.dropBelow(minWeight, weights, isOpen);
  }
}

/** Whether all words of the query match some name with at least a quality. */
function hasWhole({ cells, count }: SearchWorkspace, words: number, quality: number): boolean {
  for (let slot = 0; slot < count; slot++) {
    let word = 0;
    while (word < words && cells[slot * words + word]! >>> 1 >= quality) word++;
    if (word === words) return true;
  }
  return false;
}

function listLookups(
  index: SearchIndex,
  words: readonly QueryWord[],
  weights: readonly number[],
  isExact: boolean,
): Lookup[] {
  const forms = words.map((word) => word.forms.map((text) => ({ text, terms: termsStartingWith(index, text) })));
  const isKnown = forms.map((texts) => texts.some(({ text, terms }) => isTerm(index, text, terms)));
  const isDecisive = findDecisive(
    weights,
    forms.map((texts) => texts.reduce((sum, { terms }) => sum + countPostings(index, terms), 0)),
    minMatchedShare(isExact),
  );
  const single = forms.flatMap((texts, word) =>
    texts.map(
      ({ text, terms }): Lookup => ({
        text,
        terms,
        firstWord: word,
        lastWord: word,
        isComplete: words[word]!.isComplete,
        tolerance: isKnown[word] ? 'last' : 'first',
        isDecisive: isDecisive[word]!,
      }),
    ),
  );
  const pairs = words.slice(1).flatMap(({ forms: seconds, isComplete }, first) => {
    const areKnown = isKnown[first]! && isKnown[first + 1]!;
    // A name that has both words needs no other that has them as one.
    if (isExact && areKnown) return [];
    const texts = words[first]!.forms.flatMap((head) => seconds.map((second) => joinWords(head, second)));
    return [...new Set(texts)].map(
      (text): Lookup => ({
        text,
        terms: termsStartingWith(index, text),
        firstWord: first,
        lastWord: first + 1,
        isComplete,
        // Two words that both exist are unlikely to be one mistyped compound.
        tolerance: areKnown ? 'never' : 'first',
        isDecisive: isDecisive[first]! || isDecisive[first + 1]!,
      }),
    );
  });
  return [...single, ...pairs];
}

function isTerm(index: SearchIndex, text: string, { from, to }: RowRange): boolean {
  return from < to && termLength(index, from) === text.length;
}

function countPostings({ postingStart }: SearchIndex, { from, to }: RowRange): number {
  return postingStart[to]! - postingStart[from]!;
}

/** The rarest words, as many as it takes for the others to be less than the share that has to match. */
function findDecisive(weights: readonly number[], frequency: readonly number[], minShare: number): boolean[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let others = total;
  const isDecisive = weights.map(() => false);
  for (const word of [...frequency.keys()].sort((a, b) => frequency[a]! - frequency[b]!)) {
    if (others < total * minShare) break;
    others -= weights[word]!;
    isDecisive[word] = true;
  }
  return isDecisive;
}

function matchBeginnings(index: SearchIndex, workspace: SearchWorkspace, lookup: Lookup): void {
  const { text, isComplete } = lookup;
  const { from, to } = lookup.terms;
  const prefixQuality = isComplete ? QUALITY.prefix : QUALITY.typedPrefix;
  const prefixCounts = !isComplete || text.length >= SHORTEST_INNER_PREFIX;
  for (let term = from; term < to; term++) {
    // The first word of the pair begins with the text as well, and is a term itself.
    if (text.length <= index.termHead[term]!) continue;
    if (termLength(index, term) === text.length) credit(index, workspace, lookup, term, QUALITY.exact);
    else if (prefixCounts) credit(index, workspace, lookup, term, prefixQuality);
    else return;
  }
}

function matchCompounds(index: SearchIndex, workspace: SearchWorkspace, lookup: Lookup): void {
  const { text } = lookup;
  if (text.length < SHORTEST_PART_LETTERS) return;
  const { from, to } = partsStartingWith(index, text);
  for (let part = from; part < to; part++) {
    const term = index.partTerm[part]!;
    const isEnd = index.partFrom[part]! + text.length === termLength(index, term);
    if (isEnd) credit(index, workspace, lookup, term, QUALITY.compoundEnd);
    else if (text.length >= SHORTEST_COMPOUND_MIDDLE) credit(index, workspace, lookup, term, QUALITY.compoundMiddle);
    else return;
  }
}

function matchSimilar(index: SearchIndex, workspace: SearchWorkspace, lookup: Lookup): void {
  const { text, isComplete } = lookup;
  const maxErrors = text.length >= SHORTEST_TWO_ERRORS ? 2 : 1;
  findSimilarTerms(index, text, maxErrors, !isComplete, (term, wholeErrors, prefixErrors) => {
    const quality = Math.max(QUALITY.similar[wholeErrors] ?? 0, QUALITY.similarPrefix[prefixErrors] ?? 0);
    credit(index, workspace, lookup, term, quality);
  });
}

/** Records the match of the lookup's words in all names with the term. */
function credit(
  { postings, postingStart }: SearchIndex,
  workspace: SearchWorkspace,
  { firstWord, lastWord, isDecisive }: Lookup,
  term: number,
  quality: number,
): void {
  const worth = (firstWord === lastWord ? quality : quality - JOIN_COST) * 2;
  const [from, to] = [postingStart[term]!, postingStart[term + 1]!];
  if (!isDecisive && workspace.count * Math.log2(to - from + 1) < to - from) {
    workspace.creditConsidered(postings.subarray(from, to), firstWord, lastWord, worth);
    return;
  }
  for (let i = from; i < to; i++) {
    const posting = postings[i]!;
    workspace.credit(posting >>> 1, firstWord, lastWord, worth + (posting & 1), isDecisive);
  }
}
