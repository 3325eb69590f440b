import { SECONDS_PER_DAY } from '../../../pipeline/model/service-time.ts';
import { getTimeRow, runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Timetable } from '../read/timetable.ts';
import type { Memory } from './shared-tables.ts';

/**
 * The routes of RAPTOR. In the planner, a route is a list of dated trips with the same pattern of which none overtakes
 * another on any of the days covered; the GTFS route is always `tables.routes`. Because the trips are in order at every
 * call, a binary search finds the earliest one that can be boarded, and that one is the best. Most patterns have one
 * route; a pattern whose trips after midnight overlap those of the next day may have several.
 */
export interface RaptorRoutes {
  /** First service day (days since 1970), and number of days. */
  readonly firstDay: number;
  readonly dayCount: number;
  /** The instant that all times are relative to: seconds since 1970. */
  readonly base: number;
  /** Start of each day in each zone, relative to `base`: row `zone * dayCount + day`. */
  readonly dayStarts: Int32Array;
  readonly count: number;
  /** By route: its pattern, and its dated trips as a range of `trips` and `days`. */
  readonly pattern: Int32Array;
  readonly first: Int32Array;
  readonly end: Int32Array;
  /** By pattern: its first route, or -1. By route: the next one of its pattern, or -1. */
  readonly firstRoute: Int32Array;
  readonly nextRoute: Int32Array;
  /** By dated trip: row of the timetable's trips, and its day counted from `firstDay`. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
}

/** Number of days on which a search may begin and use the same routes. */
const SPAN_DAYS = 2;

/** Spans are numbered since 1970 (UTC). */
export const SPAN_SECONDS = SPAN_DAYS * SECONDS_PER_DAY;

/** A page covers one day and an itinerary takes at most two; in addition, service days depend on the time zone. */
const DAYS_AROUND = 4;

/**
 * Builds the routes for all searches that begin in a span, in either direction.
 * @param longestTripDays maximum number of days that a trip runs past its service day
 */
export function buildRaptorRoutes(
  timetable: Timetable,
  span: number,
  longestTripDays: number,
  memory: Memory,
): RaptorRoutes {
  const { patterns } = timetable.tables;
  const firstDay = span * SPAN_DAYS - DAYS_AROUND - longestTripDays;
  const dayCount = longestTripDays + DAYS_AROUND + SPAN_DAYS + DAYS_AROUND;
  const base = span * SPAN_SECONDS;
  const dayStarts = memory.int32(timetable.zones.length * dayCount);
  fillDayStarts(timetable, firstDay, dayCount, base, dayStarts);
  const running = listRunning(timetable, firstDay, dayCount);
  const builder = createRouteBuilder(timetable.tables, dayStarts, dayCount, countTrips(timetable, running), memory);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) distributePattern(builder, pattern, running);
  return { firstDay, dayCount, base, dayStarts, ...finish(builder, memory) };
}

function fillDayStarts(
  timetable: Timetable,
  firstDay: number,
  dayCount: number,
  base: number,
  starts: Int32Array,
): void {
  timetable.zones.forEach((zone, z) => {
    for (let day = 0; day < dayCount; day++) starts[z * dayCount + day] = zone.startOf(firstDay + day) - base;
  });
}

/** Returns, for each day, one byte per service: 1 if it runs. */
function listRunning({ tables }: Timetable, firstDay: number, dayCount: number): Uint8Array[] {
  const services = tables.services.firstDay.length;
  return Array.from({ length: dayCount }, (_, day) => {
    const isRunning = new Uint8Array(services);
    for (let service = 0; service < services; service++) {
      if (runsOn(tables, service, firstDay + day)) isRunning[service] = 1;
    }
    return isRunning;
  });
}

function countTrips({ tables }: Timetable, running: readonly Uint8Array[]): number {
  const days = new Uint8Array(tables.services.firstDay.length);
  for (const isRunning of running) for (let s = 0; s < days.length; s++) days[s]! += isRunning[s]!;
  let count = 0;
  for (const service of tables.trips.service) count += days[service]!;
  return count;
}

/** The arrays of routes under construction; see `RaptorRoutes` for their meaning. */
interface RouteBuilder {
  readonly tables: Timetable['tables'];
  readonly dayStarts: Int32Array;
  readonly dayCount: number;
  /** Dated trips; the first `count` entries are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  readonly firstRoute: Int32Array;
  /** By route. */
  readonly pattern: number[];
  readonly first: number[];
  readonly end: number[];
  readonly nextRoute: number[];
}

function createRouteBuilder(
  tables: Timetable['tables'],
  dayStarts: Int32Array,
  dayCount: number,
  tripCount: number,
  memory: Memory,
): RouteBuilder {
  return {
    tables,
    dayStarts,
    dayCount,
    trips: memory.int32(tripCount),
    days: memory.uint8(tripCount),
    count: 0,
    firstRoute: memory.int32(tables.patterns.route.length).fill(-1),
    pattern: [],
    first: [],
    end: [],
    nextRoute: [],
  };
}

