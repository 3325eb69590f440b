import type { LonLat } from '../../../contract/site-map.ts';

/** A path with the length up to each point. The unit is arbitrary, since only shares are used. */
export interface Course {
  readonly points: readonly LonLat[];
  readonly lengths: readonly number[];
}

/** A position farther from a line than this is not on it. */
const MAX_OFF_LINE_METERS = 120;
/** A path along the line that exceeds the direct distance by this factor belongs to another part of the line. */
const MAX_DETOUR = 2.5;
const METERS_PER_DEGREE = 111_195;

/**
 * Finds the path from one observation to the next: along the line if both lie on it, otherwise straight.
 * @param ways paths of the line of the vehicle
 */
export function findCourse(ways: readonly (readonly LonLat[])[], from: LonLat, to: LonLat): Course {
  const straight = metersBetween(from, to);
  let best: { readonly points: readonly LonLat[]; readonly cost: number } | null = null;
  for (const way of ways) {
    const [start, end] = [project(way, from), project(way, to)];
    if (!start || !end || start.meters > MAX_OFF_LINE_METERS || end.meters > MAX_OFF_LINE_METERS) continue;
    const points = cutBetween(way, start, end);
    const cost = start.meters + end.meters + lengthOf(points);
    if (
      lengthOf(points) <= MAX_DETOUR * straight + 2 * MAX_OFF_LINE_METERS &&
      cost < (best?.cost ?? Number.POSITIVE_INFINITY)
    )
      best = { points, cost };
  }
  // The path begins and ends at the observed positions, even if they are beside the line.
  return measure(best ? [from, ...best.points.slice(1, -1), to] : [from, to]);
}

/** Position of a vehicle on its path, at most its end, the newest observation. @param share 0 to 1 */
export function pointAlong({ points, lengths }: Course, share: number): LonLat {
  const wanted = Math.max(0, Math.min(1, share)) * lengths.at(-1)!;
  let i = 1;
  while (i < lengths.length - 1 && lengths[i]! < wanted) i += 1;
  const [from, to] = [points[i - 1]!, points[i] ?? points[i - 1]!];
  const piece = (lengths[i] ?? 0) - lengths[i - 1]!;
  const part = piece > 0 ? (wanted - lengths[i - 1]!) / piece : 1;
  return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
}

function measure(points: readonly LonLat[]): Course {
  const lengths = [0];
  for (let i = 1; i < points.length; i++) lengths.push(lengths[i - 1]! + metersBetween(points[i - 1]!, points[i]!));
  return { points, lengths };
}

const lengthOf = (points: readonly LonLat[]) => measure(points).lengths.at(-1)!;

interface OnWay {
  readonly point: LonLat;
  /** Fractional index: 2.25 is a quarter of the way from the third point to the fourth. */
  readonly position: number;
  /** Distance from the line. */
  readonly meters: number;
}

function project(way: readonly LonLat[], [lon, lat]: LonLat): OnWay | null {
  const scale = Math.cos((lat * Math.PI) / 180);
  let best: OnWay | null = null;
  for (let i = 1; i < way.length; i++) {
    const [from, to] = [way[i - 1]!, way[i]!];
    const [dx, dy] = [(to[0] - from[0]) * scale, to[1] - from[1]];
    const squared = dx * dx + dy * dy;
    const along = squared === 0 ? 0 : ((lon - from[0]) * scale * dx + (lat - from[1]) * dy) / squared;
    const share = Math.max(0, Math.min(1, along));
    const point: LonLat = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
    const meters = metersBetween(point, [lon, lat]);
    if (!best || meters < best.meters) best = { point, position: i - 1 + share, meters };
  }
  return best;
}

function cutBetween(way: readonly LonLat[], start: OnWay, end: OnWay): LonLat[] {
  const [first, last] = start.position <= end.position ? [start, end] : [end, start];
  const between = way.slice(Math.floor(first.position) + 1, Math.ceil(last.position));
  const cut = [first.point, ...between, last.point];
  return first === start ? cut : cut.reverse();
}

function metersBetween([lonA, latA]: LonLat, [lonB, latB]: LonLat): number {
  const scale = Math.cos((latA * Math.PI) / 180);
  return METERS_PER_DEGREE * Math.hypot((lonA - lonB) * scale, latA - latB);
}
