/** Punctuality of a station in a period. */
export interface StationPunctuality {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Scheduled calls. */
  readonly expected: number;
  /** Calls with an observed time: the denominator of the share on time. */
  readonly observed: number;
  readonly onTime: number;
}

/** `GET /site/data/punctuality/stations`. */
export interface StationsPunctuality {
  readonly period: { readonly from: string; readonly to: string };
  /** On time is a delay below this. */
  readonly onTimeMaxDelaySeconds: number;
  /** Those with the most observed calls first. */
  readonly stations: readonly StationPunctuality[];
  /** Number of all stations with an observed call; not all of them are listed in large networks. */
  readonly count: number;
  /** SQL of the counts by stop, to run after `catalog.sql` of the lake; null before anything is recorded. */
  readonly sql: string | null;
}
