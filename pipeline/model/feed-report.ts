/** What became of the rows of one table of a feed: `rowsIn = rowsOut + refused`, always. */
export interface TableReport {
  readonly table: string;
  readonly rowsIn: number;
  readonly rowsOut: number;
  readonly refused: readonly RefusedRows[];
  /** Rows that were kept with something missing or filled in, by what it was. */
  readonly repaired: readonly { readonly code: string; readonly count: number }[];
}

interface RefusedRows {
  readonly code: string;
  readonly count: number;
  /** The first few, for a person to look at. */
  readonly samples: readonly string[];
}

export function countRefused(report: TableReport): number {
  return report.refused.reduce((sum, rows) => sum + rows.count, 0);
}
