import { AUSTRIA, fromEpochDay, type Instant, localDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { findTripByKey, getShownTrip, runsOn, type TripOfDay } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Cancellation, Coord, Journey, JourneyStop } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { listBookingNotices } from '../alerts/booking-notices.ts';
import { listNotices, noteCancellation } from '../alerts/notices.ts';
import { listTripBookingAttributes, listTripBookings } from '../read/bookings.ts';
import { describeCancellation, type JourneyCall, listCalls } from '../read/calls.ts';
import { type DatedTrip, getLine, getTripDirection, openTrip, type TripView } from '../read/dated-trip.ts';
import { presentEventTime } from '../read/event-times.ts';
import { listOccupancy } from '../read/occupancy.ts';
import { findStopCoord, listTripAttributes, presentCoord, presentPlatform } from '../read/present.ts';
import { findAddedTrip, hasFlag, type Published } from '../read/realtime.ts';
import type { JourneyName, References } from '../read/references.ts';
import { findStop, getStopId } from '../read/stop-ids.ts';
import { isPartOf, type Timetable } from '../read/timetable.ts';
import { findVehicle, isVehicleShown } from '../vehicles/vehicles.ts';
import { findCurrentCall, getPolyline } from './journey-calls.ts';

/** Days after which a journey has expired. */
const JOURNEY_DAYS = 3;

interface JourneyContext {
  readonly published: Published;
  readonly references: References;
  readonly instant: Instant;
}

/**
 * One trip on one service date, with all of its calls, planned and actual.
 * @param stopId marks the call there as the current one; without it, the call that the vehicle is at or heads to at
 * `instant`, and none before it leaves or after it has arrived
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `invalid_parameter` (a stop it does not
 * serve)
 */
export function getJourney(context: JourneyContext, ref: string, stopId: string | undefined): Journey {
  const { published, references, instant } = context;
  const name = references.openJourney(ref);
  if (!name)
    throw new ApiProblem(
      'unknown_journey',
      'Invalid journey reference. Use one from a current response of this service.',
    );
  if (isTooLongAgo(name, instant)) {
    throw new ApiProblem('journey_expired', `The journey took place more than ${JOURNEY_DAYS} days ago.`);
  }
  const run = findRun(published, name, instant);
  if (!run) throw new ApiProblem('journey_expired', 'The journey is no longer in the timetable.');
  const current =
    stopId === undefined
      ? findCurrentCall(run.calls, instant, run.vehiclePosition)
      : getCallAt(published.timetable, run.calls, stopId);
  return presentJourney(context, run, references.sealJourney(run.view), current);
}

/** Whether a journey has expired by age, whatever the timetable still holds. */
export function isTooLongAgo({ day }: JourneyName, instant: Instant): boolean {
  return day < toEpochDay(localDate(instant, AUSTRIA)) - JOURNEY_DAYS;
}

/**
 * Looks among added trips first: a replacement has the name of the trip that it replaces.
 * @returns null when there is no such trip, or it does not run on the day
 */
export function findDatedTrip({ timetable, realtime }: Published, name: JourneyName): DatedTrip | null {
  const addedTrip = realtime ? findAddedTrip(realtime, name.tripKey, name.day) : -1;
  const { day } = name;
  if (addedTrip >= 0) return { trip: -1, addedTrip, day };
  const shown = findShownTrip(timetable, name);
  return shown === null ? null : { ...shown, addedTrip: -1 };
}

/** A dated trip of the timetable or of a realtime source. */
interface JourneyRun extends DatedTrip {
  readonly view: TripView;
  readonly calls: readonly JourneyCall[];
  /** The call that the vehicle is at or heads to, from its reported position; null without one. */
  readonly vehiclePosition: number | null;
  readonly lastPosition: Coord | null;
}

function findRun(published: Published, name: JourneyName, instant: Instant): JourneyRun | null {
  const dated = findDatedTrip(published, name);
  if (!dated) return null;
  const view = openTrip(published, dated);
  const { tripKey, day } = view;
  return {
    ...dated,
    view,
    calls: listCalls(view, instant),
    // A trip with a vehicle position need not have any other realtime data.
    ...readVehicle(published, { tripKey, day }, dated, instant),
  };
}

