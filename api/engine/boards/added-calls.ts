import type { Instant } from '../../../pipeline/model/service-time.ts';
import { getAddedLabel, getAddedPlan } from '../read/added-trips.ts';
import { type LiveCall, readAddedCall } from '../read/live-calls.ts';
import { findStopRow, hasFlag, type Realtime } from '../read/realtime.ts';
import { isPartOf } from '../read/timetable.ts';
import type { BoardScope } from './calls-at-stop.ts';

/** A call of a trip that the timetable does not hold. */
export interface AddedRun {
  /** Row of `addedTrips` of the realtime snapshot. */
  readonly addedTrip: number;
  /** Row of `addedCalls`. */
  readonly row: number;
  readonly position: number;
}

export interface AddedCall {
  readonly scheduled: Instant;
  readonly live: LiveCall;
  readonly run: AddedRun;
}

/** What trips that the timetable does not hold bring to a board, of any time. */
export function listAddedCalls(scope: BoardScope, realtime: Realtime): AddedCall[] {
  const { addedStations, addedStationCalls, addedTrips, addedCalls } = realtime.tables;
  const { tables } = scope.published.timetable;
  const group = findStopRow(addedStations.station, tables.stops.station[scope.stop]!);
  if (group < 0) return [];
  const found: AddedCall[] = [];
  const first = addedStations.firstCall[group]!;
  for (let i = first; i < first + addedStations.callCount[group]!; i++) {
    const addedTrip = addedStationCalls.addedTrip[i]!;
    const position = addedStationCalls.position[i]!;
    if (!isPartOf(tables, addedCalls.stop[addedTrips.firstCall[addedTrip]! + position]!, scope.stop)) continue;
    const call = readAdded(scope, realtime, addedTrip, position);
    if (call) found.push(call);
  }
  return found;
}

function readAdded(scope: BoardScope, realtime: Realtime, addedTrip: number, position: number): AddedCall | null {
  const { addedTrips } = realtime.tables;
  const isDeparture = scope.kind === 'departures';
  const isEnd = position === (isDeparture ? addedTrips.callCount[addedTrip]! - 1 : 0);
  if (isEnd || hasFlag(addedTrips.flags[addedTrip]!, 'deleted')) return null;
  if (!isWanted(scope, realtime, addedTrip) || !callsElsewhere(scope, realtime, addedTrip, position)) return null;
  const row = addedTrips.firstCall[addedTrip]! + position;
  const { arrival, departure } = getAddedPlan(realtime, row);
  const scheduled = isDeparture ? departure : arrival;
  return scheduled === 0 ? null : { scheduled, live: readAddedCall(realtime, row), run: { addedTrip, row, position } };
}

function isWanted({ filter, published }: BoardScope, { tables }: Realtime, addedTrip: number): boolean {
  const route = tables.addedTrips.route[addedTrip]!;
  const { product } = published.timetable.tables.routes;
  const bit = 1 << (route >= 0 ? product[route]! : tables.addedTrips.product[addedTrip]!);
  if (filter.products !== null && (filter.products & bit) === 0) return false;
  return filter.lines === null || filter.lines.has(getAddedLabel(published, addedTrip));
}

/** Whether it calls at the stop that was asked for later on (departures) or before (arrivals). */
function callsElsewhere(scope: BoardScope, { tables }: Realtime, addedTrip: number, position: number): boolean {
  const { otherStop } = scope.filter;
  if (otherStop === null) return true;
  const { addedTrips, addedCalls } = tables;
  const first = addedTrips.firstCall[addedTrip]!;
  const count = addedTrips.callCount[addedTrip]!;
  const [begin, end] = scope.kind === 'departures' ? [position + 1, count] : [0, position];
  for (let k = begin; k < end; k++) {
    if (isPartOf(scope.published.timetable.tables, addedCalls.stop[first + k]!, otherStop)) return true;
  }
  return false;
}
