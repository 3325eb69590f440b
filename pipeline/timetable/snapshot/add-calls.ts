import { alignCalls, type ComparedTrips, type TripSchedule } from '../merging/find-duplicates.ts';
import type { FeedColumns } from './read-feeds.ts';

export type CallColumns = Pick<FeedColumns, 'calls' | 'callSequence' | 'callDistance' | 'isInterpolated'>;

/** Calls of a trip in order: rows of the feeds' calls. */
interface CallList {
  readonly rows: readonly number[];
  /** By row: whether only the hidden trip has the call. */
  readonly isAdded: readonly boolean[];
}

/**
 * Adds the calls to trips that only their duplicates have. An added call has the stop_sequence of the previous call and
 * no distance: reports with a stop_sequence alone refer to the trip's own calls.
 * @param extended by shown trip: it and the hidden one
 */
export function addCalls(
  columns: CallColumns,
  schedule: TripSchedule,
  extended: ReadonlyMap<number, ComparedTrips>,
): CallColumns {
  if (extended.size === 0) return columns;
  const lists = new Map([...extended].map(([shown, pair]) => [shown, mergeCalls(schedule, pair)] as const));
  const moved = layOut(columns, lists);
  for (const [shown, list] of lists) settleCalls(moved, schedule, extended.get(shown)!, list);
  return moved;
}

/** In the order of the hidden trip; calls of the shown trip alone are inserted by time. */
function mergeCalls(schedule: TripSchedule, compared: ComparedTrips): CallList {
  const { firstCall, arrival } = schedule;
  const { shown, other: hidden, shiftSeconds } = compared;
  const positions = alignCalls(schedule, compared)!;
  const rows: number[] = [];
  const isAdded: boolean[] = [];
  let next = firstCall[shown]!;
  const take = (row: number, added: boolean) => {
    rows.push(row);
    isAdded.push(added);
  };
  for (let i = 0; i < positions.length; i++) {
    const row = firstCall[hidden]! + i;
    const matched = positions[i]!;
    const following = positions.slice(i + 1).find((position) => position >= 0);
    const bound = firstCall[shown]! + (following ?? firstCall[shown + 1]! - firstCall[shown]!);
    if (matched >= 0) while (next <= firstCall[shown]! + matched) take(next++, false);
    else {
      while (next < bound && arrival[next]! <= arrival[row]! + shiftSeconds) take(next++, false);
      take(row, true);
    }
  }
  while (next < firstCall[shown + 1]!) take(next++, false);
  return { rows, isAdded };
}

/** The calls of all trips, those of some from a list. */
function layOut(columns: CallColumns, lists: ReadonlyMap<number, CallList>): CallColumns {
  const { calls } = columns;
  const tripCount = calls.tripFirstCall.length - 1;
  const tripFirstCall = new Int32Array(tripCount + 1);
  for (let trip = 0; trip < tripCount; trip++) {
    const own = calls.tripFirstCall[trip + 1]! - calls.tripFirstCall[trip]!;
    tripFirstCall[trip + 1] = tripFirstCall[trip]! + (lists.get(trip)?.rows.length ?? own);
  }
  const source = new Int32Array(tripFirstCall[tripCount]!);
  for (let trip = 0; trip < tripCount; trip++) {
    const list = lists.get(trip)?.rows;
    const [first, end] = [tripFirstCall[trip]!, tripFirstCall[trip + 1]!];
    for (let call = first; call < end; call++)
      source[call] = list?.[call - first] ?? calls.tripFirstCall[trip]! + call - first;
  }
  const i32 = (column: Int32Array) => source.map((row) => column[row]!);
  const u8 = (column: Uint8Array) => Uint8Array.from(source, (row) => column[row]!);
  return {
    calls: {
      tripRoute: calls.tripRoute,
      tripFirstCall,
      stop: i32(calls.stop),
      pickupType: u8(calls.pickupType),
      dropOffType: u8(calls.dropOffType),
      headsign: i32(calls.headsign),
      platform: i32(calls.platform),
      booking: i32(calls.booking),
      arrival: i32(calls.arrival),
      departure: i32(calls.departure),
    },
    callSequence: i32(columns.callSequence),
    callDistance: Float64Array.from(source, (row) => columns.callDistance[row]!),
    isInterpolated: u8(columns.isInterpolated),
  };
}

/** Sets stop sequences, distances and times of added calls; former ends of the trip become regular calls. */
function settleCalls(
  { calls, callSequence, callDistance }: CallColumns,
  schedule: TripSchedule,
  { shown, shiftSeconds }: ComparedTrips,
  { rows, isAdded }: CallList,
): void {
  const first = calls.tripFirstCall[shown]!;
  const ownFirst = first + isAdded.indexOf(false);
  // From the zone and service date of the hidden trip to those of the shown one.
  const ownShift = shiftSeconds - (schedule.arrival[rows[ownFirst - first]!]! - calls.arrival[ownFirst]!);
  for (let i = 0; i < rows.length; i++) {
    if (!isAdded[i]) continue;
    const call = first + i;
    const ahead = isAdded.indexOf(false, i);
    const latest = ahead < 0 ? Number.POSITIVE_INFINITY : calls.arrival[first + ahead]!;
    const earliest = i === 0 ? Number.NEGATIVE_INFINITY : calls.departure[call - 1]!;
    const clamp = (time: number, least: number) => Math.min(latest, Math.max(least, time));
    calls.arrival[call] = clamp(schedule.arrival[rows[i]!]! + ownShift, earliest);
    calls.departure[call] = clamp(schedule.departure[rows[i]!]! + ownShift, calls.arrival[call]!);
    callSequence[call] = call < ownFirst ? Math.max(0, callSequence[ownFirst]! - 1) : callSequence[call - 1]!;
    callDistance[call] = Number.NaN;
  }
  openEnds(calls, first, isAdded);
}

/** Allows alighting at a former first call and boarding at a former last call. */
function openEnds(calls: CallColumns['calls'], first: number, isAdded: readonly boolean[]): void {
  const [ownFirst, ownLast] = [isAdded.indexOf(false), isAdded.lastIndexOf(false)];
  if (ownFirst > 0) calls.dropOffType[first + ownFirst] = 0;
  if (ownLast < isAdded.length - 1) calls.pickupType[first + ownLast] = 0;
}
