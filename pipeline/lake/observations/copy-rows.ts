import {
  addRow,
  createRows,
  FIRST_TEXT_CELL,
  getText,
  numberText,
  ROW_WIDTH,
  type SightingRows,
  type TextTable,
} from './sighting-rows.ts';

/** @returns a function that appends a row of the one table to the other, which has other texts, and returns its number */
export function createCopier(from: SightingRows, to: SightingRows): (row: number) => number {
  const numbers = new Uint32Array(from.texts.texts.length + 1);
  const renumber = (number: number) => {
    if (number === 0) return 0;
    numbers[number] ||= numberText(to.texts, getText(from.texts, number));
    return numbers[number]!;
  };
  return (row) => {
    const copy = addRow(to);
    const [source, target] = [row * ROW_WIDTH, copy * ROW_WIDTH];
    for (let i = 0; i < FIRST_TEXT_CELL; i++) to.cells[target + i] = from.cells[source + i]!;
    for (let i = FIRST_TEXT_CELL; i < ROW_WIDTH; i++) to.cells[target + i] = renumber(from.cells[source + i]!);
    return copy;
  };
}

/** Copies all rows, their texts numbered by another table. */
export function copyRows(rows: SightingRows, texts: TextTable): SightingRows {
  const copied = createRows(rows.length, texts);
  const copy = createCopier(rows, copied);
  for (let row = 0; row < rows.length; row++) copy(row);
  return copied;
}
