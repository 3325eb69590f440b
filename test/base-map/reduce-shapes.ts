import type { LonLat } from '../../api/contract/site-map.ts';
import { simplifyWay } from '../../api/engine/network/simplify-way.ts';
import type { Section } from '../../api/engine/read/section.ts';

/** How a shape is drawn on a small map. */
export interface Reduction {
  readonly toleranceDegrees: number;
  /** Digits of coordinates. */
  readonly digits: number;
  /** Polygons smaller than this are left out. */
  readonly minSquareDegrees: number;
}

/** Which side of each edge of a section is inside, and where a piece crosses the edge. */
function edgesOf({ minLon, minLat, maxLon, maxLat }: Section) {
  const edge = (axis: 0 | 1, limit: number, sign: 1 | -1) => ({
    isInside: (point: LonLat) => sign * (point[axis] - limit) >= 0,
    cross(from: LonLat, to: LonLat): LonLat {
      const share = (limit - from[axis]) / (to[axis] - from[axis]);
      return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
    },
  });
  return [edge(0, minLon, 1), edge(0, maxLon, -1), edge(1, minLat, 1), edge(1, maxLat, -1)];
}

/** Cuts a polygon ring at a section (Sutherland and Hodgman 1974): parts outside become pieces of the section's edge. */
export function cutRing(ring: readonly LonLat[], section: Section): LonLat[] {
  let points = ring.slice(0, -1);
  for (const { isInside, cross } of edgesOf(section)) {
    const kept: LonLat[] = [];
    for (const [i, to] of points.entries()) {
      const from = points.at(i - 1)!;
      if (isInside(from) !== isInside(to)) kept.push(cross(from, to));
      if (isInside(to)) kept.push(to);
    }
    points = kept;
  }
  return points.length < 3 ? [] : [...points, points[0]!];
}

/** Cuts a line at a section. @returns its parts inside, and those outside */
export function splitLine(line: readonly LonLat[], section: Section): { inside: LonLat[][]; outside: LonLat[][] } {
  const result = { inside: [] as LonLat[][], outside: [] as LonLat[][] };
  const isInside = ([lon, lat]: LonLat) =>
    lon >= section.minLon && lon <= section.maxLon && lat >= section.minLat && lat <= section.maxLat;
  let part: LonLat[] = [];
  for (let i = 1; i < line.length; i++) {
    for (const [from, to] of cutPiece(line[i - 1]!, line[i]!, section)) {
      const side = isInside([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]) ? result.inside : result.outside;
      const last = part.at(-1);
      if (last && side.at(-1) === part && last[0] === from[0] && last[1] === from[1]) part.push(to);
      else {
        part = [from, to];
        side.push(part);
      }
    }
  }
  return result;
}

/** Cuts a piece of a line where it crosses a line through an edge of the section. */
function cutPiece(from: LonLat, to: LonLat, section: Section): [LonLat, LonLat][] {
  const crossings = edgesOf(section)
    .filter(({ isInside }) => isInside(from) !== isInside(to))
    .map(({ cross }) => cross(from, to))
    .sort((a, b) => Math.hypot(a[0] - from[0], a[1] - from[1]) - Math.hypot(b[0] - from[0], b[1] - from[1]));
  const points = [from, ...crossings, to];
  return points.slice(1).map((end, i) => [points[i]!, end]);
}

/** @returns an empty list if the polygon is too small */
export function reduceRing(ring: readonly LonLat[], reduction: Reduction): LonLat[] {
  if (ring.length < 4) return [];
  // Both halves are simplified on their own: the ends of a ring are one point.
  const middle = Math.floor(ring.length / 2);
  const { toleranceDegrees, digits, minSquareDegrees } = reduction;
  const halves = [ring.slice(0, middle + 1), ring.slice(middle)].map((half) => simplifyWay(half, toleranceDegrees));
  const reduced = roundPoints([...halves[0]!, ...halves[1]!.slice(1)], digits);
  return reduced.length < 4 || squareDegrees(reduced) < minSquareDegrees ? [] : reduced;
}

/** @returns an empty list if the line is too short */
export function reduceLine(line: readonly LonLat[], { toleranceDegrees, digits }: Reduction): LonLat[] {
  const reduced = roundPoints(simplifyWay(line, toleranceDegrees), digits);
  return reduced.length < 2 ? [] : reduced;
}

function roundPoints(points: readonly LonLat[], digits: number): LonLat[] {
  const rounded = points.map(([lon, lat]): LonLat => [Number(lon.toFixed(digits)), Number(lat.toFixed(digits))]);
  return rounded.filter(([lon, lat], i) => i === 0 || lon !== rounded[i - 1]![0] || lat !== rounded[i - 1]![1]);
}

function squareDegrees(ring: readonly LonLat[]): number {
  let twice = 0;
  for (let i = 1; i < ring.length; i++) twice += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1];
  return Math.abs(twice) / 2;
}
