import { products } from '../../pipeline/model/product.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import {
  type BoardCalls,
  type BoardKind,
  type CallFilter,
  collectCalls,
  findNextTime,
  listBoardCalls,
  type StopCall,
} from './calls-at-stop.ts';
import { getTimeRow } from './present.ts';
import {
  findLiveTrip,
  findText,
  hasFlag,
  isHidden,
  type LiveCall,
  type Published,
  type Realtime,
  readAddedCall,
  readLiveCall,
} from './realtime.ts';
import { getMembers, getZone } from './timetable.ts';

/** One row of a board, not yet in words. */
export interface BoardCall {
  readonly scheduled: Instant;
  /** The time it is sorted by: realtime where it is known and fresh, else scheduled. */
  readonly shown: Instant;
  readonly live: LiveCall | null;
  readonly run: PlannedRun | AddedRun;
}

/** A call of the timetable. */
export interface PlannedRun {
  readonly call: StopCall;
  /** Row of the realtime snapshot's trips, or -1. */
  readonly liveTrip: number;
}

/** A call of a trip that the timetable does not hold. */
export interface AddedRun {
  /** Row of `addedTrips` of the realtime snapshot. */
  readonly addedTrip: number;
  /** Row of `addedCalls`. */
  readonly row: number;
  readonly position: number;
}

/** The calls that a board may show, ready to be asked for windows of time. */
export interface BoardView {
  /**
   * All calls scheduled in `[begin, end)`, in no order, without those that have left already.
   * @param withLate also those that were due before it and are still to come
   */
  collect(begin: number, end: number, withLate: boolean): BoardCall[];
  /** Scheduled time of the next call at or after a moment; null when there is none. */
  findNext(from: number): Instant | null;
}

export interface BoardScope {
  readonly published: Published;
  readonly stop: number;
  readonly kind: BoardKind;
  readonly filter: CallFilter;
  /** What is fresh is measured against it. */
  readonly moment: Instant;
  /** Where the board begins: what left before it is gone. */
  readonly from: Instant;
}

export function viewBoard(scope: BoardScope): BoardView {
  const { published, stop, kind, filter } = scope;
  const { timetable, realtime } = published;
  const calls = listBoardCalls(timetable, stop, kind, filter);
  if (!realtime) {
    return {
      collect: (begin, end) => collectCalls(timetable, calls, begin, end).map(asScheduled),
      findNext: (from) => findNextTime(timetable, calls, from),
    };
  }
  const added = listAddedCalls(scope, realtime);
  return {
    collect(begin, end, withLate) {
      const found: BoardCall[] = [];
      for (const call of collectCalls(timetable, calls, begin, end)) pushLive(found, scope, realtime, call);
      if (withLate) for (const call of findLateCalls(scope, realtime, calls)) pushLive(found, scope, realtime, call);
      for (const call of added) {
        const isDue = begin <= call.scheduled && call.scheduled < end;
        const isStillToCome = withLate && call.scheduled < begin && call.shown >= begin && !call.live!.isCancelled;
        if ((isDue && !hasLeft(call, scope.from)) || isStillToCome) found.push(call);
      }
      return found;
    },
    findNext(from) {
      const ahead = added.flatMap(({ scheduled }) => (scheduled >= from ? scheduled : []));
      const next = Math.min(findNextTime(timetable, calls, from) ?? Number.POSITIVE_INFINITY, ...ahead);
      return Number.isFinite(next) ? (next as Instant) : null;
    },
  };
}

function asScheduled(call: StopCall): BoardCall {
  return { scheduled: call.time, shown: call.time, live: null, run: { call, liveTrip: -1 } };
}

function pushLive(found: BoardCall[], { kind, moment, from }: BoardScope, realtime: Realtime, call: StopCall): void {
  const liveTrip = findLiveTrip(realtime, call.trip, call.day);
  if (liveTrip < 0) {
    // Only what is late reaches back before the board, and of this one nobody says so.
    if (call.time >= from) found.push(asScheduled(call));
    return;
  }
  if (isHidden(realtime, liveTrip)) return;
  const live = readLiveCall(realtime, realtime.tables.trips.firstCall[liveTrip]! + call.position, moment);
  const row = { scheduled: call.time, shown: chooseShown(live, kind, call.time), live, run: { call, liveTrip } };
  const isGone = call.time < from && (live.isCancelled || row.shown < from);
  if (!isGone && !hasLeft(row, from)) found.push(row);
}

/** A cancelled call is shown where it was planned. */
function chooseShown(live: LiveCall, kind: BoardKind, scheduled: Instant): Instant {
  const time = kind === 'departures' ? live.departure : live.arrival;
  return live.isCancelled ? scheduled : (time ?? scheduled);
}

function hasLeft({ live, shown }: BoardCall, from: Instant): boolean {
  return live !== null && !live.isCancelled && shown < from;
}

