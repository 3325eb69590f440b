/** @throws Error naming the violated invariant; a bug, so nothing is published */
export function assertInvariant(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the timetable snapshot violates an invariant: ${what}`);
}

/** Whether all numbers are rows of a table. */
export function isWithin(column: Int32Array, length: number): boolean {
  return column.every((row) => row >= 0 && row < length);
}
