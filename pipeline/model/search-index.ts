import { type NameWord, nameWords } from './stop-name.ts';

/**
 * The stop search as plain columns: built once with the timetable, stored in its snapshot, used in place.
 *
 * It has six tables; the beginning of a column's name is its table.
 *
 * - **entry**: one row per searchable stop, in input order. Results refer to this row.
 * - **name**: every name of an entry (as shown, translated, of its platforms and entrances), by entry, the one shown
 *   first; names of the same words are one.
 * - **term**: every distinct word of a name or place (also as written, where that differs), and every pair of
 *   neighbouring words of a name written as one ("mariahilferstrase"), sorted by UTF-16 code unit; term `t` is
 *   `termLetters[termStart[t] .. termStart[t + 1]]`.
 * - **posting**: which names hold a term; those of term `t` are `postings[postingStart[t] .. postingStart[t + 1]]`,
 *   ascending by name.
 * - **part**: every ending of 3 letters or more of the terms that are single words, sorted like terms: one range of it
 *   has all words that contain "bahnhof".
 * - **key**: whole names and codes, sorted by `keyHash`: for queries that equal one of them.
 *
 * Words have the forms of `nameWords`. Letters are UTF-16 code units, not bytes, so that a typing error is one error
 * in any script.
 */
export interface SearchIndex {
  /** 0..1, the stop with most traffic has 1. */
  readonly entryImportance: Float32Array;
  /** Rank of the entry by name (code units), then by row; unique. */
  readonly entryNameRank: Uint32Array;
  /** 2: the name ends in the word for main station, apart from the place; 1: for station; 0: neither. */
  readonly entryStationRank: Uint8Array;

  readonly nameEntry: Uint32Array;
  /** Position in `nameKinds`. */
  readonly nameKind: Uint8Array;
  /** Letters of the name without the words of the place; 0 if the name equals the place. */
  readonly nameOwnLetters: Uint16Array;
  /** Sum of `hashWord` over the same words: equal for the same words in any order. */
  readonly nameWordSum: Uint32Array;

  readonly termLetters: Uint16Array;
  /** One more than there are terms. */
  readonly termStart: Uint32Array;
  /** Letters that the term shares with the beginning of the term before it; 0 for the first. */
  readonly termShared: Uint8Array;
  /**
   * Of a pair: letters that it shares with its first word, at least 1, the least of all its names; 0 for a single word. A text within
   * them begins the first word too.
   */
  readonly termHead: Uint8Array;

  /** One more than there are terms. */
  readonly postingStart: Uint32Array;
  /** Name times two, plus 1 when the term belongs to the name itself and 0 when it belongs to the place only. */
  readonly postings: Uint32Array;

  readonly partTerm: Uint32Array;
  /** Start of the ending within the term, from 1. */
  readonly partFrom: Uint8Array;

  /** See `hashKey`; ascending, equal ones once for each entry and spelling. */
  readonly keyHash: Uint32Array;
  readonly keyCheck: Uint32Array;
  /** See `hashSpelling`. */
  readonly keySpelling: Uint32Array;
  readonly keyEntry: Uint32Array;
  /** Position in `nameKinds`. */
  readonly keyKind: Uint8Array;
}

/** Kinds of names, the stop's own first; `part`: name of a platform or an entrance. */
export const nameKinds = ['shown', 'translated', 'part', 'code'] as const;
export type NameKind = (typeof nameKinds)[number];

/** The shortest ending in the part table. */
export const SHORTEST_PART_LETTERS = 3;

/** Further words of a name are ignored: except for single letters, no query within the contract's length has more. */
export const MAX_NAME_WORDS = 24;

/**
 * Key of a whole name or code: equal for equal words in equal order, however they are spelled or divided. A text
 * without letters and digits is its own key.
 * @param words of the text, if already computed
 * @returns two hashes, which together identify the key
 */
export function hashKey(
  text: string,
  words: readonly NameWord[] = nameWords(text),
): { readonly hash: number; readonly check: number } {
  const key = words.length > 0 ? words.map((word) => word.text).join('') : spell(text).replaceAll(' ', '');
  return { hash: hashWord(key), check: hashWord(key, CHECK_SEED) };
}

/** Hash of a text as written, ignoring case and the number of spaces. */
export function hashSpelling(text: string): number {
  return hashWord(spell(text));
}

function spell(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

const CHECK_SEED = 0x9747b28c;

/** A hash of 32 bits over UTF-16 code units. */
export function hashWord(word: string, seed = 0x811c9dc5): number {
  let value = seed;
  for (let i = 0; i < word.length; i++) {
    value = Math.imul(value ^ word.charCodeAt(i), 0x5bd1e995);
    value ^= value >>> 15;
  }
  return value >>> 0;
}
