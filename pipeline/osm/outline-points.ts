/** A point in ten millionths of a degree. */
export interface UnitPoint {
  readonly lat: number;
  readonly lon: number;
}

/** Centre of an area by its outline; of the box around it where it has no area. */
export function findCentroid(points: readonly UnitPoint[]): UnitPoint | null {
  const origin = points[0];
  if (origin === undefined) return null;
  let [area, lat, lon] = [0, 0, 0];
  for (let i = 0; i < points.length; i++) {
    const [a, b] = [points[i]!, points[(i + 1) % points.length]!];
    const [ax, ay, bx, by] = [a.lon - origin.lon, a.lat - origin.lat, b.lon - origin.lon, b.lat - origin.lat];
    const cross = ax * by - bx * ay;
    area += cross;
    lon += (ax + bx) * cross;
    lat += (ay + by) * cross;
  }
  if (area === 0) return findMiddle(points);
  return { lat: Math.round(origin.lat + lat / (3 * area)), lon: Math.round(origin.lon + lon / (3 * area)) };
}

/** Centre of the box around all points; null without points. */
export function findMiddle(points: readonly UnitPoint[]): UnitPoint | null {
  if (points.length === 0) return null;
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { lat, lon } of points) {
    south = Math.min(south, lat);
    north = Math.max(north, lat);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
  }
  return { lat: Math.round((south + north) / 2), lon: Math.round((west + east) / 2) };
}
