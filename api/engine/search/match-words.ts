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

/** Names with less than this share of the query's weight matched are no results. */
const MIN_MATCHED_SHARE = 0.5;
/** The same where the query is a whole name: what has half of its words is noise then. */
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

/** A letter of a word that is no article or preposition; one of those counts as one unit as a whole. */
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
 * ones leave the query unanswered. The most frequent words that make up less than the share of the query that must match
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
  const lookups = listLookups(index, words, minMatchedShare(isExact));
  const [decisive, others] = [lookups.filter((one) => one.isDecisive), lookups.filter((one) => !one.isDecisive)];
  const matchPlain = (list: readonly Lookup[]) => {
    for (const lookup of list) {
      matchBeginnings(index, workspace, lookup);
      matchCompounds(index, workspace, lookup);
    }
  };
  matchPlain(decisive);
  matchPlain(others);
  if (isExact || hasWhole(workspace, words.length, QUALITY.exact)) return;
  let remaining = MAX_SIMILAR_LOOKUPS;
  for (const tolerance of ['first', 'last'] as const) {
    for (const list of [decisive, others]) {
      const tolerant = list.filter((one) => one.tolerance === tolerance && one.text.length >= SHORTEST_SIMILAR);
      for (const lookup of tolerant.slice(0, remaining)) matchSimilar(index, workspace, lookup);
      remaining -= Math.min(remaining, tolerant.length);
      // Names that are considered only now have not seen the other words.
      if (list === decisive && tolerant.length > 0) matchPlain(others);
    }
    if (hasWhole(workspace, words.length, 1)) return;
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

function listLookups(index: SearchIndex, words: readonly QueryWord[], minShare: number): Lookup[] {
  const forms = words.map((word) => word.forms.map((text) => ({ text, terms: termsStartingWith(index, text) })));
  const isKnown = forms.map((texts) => texts.some(({ text, terms }) => isTerm(index, text, terms)));
  const isDecisive = findDecisive(
    weighWords(words),
    forms.map((texts) => texts.reduce((sum, { terms }) => sum + countPostings(index, terms), 0)),
    minShare,
  );
  const single = forms.flatMap((texts, word) =>
    texts.map(
      (one): Lookup => ({
        ...one,
        firstWord: word,
        lastWord: word,
        isComplete: words[word]!.isComplete,
        tolerance: isKnown[word] ? 'last' : 'first',
        isDecisive: isDecisive[word]!,
      }),
    ),
  );
  const pairs = words.slice(1).flatMap(({ forms: seconds, isComplete }, first) => {
    const texts = words[first]!.forms.flatMap((head) => seconds.map((second) => joinWords(head, second)));
    return [...new Set(texts)].map(
      (text): Lookup => ({
        text,
        terms: termsStartingWith(index, text),
        firstWord: first,
        lastWord: first + 1,
        isComplete,
        // Two words that both exist are unlikely to be one mistyped compound.
        tolerance: isKnown[first] && isKnown[first + 1] ? 'never' : 'first',
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

/** All words but the most frequent, as long as those are less than the share that has to match. */
function findDecisive(weights: readonly number[], frequency: readonly number[], minShare: number): boolean[] {
  let spare = weights.reduce((sum, weight) => sum + weight, 0) * minShare;
  const isDecisive = weights.map(() => true);
  for (const word of [...frequency.keys()].sort((a, b) => frequency[b]! - frequency[a]!)) {
    if (weights[word]! >= spare) continue;
    spare -= weights[word]!;
    isDecisive[word] = false;
  }
  return isDecisive;
}

function matchBeginnings(index: SearchIndex, workspace: SearchWorkspace, lookup: Lookup): void {
  const { text, isComplete } = lookup;
  const { from, to } = lookup.terms;
  const prefixQuality = isComplete ? QUALITY.prefix : QUALITY.typedPrefix;
  const prefixCounts = !isComplete || text.length >= SHORTEST_INNER_PREFIX;
  for (let term = from; term < to; term++) {
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
