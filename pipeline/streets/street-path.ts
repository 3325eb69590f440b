/** Degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

export type WalkLanguage = 'de' | 'en';

export interface StreetStep {
  readonly instruction: string;
  /** Kind of manoeuvre in lowerCamelCase, as in the street engine: `start`, `turnLeft`, `stairs`, `destination`… */
  readonly maneuver: string;
  /** Indices in `points`, both inclusive. */
  readonly from: number;
  readonly to: number;
}

/** A way along streets. */
export interface WalkPath {
  readonly distanceMeters: number;
  /** At the usual speed of the profile or vehicle. */
  readonly durationSeconds: number;
  readonly points: readonly Point[];
  readonly steps: readonly StreetStep[];
}
