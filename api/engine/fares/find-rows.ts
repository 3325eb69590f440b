/** A run of rows of a table. */
export interface RowRange {
  readonly first: number;
  /** The first row behind it. */
  readonly end: number;
}

/**
 * Finds the rows that have given values in the columns by which their table is sorted.
 * @param columns the first of these columns, in their order
 * @param key one value for each
 */
export function findRows(columns: readonly ArrayLike<number>[], key: readonly number[]): RowRange {
  return { first: findFirst(columns, key, 0), end: findFirst(columns, key, 1) };
}

/** The first row whose key compares at least so with the one asked for: 0 is equal, 1 is greater. */
function findFirst(columns: readonly ArrayLike<number>[], key: readonly number[], least: 0 | 1): number {
  let low = 0;
  let high = columns[0]!.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareRow(columns, middle, key) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareRow(columns: readonly ArrayLike<number>[], row: number, key: readonly number[]): number {
  for (let i = 0; i < key.length; i++) {
    const difference = columns[i]![row]! - key[i]!;
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
