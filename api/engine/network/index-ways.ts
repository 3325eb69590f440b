import { isCoordinate } from '../../../pipeline/model/geo.ts';
import { type Product, products } from '../../../pipeline/model/product.ts';
import type { LonLat } from '../../contract/site-map.ts';
import type { Section } from '../read/section.ts';
import { getLineColors, type Timetable } from '../read/timetable.ts';

/** The course of trips of a line: a shape, or the stops if the trips have no shape. */
interface LineWay {
  /** Row of the shape, or -1. */
  readonly shape: number;
  readonly pattern: number;
  readonly trips: number;
  readonly around: Section;
}

export interface NetworkLine {
  readonly label: string;
  readonly product: Product;
  readonly colorHex: string | null;
  /** Those with the most trips first. */
  readonly ways: readonly LineWay[];
}

/** Further ways of a line are variants of these. */
const MAX_WAYS = 12;

/** The lines of a timetable and where they run, without copying their points. */
export function indexWays(timetable: Timetable): NetworkLine[] {
  const { routes, patterns } = timetable.tables;
  const lines = new Map<string, { readonly route: number; readonly ways: Map<string, LineWay> }>();
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const route = patterns.route[pattern]!;
    const key = JSON.stringify([
      routes.agency[route],
      routes.label.get(route),
      routes.product[route],
      routes.color[route],
    ]);
    const line = lines.get(key) ?? { route, ways: new Map<string, LineWay>() };
    lines.set(key, line);
    addWays(timetable, pattern, line.ways);
  }
  return [...lines.values()].map(({ route, ways }) => ({
    label: routes.label.get(route) || routes.longName.get(route),
    product: products[routes.product[route]!]!,
    colorHex: getLineColors(routes.color[route]!, -1).colorHex ?? null,
    ways: [...ways.values()].sort((a, b) => b.trips - a.trips || a.pattern - b.pattern).slice(0, MAX_WAYS),
  }));
}

function addWays(timetable: Timetable, pattern: number, ways: Map<string, LineWay>): void {
  const { patterns, trips, tripShapes } = timetable.tables;
  const counts = new Map<number, number>();
  for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
    const row = trips.tripShape[patterns.firstTrip[pattern]! + i]!;
    const shape = row < 0 ? -1 : tripShapes.shape[row]!;
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  for (const [shape, count] of counts) {
    const key = shape < 0 ? `pattern ${pattern}` : `shape ${shape}`;
    const known = ways.get(key);
    if (known) ways.set(key, { ...known, trips: known.trips + count });
    else {
      const way = { shape, pattern, trips: count };
      const points = readPoints(timetable, way);
      if (points.length > 1) ways.set(key, { ...way, around: boundPoints(points) });
    }
  }
}

/** The points of a way. */
export function readPoints({ tables }: Timetable, { shape, pattern }: Pick<LineWay, 'shape' | 'pattern'>): LonLat[] {
  const points: LonLat[] = [];
  if (shape >= 0) {
    const { shapes, shapePoints } = tables;
    const first = shapes.firstPoint[shape]!;
    for (let i = first; i < first + shapes.pointCount[shape]!; i++)
      points.push([shapePoints.lon[i]! / 1e6, shapePoints.lat[i]! / 1e6]);
    return points;
  }
  const { patterns, patternCalls, stops } = tables;
  const first = patterns.firstCall[pattern]!;
  for (let i = first; i < first + patterns.callCount[pattern]!; i++) {
    const stop = patternCalls.stop[i]!;
    if (isCoordinate(stops.lat[stop]!, stops.lon[stop]!)) points.push([stops.lon[stop]!, stops.lat[stop]!]);
  }
  return points;
}

export function boundPoints(points: readonly LonLat[]): Section {
  const around = { minLat: 90, minLon: 180, maxLat: -90, maxLon: -180 };
  for (const [lon, lat] of points) {
    around.minLat = Math.min(around.minLat, lat);
    around.maxLat = Math.max(around.maxLat, lat);
    around.minLon = Math.min(around.minLon, lon);
    around.maxLon = Math.max(around.maxLon, lon);
  }
  return around;
}
