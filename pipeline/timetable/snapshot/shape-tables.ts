import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { Runs } from '../feed/patterns.ts';
import type { FeedColumns } from './read-feeds.ts';

/** One shape: points in degrees, and the publisher's distances if every point has one. */
interface ShapeLine {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** Ascending along the shape, in the publisher's unit; null if unreliable. */
  readonly distance: Float64Array | null;
}

/** The calls of a trip to locate on its shape. NaN where unknown. */
interface CallsOnShape {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  readonly distance: Float64Array;
}

/**
 * Locates a trip's calls on its shape: by the published distances if both have them, else by the nearest positions in
 * the order of calls (so that a line that runs up and down the same street is not mixed up).
 * @returns one position per call, non-decreasing, in points: 2.25 is a quarter of the way from the third point on
 */
export function findShapePositions(shape: ShapeLine, calls: CallsOnShape): Float32Array {
  const byDistance = shape.distance ? positionsByDistance(shape.distance, calls.distance) : null;
  return byDistance ?? positionsByPlace(shape, calls);
}

function positionsByDistance(shapeDistance: Float64Array, callDistance: Float64Array): Float32Array | null {
  const positions = new Float32Array(callDistance.length);
  const last = shapeDistance.length - 1;
  let point = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (let call = 0; call < callDistance.length; call++) {
    const wanted = callDistance[call]!;
    // A distance that is missing, decreases, or exceeds the end by more than a percent is unreliable.
    if (!(wanted >= before) || wanted > shapeDistance[last]! * 1.01) return null;
    before = wanted;
    while (point < last - 1 && shapeDistance[point + 1]! <= wanted) point++;
    const length = shapeDistance[point + 1]! - shapeDistance[point]!;
    const share = length > 0 ? (wanted - shapeDistance[point]!) / length : 0;
    positions[call] = point + Math.min(1, Math.max(0, share));
  }
  return positions;
}

/**
 * Minimises the sum of squared distances over all ascending choices of one position per call: a shortest path, call by
 * call, from segment to segment. Within a segment a call is never before its predecessor.
 */
function positionsByPlace(shape: ShapeLine, calls: CallsOnShape): Float32Array {
  const segments = shape.lat.length - 1;
  const callCount = calls.lat.length;
  const cameFrom = new Int32Array(callCount * segments);
  const shares = new Float32Array(callCount * segments);
  let cost = new Float64Array(segments);
  for (let call = 0; call < callCount; call++) {
    const next = new Float64Array(segments);
    const [lat, lon] = [calls.lat[call]!, calls.lon[call]!];
    let cheapest = 0;
    for (let segment = 0; segment < segments; segment++) {
      if (segment > 0 && cost[segment - 1]! < cost[cheapest]!) cheapest = segment - 1;
      const here = call * segments + segment;
      const moved = project(shape, segment, lat, lon, 0);
      const stayed = call === 0 ? moved : project(shape, segment, lat, lon, shares[here - segments]!);
      const isMove = segment > 0 && cost[cheapest]! + moved.squared < cost[segment]! + stayed.squared;
      const place = isMove ? moved : stayed;
      cameFrom[here] = isMove ? cheapest : segment;
      shares[here] = place.share;
      next[segment] = cost[isMove ? cheapest : segment]! + place.squared;
    }
    cost = next;
  }
  let segment = cost.indexOf(minimum(cost));
  const positions = new Float32Array(callCount);
  for (let call = callCount - 1; call >= 0; call--) {
    positions[call] = segment + shares[call * segments + segment]!;
    segment = cameFrom[call * segments + segment]!;
  }
  return positions;
}

function minimum(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < least) least = value;
  return least;
}

/** The nearest position on a segment, on a plane accurate for some kilometres; NaN coordinates fit anywhere. */
function project(
  shape: ShapeLine,
  segment: number,
  lat: number,
  lon: number,
  leastShare: number,
): { squared: number; share: number } {
  if (Number.isNaN(lat) || Number.isNaN(lon)) return { squared: 0, share: leastShare };
  const squeeze = Math.cos((lat * Math.PI) / 180);
  const x = (lon - shape.lon[segment]!) * squeeze;
  const y = lat - shape.lat[segment]!;
  const dx = (shape.lon[segment + 1]! - shape.lon[segment]!) * squeeze;
  const dy = shape.lat[segment + 1]! - shape.lat[segment]!;
  const length = dx * dx + dy * dy;
  const share = length > 0 ? Math.min(1, Math.max(leastShare, (x * dx + y * dy) / length)) : leastShare;
  return { squared: (x - share * dx) ** 2 + (y - share * dy) ** 2, share };
}

