import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow } from '../read/present.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import { CAN_ALIGHT, CAN_BOARD, type LiveTrip } from './live-trips.ts';

/** Times of live trips in one array, relative to the base of the lanes: one for each call, from `liveTripStart` on. */
export interface LiveTripTimes {
  readonly liveTripStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** The arrays of live lanes under construction; see `LiveLanes` for their meaning. */
export interface LiveLaneBuilder {
  readonly tables: TimetableTables;
  readonly lanes: Lanes;
  readonly offsets: CallOffsets;
  readonly liveTrips: readonly LiveTrip[];
  readonly times: LiveTripTimes;
  /** By lane of the timetable: its list, or -1. */
  readonly list: Int32Array;
  /** By list. */
  readonly lists: { readonly first: number[]; readonly end: number[]; readonly slack: number[] };
  /** Dated trips of the lists: of these arrays, `count` are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  /** By lane of its own. */
  readonly own: { readonly pattern: number[]; readonly list: number[]; readonly next: number[] };
  /** By pattern of the timetable: its first own lane, or -1. */
  readonly firstOwn: Int32Array;
  /** By pattern of its own, and by call of these. */
  readonly shapes: { readonly firstCall: number[]; readonly callCount: number[]; readonly product: number[] };
  readonly calls: {
    readonly boardAt: number[];
    readonly alightAt: number[];
    readonly stop: number[];
    readonly isServed: number[];
  };
  /** By change place: lane and position of calls of patterns of their own, in turn. */
  readonly boardCalls: Map<number, number[]>;
  readonly alightCalls: Map<number, number[]>;
  /** By live trip: its lane and entry; -1 where it does not run. */
  readonly liveTripLane: Int32Array;
  readonly liveTripEntry: Int32Array;
}

export function createLiveLaneBuilder(
  tables: TimetableTables,
  lanes: Lanes,
  offsets: CallOffsets,
  liveTrips: readonly LiveTrip[],
  times: LiveTripTimes,
): LiveLaneBuilder {
  // Upper limit: all planned trips, and all live ones.
  const most = lanes.trips.length + liveTrips.length;
  return {
    tables,
    lanes,
    offsets,
    liveTrips,
    times,
    list: new Int32Array(lanes.count).fill(-1),
    lists: { first: [], end: [], slack: [] },
    trips: new Int32Array(most),
    days: new Uint8Array(most),
    count: 0,
    own: { pattern: [], list: [], next: [] },
    firstOwn: new Int32Array(tables.patterns.route.length).fill(-1),
    shapes: { firstCall: [], callCount: [], product: [] },
    calls: { boardAt: [], alightAt: [], stop: [], isServed: [] },
    boardCalls: new Map(),
    alightCalls: new Map(),
    liveTripLane: new Int32Array(liveTrips.length).fill(-1),
    liveTripEntry: new Int32Array(liveTrips.length).fill(-1),
  };
}

/** Removes the planned trips of some live trips from their lanes, and inserts those that run at their actual times. */
export function replacePlanned(builder: LiveLaneBuilder, changed: readonly LiveTrip[]): void {
  const byLane = new Map<number, { entries: number[]; kept: number[] }>();
  changed.forEach((liveTrip, i) => {
    const { lane, entry } = liveTrip.place!;
    let group = byLane.get(lane);
    if (!group) {
      group = { entries: [], kept: [] };
      byLane.set(lane, group);
    }
    group.entries.push(entry);
    if (liveTrip.state === 'whole') group.kept.push(i);
    else if (liveTrip.state === 'partial') addOwnPattern(builder, i);
  });
  for (const [lane, { entries, kept }] of byLane) {
    remakeLane(
      builder,
      lane,
      entries.sort((a, b) => a - b),
      kept.sort((a, b) => getBegin(builder, a) - getBegin(builder, b) || a - b),
    );
  }
}

/** Gives a live trip a pattern of its own: it is not in the timetable, or skips some calls. */
export function addOwnPattern(builder: LiveLaneBuilder, liveTrip: number): void {
  const { tables, liveTrips, shapes, calls } = builder;
  const { patterns, patternCalls } = tables;
  const { stops, trip, product, service } = liveTrips[liveTrip]!;
  const count = stops.length;
  const first = calls.stop.length;
  const planned = trip >= 0 ? patterns.firstCall[tables.trips.pattern[trip]!]! : -1;
  stops.forEach((stop, k) => {
    const [canBoard, canAlight] = [CAN_BOARD, CAN_ALIGHT].map((bit) => stop >= 0 && (service[k]! & bit) !== 0);
    calls.stop.push(stop);
    calls.isServed.push(service[k] === 0 ? 0 : 1);
    if (planned >= 0) {
      calls.boardAt.push(canBoard ? patternCalls.boardAt[planned + k]! : -1);
      calls.alightAt.push(canAlight ? patternCalls.alightAt[planned + k]! : -1);
    } else {
      calls.boardAt.push(canBoard && k < count - 1 ? stop : -1);
      calls.alightAt.push(canAlight && k > 0 ? stop : -1);
    }
  });
  const pattern = patterns.route.length + shapes.firstCall.push(first) - 1;
  shapes.callCount.push(count);
  shapes.product.push(product);
  noteCalls(builder, first, count, addOwnLane(builder, pattern, [liveTrip]));
}

/** Departure of a live trip from its first call, from the base of the lanes. */
function getBegin({ times }: LiveLaneBuilder, liveTrip: number): number {
  return times.departure[times.liveTripStart[liveTrip]!]!;
}

function noteCalls({ calls, boardCalls, alightCalls }: LiveLaneBuilder, first: number, count: number, lane: number) {
  for (let k = 0; k < count; k++) {
    noteCall(boardCalls, calls.boardAt[first + k]!, lane, k);
    noteCall(alightCalls, calls.alightAt[first + k]!, lane, k);
  }
}

function noteCall(calls: Map<number, number[]>, place: number, lane: number, position: number): void {
  if (place < 0) return;
  const there = calls.get(place);
  if (there) there.push(lane, position);
  else calls.set(place, [lane, position]);
}

// ---- Rebuilt lanes -----------------------------------------------------------------------------

/** Progress of copying the planned trips of a lane to its list. */
interface PlannedCursor {
  /** Entries of the lane that no longer run as planned, in order, and how many of them have been passed. */
  readonly changed: readonly number[];
  skipped: number;
  /** The next entry to copy. */
  entry: number;
}

/**
 * Rebuilds a lane without the trips of `changed`, and with those of `kept` at their actual times where they fit.
 * @param changed entries of the lane, in order
 * @param kept live trips, ordered by begin
 */
function remakeLane(builder: LiveLaneBuilder, lane: number, changed: readonly number[], kept: readonly number[]): void {
  const { lanes } = builder;
  const end = lanes.end[lane]!;
  const overtaking: number[] = [];
  builder.list[lane] = beginList(builder);
  const first = builder.count;
  const planned: PlannedCursor = { changed, skipped: 0, entry: lanes.first[lane]! };
  for (const liveTrip of kept) {
    takeUpTo(builder, planned, findEntry(builder, lane, planned.entry, getBegin(builder, liveTrip)));
    const isInPlace = fitsBehind(builder, lane, first, liveTrip) && fitsBefore(builder, lane, planned.entry, liveTrip);
    if (isInPlace) addLiveTrip(builder, liveTrip, lane);
    else overtaking.push(liveTrip);
  }
  takeUpTo(builder, planned, end);
  endList(builder);
  distributeTrips(builder, lanes.pattern[lane]!, overtaking);
}

/** Copies the planned trips up to an entry, and moves to the next one that still runs as planned. */
function takeUpTo(builder: LiveLaneBuilder, planned: PlannedCursor, until: number): void {
  const { changed } = planned;
  for (; planned.skipped < changed.length && changed[planned.skipped]! < until; planned.skipped++) {
    takePlanned(builder, planned.entry, changed[planned.skipped]!);
    planned.entry = changed[planned.skipped]! + 1;
  }
  takePlanned(builder, planned.entry, until);
  planned.entry = until;
  for (; changed[planned.skipped] === planned.entry; planned.skipped++) planned.entry++;
}

/** Appends planned trips of a lane to the current list. */
function takePlanned(builder: LiveLaneBuilder, entry: number, end: number): void {
  const { lanes, trips, days } = builder;
  trips.set(lanes.trips.subarray(entry, end), builder.count);
  days.set(lanes.days.subarray(entry, end), builder.count);
  builder.count += end - entry;
}

/** The first entry of a lane, from one on, whose planned trip begins at `time` or later. */
function findEntry({ lanes, offsets, tables }: LiveLaneBuilder, lane: number, entry: number, time: number): number {
  const { trips, days, dayStarts } = lanes;
  const zone = getZone(tables, lanes, lane);
  let [low, high] = [entry, lanes.end[lane]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets.tripBegins[trips[middle]!]! + dayStarts[zone + days[middle]!]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the days of a lane's zone begin in `dayStarts`. */
function getZone({ routes, patterns }: TimetableTables, lanes: Lanes, lane: number): number {
  return routes.zone[patterns.route[lanes.pattern[lane]!]!]! * lanes.dayCount;
}

// ---- Order -------------------------------------------------------------------------------------

/** Whether a live trip overtakes none at the end of the list of its lane. @param first start of the list */
function fitsBehind(builder: LiveLaneBuilder, lane: number, first: number, liveTrip: number): boolean {
  const { tables, lanes, trips, days, liveTrips } = builder;
  const last = builder.count - 1;
  if (last < first) return true;
  const ahead = trips[last]!;
  const start = ahead < 0 ? 0 : lanes.dayStarts[getZone(tables, lanes, lane) + days[last]!]!;
  return isInOrder(builder, ahead, start, ~liveTrip, 0, liveTrips[liveTrip]!.arrival.length);
}

/** Whether a live trip is not overtaken by the next one in its lane. @param entry of the lane */
function fitsBefore(builder: LiveLaneBuilder, lane: number, entry: number, liveTrip: number): boolean {
  const { tables, lanes, liveTrips } = builder;
  if (entry >= lanes.end[lane]!) return true;
  const start = lanes.dayStarts[getZone(tables, lanes, lane) + lanes.days[entry]!]!;
  return isInOrder(builder, ~liveTrip, 0, lanes.trips[entry]!, start, liveTrips[liveTrip]!.arrival.length);
}

/**
 * Whether a dated trip is nowhere before the previous one. One below 0 is `~liveTrip`.
 * @param start begin of the day of a planned trip; 0 for a live one, whose times are absolute
 */
function isInOrder(
  builder: LiveLaneBuilder,
  tripAhead: number,
  aheadStart: number,
  trip: number,
  start: number,
  callCount: number,
): boolean {
  const planned = builder.tables.times;
  const [ahead, behind] = [tripAhead < 0 ? builder.times : planned, trip < 0 ? builder.times : planned];
  const [aheadRow, row] = [getRow(builder, tripAhead), getRow(builder, trip)];
  const lead = start - aheadStart;
  for (let k = 0; k < callCount; k++) {
    if (behind.arrival[row + k]! + lead < ahead.arrival[aheadRow + k]!) return false;
    if (behind.departure[row + k]! + lead < ahead.departure[aheadRow + k]!) return false;
  }
  return true;
}

function getRow({ tables, times }: LiveLaneBuilder, trip: number): number {
  return trip < 0 ? times.liveTripStart[~trip]! : getTimeRow(tables, tables.trips.pattern[trip]!, trip);
}

/** Distributes live trips that overtake others to as few extra lanes as keep their order. */
function distributeTrips(builder: LiveLaneBuilder, pattern: number, members: readonly number[]): void {
  const dealt: number[][] = [];
  for (const liveTrip of members) {
    const callCount = builder.liveTrips[liveTrip]!.arrival.length;
    const lane = dealt.find((those) => isInOrder(builder, ~those.at(-1)!, 0, ~liveTrip, 0, callCount));
    if (lane) lane.push(liveTrip);
    else dealt.push([liveTrip]);
  }
  for (const those of dealt) addOwnLane(builder, pattern, those);
}

// ---- Lists -------------------------------------------------------------------------------------

function beginList({ lists, count }: LiveLaneBuilder): number {
  lists.slack.push(0);
  return lists.first.push(count) - 1;
}

function endList({ lists, count }: LiveLaneBuilder): void {
  lists.end.push(count);
}

/** @returns the number of the new lane */
function addOwnLane(builder: LiveLaneBuilder, pattern: number, members: readonly number[]): number {
  const { tables, lanes, own, firstOwn } = builder;
  const isPlanned = pattern < tables.patterns.route.length;
  const number = own.pattern.push(pattern) - 1;
  own.list.push(beginList(builder));
  for (const liveTrip of members) addLiveTrip(builder, liveTrip, lanes.count + number);
  endList(builder);
  own.next.push(isPlanned ? firstOwn[pattern]! : -1);
  if (isPlanned) firstOwn[pattern] = number;
  return lanes.count + number;
}

/** Appends a live trip to the current list. */
function addLiveTrip(builder: LiveLaneBuilder, liveTrip: number, lane: number): void {
  const { tables, lanes, liveTrips, lists, own } = builder;
  const entry = builder.count++;
  builder.liveTripLane[liveTrip] = lane;
  builder.liveTripEntry[liveTrip] = entry;
  builder.trips[entry] = ~liveTrip;
  builder.days[entry] = liveTrips[liveTrip]!.day - lanes.firstDay;
  const pattern = lane < lanes.count ? lanes.pattern[lane]! : own.pattern[lane - lanes.count]!;
  if (pattern >= tables.patterns.route.length) return;
  const last = lists.slack.length - 1;
  lists.slack[last] = Math.max(lists.slack[last]!, measureSlack(builder, pattern, liveTrip));
}

/** How far the times of a live trip, relative to its begin, lie outside of those of the pattern's planned trips. */
function measureSlack(
  { tables, offsets, times, liveTrips }: LiveLaneBuilder,
  pattern: number,
  liveTrip: number,
): number {
  const first = tables.patterns.firstCall[pattern]!;
  const row = times.liveTripStart[liveTrip]!;
  const begin = times.departure[row]!;
  let most = 0;
  for (let k = 0; k < liveTrips[liveTrip]!.arrival.length; k++) {
    const late = times.departure[row + k]! - begin - offsets.maxDeparture[first + k]!;
    const early = offsets.minArrival[first + k]! - (times.arrival[row + k]! - begin);
    most = Math.max(most, late, early);
  }
  return most;
}
