import { hasCoordinates, type Timetable } from './timetable.ts';

const MICRODEGREES = 1e6;

/**
 * The way of a trip between two of its calls: its shape cut at both, or straight from stop to stop where it has none.
 * @returns degrees, latitude first; stops without coordinates are left out
 */
export function getPolyline(timetable: Timetable, trip: number, from: number, to: number): [number, number][] {
  const { trips, tripShapes, shapePositions } = timetable.tables;
  const tripShape = trips.tripShape[trip]!;
  if (tripShape < 0) return listStopPlaces(timetable, trip, from, to);
  const first = tripShapes.firstPosition[tripShape]!;
  const begin = shapePositions.position[first + from]!;
  const end = shapePositions.position[first + to]!;
  return cutShape(timetable, tripShapes.shape[tripShape]!, begin, end);
}

function listStopPlaces({ tables }: Timetable, trip: number, from: number, to: number): [number, number][] {
  const first = tables.patterns.firstCall[tables.trips.pattern[trip]!]!;
  const places: [number, number][] = [];
  for (let k = from; k <= to; k++) {
    const stop = tables.patternCalls.stop[first + k]!;
    if (hasCoordinates(tables, stop)) places.push([tables.stops.lat[stop]!, tables.stops.lon[stop]!]);
  }
  return places;
}

/** @param begin place along the shape in points, as in `shapePositions` */
function cutShape({ tables }: Timetable, shape: number, begin: number, end: number): [number, number][] {
  const line: [number, number][] = [getPlace(tables, shape, begin)];
  for (let point = Math.floor(begin) + 1; point < end; point++) line.push(getPlace(tables, shape, point));
  if (end > begin) line.push(getPlace(tables, shape, end));
  return line;
}

function getPlace({ shapes, shapePoints }: Timetable['tables'], shape: number, position: number): [number, number] {
  const last = shapes.firstPoint[shape]! + shapes.pointCount[shape]! - 1;
  const point = Math.min(shapes.firstPoint[shape]! + Math.floor(position), last);
  const next = Math.min(point + 1, last);
  const share = position - Math.floor(position);
  const between = (column: Int32Array) => (column[point]! + (column[next]! - column[point]!) * share) / MICRODEGREES;
  return [between(shapePoints.lat), between(shapePoints.lon)];
}
