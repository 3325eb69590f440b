/** Mean radius of the earth; the spatial index uses the same one, so that both rank distances alike. */
const EARTH_RADIUS_METERS = 6_371_000;
export const RADIANS_PER_DEGREE = Math.PI / 180;
/** Length of a degree of latitude. */
export const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS_PER_DEGREE;

/** A bounding box, in degrees. */
export interface GeoBox {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}

/** Great-circle distance on a sphere (haversine), from degrees to metres; NaN when a coordinate is NaN. */
export function distanceMeters(latA: number, lonA: number, latB: number, lonB: number): number {
  const haversine =
    squaredHalfSine(latA - latB) +
    Math.cos(latA * RADIANS_PER_DEGREE) * Math.cos(latB * RADIANS_PER_DEGREE) * squaredHalfSine(lonA - lonB);
  // Rounding can lift antipodes slightly above 1, where the arc sine is undefined.
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** Length of a polyline, in metres. */
export function measureLine(line: readonly { readonly lat: number; readonly lon: number }[]): number {
  let meters = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1]!, line[i]!];
    meters += distanceMeters(a.lat, a.lon, b.lat, b.lon);
  }
  return meters;
}

/** A point by its coordinates, in any unit. */
type Vertex = readonly [x: number, y: number];

/** Even-odd rule: whether a ray from a point to the east crosses an odd number of the edges of a ring. */
export function isInRing([x, y]: Vertex, count: number, vertexAt: (index: number) => Vertex): boolean {
  let isInside = false;
  for (let i = 0; i < count; i++) {
    const [[x1, y1], [x2, y2]] = [vertexAt(i === 0 ? count - 1 : i - 1), vertexAt(i)];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) isInside = !isInside;
  }
  return isInside;
}

/** Whether a coordinate pair is valid; publishers omit coordinates or send invalid ones. */
export function isCoordinate(lat: number, lon: number): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
}

function squaredHalfSine(degrees: number): number {
  const sine = Math.sin((degrees * RADIANS_PER_DEGREE) / 2);
  return sine * sine;
}
