/**
 * An upstream answer that cannot be used at all: truncated, an HTML page, another format, or an error of the upstream.
 */
export class UnreadableAnswer extends Error {
  /** Stable, snake_case: e.g. `truncated`, `not_json`, `upstream_error`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnreadableAnswer';
    this.code = code;
  }
}

/** An error in a publisher's data. Bad data is a value: parsing returns problems and does not throw. */
export interface RecordProblem {
  /** Stable, snake_case; jobs count problems by code. */
  readonly code: string;
  readonly source: string;
  /** Place in the data, e.g. `stop_times.txt row 17`. */
  readonly place: string;
  readonly detail: string;
}
