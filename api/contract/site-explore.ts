/** A table of the lake. */
export interface ExploreTable {
  /** With its schema, if it is not `main`. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** Tables of the lake, and the rows of a query if one was sent. */
export interface ExploreAnswer {
  readonly tables: readonly ExploreTable[];
  readonly columns: readonly { readonly name: string; readonly isNumeric: boolean }[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}
