/** A column of a table; numbers are right-aligned. */
export interface TextColumn {
  readonly title: string;
  readonly align?: 'start' | 'end';
}

/**
 * Renders a table for a terminal: aligned columns, two blanks between them, no trailing blanks.
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

/** Number of visible characters: "ü" written as two code points is one. */
function lengthOf(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : [...text.normalize('NFC')].length;
}

/** Escapes line breaks and other control characters, which would break the table or the terminal. */
function onOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are matched on purpose
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => JSON.stringify(character).slice(1, -1));
}
