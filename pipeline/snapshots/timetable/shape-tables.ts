import type { Runs } from '../../timetable/patterns.ts';
import { type CallsOnShape, findShapePositions, type ShapeLine } from '../../timetable/shape-positions.ts';
import type { TimetableTables } from '../contract.ts';
import type { FeedColumns } from './read-feeds.ts';

type ShapeTables = Pick<TimetableTables, 'shapes' | 'shapePoints' | 'tripShapes' | 'shapePositions'>;

const MICRODEGREES = 1e6;
const NO_SHAPE = -1;

/**
 * Shapes, and where on them the calls of each pattern lie; fills `trips.tripShape`. All trips of a pattern on the same
 * shape share one row, found from the first of them.
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
      // Publishers give trips the shape of the way back: nothing of it lies ahead then, and straight lines are better.
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