function readVehicle(
  published: Published,
  name: JourneyName,
  dated: DatedTrip,
  instant: Instant,
): Pick<JourneyRun, 'vehiclePosition' | 'lastPosition'> {
  const { realtime } = published;
  const row = realtime ? findVehicle(published, realtime, name) : -1;
  if (!realtime || row < 0 || !isVehicleShown(realtime, row, instant)) {
    return { vehiclePosition: null, lastPosition: null };
  }
  const { lat, lon, position, trip } = realtime.tables.vehicles;
  // A vehicle of a replaced trip counts the calls of the plan.
  const isCounted = position[row]! >= 0 && (dated.trip >= 0 || trip[row]! < 0);
  return {
    vehiclePosition: isCounted ? position[row]! : null,
    lastPosition: presentCoord(lat[row]!, lon[row]!),
  };
}

/**
 * @returns for a duplicate the dated trip that is shown for it; null when the timetable lacks the trip or it does not run
 *   on the day
 */
function findShownTrip({ tables }: Timetable, { tripKey, day }: JourneyName): TripOfDay<JourneyName['day']> | null {
  const published = findTripByKey(tables, tripKey, day);
  if (published === null) return null;
  const shown = getShownTrip(tables, published, day);
  return runsOn(tables, tables.trips.service[shown.trip]!, shown.day) ? shown : null;
}

function getCallAt(timetable: Timetable, calls: readonly JourneyCall[], stopId: string): number {
  const stop = findStop(timetable, stopId);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', 'stopId');
  const found = calls.findIndex((call) => isPartOf(timetable.tables, call.stop, stop));
  if (found < 0) throw new ApiProblem('invalid_parameter', 'The journey does not call at this stop.', 'stopId');
  return found;
}

function presentJourney(context: JourneyContext, run: JourneyRun, ref: string, current: number): Journey {
  const { published, instant } = context;
  const { timetable } = published;
  const { view, calls, trip, day, lastPosition } = run;
  const bookings = listTripBookings(timetable, run);
  const last = calls.length - 1;
  const noted = { ...run, ...getSpan(run) };
  return {
    ref,
    line: getLine(view),
    direction: getTripDirection(view, 0),
    stops: calls.map((call, k) =>
      presentStopCall(timetable, call, {
        isFirst: k === 0,
        isLast: k === last,
        isCurrent: k === current,
        cancellation: noteCancellation(describeCancellation(call), noted, [call.stop]),
      }),
    ),
    cancellation: noteCancellation(
      presentCancellation(view.flags),
      noted,
      calls.map(({ stop }) => stop),
    ),
    notices: [
      ...listBookingNotices(view, bookings, instant, true),
      ...listNotices(
        view,
        calls.map(({ stop }) => stop),
        noted.from,
        noted.to,
      ),
    ],
    attributes: [
      ...(trip < 0 ? [] : listTripAttributes(timetable, trip)),
      ...(current < 0 || calls[current]!.departure.isCancelled ? [] : listOccupancy(view, current, instant)),
      ...listTripBookingAttributes(timetable, bookings, instant),
    ],
    polyline: getPolyline(view, 0, calls),
    serviceDate: fromEpochDay(day),
    ...(lastPosition === null ? {} : { lastPosition }),
  };
}

function presentStopCall(
  timetable: Timetable,
  call: JourneyCall,
  {
    isFirst,
    isLast,
    isCurrent,
    cancellation,
  }: { isFirst: boolean; isLast: boolean } & Pick<JourneyStop, 'isCurrent' | 'cancellation'>,
): JourneyStop {
  const { stop, stopName, platform, announcedPlatform } = call;
  return {
    id: stop >= 0 ? getStopId(timetable, stop) : stopName,
    name: stopName,
    ...(stop >= 0 ? findStopCoord(timetable, stop) : call.coord),
    ...(isFirst ? {} : { arrival: presentEventTime(call.arrival) }),
    ...(isLast ? {} : { departure: presentEventTime(call.departure) }),
    platform: presentPlatform(platform, announcedPlatform),
    cancellation,
    isCurrent,
  };
}

/** From the first departure to the last arrival, as expected. */
function getSpan({ calls }: JourneyRun): { readonly from: Instant; readonly to: Instant } {
  return { from: calls[0]!.departure.expected, to: calls.at(-1)!.arrival.expected };
}

function presentCancellation(flags: number): Cancellation {
  return {
    fullyCancelled: hasFlag(flags, 'cancelled') || hasFlag(flags, 'deleted'),
    partiallyCancelled: hasFlag(flags, 'partlyCancelled'),
  };
}
