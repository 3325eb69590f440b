import { measureLine } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Cancellation, Leg } from '../../contract/definitions.ts';
import { listBookingNotices } from '../alerts/booking-notices.ts';
import { listNotices, type NotedRun, noteCancellation } from '../alerts/notices.ts';
import { getPolyline } from '../journeys/journey-calls.ts';
import { type Booking, findBooking, listBookingAttributes } from '../read/bookings.ts';
import { describeCancellation, isSkipped } from '../read/calls.ts';
import { getLine, getTripDirection } from '../read/dated-trip.ts';
import { listOccupancy } from '../read/occupancy.ts';
import { listCallAttributes } from '../read/present.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import type { Timetable } from '../read/timetable.ts';
import { presentCall } from './leg-stops.ts';
import {
  getAlighting,
  getBoarding,
  isAlightingCancelled,
  isBoardingCancelled,
  isCancelledRun,
  type Run,
} from './run.ts';
import type { TimedRide } from './timeline.ts';

interface RideContext {
  readonly published: Published;
  readonly references: References;
  /** Whether the request is for a wheelchair. */
  readonly wheelchair: boolean;
  /** Now: decides which bookings are closed. */
  readonly instant: Instant;
  /** Whether a bicycle is taken along; absent: no. */
  readonly withBike?: boolean;
}

/** A leg on board of a vehicle. */
export function presentRide(context: RideContext, part: TimedRide): Leg {
  const { published, references, instant } = context;
  const { run } = part;
  const bookings = listRideBookings(published.timetable, part);
  const stops = presentStops(published, part);
  const { ride, view } = run;
  const polyline = getPolyline(view, ride.boardPosition, run.calls);
  return {
    mode: 'transit',
    line: getLine(view),
    direction: getTripDirection(view, ride.boardPosition),
    origin: stops[0]!,
    destination: stops.at(-1)!,
    intermediateStops: stops.slice(1, -1),
    distanceMeters: Math.round(measureLine(polyline)),
    journeyRef: references.sealJourney({ tripKey: view.tripKey, day: ride.day }),
    cancellation: presentCancellation(part),
    notices: [
      ...listBookingNotices(view, bookings, instant),
      ...listNotices(
        view,
        run.calls.map(({ stop }) => stop),
        part.begin.expected,
        part.end.expected,
      ),
    ],
    attributes: [
      ...listAttributes(context, part),
      ...listBookingAttributes(published.timetable, bookings, instant),
      ...(isBoardingCancelled(run) ? [] : listOccupancy(view, ride.boardPosition, instant)),
    ],
    polyline,
    steps: [],
  };
}

function presentStops(published: Published, part: TimedRide) {
  const { calls, view, ride } = part.run;
  return calls.map((call, i) => {
    const position = ride.boardPosition + i;
    return presentCall(published.timetable, call, {
      isFirst: position === 0,
      isLast: position === view.callCount - 1,
      cancellation: noteCancellation(describeCancellation(call), notedRun(part), [call.stop]),
    });
  });
}

/** Of the ride alone: skipped calls before and after it do not concern its passengers. */
function presentCancellation(part: TimedRide): Cancellation {
  const { run } = part;
  const fullyCancelled = isCancelledRun(run) || run.calls.every(isSkipped);
  const isPartly = isBoardingCancelled(run) || isAlightingCancelled(run) || run.calls.slice(1, -1).some(isSkipped);
  const cancellation = { fullyCancelled, partiallyCancelled: !fullyCancelled && isPartly };
  const stops = run.calls.map(({ stop }) => stop);
  return noteCancellation(cancellation, notedRun(part), stops);
}

function notedRun({ run, begin, end }: TimedRide): NotedRun {
  return { view: run.view, from: begin.expected, to: end.expected };
}

/** Those of boarding, unless passengers are on board already, and of alighting. */
function listRideBookings(timetable: Timetable, { run: { ride }, isStaying }: TimedRide): Booking[] {
  const pickup = isStaying ? null : findBooking(timetable, ride, ride.boardPosition, 'pickup');
  const dropOff = findBooking(timetable, ride, ride.alightPosition, 'dropOff');
  return [pickup, dropOff].flatMap((booking) => booking ?? []);
}

// ---- Attributes --------------------------------------------------------------------------------

/** Those of the trip, and those of its two calls that concern boarding at the one and alighting at the other. */
function listAttributes(
  { published, wheelchair, withBike = false }: RideContext,
  { run, isStaying }: TimedRide,
): string[] {
  const { timetable } = published;
  const { trip, boardPosition, alightPosition } = run.ride;
  const attributes = new Set<string>();
  if (trip >= 0) {
    const pattern = timetable.tables.trips.pattern[trip]!;
    const boarding = listCallAttributes(timetable, pattern, boardPosition, trip);
    const alighting = listCallAttributes(timetable, pattern, alightPosition, trip);
    for (const text of boarding) if (!text.startsWith('dropOff:')) attributes.add(text);
    for (const text of alighting) if (!text.startsWith('pickup:')) attributes.add(text);
  }
  if (isStaying) attributes.add('staySeated:yes');
  if (wheelchair) addUnknowns(attributes, timetable, run);
  if (withBike && (trip < 0 || timetable.tables.trips.bikesAllowed[trip] === 0)) attributes.add('bikes:unknown');
  return [...attributes];
}

/** With a wheelchair requested, unknown accessibility is an attribute of the leg. */
function addUnknowns(attributes: Set<string>, { tables }: Timetable, run: Run): void {
  const { trip } = run.ride;
  if (trip < 0 || tables.trips.wheelchairAccessible[trip] === 0) attributes.add('wheelchair:unknown');
  const stops = [getBoarding(run).stop, getAlighting(run).stop];
  if (stops.some((stop) => stop < 0 || getBoardingRule(tables, stop) === 0)) attributes.add('stopWheelchair:unknown');
}

/** GTFS wheelchair_boarding; a platform without a value has that of its station. */
function getBoardingRule({ stops }: Timetable['tables'], stop: number): number {
  return stops.wheelchairBoarding[stop]! || stops.wheelchairBoarding[stops.station[stop]!]!;
}
