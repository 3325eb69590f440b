import { type Product, products } from '../../model/product.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { VehicleSpeeds } from './time-passages.ts';
import { buildTripPath, type PathLine, type TripPath } from './trip-path.ts';

/** Paths in memory at most: some megabytes for 1,000 of them. */
const MAX_PATHS = 10_000;

/** The paths of the trips of a timetable, built on first use. */
export interface TripPaths {
  /** @returns null for a trip without a shape of which a stop has no place */
  find(trip: number): TripPath | null;
}

export function openTripPaths(tables: TimetableTables): TripPaths {
  const known = new Map<string, TripPath | null>();
  return {
    find(trip) {
      const key = `${tables.trips.pattern[trip]} ${tables.trips.tripShape[trip]}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const line = readShape(tables, trip) ?? readStops(tables, trip);
      const built = line && buildTripPath(line);
      const path = built && built.calls.length > 1 && built.calls.at(-1)! > 0 ? built : null;
      // The oldest one goes: paths in use are built again.
      if (known.size >= MAX_PATHS) known.delete(known.keys().next().value!);
      known.set(key, path);
      return path;
    },
  };
}

function readShape(tables: TimetableTables, trip: number): PathLine | null {
  const { trips, patterns, tripShapes, shapes, shapePoints, shapePositions } = tables;
  const row = trips.tripShape[trip]!;
  if (row < 0) return null;
  const shape = tripShapes.shape[row]!;
  const first = shapes.firstPoint[shape]!;
  const end = first + shapes.pointCount[shape]!;
  const firstCall = tripShapes.firstPosition[row]!;
  const degrees = (millionths: number) => millionths / 1e6;
  return {
    lat: Float64Array.from(shapePoints.lat.subarray(first, end), degrees),
    lon: Float64Array.from(shapePoints.lon.subarray(first, end), degrees),
    callPositions: shapePositions.position.subarray(firstCall, firstCall + patterns.callCount[trips.pattern[trip]!]!),
    isStraight: false,
  };
}

function readStops({ trips, patterns, patternCalls, stops }: TimetableTables, trip: number): PathLine | null {
  const pattern = trips.pattern[trip]!;
  const first = patterns.firstCall[pattern]!;
  const rows = patternCalls.stop.subarray(first, first + patterns.callCount[pattern]!);
  const lat = Float64Array.from(rows, (stop) => stops.lat[stop]!);
  const lon = Float64Array.from(rows, (stop) => stops.lon[stop]!);
  if (lat.some(Number.isNaN) || lon.some(Number.isNaN)) return null;
  return { lat, lon, callPositions: rows.map((_, i) => i), isStraight: true };
}

/** Highest speed in metres per second, and how far from a stop, in metres, a standing vehicle may be at it. */
const limits: Readonly<Record<Product, readonly [maxSpeed: number, stopMeters: number]>> = {
  tram: [25, 40],
  cityBus: [30, 35],
  regionalBus: [30, 35],
  nightBus: [30, 35],
  train: [85, 150],
  regionalTrain: [60, 120],
  sBahn: [50, 120],
  subway: [35, 80],
  cableway: [15, 50],
  ship: [20, 100],
  other: [60, 50],
};
/** Between two stops a vehicle is faster than over the whole trip, with its stops. */
const CRUISING_SHARE = 1.4;

/** @param plannedSeconds of the whole trip */
export function findSpeeds(product: number, { calls }: TripPath, plannedSeconds: number): VehicleSpeeds {
  const [maxSpeed, stopMeters] = limits[products[product]!];
  const planned = (CRUISING_SHARE * calls.at(-1)!) / Math.max(60, plannedSeconds);
  return { maxSpeed, stopMeters, cruisingSpeed: Math.min(0.8 * maxSpeed, Math.max(4, planned)) };
}
