import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Line } from '../../contract/definitions.ts';
import {
  findAddedPlatform,
  getAddedDirection,
  getAddedLine,
  getAddedPlan,
  getAddedStopName,
} from '../read/added-trips.ts';
import { findLiveTime, type LiveCall, readAddedCall, readLiveCall } from '../read/live-calls.ts';
import { getDirection, getTimeRow } from '../read/present.ts';
import { findText, type Published } from '../read/realtime.ts';
import { getZone, hasCoordinates, type Timetable } from '../read/timetable.ts';

/**
 * The line of a dated trip, whoever speaks of it, and where it says that it goes.
 * @param run row of the timetable's trips, or -1; then `addedTrip` is one of the added trips
 * @param position call at which the sign is read
 */
export function describeRun(
  published: Published,
  { trip, addedTrip }: { readonly trip: number; readonly addedTrip: number },
  position: number,
): { line: Line; direction: string } {
  if (trip < 0) {
    return { line: getAddedLine(published, addedTrip), direction: getAddedDirection(published, addedTrip) };
  }
  const { timetable } = published;
  const pattern = timetable.tables.trips.pattern[trip]!;
  return {
    line: timetable.lines.get(timetable.tables.patterns.route[pattern]!),
    direction: getDirection(timetable, pattern, position, trip),
  };
}

/** One call of a dated trip, as planned and as it runs. */
export interface JourneyCall {
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
  readonly stopName: string;
  /** Scheduled. */
  readonly arrival: Instant;
  readonly departure: Instant;
  /** Platform of the timetable, and as announced; null where nobody says. */
  readonly platform: string | null;
  readonly announcedPlatform: string | null;
  readonly live: LiveCall | null;
}

/** @param liveTrip row of the realtime snapshot's trips, or -1 */
export function listPlannedCalls(published: Published, trip: number, day: number, liveTrip: number): JourneyCall[] {
  const { timetable, realtime } = published;
  const { trips, patterns, patternCalls, times, stops } = timetable.tables;
  const pattern = trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(timetable.tables, pattern, trip);
  const first = patterns.firstCall[pattern]!;
  const firstLive = realtime && liveTrip >= 0 ? realtime.tables.trips.firstCall[liveTrip]! : -1;
  return Array.from({ length: patterns.callCount[pattern]! }, (_, k) => {
    const stop = patternCalls.stop[first + k]!;
    const live = realtime && firstLive >= 0 ? readLiveCall(realtime, firstLive + k) : null;
    return {
      stop,
      stopName: stops.name.get(stop),
      arrival: (start + times.arrival[row + k]!) as Instant,
      departure: (start + times.departure[row + k]!) as Instant,
      platform: stops.platformCode.get(stop) || null,
      announcedPlatform: live && realtime ? findText(realtime, live.platform) : null,
      live,
    };
  });
}

/** Calls of a trip that the timetable does not hold. @param addedTrip row of the realtime snapshot's added trips */
export function listAddedCalls(published: Published, addedTrip: number): JourneyCall[] {
  const realtime = published.realtime!;
  const { addedTrips, addedCalls } = realtime.tables;
  return Array.from({ length: addedTrips.callCount[addedTrip]! }, (_, k) => {
    const row = addedTrips.firstCall[addedTrip]! + k;
    const live = readAddedCall(realtime, row);
    return {
      stop: addedCalls.stop[row]!,
      stopName: getAddedStopName(published, row),
      ...getAddedPlan(realtime, row),
      platform: findAddedPlatform(published, row),
      announcedPlatform: findText(realtime, live.platform),
      live,
    };
  });
}

/** When a vehicle arrives and leaves, as far as anybody knows at a moment. */
export function getExpected({ arrival, departure, live }: JourneyCall, moment: Instant) {
  return {
    arrival: findLiveTime(live, 'arrival', moment) ?? arrival,
    departure: findLiveTime(live, 'departure', moment) ?? departure,
  };
}

/**
 * Which call the vehicle is at or heads to.
 * @param vehiclePosition by its own word; null where nobody has it
 * @returns -1 before it is to leave and after it has arrived
 */
export function findCurrentCall(
  calls: readonly JourneyCall[],
  moment: Instant,
  vehiclePosition: number | null,
): number {
  if (vehiclePosition !== null) return vehiclePosition;
  const served = calls.flatMap((call, position) =>
    call.live?.isCancelled ? [] : { position, plan: call, ...getExpected(call, moment) },
  );
  const [first, last] = [served[0], served.at(-1)];
  if (!first || !last) return -1;
  // One that is late to leave stands at its first stop, or comes there: from its planned time on that is where it is.
  const begin = Math.min(first.arrival, first.departure, first.plan.arrival, first.plan.departure);
  if (moment < begin || moment > Math.max(last.arrival, last.departure)) return -1;
  return (served.find(({ departure }) => moment <= departure) ?? last).position;
}

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
