/** Counts of the records in a source's newest answers; every record is in exactly one count. */
export interface RealtimeTally {
  /** Matched trips, by method (`trip_id`, `route_start`, `stop_line_time`, `added`, …). */
  readonly matched: Readonly<Record<string, number>>;
  /** Unmatched trips, by reason (`unknown_trip`, `not_running`, `ambiguous`, …). */
  readonly unmatched: Readonly<Record<string, number>>;
  /** Vehicles with a known trip, scheduled or added. */
  readonly vehiclesMatched: number;
  /** Vehicles with a known route but no known trip. */
  readonly vehiclesOnRouteOnly: number;
  /** Vehicles with neither. */
  readonly vehiclesUnmatched: number;
  readonly alerts: number;
  /** Records in the answers, refused ones included. */
  readonly records: number;
  /** Problems by code. */
  readonly problems: Readonly<Record<string, number>>;
}