/** Assigns the dated trips of a pattern to one route if they are in order over all days, otherwise to several. */
function distributePattern(builder: RouteBuilder, pattern: number, running: readonly Uint8Array[]): void {
  const { tables, dayStarts, dayCount, trips, days } = builder;
  const { patterns, routes } = tables;
  const { service } = tables.trips;
  const zone = routes.zone[patterns.route[pattern]!]! * dayCount;
  const firstTrip = patterns.firstTrip[pattern]!;
  const endTrip = firstTrip + patterns.tripCount[pattern]!;
  const from = builder.count;
  let used = from;
  let isSorted = true;
  for (let day = 0; day < dayCount; day++) {
    const isRunning = running[day]!;
    let isFirst = used > from;
    for (let trip = firstTrip; trip < endTrip; trip++) {
      if (!isRunning[service[trip]!]) continue;
      if (isFirst) {
        // The trips of one day are already in order.
        const aheadStart = dayStarts[zone + days[used - 1]!]!;
        isSorted &&= isInOrder(tables, pattern, trips[used - 1]!, aheadStart, trip, dayStarts[zone + day]!);
        isFirst = false;
      }
      trips[used] = trip;
      days[used++] = day;
    }
  }
  builder.count = used;
  if (used === from) return;
  if (isSorted) addRoute(builder, pattern, from, used);
  else distributeTrips(builder, pattern, from, zone);
}

function addRoute(builder: RouteBuilder, pattern: number, first: number, end: number): void {
  const route = builder.pattern.push(pattern) - 1;
  builder.first.push(first);
  builder.end.push(end);
  builder.nextRoute.push(builder.firstRoute[pattern]!);
  builder.firstRoute[pattern] = route;
}

/** Returns whether a dated trip does not overtake the previous one at any call. */
function isInOrder(
  tables: Timetable['tables'],
  pattern: number,
  tripAhead: number,
  aheadStart: number,
  trip: number,
  start: number,
): boolean {
  const { patterns, times } = tables;
  const lead = start - aheadStart;
  const callCount = patterns.callCount[pattern]!;
  const [ahead, row] = [getTimeRow(tables, pattern, tripAhead), getTimeRow(tables, pattern, trip)];
  for (let k = 0; k < callCount; k++) {
    if (times.arrival[row + k]! + lead < times.arrival[ahead + k]!) return false;
    if (times.departure[row + k]! + lead < times.departure[ahead + k]!) return false;
  }
  return true;
}

/**
 * Sorts the dated trips from index `from` on by departure, and distributes them to as few routes as their order allows.
 */
function distributeTrips(builder: RouteBuilder, pattern: number, from: number, zone: number): void {
  const { tables, dayStarts, trips, days, count } = builder;
  const startOf = (i: number) => dayStarts[zone + days[i]!]!;
  const beginning = (i: number) => tables.times.departure[getTimeRow(tables, pattern, trips[i]!)]! + startOf(i);
  const order = Array.from({ length: count - from }, (_, i) => from + i).sort((a, b) => beginning(a) - beginning(b));
  const groups: number[][] = [];
  for (const i of order) {
    const route = groups.find((group) => {
      const ahead = group.at(-1)!;
      return isInOrder(tables, pattern, trips[ahead]!, startOf(ahead), trips[i]!, startOf(i));
    });
    if (route) route.push(i);
    else groups.push([i]);
  }
  const sorted = groups.flat();
  const [sortedTrips, sortedDays] = [sorted.map((i) => trips[i]!), sorted.map((i) => days[i]!)];
  trips.set(sortedTrips, from);
  days.set(sortedDays, from);
  let first = from;
  for (const group of groups) {
    addRoute(builder, pattern, first, first + group.length);
    first += group.length;
  }
}

/** Copies the finished arrays of a builder into the given memory. */
function finish({ pattern, first, end, nextRoute, firstRoute, trips, days }: RouteBuilder, memory: Memory) {
  const store = (values: readonly number[]) => {
    const stored = memory.int32(values.length);
    stored.set(values);
    return stored;
  };
  return {
    count: pattern.length,
    pattern: store(pattern),
    first: store(first),
    end: store(end),
    nextRoute: store(nextRoute),
    firstRoute,
    trips,
    days,
  };
}

/** Returns the maximum number of days that a trip runs past its service day. */
export function measureLongestTrip({ tables }: Timetable): number {
  const { patterns, times } = tables;
  let latest = 0;
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const last = patterns.firstTime[pattern]! + patterns.tripCount[pattern]! * patterns.callCount[pattern]! - 1;
    latest = Math.max(latest, times.departure[last]!, times.arrival[last]!);
  }
  return Math.floor(latest / SECONDS_PER_DAY);
}
