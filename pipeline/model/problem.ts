/** An upstream's answer that cannot be read as a whole: cut off, an HTML page, another format, an upstream's error. */
export class UnreadableAnswer extends Error {
  /** Stable, snake_case: e.g. `truncated`, `not_json`, `upstream_error`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnreadableAnswer';
    this.code = code;
  }
}

/** Something wrong in the data of a publisher. Bad data is a value: parsing returns problems and does not throw. */
export interface Problem {
  /** Stable, snake_case; jobs count problems by it. */
  readonly code: string;
  readonly source: string;
  /** Place in the data, e.g. `stop_times.txt row 17`. */
  readonly place: string;
  readonly detail: string;
}
