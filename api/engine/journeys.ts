import { fromEpochDay, type Instant, localDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { Journey, JourneyStop } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import { getPolyline } from './polylines.ts';
import {
  findStopCoord,
  getDirection,
  getTimeRow,
  listTripAttributes,
  notCancelled,
  presentCoord,
  presentPlatform,
  presentScheduled,
} from './present.ts';
import type { JourneyName, References } from './references.ts';
import { findStop, getStopId } from './stop-ids.ts';
import { AUSTRIA, getMembers, getZone, runsOn, type Timetable } from './timetable.ts';

/** How long a journey can still be asked for. */
const DAYS_KEPT = 3;

/**
 * One trip on one service date, with all of its calls.
 * @param stopId marks the call there as the current one; without it, the call that the vehicle is at or heads to at
 * `moment`, and none before it leaves or after it has arrived
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `invalid_parameter` (a stop it does not serve)
 */
export function getJourney(
  timetable: Timetable,
  references: References,
  moment: Instant,
  ref: string,
  stopId: string | undefined,
): Journey {
  const name = references.openJourney(ref);
  if (!name) throw new ApiProblem('unknown_journey', 'This is no journey reference of ours.');
  if (name.day < toEpochDay(localDate(moment, AUSTRIA)) - DAYS_KEPT) {
    throw new ApiProblem('journey_expired', `The journey was more than ${DAYS_KEPT} days ago.`);
  }
  const trip = findTrip(timetable, name);
  if (trip === null) throw new ApiProblem('journey_expired', 'The journey is no longer in the timetable.');
  return presentJourney(timetable, trip, name.day, ref, (calls) =>
    stopId === undefined ? findCurrentCall(calls, moment) : getCallAt(timetable, calls, stopId),
  );
}

/** @returns the trip's row, null when the timetable lacks the trip or it does not run on the day */
function findTrip({ tables }: Timetable, { tripKey, day }: JourneyName): number | null {
  const order = tables.tripsByKey.trip;
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tables.trips.key[order[middle]!]! < tripKey) low = middle + 1;
    else high = middle;
  }
  const trip = order[low];
  if (trip === undefined || tables.trips.key[trip] !== tripKey) return null;
  return runsOn(tables, tables.trips.service[trip]!, day) ? trip : null;
}

interface JourneyCall {
  readonly stop: number;
  readonly arrival: Instant;
  readonly departure: Instant;
}

function listCalls(timetable: Timetable, trip: number, day: number): JourneyCall[] {
  const { tables } = timetable;
  const pattern = tables.trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(tables, pattern, trip);
  const first = tables.patterns.firstCall[pattern]!;
  return Array.from({ length: tables.patterns.callCount[pattern]! }, (_, k) => ({
    stop: tables.patternCalls.stop[first + k]!,
    arrival: (start + tables.times.arrival[row + k]!) as Instant,
    departure: (start + tables.times.departure[row + k]!) as Instant,
  }));
}

function findCurrentCall(calls: readonly JourneyCall[], moment: Instant): number {
  if (moment < calls[0]!.arrival || moment > calls.at(-1)!.departure) return -1;
  return calls.findIndex((call) => moment <= call.departure);
}

function getCallAt(timetable: Timetable, calls: readonly JourneyCall[], stopId: string): number {
  const stop = findStop(timetable, stopId);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable holds no stop of this id.', 'stopId');
  const members = getMembers(timetable.tables, stop);
  const found = calls.findIndex((call) => members.includes(call.stop));
  if (found < 0) throw new ApiProblem('invalid_parameter', 'The journey does not call at this stop.', 'stopId');
  return found;
}

function presentJourney(
  timetable: Timetable,
  trip: number,
  day: number,
  ref: string,
  chooseCurrent: (calls: readonly JourneyCall[]) => number,
): Journey {
  const pattern = timetable.tables.trips.pattern[trip]!;
  const calls = listCalls(timetable, trip, day);
  const current = chooseCurrent(calls);
  const last = calls.length - 1;
  return {
    ref,
    line: timetable.lines.get(timetable.tables.patterns.route[pattern]!),
    direction: getDirection(timetable, pattern, 0, trip),
    stops: calls.map(
      (call, k): JourneyStop => ({
        id: getStopId(timetable, call.stop),
        name: timetable.tables.stops.name.get(call.stop),
        ...findStopCoord(timetable, call.stop),
        ...(k > 0 ? { arrival: presentScheduled(call.arrival) } : {}),
        ...(k < last ? { departure: presentScheduled(call.departure) } : {}),
        platform: presentPlatform(timetable, call.stop),
        cancellation: notCancelled(),
        isCurrent: k === current,
      }),
    ),
    cancellation: notCancelled(),
    notices: [],
    attributes: listTripAttributes(timetable, trip),
    polyline: getPolyline(timetable, trip, 0, last).map(([lat, lon]) => presentCoord(lat, lon)),
    serviceDate: fromEpochDay(day),
  };
}
