/** Every error of an answer: its stable code, its HTTP status, and its meaning for a reader. */
export const problems = {
  missing_query: { status: 400, title: 'A filter is missing' },
  invalid_parameter: { status: 400, title: 'A parameter is not valid' },
  unknown_parameter: { status: 400, title: 'A parameter is not known here' },
  invalid_body: { status: 400, title: 'The request body is not valid' },
  period_too_long: { status: 400, title: 'The period is too long' },
  timetable_out_of_range: { status: 400, title: 'The time lies outside of the loaded timetable' },
  origin_not_allowed: { status: 403, title: 'These routes cannot be called from a web page' },
  not_found: { status: 404, title: 'There is nothing here' },
  unknown_stop: { status: 404, title: 'The stop is not known' },
  unknown_journey: { status: 404, title: 'The journey reference is not known' },
  unknown_station: { status: 404, title: 'The station is not on the list' },
  no_path: { status: 404, title: 'There is no path between the places' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  watch_limit: { status: 409, title: 'There are too many watches' },
  journey_expired: { status: 410, title: 'The journey is over or has left the timetable' },
  payload_too_large: { status: 413, title: 'The request body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The request body must be application/json' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  source_standby: { status: 503, title: 'The source is paused on purpose' },
  timetable_unavailable: { status: 503, title: 'No timetable is loaded' },
  overloaded: { status: 503, title: 'Too much to do at the moment' },
  not_available_yet: { status: 503, title: 'This route is not available yet' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** May be thrown anywhere below a route; only the errors plugin converts it to `application/problem+json`. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  /** Name of the wrong query parameter, or JSON Pointer of the wrong body member. */
  readonly parameter: string | undefined;

  constructor(code: ProblemCode, detail: string, parameter?: string) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.parameter = parameter;
  }
}
