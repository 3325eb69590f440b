import { SECONDS_PER_DAY } from '../../../pipeline/model/service-time.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getTimeRow } from '../read/present.ts';
import type { Timetable } from '../read/timetable.ts';
import type { Memory } from './shared-tables.ts';

/**
 * The dated trips of some service days, pattern by pattern, in lanes: within a lane no trip overtakes another over all
 * of its days, so that a binary search is possible and the first trip that is caught is the best. Most patterns have
 * one lane; one whose trips after midnight overlap those of the next day may have more.
 */
export interface Lanes {
  /** First service day, since 1970, and how many there are. */
  readonly firstDay: number;
  readonly dayCount: number;
  /** Origin of all times: seconds since 1970. */
  readonly base: number;
  /** Begin of each day in each zone, from `base`: zone * dayCount + day. */
  readonly dayStarts: Int32Array;
  readonly count: number;
  /** By lane: its pattern, and its dated trips as a range of `trips` and `days`. */
  readonly pattern: Int32Array;
  readonly first: Int32Array;
  readonly end: Int32Array;
  /** By pattern: its first lane, or -1; by lane: the next one of its pattern, or -1. */
  readonly firstLane: Int32Array;
  readonly nextLane: Int32Array;
  /** By dated trip: row of the timetable's trips, and its day counted from `firstDay`. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
}

/** Days of begin that share the same lanes. */
const SPAN_DAYS = 2;

/** Spans are numbered since 1970 (UTC). */
export const SPAN_SECONDS = SPAN_DAYS * SECONDS_PER_DAY;

/** A page covers one day and a journey takes at most two; in addition, service days depend on the time zone. */
const DAYS_AROUND = 4;

/**
 * All dated trips for searches that begin in a span, in either direction.
 * @param longestTripDays how many days after its own a trip may still run
 */
export function buildLanes(timetable: Timetable, span: number, longestTripDays: number, memory: Memory): Lanes {
  const { patterns } = timetable.tables;
  const firstDay = span * SPAN_DAYS - DAYS_AROUND - longestTripDays;
  const dayCount = longestTripDays + DAYS_AROUND + SPAN_DAYS + DAYS_AROUND;
  const base = span * SPAN_SECONDS;
  const dayStarts = memory.int32(timetable.zones.length * dayCount);
  fillDayStarts(timetable, firstDay, dayCount, base, dayStarts);
  const running = listRunning(timetable, firstDay, dayCount);
  const builder = createLaneBuilder(timetable.tables, dayStarts, dayCount, countTrips(timetable, running), memory);
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

/** The services that run on each of the days: one byte per service, day after day. */
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

/** The arrays of lanes under construction; see `Lanes` for their meaning. */
interface LaneBuilder {
  readonly tables: Timetable['tables'];
  readonly dayStarts: Int32Array;
  readonly dayCount: number;
  /** Dated trips: of these arrays, `count` are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  readonly firstLane: Int32Array;
  /** By lane. */
  readonly pattern: number[];
  readonly first: number[];
  readonly end: number[];
  readonly nextLane: number[];
}

function createLaneBuilder(
  tables: Timetable['tables'],
  dayStarts: Int32Array,
  dayCount: number,
  tripCount: number,
  memory: Memory,
): LaneBuilder {
  return {
    tables,
    dayStarts,
    dayCount,
    trips: memory.int32(tripCount),
    days: memory.uint8(tripCount),
    count: 0,
    firstLane: memory.int32(tables.patterns.route.length).fill(-1),
    pattern: [],
    first: [],
    end: [],
    nextLane: [],
  };
}

/** Distributes the dated trips of a pattern to lanes: to one where they are in order over all days, else to several. */
function distributePattern(builder: LaneBuilder, pattern: number, running: readonly Uint8Array[]): void {
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
        // Within a day they are in order already.
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
  if (isSorted) addLane(builder, pattern, from, used);
  else distributeTrips(builder, pattern, from, zone);
}

function addLane(builder: LaneBuilder, pattern: number, first: number, end: number): void {
  const lane = builder.pattern.push(pattern) - 1;
  builder.first.push(first);
  builder.end.push(end);
  builder.nextLane.push(builder.firstLane[pattern]!);
  builder.firstLane[pattern] = lane;
}

/** Whether a dated trip is nowhere before the previous one. */
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

/** Sorts the dated trips from one on by their begin, and distributes them to as few lanes as keep their order. */
function distributeTrips(builder: LaneBuilder, pattern: number, from: number, zone: number): void {
  const { tables, dayStarts, trips, days, count } = builder;
  const startOf = (i: number) => dayStarts[zone + days[i]!]!;
  const beginning = (i: number) => tables.times.departure[getTimeRow(tables, pattern, trips[i]!)]! + startOf(i);
  const order = Array.from({ length: count - from }, (_, i) => from + i).sort((a, b) => beginning(a) - beginning(b));
  const dealt: number[][] = [];
  for (const i of order) {
    const lane = dealt.find((those) => {
      const ahead = those.at(-1)!;
      return isInOrder(tables, pattern, trips[ahead]!, startOf(ahead), trips[i]!, startOf(i));
    });
    if (lane) lane.push(i);
    else dealt.push([i]);
  }
  const sorted = dealt.flat();
  const [sortedTrips, sortedDays] = [sorted.map((i) => trips[i]!), sorted.map((i) => days[i]!)];
  trips.set(sortedTrips, from);
  days.set(sortedDays, from);
  let first = from;
  for (const those of dealt) {
    addLane(builder, pattern, first, first + those.length);
    first += those.length;
  }
}

/** The finished arrays of a builder, in the given memory. */
function finish({ pattern, first, end, nextLane, firstLane, trips, days }: LaneBuilder, memory: Memory) {
  const keep = (values: readonly number[]) => {
    const kept = memory.int32(values.length);
    kept.set(values);
    return kept;
  };
  return {
    count: pattern.length,
    pattern: keep(pattern),
    first: keep(first),
    end: keep(end),
    nextLane: keep(nextLane),
    firstLane,
    trips,
    days,
  };
}

/** How many days after its own a trip may still run. */
export function measureLongestTrip({ tables }: Timetable): number {
  const { patterns, times } = tables;
  let latest = 0;
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const last = patterns.firstTime[pattern]! + patterns.tripCount[pattern]! * patterns.callCount[pattern]! - 1;
    latest = Math.max(latest, times.departure[last]!, times.arrival[last]!);
  }
  return Math.floor(latest / SECONDS_PER_DAY);
}
