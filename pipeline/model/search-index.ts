/**
 * The stop search as plain columns: made once with the timetable, stored in its snapshot, used in place.
 *
 * Four tables lie side by side; a column's name tells its table.
 *
 * - **entry**: one row per searchable stop, in the order they were handed in. Results name this row.
 * - **term**: every distinct word of a name or place (also as written, where that differs), and every pair of
 *   neighbouring words of a name written as one ("mariahilferstrase"), sorted by UTF-16 code unit; term `t` is
 *   `termLetters[termStart[t] .. termStart[t + 1]]`.
 * - **posting**: which entries hold a term; those of term `t` are `postings[postingStart[t] .. postingStart[t + 1]]`,
 *   ascending by entry.
 * - **part**: every ending of 3 letters or more of the terms that are single words, sorted like terms: a range of it
 *   holds all words with "bahnhof" inside.
 *
 * Words are in the forms of `nameWords`. Letters are UTF-16 code units, not bytes, so that a typing error is one error
 * in any script.
 */
export interface SearchIndex {
  /** 0..1, the stop with most traffic has 1. */
  readonly entryImportance: Float32Array;
  /** Place of the entry in the order by name (code units), then entry; no two alike. */
  readonly entryNameRank: Uint32Array;
  /** Letters of the name's words that do not merely repeat the place; 0 when the name is the place's. */
  readonly entryOwnLetters: Uint16Array;
  /** 2 = the name says main station, 1 = the name says station, 0 = neither. */
  readonly entryStationRank: Uint8Array;

  readonly termLetters: Uint16Array;
  /** One more than there are terms. */
  readonly termStart: Uint32Array;
  /** Letters that the term shares with the beginning of the term before it; 0 for the first. */
  readonly termShared: Uint8Array;

  /** One more than there are terms. */
  readonly postingStart: Uint32Array;
  /** Entry times two, plus 1 when the term belongs to the name itself and 0 when it only tells the place. */
  readonly postings: Uint32Array;

  readonly partTerm: Uint32Array;
  /** Where in the term the ending begins, from 1. */
  readonly partFrom: Uint8Array;
}

/** The shortest ending that the part table holds. */
export const SHORTEST_PART_LETTERS = 3;
