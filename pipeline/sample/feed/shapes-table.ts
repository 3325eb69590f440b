import { distanceMeters } from '../../model/geo.ts';
import type { SampleTable } from './csv.ts';
import type { SampleLine } from './lookups.ts';
import { formatDegrees, type SampleStops } from './stops-table.ts';
import type { FindWaypoints, Waypoint } from './track-paths.ts';
import { variation } from './variation.ts';

export interface SampleShape {
  readonly id: string;
  readonly points: readonly SampleShapePoint[];
  /** Index of the point of each call. */
  readonly callPoints: readonly number[];
  /** Metres along the shape, one per call; null for lines that publish no distances. */
  readonly callDistances: readonly number[] | null;
}

interface SampleShapePoint {
  readonly lat: number;
  readonly lon: number;
  readonly meters: number;
}

const POINTS_PER_STRETCH = 3;
/** Maximum offset from the straight line, as a share of the stretch, and in metres. */
const BEND = 0.12;
const MAX_BEND_METERS = 1500;

/**
 * The path of a line in one direction: from platform to platform, past the places between them, with slight bends that
 * are the same for all lines and both directions.
 */
export function buildShape(
  line: SampleLine,
  direction: 0 | 1,
  { stops, findWaypoints, seed }: ShapeTools,
): SampleShape {
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  const points: SampleShapePoint[] = [];
  const callPoints: number[] = [];
  const add = ({ lat, lon }: Pick<SampleShapePoint, 'lat' | 'lon'>) => {
    const last = points.at(-1);
    points.push({ lat, lon, meters: last ? last.meters + distanceMeters(last.lat, last.lon, lat, lon) : 0 });
  };
  for (const [i, { place }] of calls.entries()) {
    const before = calls[i - 1]?.place;
    const { lat, lon } = stops.getBoardingPlace(line, direction, place);
    const passed = before ? findWaypoints(line, before, place) : [];
    const ends = before ? [{ ...points.at(-1)!, id: before.id }, ...passed, { id: place.id, lat, lon }] : [];
    for (const [k, to] of ends.entries()) {
      if (k === 0) continue;
      for (const point of bend(ends[k - 1]!, to, seed)) add(point);
      add(to);
    }
    if (!before) add({ lat, lon });
    callPoints.push(points.length - 1);
  }
  return {
    id: `${line.id}-${direction}`,
    points,
    callPoints,
    callDistances: hasDistances(line) ? callPoints.map((point) => points[point]!.meters) : null,
  };
}

interface ShapeTools {
  readonly stops: SampleStops;
  readonly findWaypoints: FindWaypoints;
  readonly seed: number;
}

/** The points between two places. */
function bend(from: Waypoint, to: Waypoint, seed: number): Pick<SampleShapePoint, 'lat' | 'lon'>[] {
  const [first, second] = [from.id, to.id].sort();
  const meters = distanceMeters(from.lat, from.lon, to.lat, to.lon);
  const maxBend = Math.min(BEND, MAX_BEND_METERS / Math.max(1, meters));
  // In the opposite direction, left and right are swapped.
  const side = from.id === first ? 1 : -1;
  const bent = side * maxBend * (2 * variation(seed, `${first} ${second}`) - 1);
  return Array.from({ length: POINTS_PER_STRETCH - 1 }, (_, step) => {
    const part = (step + 1) / POINTS_PER_STRETCH;
    const sidestep = bent * Math.sin(part * Math.PI);
    return {
      lat: from.lat + (to.lat - from.lat) * part - (to.lon - from.lon) * sidestep,
      lon: from.lon + (to.lon - from.lon) * part + (to.lat - from.lat) * sidestep,
    };
  });
}

/** Trains have distances, street lines do not: readers must handle both in one feed. */
function hasDistances(line: SampleLine): boolean {
  return line.mode === 'metro' || line.mode === 'rail' || line.mode === 's_bahn';
}

export function buildShapesTable(shapes: readonly SampleShape[]): SampleTable {
  const rows = shapes.flatMap((shape) =>
    shape.points.map((point, i) => [
      shape.id,
      formatDegrees(point.lat),
      formatDegrees(point.lon),
      i + 1,
      shape.callDistances ? formatMeters(point.meters) : '',
    ]),
  );
  return { header: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence', 'shape_dist_traveled'], rows };
}

export function formatMeters(meters: number): string {
  return meters.toFixed(1);
}
