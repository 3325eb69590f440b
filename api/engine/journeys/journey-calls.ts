import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Coord } from '../../contract/definitions.ts';
import { isSkipped, type JourneyCall } from '../read/calls.ts';
import { findStopCoord, presentCoord } from '../read/present.ts';
import type { Timetable } from '../read/timetable.ts';

/**
 * The call that the vehicle is at or heads to.
 * @param vehiclePosition reported with the vehicle's position; null where no source reports it
 * @returns -1 before its planned start and after its arrival
 */
export function findCurrentCall(
  calls: readonly JourneyCall[],
  moment: Instant,
  vehiclePosition: number | null,
): number {
  if (vehiclePosition !== null) return vehiclePosition;
  const served = calls.flatMap((call, position) => (isSkipped(call) ? [] : { position, ...call }));
  const [first, last] = [served[0], served.at(-1)];
  if (!first || !last) return -1;
  // A vehicle with a delayed start is at its first stop from the planned time on.
  const begin = Math.min(
    ...[first.arrival, first.departure].flatMap(({ scheduled, expected }) => [scheduled, expected]),
  );
  if (moment < begin || moment > Math.max(last.arrival.expected, last.departure.expected)) return -1;
  return (served.find(({ departure }) => moment <= departure.expected) ?? last).position;
}

const MICRODEGREES = 1e6;

/**
 * The path of a trip along some of its calls: its shape cut at both ends; straight lines between stops without a shape.
 * Stops without coordinates are left out.
 * @param trip row of the timetable's trips, or -1
 * @param from position of the first of the calls
 */
export function getPolyline(timetable: Timetable, trip: number, from: number, calls: readonly JourneyCall[]): Coord[] {
  const { trips, tripShapes, shapePositions } = timetable.tables;
  const tripShape = trip < 0 ? -1 : trips.tripShape[trip]!;
  if (tripShape < 0) return calls.flatMap(({ stop }) => (stop < 0 ? [] : (findStopCoord(timetable, stop).coord ?? [])));
  const first = tripShapes.firstPosition[tripShape]! + from;
  const begin = shapePositions.position[first]!;
  const end = shapePositions.position[first + calls.length - 1]!;
  return cutShape(timetable, tripShapes.shape[tripShape]!, begin, end).map(([lat, lon]) => presentCoord(lat, lon));
}

/** @param begin position along the shape in points, as in `shapePositions` */
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
