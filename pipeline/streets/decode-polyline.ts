import type { Point } from './walk-router.ts';

/** The street engine writes coordinates with six decimals. */
const UNITS_PER_DEGREE = 1e6;

/**
 * Reads a line of points from its text: differences, zigzag, five bits a character, lowest first.
 * @see Google, "Encoded Polyline Algorithm Format", with another precision
 */
export function decodePolyline(text: string): Point[] {
  const points: Point[] = [];
  let at = 0;
  const readDifference = () => {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const bits = text.charCodeAt(at++) - 63;
      value |= (bits & 31) << shift;
      if (!(bits & 32)) return value & 1 ? ~(value >> 1) : value >> 1;
    }
  };
  let [lat, lon] = [0, 0];
  while (at < text.length) {
    lat += readDifference();
    lon += readDifference();
    points.push({ lat: lat / UNITS_PER_DEGREE, lon: lon / UNITS_PER_DEGREE });
  }
  return points;
}
