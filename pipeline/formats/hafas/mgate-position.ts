import { numberOf, objectOf } from './mgate-json.ts';

/** Degrees. */
export interface MgatePosition {
  readonly lat: number;
  readonly lon: number;
}

/** HAFAS counts degrees in millionths. */
const PER_DEGREE = 1_000_000;

/** A member such as `pos` or `icoCrd`; null where it is no place on earth. */
export function readPosition(coordinates: unknown): MgatePosition | null {
  const [lon, lat] = [objectOf(coordinates).x, objectOf(coordinates).y].map(numberOf);
  return lat == null || lon == null ? null : toPosition(lat / PER_DEGREE, lon / PER_DEGREE);
}

/** Null for what is no place on earth, and for 0, 0, which some endpoints say where they do not know. */
export function toPosition(lat: unknown, lon: unknown): MgatePosition | null {
  const [north, east] = [numberOf(lat), numberOf(lon)];
  if (north === null || east === null || (north === 0 && east === 0)) return null;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { lat: north, lon: east } : null;
}
