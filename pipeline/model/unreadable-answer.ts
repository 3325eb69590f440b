/** An upstream's answer that as a whole is none: cut off, an HTML page, another format, an error of the upstream's. */
export class UnreadableAnswer extends Error {
  /** Stable, snake_case: e.g. `truncated`, `not_json`, `upstream_error`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'UnreadableAnswer';
    this.code = code;
  }
}