// ---- Late ones ---------------------------------------------------------------------------------

/** Calls that were due before the board begins and, by the word of a source, are later than that. */
function findLateCalls({ published, stop, from, kind }: BoardScope, realtime: Realtime, calls: BoardCalls): StopCall[] {
  const { timetable } = published;
  const { lateStops, lateCalls, trips } = realtime.tables;
  const found: StopCall[] = [];
  let places: Set<number> | null = null;
  for (const member of getMembers(timetable.tables, stop)) {
    const group = findStopRow(lateStops.stop, member);
    if (group < 0) continue;
    places ??= new Set(calls.places.map(({ pattern, position }) => placeKey(pattern, position)));
    const first = lateStops.firstLate[group]!;
    for (let i = first; i < first + lateStops.lateCount[group]!; i++) {
      const trip = trips.trip[lateCalls.trip[i]!]!;
      const day = trips.day[lateCalls.trip[i]!]!;
      const position = lateCalls.position[i]!;
      const pattern = timetable.tables.trips.pattern[trip]!;
      if (!places.has(placeKey(pattern, position))) continue;
      const row = getTimeRow(timetable.tables, pattern, trip) + position;
      const { arrival, departure } = timetable.tables.times;
      const time = getZone(timetable, pattern).startOf(day) + (kind === 'departures' ? departure : arrival)[row]!;
      if (time < from) found.push({ pattern, position, trip, day, time: time as Instant });
    }
  }
  return found;
}

function placeKey(pattern: number, position: number): number {
  return pattern * 65_536 + position;
}

/** @returns where a stop stands among sorted ones, or -1 */
function findStopRow(sorted: Int32Array, stop: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < stop) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === stop ? low : -1;
}

// ---- Added trips -------------------------------------------------------------------------------

/** Calls of trips that the timetable does not hold; there are few, so all of the stop's are looked at. */
function listAddedCalls(scope: BoardScope, realtime: Realtime): BoardCall[] {
  const { addedStops, addedStopCalls } = realtime.tables;
  if (addedStops.stop.length === 0) return [];
  const found: BoardCall[] = [];
  for (const member of getMembers(scope.published.timetable.tables, scope.stop)) {
    const group = findStopRow(addedStops.stop, member);
    if (group < 0) continue;
    const first = addedStops.firstCall[group]!;
    for (let i = first; i < first + addedStops.callCount[group]!; i++) {
      const call = readAdded(scope, realtime, addedStopCalls.addedTrip[i]!, addedStopCalls.position[i]!);
      if (call) found.push(call);
    }
  }
  return found;
}

function readAdded(scope: BoardScope, realtime: Realtime, addedTrip: number, position: number): BoardCall | null {
  const { kind, moment } = scope;
  const { addedTrips, addedCalls } = realtime.tables;
  const isEnd = position === (kind === 'departures' ? addedTrips.callCount[addedTrip]! - 1 : 0);
  if (isEnd || hasFlag(addedTrips.flags[addedTrip]!, 'deleted') || !isWanted(scope, realtime, addedTrip, position)) {
    return null;
  }
  const row = addedTrips.firstCall[addedTrip]! + position;
  const live = readAddedCall(realtime, row, moment);
  const plan = (kind === 'departures' ? addedCalls.scheduledDeparture : addedCalls.scheduledArrival)[row]!;
  const said = (kind === 'departures' ? addedCalls.departure : addedCalls.arrival)[row]!;
  // Who adds a trip need not plan it: then its first forecast is all the plan there is.
  const scheduled = (plan || said) as Instant;
  if (scheduled === 0) return null;
  return { scheduled, shown: chooseShown(live, kind, scheduled), live, run: { addedTrip, row, position } };
}

function isWanted(
  { filter, kind, published }: BoardScope,
  realtime: Realtime,
  trip: number,
  position: number,
): boolean {
  const { addedTrips, addedCalls } = realtime.tables;
  const route = addedTrips.route[trip]!;
  const { routes } = published.timetable.tables;
  const product = route >= 0 ? routes.product[route]! : addedTrips.product[trip]!;
  if (filter.products !== null && (filter.products & (1 << Math.min(product, products.length - 1))) === 0) return false;
  const label = route >= 0 ? routes.label.get(route) : (findText(realtime, addedTrips.label[trip]!) ?? '');
  if (filter.lines !== null && !filter.lines.has(label)) return false;
  if (filter.otherStops === null) return true;
  const first = addedTrips.firstCall[trip]!;
  const [begin, end] = kind === 'departures' ? [position + 1, addedTrips.callCount[trip]!] : [0, position];
  for (let k = begin; k < end; k++) if (filter.otherStops.has(addedCalls.stop[first + k]!)) return true;
  return false;
}
