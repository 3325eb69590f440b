import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Ride } from '../planner/itinerary.ts';
import { getCallStop, type JourneyCall, listCalls, openTrip, type TripView } from '../read/dated-trip.ts';
import { findLiveTrip, hasFlag, type Published } from '../read/realtime.ts';
import { type Happening, readHappening } from './happening.ts';

/** A dated trip, and the calls of boarding and alighting. */
export type DatedRide = Pick<Ride, 'trip' | 'addedTrip' | 'day' | 'boardPosition' | 'alightPosition'>;

export interface RunCall {
  readonly call: JourneyCall;
  readonly arrival: Happening;
  readonly departure: Happening;
}

/** A ride as planned and with realtime. */
export interface Run {
  /** Where the requested trip is replaced by another, this is the replacement. */
  readonly ride: DatedRide;
  /** Of the whole trip. */
  readonly view: TripView;
  /** From boarding to alighting, both inclusive. */
  readonly calls: readonly RunCall[];
}

/**
 * @param moment decides which forecasts are fresh
 * @param notBefore end of the trip that the vehicle runs before, 0 where there is none
 */
export function openRun(published: Published, asked: DatedRide, moment: Instant, notBefore = 0): Run {
  const ride = findReplacement(published, asked) ?? asked;
  const view = openTrip(published, ride);
  return { ride, view, calls: timeCalls(listCalls(view), ride, moment, notBefore) };
}

export function getBoarding({ calls }: Run): RunCall {
  return calls[0]!;
}

export function getAlighting({ calls }: Run): RunCall {
  return calls.at(-1)!;
}

/** Whether it does not run at all: reported as cancelled, or replaced by another trip. */
export function isCancelledRun({ view: { flags } }: Run): boolean {
  return hasFlag(flags, 'cancelled') || hasFlag(flags, 'deleted') || hasFlag(flags, 'replaced');
}

export function isSkipped({ call }: RunCall): boolean {
  return call.live?.isCancelled ?? false;
}

/** Times never fall along the trip, so the calls before boarding are read too. */
function timeCalls(
  calls: readonly JourneyCall[],
  { boardPosition, alightPosition }: DatedRide,
  moment: Instant,
  notBefore: number,
): RunCall[] {
  const timed: RunCall[] = [];
  let before = notBefore;
  for (let position = 0; position <= alightPosition; position++) {
    const call = calls[position]!;
    const arrival = readHappening(call, 'arrival', before, moment);
    before = Math.max(before, arrival.expected);
    const departure = readHappening(call, 'departure', before, moment);
    before = Math.max(before, departure.expected);
    if (position >= boardPosition) timed.push({ call, arrival, departure });
  }
  return timed;
}

// ---- Replacements ------------------------------------------------------------------------------

/** @returns the same ride on the replacement of the trip; null without one, or where it does not call there */
function findReplacement(published: Published, asked: DatedRide): DatedRide | null {
  const { realtime } = published;
  const { trip, day, boardPosition, alightPosition } = asked;
  const row = realtime && trip >= 0 ? findLiveTrip(realtime, trip, day) : -1;
  const addedTrip = realtime && row >= 0 ? realtime.tables.trips.replacedBy[row]! : -1;
  if (addedTrip < 0) return null;
  const [planned, other] = [openTrip(published, asked), openTrip(published, { trip: -1, addedTrip, day })];
  const board = findCall(other, 0, getCallStop(planned, boardPosition));
  const alight = board < 0 ? -1 : findCall(other, board + 1, getCallStop(planned, alightPosition));
  return alight < 0 ? null : { trip: -1, addedTrip, day, boardPosition: board, alightPosition: alight };
}

/** Its first call from a position on at a stop, or at another one of the same station; -1 where there is none. */
function findCall(view: TripView, from: number, wanted: number): number {
  const { station } = view.published.timetable.tables.stops;
  for (let position = from; position < view.callCount; position++) {
    const called = getCallStop(view, position);
    if (called >= 0 && station[called] === station[wanted]) return position;
  }
  return -1;
}
