import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow } from '../read/present.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import { CAN_ALIGHT, CAN_BOARD, type LiveTrip } from './live-trips.ts';

/** Times of live trips in one array, relative to the base of the routes: one per call, from `liveTripStart` on. */
export interface LiveTripTimes {
  readonly liveTripStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** The arrays of live routes under construction; see `LiveLanes` for their meaning. */
export interface LiveLaneBuilder {
  readonly tables: TimetableTables;
  readonly lanes: Lanes;
  readonly offsets: CallOffsets;
  readonly liveTrips: readonly LiveTrip[];
  readonly times: LiveTripTimes;
  /** By route of the timetable: its list, or -1. */
  readonly list: Int32Array;
  /** By list. */
  readonly lists: { readonly first: number[]; readonly end: number[]; readonly slack: number[] };
  /** Dated trips of the lists; the first `count` entries are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  /** By extra route. */
  readonly own: { readonly pattern: number[]; readonly list: number[]; readonly next: number[] };
  /** By pattern of the timetable: its first extra route, or -1. */
  readonly firstOwn: Int32Array;
  /** By extra pattern, and by call of extra patterns. */
  readonly shapes: { readonly firstCall: number[]; readonly callCount: number[]; readonly product: number[] };
  readonly calls: {
    readonly boardAt: number[];
    readonly alightAt: number[];
    readonly stop: number[];
    readonly isServed: number[];
  };
  /** By transfer place: route and position of calls of extra patterns, alternating. */
  readonly boardCalls: Map<number, number[]>;
  readonly alightCalls: Map<number, number[]>;
  /** By live trip: its route and entry; -1 if it does not run. */
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
  // Upper limit: all scheduled trips and all live ones.
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

/**
 * Removes the scheduled trips of some live trips from their routes, and inserts those that run at their current times.
 */
export function replacePlanned(builder: LiveLaneBuilder, changed: readonly LiveTrip[]): void {
  const byLane = new Map<number, { entries: number[]; running: number[] }>();
  changed.forEach((liveTrip, i) => {
    const { lane, entry } = liveTrip.place!;
    let group = byLane.get(lane);
    if (!group) {
      group = { entries: [], running: [] };
      byLane.set(lane, group);
    }
    group.entries.push(entry);
    if (liveTrip.state === 'whole') group.running.push(i);
    else if (liveTrip.state === 'partial') addOwnPattern(builder, i);
  });
  for (const [lane, { entries, running }] of byLane) {
    rebuildLane(
      builder,
      lane,
      entries.sort((a, b) => a - b),
      running.sort((a, b) => getBegin(builder, a) - getBegin(builder, b) || a - b),
    );
  }
}

/** Adds an extra pattern for a live trip that is not in the timetable or skips some calls. */
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
  indexCalls(builder, first, count, addOwnLane(builder, pattern, [liveTrip]));
}

/** Returns the departure of a live trip from its first call, relative to the base of the routes. */
function getBegin({ times }: LiveLaneBuilder, liveTrip: number): number {
  return times.departure[times.liveTripStart[liveTrip]!]!;
}

function indexCalls({ calls, boardCalls, alightCalls }: LiveLaneBuilder, first: number, count: number, lane: number) {
  for (let k = 0; k < count; k++) {
    indexCall(boardCalls, calls.boardAt[first + k]!, lane, k);
    indexCall(alightCalls, calls.alightAt[first + k]!, lane, k);
  }
}

function indexCall(calls: Map<number, number[]>, place: number, lane: number, position: number): void {
  if (place < 0) return;
  const secondsThere = calls.get(place);
  if (secondsThere) secondsThere.push(lane, position);
  else calls.set(place, [lane, position]);
}

// ---- Rebuilt lanes -----------------------------------------------------------------------------

/** Progress of copying the scheduled trips of a route to its list. */
interface PlannedCursor {
  /** Entries of the route that do not run as scheduled, in order, and how many of them have been passed. */
  readonly changed: readonly number[];
  skipped: number;
  /** The next entry to copy. */
  entry: number;
}

/**
 * Rebuilds a route without the trips of `changed`, and with those of `running` at their current times where they fit.
 * @param changed entries of the route, in order
 * @param running live trips, ordered by first departure
 */
function rebuildLane(
  builder: LiveLaneBuilder,
  lane: number,
  changed: readonly number[],
  running: readonly number[],
): void {
  const { lanes } = builder;
  const end = lanes.end[lane]!;
  const overtaking: number[] = [];
  builder.list[lane] = beginList(builder);
  const first = builder.count;
  const planned: PlannedCursor = { changed, skipped: 0, entry: lanes.first[lane]! };
  for (const liveTrip of running) {
    copyUpTo(builder, planned, findEntry(builder, lane, planned.entry, getBegin(builder, liveTrip)));
    const isInPlace = fitsBehind(builder, lane, first, liveTrip) && fitsBefore(builder, lane, planned.entry, liveTrip);
    if (isInPlace) addLiveTrip(builder, liveTrip, lane);
    else overtaking.push(liveTrip);
  }
  copyUpTo(builder, planned, end);
  endList(builder);
  distributeTrips(builder, lanes.pattern[lane]!, overtaking);
}

/** Copies the scheduled trips up to an entry, and moves on to the next one that runs as scheduled. */
function copyUpTo(builder: LiveLaneBuilder, planned: PlannedCursor, until: number): void {
  const { changed } = planned;
  for (; planned.skipped < changed.length && changed[planned.skipped]! < until; planned.skipped++) {
    copyPlanned(builder, planned.entry, changed[planned.skipped]!);
    planned.entry = changed[planned.skipped]! + 1;
  }
  copyPlanned(builder, planned.entry, until);
  planned.entry = until;
  for (; changed[planned.skipped] === planned.entry; planned.skipped++) planned.entry++;
}

/** Appends scheduled trips of a route to the current list. */
function copyPlanned(builder: LiveLaneBuilder, entry: number, end: number): void {
  const { lanes, trips, days } = builder;
  trips.set(lanes.trips.subarray(entry, end), builder.count);
  days.set(lanes.days.subarray(entry, end), builder.count);
  builder.count += end - entry;
}

/** Returns the first entry of a route, from `entry` on, whose scheduled trip departs at `time` or later. */
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

/** Returns the first row of a route's time zone in `dayStarts`. */
function getZone({ routes, patterns }: TimetableTables, lanes: Lanes, lane: number): number {
  return routes.zone[patterns.route[lanes.pattern[lane]!]!]! * lanes.dayCount;
}

// ---- Order -------------------------------------------------------------------------------------

/**
 * Returns whether a live trip can follow the last trip of the current list without overtaking it. @param first start of
 * the list
 */
function fitsBehind(builder: LiveLaneBuilder, lane: number, first: number, liveTrip: number): boolean {
  const { tables, lanes, trips, days, liveTrips } = builder;
  const last = builder.count - 1;
  if (last < first) return true;
  const ahead = trips[last]!;
  const start = ahead < 0 ? 0 : lanes.dayStarts[getZone(tables, lanes, lane) + days[last]!]!;
  return isInOrder(builder, ahead, start, ~liveTrip, 0, liveTrips[liveTrip]!.arrival.length);
}

/** Returns whether the next trip of the route does not overtake a live trip. @param entry of the next trip */
function fitsBefore(builder: LiveLaneBuilder, lane: number, entry: number, liveTrip: number): boolean {
  const { tables, lanes, liveTrips } = builder;
  if (entry >= lanes.end[lane]!) return true;
  const start = lanes.dayStarts[getZone(tables, lanes, lane) + lanes.days[entry]!]!;
  return isInOrder(builder, ~liveTrip, 0, lanes.trips[entry]!, start, liveTrips[liveTrip]!.arrival.length);
}

/**
 * Returns whether a dated trip does not overtake the previous one at any call. A negative trip is `~liveTrip`.
 * @param start start of the day of a scheduled trip; 0 for a live one, whose times are absolute
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

/** Distributes live trips that overtake others to as few extra routes as their order allows. */
function distributeTrips(builder: LiveLaneBuilder, pattern: number, members: readonly number[]): void {
  const groups: number[][] = [];
  for (const liveTrip of members) {
    const callCount = builder.liveTrips[liveTrip]!.arrival.length;
    const lane = groups.find((group) => isInOrder(builder, ~group.at(-1)!, 0, ~liveTrip, 0, callCount));
    if (lane) lane.push(liveTrip);
    else groups.push([liveTrip]);
  }
  for (const group of groups) addOwnLane(builder, pattern, group);
}

// ---- Lists -------------------------------------------------------------------------------------

function beginList({ lists, count }: LiveLaneBuilder): number {
  lists.slack.push(0);
  return lists.first.push(count) - 1;
}

function endList({ lists, count }: LiveLaneBuilder): void {
  lists.end.push(count);
}

/** @returns the number of the new route */
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

/**
 * Returns the seconds by which the times of a live trip, relative to its first departure, lie outside the range of the
 * pattern's scheduled trips.
 */
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
