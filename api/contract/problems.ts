/** Every error that the API returns: its stable code, HTTP status and meaning. */
export const problems = {
  missing_query: { status: 400, title: 'Missing filter' },
  invalid_parameter: { status: 400, title: 'Invalid parameter' },
  unknown_parameter: { status: 400, title: 'Unknown parameter' },
  invalid_body: { status: 400, title: 'Invalid request body' },
  period_too_long: { status: 400, title: 'Period too long' },
  mode_unavailable: { status: 400, title: 'Mode of travel not available' },
  timetable_out_of_range: { status: 400, title: 'Time outside the timetable period' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed' },
  not_found: { status: 404, title: 'Not found' },
  unknown_stop: { status: 404, title: 'Unknown stop' },
  unknown_journey: { status: 404, title: 'Unknown journey reference' },
  unknown_station: { status: 404, title: 'Unknown station' },
  no_path: { status: 404, title: 'No footpath found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  watch_limit: { status: 409, title: 'Too many watches' },
  journey_expired: { status: 410, title: 'Journey expired' },
  payload_too_large: { status: 413, title: 'Request body too large' },
  uri_too_long: { status: 414, title: 'URL too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Request headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  source_standby: { status: 503, title: 'Source paused by the operator' },
  timetable_unavailable: { status: 503, title: 'Timetable unavailable' },
  overloaded: { status: 503, title: 'Service overloaded' },
  not_available_yet: { status: 503, title: 'Route not available yet' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** May be thrown anywhere below a route; the errors plugin alone converts it to `application/problem+json`. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  /** Name of the invalid query parameter, or JSON Pointer of the invalid body member. */
  readonly parameter: string | undefined;

  constructor(code: ProblemCode, detail: string, parameter?: string) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.parameter = parameter;
  }
}
