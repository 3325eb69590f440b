/** Row counts of one table of a feed; always `rowsIn = rowsOut + refused`. */
export interface TableReport {
  readonly table: string;
  readonly rowsIn: number;
  readonly rowsOut: number;
  readonly refused: readonly RefusedRows[];
  /** By code: rows kept although a value was dropped or filled in. */
  readonly repaired: readonly { readonly code: string; readonly count: number }[];
}

interface RefusedRows {
  readonly code: string;
  readonly count: number;
  /** The first few, for inspection. */
  readonly samples: readonly string[];
}

export function countRefused(report: TableReport): number {
  return report.refused.reduce((sum, rows) => sum + rows.count, 0);
}
