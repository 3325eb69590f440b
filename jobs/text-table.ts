/** How a column of a table stands: numbers align at their end. */
export interface TextColumn {
  readonly title: string;
  readonly align?: 'start' | 'end';
}

/**
 * Lines of a table for a terminal, columns aligned, two blanks between them, no blanks at the end.
 * @param rows one text per column
 */
export function renderTable(columns: readonly TextColumn[], rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(onOneLine));
  const widths = columns.map(({ title }, index) =>
    shown.reduce((width, row) => Math.max(width, lengthOf(row[index] ?? '')), lengthOf(title)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? 'start'))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(columns.map(({ title }) => title)), line(rule), ...shown.map(line)];
}

function pad(text: string, width: number, align: 'start' | 'end'): string {
  const blanks = ' '.repeat(width - lengthOf(text));
  return align === 'end' ? blanks + text : text + blanks;
}

/** Characters as a person counts them: "ü" written as two code points is one. */
function lengthOf(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...text.normalize('NFC')].length;
}

/** A line break or another control character inside a cell would break the table, or the terminal. */
function onOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => JSON.stringify(character).slice(1, -1));
}
