/** Something wrong in the data of a publisher. Bad data is a value: parsing returns problems and does not throw. */
export interface Problem {
  /** Stable, snake_case; jobs count problems by it. */
  readonly code: string;
  readonly source: string;
  /** Where it stands, e.g. `stop_times.txt row 17`. */
  readonly place: string;
  readonly detail: string;
}
