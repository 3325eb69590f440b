import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { CAN_ALIGHT, CAN_BOARD } from './call-service.ts';
import type { LiveTrip } from './live-trips.ts';
import type { RaptorRoutes } from './raptor-routes.ts';

/** Times of live trips in one array, relative to the base of the routes: one per call, from `liveTripStart` on. */
export interface LiveTripTimes {
  readonly liveTripStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** The arrays of live routes under construction; see `LiveRoutes` for their meaning. */
export interface LiveRouteBuilder {
  readonly tables: TimetableTables;
  readonly raptorRoutes: RaptorRoutes;
  readonly liveTrips: readonly LiveTrip[];
  readonly times: LiveTripTimes;
  /** By route of the timetable: its list, or -1. */
  readonly list: Int32Array;
  /** By list. */
  readonly lists: { readonly first: number[]; readonly end: number[] };
  /** Dated trips of the lists; the first `count` entries are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  /** By extra route. */
  readonly extra: { readonly pattern: number[]; readonly list: number[]; readonly next: number[] };
  /** By pattern of the timetable: its first extra route, or -1. */
  readonly firstExtra: Int32Array;
  /** By extra pattern, and by call of extra patterns. */
  readonly shapes: {
    readonly firstCall: number[];
    readonly callCount: number[];
    readonly liveTrip: number[];
  };
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
  readonly liveTripRoute: Int32Array;
  readonly liveTripEntry: Int32Array;
}

export function createLiveRouteBuilder(
  tables: TimetableTables,
  raptorRoutes: RaptorRoutes,
  liveTrips: readonly LiveTrip[],
  times: LiveTripTimes,
): LiveRouteBuilder {
  // Upper limit: all scheduled trips and all live ones.
  const most = raptorRoutes.trips.length + liveTrips.length;
  return {
    tables,
    raptorRoutes,
    liveTrips,
    times,
    list: new Int32Array(raptorRoutes.count).fill(-1),
    lists: { first: [], end: [] },
    trips: new Int32Array(most),
    days: new Uint8Array(most),
    count: 0,
    extra: { pattern: [], list: [], next: [] },
    firstExtra: new Int32Array(tables.patterns.route.length).fill(-1),
    shapes: { firstCall: [], callCount: [], liveTrip: [] },
    calls: { boardAt: [], alightAt: [], stop: [], isServed: [] },
    boardCalls: new Map(),
    alightCalls: new Map(),
    liveTripRoute: new Int32Array(liveTrips.length).fill(-1),
    liveTripEntry: new Int32Array(liveTrips.length).fill(-1),
  };
}

/**
 * Removes the scheduled trips of some live trips from their routes, and inserts those that run at their current times.
 */
export function replacePlanned(builder: LiveRouteBuilder, changed: readonly LiveTrip[]): void {
  const byRoute = new Map<number, { entries: number[]; running: number[] }>();
  changed.forEach((liveTrip, i) => {
    const { route, entry } = liveTrip.place!;
    let group = byRoute.get(route);
    if (!group) {
      group = { entries: [], running: [] };
      byRoute.set(route, group);
    }
    group.entries.push(entry);
    if (liveTrip.state === 'whole') group.running.push(i);
    else if (liveTrip.state === 'partial') addExtraPattern(builder, i);
  });
  for (const [route, { entries, running }] of byRoute) {
    rebuildRoute(
      builder,
      route,
      entries.sort((a, b) => a - b),
      running.sort((a, b) => getBegin(builder, a) - getBegin(builder, b) || a - b),
    );
  }
}

/** Adds an extra pattern for a live trip that is not in the timetable or skips some calls. */
export function addExtraPattern(builder: LiveRouteBuilder, liveTrip: number): void {
  const { tables, liveTrips, shapes, calls } = builder;
  const { patterns, patternCalls } = tables;
  const { stops, trip, service } = liveTrips[liveTrip]!;
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
  shapes.liveTrip.push(liveTrip);
  indexCalls(builder, first, count, addExtraRoute(builder, pattern, [liveTrip]));
}

/** Returns the departure of a live trip from its first call, relative to the base of the routes. */
function getBegin({ times }: LiveRouteBuilder, liveTrip: number): number {
  return times.departure[times.liveTripStart[liveTrip]!]!;
}

function indexCalls({ calls, boardCalls, alightCalls }: LiveRouteBuilder, first: number, count: number, route: number) {
  for (let k = 0; k < count; k++) {
    indexCall(boardCalls, calls.boardAt[first + k]!, route, k);
    indexCall(alightCalls, calls.alightAt[first + k]!, route, k);
  }
}

function indexCall(calls: Map<number, number[]>, place: number, route: number, position: number): void {
  if (place < 0) return;
  const secondsThere = calls.get(place);
  if (secondsThere) secondsThere.push(route, position);
  else calls.set(place, [route, position]);
}

// ---- Rebuilt routes ----------------------------------------------------------------------------

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
function rebuildRoute(
  builder: LiveRouteBuilder,
  route: number,
  changed: readonly number[],
  running: readonly number[],
): void {
  const { raptorRoutes } = builder;
  const end = raptorRoutes.end[route]!;
  const overtaking: number[] = [];
  builder.list[route] = beginList(builder);
  const first = builder.count;
  const planned: PlannedCursor = { changed, skipped: 0, entry: raptorRoutes.first[route]! };
  for (const liveTrip of running) {
    copyUpTo(builder, planned, findEntry(builder, route, planned.entry, getBegin(builder, liveTrip)));
    const isInPlace =
      fitsBehind(builder, route, first, liveTrip) && fitsBefore(builder, route, planned.entry, liveTrip);
    if (isInPlace) addLiveTrip(builder, liveTrip, route);
    else overtaking.push(liveTrip);
  }
  copyUpTo(builder, planned, end);
  endList(builder);
  distributeTrips(builder, raptorRoutes.pattern[route]!, overtaking);
}

/** Copies the scheduled trips up to an entry, and moves on to the next one that runs as scheduled. */
function copyUpTo(builder: LiveRouteBuilder, planned: PlannedCursor, until: number): void {
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
function copyPlanned(builder: LiveRouteBuilder, entry: number, end: number): void {
  const { raptorRoutes, trips, days } = builder;
  trips.set(raptorRoutes.trips.subarray(entry, end), builder.count);
  days.set(raptorRoutes.days.subarray(entry, end), builder.count);
  builder.count += end - entry;
}

/** Returns the first entry of a route, from `entry` on, whose scheduled trip departs at `time` or later. */
function findEntry({ raptorRoutes, tables }: LiveRouteBuilder, route: number, entry: number, time: number): number {
  const { trips, days, dayStarts } = raptorRoutes;
  const zone = getZone(tables, raptorRoutes, route);
  const pattern = raptorRoutes.pattern[route]!;
  const beginOf = (at: number) =>
    tables.times.departure[getTimeRow(tables, pattern, trips[at]!)]! + dayStarts[zone + days[at]!]!;
  return partitionPoint(entry, raptorRoutes.end[route]!, (at) => beginOf(at) < time);
}

/** Returns the first row of a route's time zone in `dayStarts`. */
function getZone({ routes, patterns }: TimetableTables, raptorRoutes: RaptorRoutes, route: number): number {
  return routes.zone[patterns.route[raptorRoutes.pattern[route]!]!]! * raptorRoutes.dayCount;
}

// ---- Order -------------------------------------------------------------------------------------

/**
 * Returns whether a live trip can follow the last trip of the current list without overtaking it. @param first start of
 * the list
 */
function fitsBehind(builder: LiveRouteBuilder, route: number, first: number, liveTrip: number): boolean {
  const { tables, raptorRoutes, trips, days, liveTrips } = builder;
  const last = builder.count - 1;
  if (last < first) return true;
  const ahead = trips[last]!;
  const start = ahead < 0 ? 0 : raptorRoutes.dayStarts[getZone(tables, raptorRoutes, route) + days[last]!]!;
  return isInOrder(builder, ahead, start, ~liveTrip, 0, liveTrips[liveTrip]!.arrival.length);
}

/** Returns whether the next trip of the route does not overtake a live trip. @param entry of the next trip */
function fitsBefore(builder: LiveRouteBuilder, route: number, entry: number, liveTrip: number): boolean {
  const { tables, raptorRoutes, liveTrips } = builder;
  if (entry >= raptorRoutes.end[route]!) return true;
  const start = raptorRoutes.dayStarts[getZone(tables, raptorRoutes, route) + raptorRoutes.days[entry]!]!;
  return isInOrder(builder, ~liveTrip, 0, raptorRoutes.trips[entry]!, start, liveTrips[liveTrip]!.arrival.length);
}

/**
 * Returns whether a dated trip does not overtake the previous one at any call. A negative trip is `~liveTrip`.
 * @param start start of the day of a scheduled trip; 0 for a live one, whose times are absolute
 */
function isInOrder(
  builder: LiveRouteBuilder,
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

function getRow({ tables, times }: LiveRouteBuilder, trip: number): number {
  return trip < 0 ? times.liveTripStart[~trip]! : getTimeRow(tables, tables.trips.pattern[trip]!, trip);
}

/** Distributes live trips that overtake others to as few extra routes as their order allows. */
function distributeTrips(builder: LiveRouteBuilder, pattern: number, members: readonly number[]): void {
  const groups: number[][] = [];
  for (const liveTrip of members) {
    const callCount = builder.liveTrips[liveTrip]!.arrival.length;
    const route = groups.find((group) => isInOrder(builder, ~group.at(-1)!, 0, ~liveTrip, 0, callCount));
    if (route) route.push(liveTrip);
    else groups.push([liveTrip]);
  }
  for (const group of groups) addExtraRoute(builder, pattern, group);
}

// ---- Lists -------------------------------------------------------------------------------------

function beginList({ lists, count }: LiveRouteBuilder): number {
  return lists.first.push(count) - 1;
}

function endList({ lists, count }: LiveRouteBuilder): void {
  lists.end.push(count);
}

/** @returns the number of the new route */
function addExtraRoute(builder: LiveRouteBuilder, pattern: number, members: readonly number[]): number {
  const { tables, raptorRoutes, extra, firstExtra } = builder;
  const isPlanned = pattern < tables.patterns.route.length;
  const number = extra.pattern.push(pattern) - 1;
  extra.list.push(beginList(builder));
  for (const liveTrip of members) addLiveTrip(builder, liveTrip, raptorRoutes.count + number);
  endList(builder);
  extra.next.push(isPlanned ? firstExtra[pattern]! : -1);
  if (isPlanned) firstExtra[pattern] = number;
  return raptorRoutes.count + number;
}

/** Appends a live trip to the current list. */
function addLiveTrip(builder: LiveRouteBuilder, liveTrip: number, route: number): void {
  const { raptorRoutes, liveTrips } = builder;
  const entry = builder.count++;
  builder.liveTripRoute[liveTrip] = route;
  builder.liveTripEntry[liveTrip] = entry;
  builder.trips[entry] = ~liveTrip;
  builder.days[entry] = liveTrips[liveTrip]!.day - raptorRoutes.firstDay;
}
