import { decodePolyline } from '../../../pipeline/model/encoded-polyline.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Coord } from '../../contract/definitions.ts';
import { isSkipped, type JourneyCall } from '../read/calls.ts';
import type { TripView } from '../read/dated-trip.ts';
import { findStopCoord, presentCoord } from '../read/present.ts';
import { findText } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';

/**
 * The call that the vehicle is at or heads to.
 * @param vehiclePosition reported with the vehicle's position; null where no source reports it
 * @returns -1 before its planned start and after its arrival
 */
export function findCurrentCall(
  calls: readonly JourneyCall[],
  instant: Instant,
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
  if (instant < begin || instant > Math.max(last.arrival.expected, last.departure.expected)) return -1;
  return (served.find(({ departure }) => instant <= departure.expected) ?? last).position;
}

const MICRODEGREES = 1e6;

/**
 * The path of a trip along some of its calls: its shape cut at both ends; straight lines between stops without a shape.
 * Stops without coordinates are left out, and those that an added trip does not serve.
 * @param from position of the first of the calls
 */
export function getPolyline(view: TripView, from: number, calls: readonly JourneyCall[]): Coord[] {
  const { trip, published } = view;
  const { timetable } = published;
  const { trips, tripShapes, shapePositions } = timetable.tables;
  const tripShape = trip < 0 ? -1 : trips.tripShape[trip]!;
  if (tripShape < 0) {
    const coordOf = ({ stop, coord }: JourneyCall) => (stop < 0 ? coord : findStopCoord(timetable, stop)).coord ?? [];
    const straight = calls.flatMap((call) => (trip < 0 && isSkipped(call) ? [] : coordOf(call)));
    const shape = readAddedShape(view);
    if (shape.length < 2) return straight;
    return calls.length < view.callCount ? cutBetween(shape, straight[0], straight.at(-1)) : shape;
  }
  const first = tripShapes.firstPosition[tripShape]! + from;
  const begin = shapePositions.position[first]!;
  const end = shapePositions.position[first + calls.length - 1]!;
  return cutShape(timetable, tripShapes.shape[tripShape]!, begin, end).map(([lat, lon]) => presentCoord(lat, lon));
}

/** The way that its publisher gives for an added trip; empty without one. */
function readAddedShape({ published: { realtime }, addedTrip }: TripView): Coord[] {
  if (!realtime || addedTrip < 0) return [];
  const encoded = findText(realtime, realtime.tables.addedTrips.polyline[addedTrip]!);
  return encoded === null ? [] : decodePolyline(encoded).map(([lat, lon]) => presentCoord(lat, lon));
}

/** The part of a shape between its points next to two places; all of it where they are in the wrong order. */
function cutBetween(shape: Coord[], from: Coord | undefined, to: Coord | undefined): Coord[] {
  const begin = from ? findNearest(shape, from) : 0;
  const end = to ? findNearest(shape, to) : shape.length - 1;
  return begin < end ? shape.slice(begin, end + 1) : shape;
}

function findNearest(shape: readonly Coord[], { lat, lon }: Coord): number {
  const meters = shape.map((point) => distanceMeters(lat, lon, point.lat, point.lon));
  return meters.indexOf(Math.min(...meters));
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
