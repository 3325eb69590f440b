import { METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../model/geo.ts';

/**
 * The way of a trip on a plane whose origin is its first point. Vehicles are located by their distance along it, so a
 * street that a trip uses twice has two distances.
 */
export interface TripPath {
  readonly origin: { readonly lat: number; readonly lon: number; readonly metersPerLon: number };
  /** Metres east and north of the origin, by point. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Metres along the path, by point. */
  readonly along: Float32Array;
  /** Metres along the path, by call; ascending. */
  readonly calls: Float32Array;
  /** A vehicle this far from a segment can be on it; by segment. */
  readonly corridor: Float32Array;
}

/** A line in degrees, and where the calls are on it: 2.25 is a quarter of the way from the third point to the fourth. */
export interface PathLine {
  readonly lat: ArrayLike<number>;
  readonly lon: ArrayLike<number>;
  readonly callPositions: ArrayLike<number>;
  /** The line only joins the stops: the vehicle may be beside it. */
  readonly isStraight: boolean;
}

/** Of a shape: half of a wide street, and the error of a position. */
const CORRIDOR_METERS = 60;
/** Of a straight line between two stops: what a way may deviate from it. */
const STRAIGHT_SHARE = 0.35;

export function buildTripPath({ lat, lon, callPositions, isStraight }: PathLine): TripPath {
  const origin = { lat: lat[0]!, lon: lon[0]!, metersPerLon: METERS_PER_DEGREE * cosine(lat[0]!) };
  const count = lat.length;
  const x = Float32Array.from({ length: count }, (_, i) => (lon[i]! - origin.lon) * origin.metersPerLon);
  const y = Float32Array.from({ length: count }, (_, i) => (lat[i]! - origin.lat) * METERS_PER_DEGREE);
  const along = new Float32Array(count);
  const corridor = new Float32Array(Math.max(0, count - 1));
  for (let i = 1; i < count; i++) {
    const length = Math.hypot(x[i]! - x[i - 1]!, y[i]! - y[i - 1]!);
    along[i] = along[i - 1]! + length;
    corridor[i - 1] = CORRIDOR_METERS + (isStraight ? STRAIGHT_SHARE * length : 0);
  }
  return { origin, x, y, along, calls: Float32Array.from(callPositions, (at) => measureAlong(along, at)), corridor };
}

function cosine(degrees: number): number {
  return Math.cos(degrees * RADIANS_PER_DEGREE);
}

function measureAlong(along: Float32Array, position: number): number {
  const point = Math.min(Math.floor(position), along.length - 1);
  const next = Math.min(point + 1, along.length - 1);
  return along[point]! + (position - point) * (along[next]! - along[point]!);
}

/** A point on the plane of a path. */
export interface PlanePoint {
  readonly x: number;
  readonly y: number;
}

export function toPlane({ origin }: TripPath, lat: number, lon: number): PlanePoint {
  return { x: (lon - origin.lon) * origin.metersPerLon, y: (lat - origin.lat) * METERS_PER_DEGREE };
}

/** A place on the path where a vehicle may be. */
interface PathPlace {
  /** Metres along the path. */
  readonly along: number;
  /** How far beside the path, as a share of the corridor. */
  readonly offset: number;
}

/** Two candidates closer to each other than this are one: the error of a position is as large. */
const APART_METERS = 20;
const MAX_CANDIDATES = 6;

/**
 * Finds the places on a path near a point: where the distance is smallest along the path, best first.
 * @param from and to limit the search, in metres along the path
 */
export function findCandidates(path: TripPath, point: PlanePoint, from: number, to: number): PathPlace[] {
  const { x, y, along, corridor } = path;
  const found: PathPlace[] = [];
  const first = findSegment(along, from);
  const final = corridor.length - 1;
  let wasPassed = first === 0;
  // Numbers, not objects: this runs for every segment near every vehicle of every answer.
  for (let i = first; i <= final && along[i]! <= to; i++) {
    const [ax, ay, length] = [x[i]!, y[i]!, along[i + 1]! - along[i]!];
    if (length === 0) continue;
    const [dx, dy] = [x[i + 1]! - ax, y[i + 1]! - ay];
    const inner = ((point.x - ax) * dx + (point.y - ay) * dy) / (length * length);
    const share = Math.min(1, Math.max(0, inner));
    // Nearest to a corner: where one segment ends before the point, and the next one begins after it.
    const isNearest = share > 0 ? share < 1 || i === final : wasPassed;
    wasPassed = share === 1;
    if (!isNearest) continue;
    const [px, py] = [point.x - ax - share * dx, point.y - ay - share * dy];
    const offset = Math.sqrt(px * px + py * py) / corridor[i]!;
    if (offset <= 1) found.push({ along: along[i]! + share * length, offset });
  }
  return keepApart(found);
}

/** The last segment that begins at or before a distance. */
function findSegment(along: Float32Array, at: number): number {
  let [low, high] = [0, Math.max(0, along.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (along[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function keepApart(found: PathPlace[]): PathPlace[] {
  if (found.length < 2) return found;
  const kept: PathPlace[] = [];
  for (const one of found.sort((a, b) => a.offset - b.offset || a.along - b.along)) {
    const isApart = kept.every(({ along }) => Math.abs(along - one.along) >= APART_METERS);
    if (isApart && kept.length < MAX_CANDIDATES) kept.push(one);
  }
  return kept;
}
