import type { LonLat } from '../../contract/site-map.ts';
import type { Section } from '../read/section.ts';

/** The parts of a way whose pieces touch a section, in their order. */
export function cutWay(way: readonly LonLat[], section: Section): LonLat[][] {
  const parts: LonLat[][] = [];
  let part: LonLat[] = [];
  for (let i = 1; i < way.length; i++) {
    const [from, to] = [way[i - 1]!, way[i]!];
    if (touches(from, to, section)) {
      if (part.length === 0) part.push(from);
      part.push(to);
    } else if (part.length > 0) {
      parts.push(part);
      part = [];
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** By the rectangle around the piece: a piece too many is drawn outside of what is seen. */
function touches([lonA, latA]: LonLat, [lonB, latB]: LonLat, { minLat, minLon, maxLat, maxLon }: Section): boolean {
  return (
    Math.max(lonA, lonB) >= minLon &&
    Math.min(lonA, lonB) <= maxLon &&
    Math.max(latA, latB) >= minLat &&
    Math.min(latA, latB) <= maxLat
  );
}

/**
 * Leaves out points that lie nearer than a tolerance to the line without them (Douglas and Peucker 1973).
 * @param toleranceDegrees of latitude
 */
export function simplifyWay(way: readonly LonLat[], toleranceDegrees: number): LonLat[] {
  if (way.length < 3) return [...way];
  const scale = Math.cos((way[0]![1] * Math.PI) / 180);
  const isKept = new Uint8Array(way.length);
  isKept[0] = 1;
  isKept[way.length - 1] = 1;
  const open: [number, number][] = [[0, way.length - 1]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [from, to] = range;
    let furthest = -1;
    let most = toleranceDegrees;
    for (let i = from + 1; i < to; i++) {
      const distance = distanceToPiece(way[i]!, way[from]!, way[to]!, scale);
      if (distance > most) [furthest, most] = [i, distance];
    }
    if (furthest < 0) continue;
    isKept[furthest] = 1;
    open.push([from, furthest], [furthest, to]);
  }
  return way.filter((_, i) => isKept[i] === 1);
}

function distanceToPiece([lon, lat]: LonLat, [lonA, latA]: LonLat, [lonB, latB]: LonLat, scale: number): number {
  const [dx, dy] = [(lonB - lonA) * scale, latB - latA];
  const squared = dx * dx + dy * dy;
  const along = squared === 0 ? 0 : ((lon - lonA) * scale * dx + (lat - latA) * dy) / squared;
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot((lon - lonA) * scale - share * dx, lat - latA - share * dy);
}
