import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Ride } from '../planner/itinerary.ts';
import { type JourneyCall, listCalls } from '../read/calls.ts';
import { getCallStop, isCallSkipped, openTrip, type TripView } from '../read/dated-trip.ts';
import { delayUntil, type EventTime } from '../read/event-times.ts';
import { findLiveTrip, hasFlag, type Published } from '../read/realtime.ts';

/** A dated trip, and the calls of boarding and alighting. */
export type DatedRide = Pick<Ride, 'trip' | 'addedTrip' | 'day' | 'boardPosition' | 'alightPosition'>;

/** A ride as planned and with realtime. */
export interface Run {
  /** Where the requested trip is replaced by another, this is the replacement. */
  readonly ride: DatedRide;
  /** Of the whole trip. */
  readonly view: TripView;
  /** From boarding to alighting, both inclusive. */
  readonly calls: readonly JourneyCall[];
}

/**
 * @param instant decides which forecasts are fresh
 * @param notBefore end of the vehicle's previous trip, 0 without one
 */
export function openRun(published: Published, requested: DatedRide, instant: Instant, notBefore = 0): Run {
  const ride = findReplacement(published, requested) ?? requested;
  const view = openTrip(published, ride);
  return { ride, view, calls: timeCalls(listCalls(view, instant), ride, notBefore) };
}

export function getBoarding({ calls }: Run): JourneyCall {
  return calls[0]!;
}

export function getAlighting({ calls }: Run): JourneyCall {
  return calls.at(-1)!;
}

/** Whether it does not run at all: reported as cancelled, or replaced by another trip. */
export function isCancelledRun({ view: { flags } }: Run): boolean {
  return hasFlag(flags, 'cancelled') || hasFlag(flags, 'deleted') || hasFlag(flags, 'replaced');
}

export function isBoardingCancelled(run: Run): boolean {
  return getBoarding(run).departure.isCancelled;
}

export function isAlightingCancelled(run: Run): boolean {
  return getAlighting(run).arrival.isCancelled;
}

/** Times never fall along the trip, so a vehicle that is held up is late at the calls before boarding too. */
function timeCalls(
  calls: readonly JourneyCall[],
  { boardPosition, alightPosition }: DatedRide,
  notBefore: number,
): readonly JourneyCall[] {
  const ridden = calls.slice(boardPosition, alightPosition + 1);
  const heldSeconds = notBefore - ridden[0]!.departure.expected;
  if (heldSeconds <= 0) return ridden;
  let isReported = false;
  // As any delay, that of its previous trip is carried to the next call that is reported.
  const hold = (event: EventTime) => {
    isReported ||= event.prognosis !== null && event.prognosis !== 'carried';
    return delayUntil(event, isReported ? notBefore : event.expected + heldSeconds);
  };
  return ridden.map((call) => ({ ...call, arrival: hold(call.arrival), departure: hold(call.departure) }));
}

// ---- Replacements ------------------------------------------------------------------------------

/** @returns the same ride on the replacement of the trip; null without one, or where it does not serve both stops */
function findReplacement(published: Published, requested: DatedRide): DatedRide | null {
  const { realtime } = published;
  const { trip, day, boardPosition, alightPosition } = requested;
  const row = realtime && trip >= 0 ? findLiveTrip(realtime, trip, day) : -1;
  const addedTrip = realtime && row >= 0 ? realtime.tables.trips.replacedBy[row]! : -1;
  if (addedTrip < 0) return null;
  const [planned, other] = [openTrip(published, requested), openTrip(published, { trip: -1, addedTrip, day })];
  const board = findCall(other, 0, getCallStop(planned, boardPosition));
  const alight = board < 0 ? -1 : findCall(other, board + 1, getCallStop(planned, alightPosition));
  return alight < 0 ? null : { trip: -1, addedTrip, day, boardPosition: board, alightPosition: alight };
}

/** Its first served call from a position on at a stop, or at another one of the same station; -1 if there is none. */
function findCall(view: TripView, from: number, wanted: number): number {
  const { station } = view.published.timetable.tables.stops;
  for (let position = from; position < view.callCount; position++) {
    const called = getCallStop(view, position);
    const isThere = called >= 0 && station[called] === station[wanted];
    if (isThere && !isCallSkipped(view, position)) return position;
  }
  return -1;
}
