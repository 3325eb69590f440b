import type { Instant } from '../../../pipeline/model/service-time.ts';
import { type JourneyCall, listAddedCalls, listPlannedCalls } from '../journeys/journey-calls.ts';
import type { Ride } from '../planner/itinerary.ts';
import { findLiveTrip, hasFlag, type Published } from '../read/realtime.ts';
import { type Happening, readHappening } from './happening.ts';

/** Which calls of which dated trip somebody rides between. */
export type DatedRide = Pick<Ride, 'trip' | 'addedTrip' | 'day' | 'boardPosition' | 'alightPosition'>;

export interface RunCall {
  readonly call: JourneyCall;
  readonly arrival: Happening;
  readonly departure: Happening;
}

/** A ride as it is planned and as it runs. */
export interface Run {
  /** Where another run takes the place of the one that was asked for, this is the other. */
  readonly ride: DatedRide;
  /** Names the trip in references. */
  readonly tripKey: bigint;
  /** Bits of `tripFlags`. */
  readonly flags: number;
  /** Of the whole trip. */
  readonly callCount: number;
  /** From boarding to alighting, both inclusive. */
  readonly calls: readonly RunCall[];
}

/**
 * @param moment by which forecasts are fresh or not
 * @param notBefore until when the vehicle runs as another trip, 0 where it does not
 */
export function openRun(published: Published, asked: DatedRide, moment: Instant, notBefore = 0): Run {
  const ride = findReplacement(published, asked) ?? asked;
  const { timetable, realtime } = published;
  const { trip, addedTrip, day } = ride;
  if (trip < 0) {
    const { key, flags, callCount } = realtime!.tables.addedTrips;
    const calls = timeCalls(listAddedCalls(published, addedTrip), ride, moment, notBefore);
    return { ride, tripKey: key[addedTrip]!, flags: flags[addedTrip]!, callCount: callCount[addedTrip]!, calls };
  }
  const { trips, patterns } = timetable.tables;
  const row = realtime ? findLiveTrip(realtime, trip, day) : -1;
  return {
    ride,
    tripKey: trips.key[trip]!,
    flags: realtime && row >= 0 ? realtime.tables.trips.flags[row]! : 0,
    callCount: patterns.callCount[trips.pattern[trip]!]!,
    calls: timeCalls(listPlannedCalls(published, trip, day, row), ride, moment, notBefore),
  };
}

export function getBoarding({ calls }: Run): RunCall {
  return calls[0]!;
}

export function getAlighting({ calls }: Run): RunCall {
  return calls.at(-1)!;
}

/** Whether it does not run at all: by explicit report, or because another run takes its place. */
export function isCancelledRun({ flags }: Run): boolean {
  return hasFlag(flags, 'cancelled') || hasFlag(flags, 'deleted') || hasFlag(flags, 'replaced');
}

export function isSkipped({ call }: RunCall): boolean {
  return call.live?.isCancelled ?? false;
}

/** Times along the run do not fall, so those before boarding count too. */
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

/** @returns the same ride on the run that takes the trip's place; null where none does, or it does not call there */
function findReplacement(published: Published, { trip, day, boardPosition, alightPosition }: DatedRide) {
  const { timetable, realtime } = published;
  const row = realtime && trip >= 0 ? findLiveTrip(realtime, trip, day) : -1;
  if (!realtime || row < 0) return null;
  const addedTrip = realtime.tables.trips.replacedBy[row]!;
  if (addedTrip < 0) return null;
  const { trips, patterns, patternCalls } = timetable.tables;
  const first = patterns.firstCall[trips.pattern[trip]!]!;
  const board = findCall(published, addedTrip, 0, patternCalls.stop[first + boardPosition]!);
  const alight = board < 0 ? -1 : findCall(published, addedTrip, board + 1, patternCalls.stop[first + alightPosition]!);
  return alight < 0 ? null : { trip: -1, addedTrip, day, boardPosition: board, alightPosition: alight };
}

/** Its first call from a position on at a stop, or at another one of the same station; -1 where there is none. */
function findCall({ timetable, realtime }: Published, addedTrip: number, from: number, stop: number): number {
  const { addedTrips, addedCalls } = realtime!.tables;
  const { station } = timetable.tables.stops;
  for (let position = from; position < addedTrips.callCount[addedTrip]!; position++) {
    const called = addedCalls.stop[addedTrips.firstCall[addedTrip]! + position]!;
    if (called >= 0 && station[called] === station[stop]) return position;
  }
  return -1;
}
