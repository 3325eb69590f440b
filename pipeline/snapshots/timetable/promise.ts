/** @throws Error naming the promise that is broken: then we were wrong, and nothing is published */
export function promise(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the timetable snapshot breaks a promise: ${what}`);
}

/** Whether all numbers are rows of a table. */
export function isWithin(column: Int32Array, length: number): boolean {
  return column.every((row) => row >= 0 && row < length);
}

/**
 * Asserts that rows of a table are listed by one column, then by another, all of them and each pair of values once.
 * @param order rows of the table
 */
export function checkSorted(order: Int32Array, first: Int32Array, second: Int32Array): void {
  promise(order.length === first.length && isWithin(order, first.length), 'what is sorted is all there');
  for (let i = 1; i < order.length; i++) {
    const [a, b] = [order[i - 1]!, order[i]!];
    // As pairs rise, none is there twice, and so every row is.
    const isAfter = first[a]! < first[b]! || (first[a] === first[b] && second[a]! < second[b]!);
    promise(isAfter, 'changes and continuations are sorted, one for each pair, from either end');
  }
}
