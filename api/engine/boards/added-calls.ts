import type { Instant } from '../../../pipeline/model/service-time.ts';
import { openTrip, type TripView } from '../read/dated-trip.ts';
import type { LiveCall } from '../read/live-calls.ts';
import { findStopRow, hasFlag, type Realtime } from '../read/realtime.ts';
import { isPartOf } from '../read/timetable.ts';
import type { BoardRun, BoardScope } from './calls-at-stop.ts';

/** A call of a trip that the timetable does not hold. */
export interface AddedCall {
  readonly scheduled: Instant;
  readonly live: LiveCall | null;
  readonly run: BoardRun;
}

/** What trips that the timetable does not hold bring to a board, of any time. */
export function listAddedCalls(scope: BoardScope, realtime: Realtime): AddedCall[] {
  const { addedStations, addedStationCalls, addedTrips } = realtime.tables;
  const { published, stop } = scope;
  const { tables } = published.timetable;
  const group = findStopRow(addedStations.station, tables.stops.station[stop]!);
  if (group < 0) return [];
  const found: AddedCall[] = [];
  const first = addedStations.firstCall[group]!;
  for (let i = first; i < first + addedStations.callCount[group]!; i++) {
    const [addedTrip, position] = [addedStationCalls.addedTrip[i]!, addedStationCalls.position[i]!];
    const run = { trip: -1, addedTrip, day: addedTrips.day[addedTrip]!, position };
    const trip = openTrip(published, run);
    if (!isPartOf(tables, trip.stop(position), stop) || !isWanted(scope, trip, position)) continue;
    const call = trip.call(position);
    const scheduled = scope.kind === 'departures' ? call.departure : call.arrival;
    if (scheduled !== 0) found.push({ scheduled, live: call.live, run });
  }
  return found;
}

function isWanted({ kind, filter, published }: BoardScope, trip: TripView, position: number): boolean {
  const isEnd = position === (kind === 'departures' ? trip.callCount - 1 : 0);
  if (isEnd || hasFlag(trip.flags, 'deleted')) return false;
  if (filter.products !== null && (filter.products & (1 << trip.product)) === 0) return false;
  if (filter.lines !== null && !filter.lines.has(trip.label())) return false;
  const { otherStop } = filter;
  if (otherStop === null) return true;
  // It is to call at the stop that was asked for later on (departures) or before (arrivals).
  const [begin, end] = kind === 'departures' ? [position + 1, trip.callCount] : [0, position];
  for (let k = begin; k < end; k++) {
    if (isPartOf(published.timetable.tables, trip.stop(k), otherStop)) return true;
  }
  return false;
}
