import { distanceMeters } from '../../model/geo.ts';
import type { SampleTable } from './csv.ts';
import type { SampleLine } from './lookups.ts';
import { formatDegrees, type SampleStops } from './stops-table.ts';
import { variation } from './variation.ts';

export interface SampleShape {
  readonly id: string;
  readonly points: readonly SampleShapePoint[];
  /** Metres along the shape, one per call; null for lines that publish no distances. */
  readonly callDistances: readonly number[] | null;
}

interface SampleShapePoint {
  readonly lat: number;
  readonly lon: number;
  readonly meters: number;
}

const POINTS_PER_LEG = 3;
/** Maximum offset from the straight line, as a share of the leg. */
const BEND = 0.12;

/** The path of a line in one direction: through its platforms, with slight bends between them. */
export function buildShape(line: SampleLine, direction: 0 | 1, stops: SampleStops, seed: number): SampleShape {
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  const places = calls.map(({ place }) => stops.getBoardingPlace(line, direction, place));
  const points: SampleShapePoint[] = [];
  const callDistances: number[] = [];
  const add = (lat: number, lon: number) => {
    const last = points.at(-1);
    points.push({ lat, lon, meters: last ? last.meters + distanceMeters(last.lat, last.lon, lat, lon) : 0 });
  };
  places.forEach((to, i) => {
    const from = places[i - 1];
    if (from) {
      const bend = BEND * (2 * variation(seed, `${from.stopId} ${to.stopId}`) - 1);
      for (let step = 1; step < POINTS_PER_LEG; step++) {
        const part = step / POINTS_PER_LEG;
        const sidestep = bend * Math.sin(part * Math.PI);
        add(
          from.lat + (to.lat - from.lat) * part - (to.lon - from.lon) * sidestep,
          from.lon + (to.lon - from.lon) * part + (to.lat - from.lat) * sidestep,
        );
      }
    }
    add(to.lat, to.lon);
    callDistances.push(points.at(-1)!.meters);
  });
  return { id: `${line.id}-${direction}`, points, callDistances: hasDistances(line) ? callDistances : null };
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
