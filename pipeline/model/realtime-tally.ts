/** How the records of a source's newest answers were counted; every record is in one of the counts. */
export interface RealtimeTally {
  /** Trips, by how they were matched (`trip_id`, `route_start`, `stop_line_time`, `added`, …). */
  readonly matched: Readonly<Record<string, number>>;
  /** Trips that were not, by reason (`unknown_trip`, `not_running`, `ambiguous`, …). */
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
