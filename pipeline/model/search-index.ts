/**
 * The stop search as plain columns: built once with the timetable, stored in its snapshot, used in place.
 *
 * It has four tables; the beginning of a column's name is its table.
 *
 * - **entry**: one row per searchable stop, in input order. Results refer to this row.
 * - **term**: every distinct word of a name or place (also as written, where that differs), and every pair of
 *   neighbouring words of a name written as one ("mariahilferstrase"), sorted by UTF-16 code unit; term `t` is
 *   `termLetters[termStart[t] .. termStart[t + 1]]`.
 * - **posting**: which entries hold a term; those of term `t` are `postings[postingStart[t] .. postingStart[t + 1]]`,
 *   ascending by entry.
 * - **part**: every ending of 3 letters or more of the terms that are single words, sorted like terms: one range of it
 *   has all words that contain "bahnhof".
 *
 * Words have the forms of `nameWords`. Letters are UTF-16 code units, not bytes, so that a typing error is one error
 * in any script.
 */
export interface SearchIndex {
  /** 0..1, the stop with most traffic has 1. */
  readonly entryImportance: Float32Array;
  /** Rank of the entry by name (code units), then entry; unique. */
  readonly entryNameRank: Uint32Array;
  /** Letters of the name's words that do not repeat the place; 0 when the name equals the place. */
  readonly entryOwnLetters: Uint16Array;
  /** 2 = the name has the word for main station, 1 = for station, 0 = neither. */
  readonly entryStationRank: Uint8Array;

  readonly termLetters: Uint16Array;
  /** One more than there are terms. */
  readonly termStart: Uint32Array;
  /** Letters that the term shares with the beginning of the term before it; 0 for the first. */
  readonly termShared: Uint8Array;

  /** One more than there are terms. */
  readonly postingStart: Uint32Array;
  /** Entry times two, plus 1 when the term belongs to the name itself and 0 when it belongs to the place only. */
  readonly postings: Uint32Array;

  readonly partTerm: Uint32Array;
  /** Start of the ending within the term, from 1. */
  readonly partFrom: Uint8Array;
}

/** The shortest ending in the part table. */
export const SHORTEST_PART_LETTERS = 3;
