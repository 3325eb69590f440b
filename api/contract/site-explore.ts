/** A table of the lake. */
export interface ExploreTable {
  /** Qualified with its schema unless that is `main`. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** Tables of the lake, and the rows of a query if one was sent. */
export interface ExploreAnswer {
  readonly tables: readonly ExploreTable[];
  readonly columns: readonly { readonly name: string; readonly isNumeric: boolean }[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether the result has more rows than these. */
  readonly isCut: boolean;
}
