import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import type { SearchIndex } from '../../../pipeline/model/search-index.ts';

/** A half-open range of rows. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Terms that begin with the text, the term that equals it first. */
export function termsStartingWith(index: SearchIndex, text: string): RowRange {
  const { termLetters, termStart } = index;
  return rowsStartingWith(termStart.length - 1, (term) =>
    comparePrefix(termLetters, termStart[term]!, termStart[term + 1]!, text),
  );
}

/** Parts (endings of words) that begin with the text: words that contain it after their first letter. */
export function partsStartingWith(index: SearchIndex, text: string): RowRange {
  const { termLetters, termStart, partTerm, partFrom } = index;
  return rowsStartingWith(partTerm.length, (part) => {
    const term = partTerm[part]!;
    return comparePrefix(termLetters, termStart[term]! + partFrom[part]!, termStart[term + 1]!, text);
  });
}

export function termLength({ termStart }: SearchIndex, term: number): number {
  return termStart[term + 1]! - termStart[term]!;
}

/** The rows are sorted, so those before the text, those that begin with it, and those after it lie in this order. */
function rowsStartingWith(rows: number, compare: (row: number) => number): RowRange {
  const from = partitionPoint(0, rows, (row) => compare(row) < 0);
  // Few rows begin with a text as a rule: they are counted in growing steps.
  let step = 1;
  while (from + step < rows && compare(from + step) <= 0) step *= 2;
  return { from, to: partitionPoint(from, Math.min(rows, from + step), (row) => compare(row) < 1) };
}

/** Below 0 when the letters sort before the text, 0 when they begin with it, above 0 when they sort after. */
function comparePrefix(letters: Uint16Array, from: number, to: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (from + i === to) return -1;
    const difference = letters[from + i]! - text.charCodeAt(i);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/**
 * Reports every term within a limit of typing errors of a text: letters missing, added, wrong, or two neighbours
 * swapped (optimal string alignment). Each term is reported at most once, in order.
 *
 * The sorted terms are walked like a trie: a row of the error table belongs to a prefix and is shared by all terms with
 * it, and a prefix with too many errors drops them all at once.
 *
 * @param asPrefix whether the text may also be the beginning of a longer term
 * @param found gets the term, the errors against all of it, and the least errors against any prefix of it; one of the
 * two may exceed the limit
 */
export function findSimilarTerms(
  index: SearchIndex,
  text: string,
  maxErrors: number,
  asPrefix: boolean,
  found: (term: number, wholeErrors: number, prefixErrors: number) => void,
): void {
  const { termLetters, termStart, termShared } = index;
  const table = createErrorTable(text, maxErrors);
  const terms = termShared.length;
  let term = 0;
  let depth = 0;
  while (term < terms) {
    const start = termStart[term]!;
    const length = termStart[term + 1]! - start;
    depth = Math.min(depth, termShared[term]!);
    while (depth < length && isOpen(table, depth)) {
      addLetter(table, depth, termLetters[start + depth]!);
      depth++;
    }
    const wholeErrors = depth === length ? errorsAt(table, depth) : maxErrors + 1;
    const prefixErrors = asPrefix ? table.minPrefixErrors[depth]! : maxErrors + 1;
    if (wholeErrors <= maxErrors || prefixErrors <= maxErrors) found(term, wholeErrors, prefixErrors);
    term++;
    if (prefixErrors > maxErrors && !isOpen(table, depth)) {
      while (term < terms && termShared[term]! >= depth) term++;
    }
  }
}

/** Row `d` holds, for the first `d` letters of a term, the errors against each prefix of the text. */
interface ErrorTable {
  readonly text: Uint16Array;
  readonly maxErrors: number;
  readonly rows: Uint8Array;
  /** Letters that the rows were computed for. */
  readonly path: Uint16Array;
  /** Minimum of each row. */
  readonly minErrors: Uint8Array;
  /** By row, the fewest errors of the whole text against this or a shorter prefix. */
  readonly minPrefixErrors: Uint8Array;
}

function createErrorTable(text: string, maxErrors: number): ErrorTable {
  // The row after text length + allowed errors always exceeds the limit, so it is the last one ever needed.
  const depths = text.length + maxErrors + 2;
  const table = {
    text: Uint16Array.from(text, (letter) => letter.charCodeAt(0)),
    maxErrors,
    rows: new Uint8Array(depths * (text.length + 1)).fill(maxErrors + 1),
    path: new Uint16Array(depths),
    minErrors: new Uint8Array(depths),
    minPrefixErrors: new Uint8Array(depths),
  };
  for (let column = 0; column <= Math.min(maxErrors, text.length); column++) table.rows[column] = column;
  table.minPrefixErrors[0] = errorsAt(table, 0);
  return table;
}

/** Whether a term that starts with these letters can still end within the allowed errors. */
function isOpen({ minErrors, maxErrors }: ErrorTable, depth: number): boolean {
  return minErrors[depth]! <= maxErrors;
}

function errorsAt({ rows, text }: ErrorTable, depth: number): number {
  return rows[depth * (text.length + 1) + text.length]!;
}

/** Fills the row after one more letter, except cells too far off the diagonal to stay within the limit. */
function addLetter(table: ErrorTable, depth: number, letter: number): void {
  const { text, maxErrors, rows, path } = table;
  const tooMany = maxErrors + 1;
  const width = text.length + 1;
  const row = (depth + 1) * width;
  const above = row - width;
  const from = Math.max(1, depth + 1 - maxErrors);
  const to = Math.min(text.length, depth + 1 + maxErrors);
  path[depth] = letter;
  let left = from === 1 ? Math.min(depth + 1, tooMany) : tooMany;
  let least = left;
  rows[row + from - 1] = left;
  for (let column = from; column <= to; column++) {
    const isSame = text[column - 1] === letter;
    let errors = Math.min(rows[above + column - 1]! + (isSame ? 0 : 1), rows[above + column]! + 1, left + 1, tooMany);
    const isSwap = column > 1 && depth > 0 && text[column - 2] === letter && text[column - 1] === path[depth - 1];
    if (isSwap) errors = Math.min(errors, rows[above - width + column - 2]! + 1);
    rows[row + column] = errors;
    left = errors;
    least = Math.min(least, errors);
  }
  table.minErrors[depth + 1] = least;
  table.minPrefixErrors[depth + 1] = Math.min(table.minPrefixErrors[depth]!, errorsAt(table, depth + 1));
}
