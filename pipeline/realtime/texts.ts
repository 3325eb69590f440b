import { TextColumn } from '../snapshots/column.ts';

/** The texts of a snapshot, each once. */
export interface Texts {
  /** Row of a text; -1 for none. */
  row(text: string | null): number;
  column(): TextColumn;
}

export function collectTexts(): Texts {
  const rows = new Map<string, number>();
  return {
    row(text) {
      if (text === null) return -1;
      const known = rows.get(text);
      if (known !== undefined) return known;
      rows.set(text, rows.size);
      return rows.size - 1;
    },
    column: () => TextColumn.from([...rows.keys()]),
  };
}