type ShapeTables = Pick<TimetableTables, 'shapes' | 'shapePoints' | 'tripShapes' | 'shapePositions'>;

const MICRODEGREES = 1e6;
const NO_SHAPE = -1;

/**
 * Builds shapes, and the positions of each pattern's calls on them; fills `trips.tripShape`. All trips of a pattern on
 * the same shape share one row, computed from the first of them.
 */
export function buildShapeTables(
  feeds: FeedColumns,
  runs: Runs,
  runOrder: Int32Array,
  trips: TimetableTables['trips'],
): ShapeTables {
  const shapes = indexShapes(feeds.shapes.key);
  const rows: { shape: number; firstPosition: number }[] = [];
  const positions: Float32Array[] = [];
  const known = new Map<string, number>();
  let positionCount = 0;
  for (let i = 0; i < runOrder.length; i++) {
    const trip = runs.trip[runOrder[i]!]!;
    const shape = shapes.rowByKey.get(feeds.trips.shapeKey[trip]!);
    if (shape === undefined) continue;
    const name = `${trips.pattern[i]} ${shape}`;
    let row = known.get(name);
    if (row === undefined) {
      const found = findShapePositions(getLine(feeds, shapes, shape), getCalls(feeds, trip));
      // Some trips have the shape of the opposite direction: no position lies ahead then, and straight lines are
      // better.
      const isForward = found.at(-1)! > found[0]!;
      row = isForward ? rows.push({ shape, firstPosition: positionCount }) - 1 : NO_SHAPE;
      if (isForward) positions.push(found);
      if (isForward) positionCount += found.length;
      known.set(name, row);
    }
    trips.tripShape[i] = row;
  }
  return {
    shapes: { firstPoint: shapes.firstPoint, pointCount: shapes.pointCount },
    shapePoints: { lat: toMicrodegrees(feeds.shapes.lat), lon: toMicrodegrees(feeds.shapes.lon) },
    tripShapes: {
      shape: Int32Array.from(rows, (row) => row.shape),
      firstPosition: Int32Array.from(rows, (row) => row.firstPosition),
    },
    shapePositions: { position: concatenate(positions, positionCount) },
  };
}

interface ShapeIndex {
  readonly rowByKey: ReadonlyMap<number, number>;
  readonly firstPoint: Int32Array;
  readonly pointCount: Int32Array;
}

function indexShapes(keys: Float64Array): ShapeIndex {
  const rowByKey = new Map<number, number>();
  const firstPoint: number[] = [];
  for (let point = 0; point < keys.length; point++) {
    if (point > 0 && keys[point] === keys[point - 1]) continue;
    rowByKey.set(keys[point]!, firstPoint.push(point) - 1);
  }
  const pointCount = firstPoint.map((first, row) => (firstPoint[row + 1] ?? keys.length) - first);
  return { rowByKey, firstPoint: Int32Array.from(firstPoint), pointCount: Int32Array.from(pointCount) };
}

function getLine(feeds: FeedColumns, shapes: ShapeIndex, shape: number): ShapeLine {
  const from = shapes.firstPoint[shape]!;
  const to = from + shapes.pointCount[shape]!;
  const distance = feeds.shapes.distance.subarray(from, to);
  const isRising = distance.every((value, i) => value >= (i === 0 ? Number.NEGATIVE_INFINITY : distance[i - 1]!));
  const isUsable = isRising && distance.at(-1)! > distance[0]!;
  return {
    lat: feeds.shapes.lat.subarray(from, to),
    lon: feeds.shapes.lon.subarray(from, to),
    distance: isUsable ? distance : null,
  };
}

function getCalls(feeds: FeedColumns, trip: number): CallsOnShape {
  const from = feeds.calls.tripFirstCall[trip]!;
  const to = feeds.calls.tripFirstCall[trip + 1]!;
  const stops = feeds.calls.stop.subarray(from, to);
  return {
    lat: Float64Array.from(stops, (stop) => feeds.stops.lat[stop]!),
    lon: Float64Array.from(stops, (stop) => feeds.stops.lon[stop]!),
    distance: feeds.callDistance.subarray(from, to),
  };
}

function toMicrodegrees(degrees: Float64Array): Int32Array {
  return Int32Array.from(degrees, (value) => Math.round(value * MICRODEGREES));
}

function concatenate(parts: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
