/** What became of the records of a source's newest answers: everything that came in is accounted for. */
export interface RealtimeTally {
  /** Trips, by how they were matched (`trip_id`, `route_start`, `stop_line_time`, `added`, …). */
  readonly matched: Readonly<Record<string, number>>;
  /** Trips that were not, by reason (`unknown_trip`, `not_running`, `ambiguous`, …). */
  readonly unmatched: Readonly<Record<string, number>>;
  /** Vehicles of which the trip is known, planned or added. */
  readonly vehiclesMatched: number;
  /** Vehicles of which the route is known, and no trip. */
  readonly vehiclesOnRouteOnly: number;
  /** Vehicles of which neither is known. */
  readonly vehiclesUnmatched: number;
  readonly alerts: number;
  /** Records the answers held, refused ones included. */
  readonly records: number;
  /** Problems by code. */
  readonly problems: Readonly<Record<string, number>>;
}
