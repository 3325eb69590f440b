import type { CallEvent } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { callFlags, tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { getCallStop, getLabel, openTrip, type TripView } from '../read/dated-trip.ts';
import { asScheduled, type EventTime, openEventTimes, readPlannedEvent } from '../read/event-times.ts';
import { findLiveTrip, findStopRow, hasFlag, isHidden, type Published, type Realtime } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import { getMembers, getZone, isPartOf, type Timetable } from '../read/timetable.ts';
import {
  type BoardCalls,
  type BoardKind,
  type BoardScope,
  callsElsewhere,
  collectCalls,
  collectFirstCalls,
  type DatedCall,
  findNextTime,
  listBoardCalls,
  type StopCall,
} from './calls-at-stop.ts';

export interface BoardContext {
  readonly published: Published;
  readonly references: References;
  /** Now: the default begin of a board, and the instant at which a forecast is fresh or not. */
  readonly instant: Instant;
}

/** One row of a board before it is presented. */
export interface BoardCall {
  /** At the instant that decides the order of the board. */
  readonly time: EventTime;
  readonly datedCall: DatedCall;
}

/** Part of the calls of a window. */
export interface BoardPage {
  readonly limit: number;
  /** The last row of the previous page; null on the first page of a window. */
  readonly after: { readonly time: number } | null;
}

/** The calls that a board may show, to be read by time windows. */
export interface BoardView {
  /**
   * All calls scheduled in `[begin, end)` that have not departed yet, in no order.
   * @param withLate includes calls that were due before the window and are still expected
   * @param page calls of other pages may be missing
   */
  collect(begin: number, end: number, withLate: boolean, page: BoardPage): BoardCall[];
  /**
   * Returns the scheduled time of the next call that `collect` would return at or after an instant; `null` if no call
   * follows.
   */
  findNext(from: number): Instant | null;
}

export function viewBoard(scope: BoardScope): BoardView {
  const { timetable, realtime } = scope.published;
  const calls = listBoardCalls(timetable, scope.stop, scope.kind, scope.filter);
  if (!realtime) {
    return {
      collect: (begin, end, _withLate, { limit, after }) =>
        // One more, from which it follows that the page is not the last one.
        collectFirstCalls(timetable, calls, Math.max(begin, after?.time ?? begin), end, limit + 1).map(asPlanned),
      findNext: (from) => findNextTime(timetable, calls, from),
    };
  }
  return viewLiveBoard(scope, realtime, calls);
}

function viewLiveBoard(scope: BoardScope, realtime: Realtime, calls: BoardCalls): BoardView {
  const { timetable } = scope.published;
  const unplanned = [
    ...listAddedCalls(scope, realtime),
    ...listMovedCalls(scope, realtime).flatMap((call) => placePlanned(scope, realtime, call) ?? []),
  ];
  const collect = (begin: number, end: number, withLate: boolean) => {
    const found: BoardCall[] = [];
    const due = collectCalls(timetable, calls, begin, end);
    const late = withLate ? findLateCalls(scope, realtime, calls) : [];
    const take = (call: StopCall) => {
      const row = placePlanned(scope, realtime, call);
      if (row && isStillToCome(scope, row)) found.push(row);
    };
    due.forEach(take);
    late.forEach(take);
    for (const row of unplanned) {
      const { scheduled } = row.time;
      const isDue = (begin <= scheduled || withLate) && scheduled < end;
      if (isDue && isStillToCome(scope, row)) found.push(row);
    }
    return found;
  };
  const findNextScheduled = (from: number) => {
    const ahead = unplanned.flatMap(({ time: { scheduled } }) => (scheduled >= from ? scheduled : []));
    const next = Math.min(findNextTime(timetable, calls, from) ?? Number.POSITIVE_INFINITY, ...ahead);
    return Number.isFinite(next) ? next : null;
  };
  return { collect, findNext: (from) => findNextShown(collect, findNextScheduled, from) };
}

/** Searches past calls that are not shown, in growing windows, because there may be a whole day of them. */
function findNextShown(
  collect: (begin: number, end: number, withLate: boolean) => BoardCall[],
  findNextScheduled: (from: number) => number | null,
  from: number,
): Instant | null {
  let width = 1;
  let next = findNextScheduled(from);
  while (next !== null) {
    const shown = collect(next, next + width, false).map(({ time }) => time.scheduled);
    if (shown.length > 0) return Math.min(...shown) as Instant;
    next = findNextScheduled(next + width);
    width *= 8;
  }
  return null;
}

function asPlanned(call: StopCall): BoardCall {
  return { time: asScheduled(call.time), datedCall: call };
}

/** @returns null for a trip that must not be shown */
function placePlanned(scope: BoardScope, realtime: Realtime, call: StopCall): BoardCall | null {
  const liveTrip = findLiveTrip(realtime, call.trip, call.day);
  if (liveTrip < 0) return asPlanned(call);
  if (isHidden(realtime, liveTrip)) return null;
  const published = { ...scope.published, realtime };
  const time = readPlannedEvent(published, liveTrip, call, eventOf(scope.kind), scope.orderedAt);
  if (!time.isCancelled && !goesThere(scope, realtime, liveTrip, call)) return null;
  return { time, datedCall: call };
}

/**
 * Whether a trip that does not serve all of its calls still serves the stop or station that the board is filtered by.
 * A cancelled departure stays on the board of the direction that it was planned for.
 */
function goesThere(
  { published, kind, filter: { otherStop } }: BoardScope,
  { tables }: Realtime,
  liveTrip: number,
  { pattern, position }: StopCall,
): boolean {
  if (otherStop === null || (tables.trips.flags[liveTrip]! & tripFlags.partlyCancelled) === 0) return true;
  const first = tables.trips.firstCall[liveTrip]!;
  const cancelled = kind === 'departures' ? callFlags.arrivalCancelled : callFlags.departureCancelled;
  const isServed = (at: number) => (tables.calls.flags[first + at]! & cancelled) === 0;
  return callsElsewhere(published.timetable, { pattern, position }, kind, otherStop, isServed);
}

/** The event of a call that a board shows. */
export function eventOf(kind: BoardKind): CallEvent {
  return kind === 'departures' ? 'departure' : 'arrival';
}

/** A call due before the board begins is shown only by its realtime; so a cancelled one is dropped when it was due. */
function isStillToCome({ from }: BoardScope, { time }: BoardCall): boolean {
  return time.expected >= from;
}

// ---- Moved calls -------------------------------------------------------------------------------

/**
 * Calls of any time that are planned at another platform of the station and announced for the stop of the board, which
 * may be a platform without planned calls. On the board of their planned platform they stay, with the change, for
 * riders who wait there; the board of the station has them anyway.
 */
function listMovedCalls(scope: BoardScope, realtime: Realtime): StopCall[] {
  const { movedStops, movedCalls, trips } = realtime.tables;
  const { timetable } = scope.published;
  const { tables } = timetable;
  const group = findStopRow(movedStops.stop, scope.stop);
  if (group < 0) return [];
  const found: StopCall[] = [];
  const wantedAt = new Map<number, BoardCalls>();
  const first = movedStops.firstMoved[group]!;
  for (let i = first; i < first + movedStops.movedCount[group]!; i++) {
    const [liveTrip, position] = [movedCalls.trip[i]!, movedCalls.position[i]!];
    const [trip, day] = [trips.trip[liveTrip]!, trips.day[liveTrip]!];
    const pattern = tables.trips.pattern[trip]!;
    const planned = tables.patternCalls.stop[tables.patterns.firstCall[pattern]! + position]!;
    if (isPartOf(tables, planned, scope.stop)) continue;
    const wanted = wantedAt.get(planned) ?? listBoardCalls(timetable, planned, scope.kind, scope.filter);
    wantedAt.set(planned, wanted);
    if (!isAmong(wanted, pattern, position)) continue;
    const call = { trip, addedTrip: -1, day, position, pattern } as const;
    found.push({ ...call, time: getScheduled(timetable, scope.kind, call) });
  }
  return found;
}

function isAmong({ places }: BoardCalls, pattern: number, position: number): boolean {
  return places.some((place) => place.pattern === pattern && place.position === position);
}

function getScheduled(
  timetable: Timetable,
  kind: BoardKind,
  { pattern, position, trip, day }: Pick<StopCall, 'pattern' | 'position' | 'trip' | 'day'>,
): Instant {
  const time = timetable.tables.times[eventOf(kind)][getTimeRow(timetable.tables, pattern, trip) + position]!;
  return (getZone(timetable, pattern).startOf(day) + time) as Instant;
}

// ---- Late calls --------------------------------------------------------------------------------

/** Calls that were due before the board begins and are reported as later than that. */
function findLateCalls(scope: BoardScope, realtime: Realtime, calls: BoardCalls): StopCall[] {
  const { lateStops } = realtime.tables;
  const found: StopCall[] = [];
  for (const member of getMembers(scope.published.timetable.tables, scope.stop)) {
    const group = findStopRow(lateStops.stop, member);
    if (group < 0) continue;
    const first = lateStops.firstLate[group]!;
    for (let i = first; i < first + lateStops.lateCount[group]!; i++) {
      const call = findLateCall(scope, realtime, calls, i);
      if (call) found.push(call);
    }
  }
  return found;
}

/** @param row of `lateCalls`; most are not due yet or over, so times are checked before anything else */
function findLateCall(
  { published, kind, from }: BoardScope,
  { tables }: Realtime,
  calls: BoardCalls,
  row: number,
): StopCall | null {
  const liveTrip = tables.lateCalls.trip[row]!;
  const position = tables.lateCalls.position[row]!;
  const event = eventOf(kind);
  if (kind === 'departures' && tables.lateCalls.scheduledDeparture[row]! >= from) return null;
  if (tables.calls[event][tables.trips.firstCall[liveTrip]! + position]! < from) return null;
  const { timetable } = published;
  const [trip, day] = [tables.trips.trip[liveTrip]!, tables.trips.day[liveTrip]!];
  const pattern = timetable.tables.trips.pattern[trip]!;
  const time = getScheduled(timetable, kind, { pattern, position, trip, day });
  const isLate = time < from && isAmong(calls, pattern, position);
  return isLate ? { trip, addedTrip: -1, day, position, pattern, time } : null;
}

/** The calls of added trips at the stop of the board, of any time. */
function listAddedCalls(scope: BoardScope, realtime: Realtime): BoardCall[] {
  const { addedStations, addedStationCalls, addedTrips } = realtime.tables;
  const { published, stop } = scope;
  const { tables } = published.timetable;
  const group = findStopRow(addedStations.station, tables.stops.station[stop]!);
  if (group < 0) return [];
  const found: BoardCall[] = [];
  const first = addedStations.firstCall[group]!;
  for (let i = first; i < first + addedStations.callCount[group]!; i++) {
    const [addedTrip, position] = [addedStationCalls.addedTrip[i]!, addedStationCalls.position[i]!];
    const datedCall = { trip: -1, addedTrip, day: addedTrips.day[addedTrip]!, position };
    const trip = openTrip(published, datedCall);
    if (!isPartOf(tables, getCallStop(trip, position), stop)) continue;
    const readEvent = openEventTimes(trip, scope.orderedAt);
    const time = readEvent(position, eventOf(scope.kind));
    if (time.scheduled !== 0 && isWanted(scope, trip, position, readEvent)) found.push({ time, datedCall });
  }
  return found;
}

function isWanted(
  { kind, filter, published }: BoardScope,
  trip: TripView,
  position: number,
  readEvent: ReturnType<typeof openEventTimes>,
): boolean {
  const isEnd = position === (kind === 'departures' ? trip.callCount - 1 : 0);
  if (isEnd || hasFlag(trip.flags, 'deleted')) return false;
  if (filter.products !== null && (filter.products & (1 << trip.product)) === 0) return false;
  if (filter.lines !== null && !filter.lines.has(getLabel(trip))) return false;
  const { otherStop } = filter;
  if (otherStop === null) return true;
  // The trip must serve the requested stop later (departures) or earlier (arrivals).
  const [begin, end] = kind === 'departures' ? [position + 1, trip.callCount] : [0, position];
  const isRunning = !readEvent(position, eventOf(kind)).isCancelled;
  for (let k = begin; k < end; k++) {
    if (!isPartOf(published.timetable.tables, getCallStop(trip, k), otherStop)) continue;
    if (!isRunning || !readEvent(k, kind === 'departures' ? 'arrival' : 'departure').isCancelled) return true;
  }
  return false;
}
