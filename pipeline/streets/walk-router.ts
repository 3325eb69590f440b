/** Degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

export type WalkProfile = 'foot' | 'wheelchair';
export type WalkLanguage = 'de' | 'en';

export interface WalkStep {
  readonly instruction: string;
  /** lowerCamelCase, after the street graph's own kinds of manoeuvre: `start`, `turnLeft`, `stairs`, `destination`… */
  readonly maneuver: string;
  /** Places in `points`, both inclusive. */
  readonly from: number;
  readonly to: number;
}

export interface WalkPath {
  readonly distanceMeters: number;
  /** At the profile's usual speed. */
  readonly durationSeconds: number;
  readonly points: readonly Point[];
  readonly steps: readonly WalkStep[];
}

/** Ways on foot over a street graph. */
export interface WalkRouter {
  /** Names the graph: what was measured on one is not mixed with another. */
  readonly id: string;
  /**
   * @returns whole metres to each of the others; null where there is no way, or it is longer than `maxMeters`, or than
   * 5 km. Where no streets are known around both places it is the straight line and what ways are longer than it
   */
  measure(from: Point, to: readonly Point[], profile: WalkProfile, maxMeters: number): Promise<(number | null)[]>;
  /** @returns null where there is no way, or it is longer than 50 km; of the same length as measured, up to a few metres */
  findPath(from: Point, to: Point, profile: WalkProfile, language: WalkLanguage): Promise<WalkPath | null>;
}
