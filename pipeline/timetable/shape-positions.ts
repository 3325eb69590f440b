/** One shape: points in degrees, and the publisher's distances where every point has one. */
export interface ShapeLine {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  /** Rising along the shape, in whatever unit the publisher uses; null where it cannot be relied on. */
  readonly distance: Float64Array | null;
}

/** The calls of a trip to be found on its shape. NaN where unknown. */
export interface CallsOnShape {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  readonly distance: Float64Array;
}

/**
 * Finds where a trip's calls lie on its shape: by the published distances where both sides have them, else by the
 * nearest places that keep the order of calls (so that a line that runs up and down the same street is not mixed up).
 * @returns one place per call, never falling, counted in points: 2.25 is a quarter of the way from the third point on
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
    // A distance that is missing, falls, or runs past the end by more than a percent is of another measure.
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
 * Least sum of squared distances over all rising choices of one place per call: a shortest path, call by call, from
 * segment to segment. Within a segment a call lies no further back than the one before it.
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

/** The nearest place on a segment, on a plane good enough for a few kilometres; a stop without place fits anywhere. */
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
