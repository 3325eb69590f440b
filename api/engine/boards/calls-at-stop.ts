import { createRecentMaps, rememberPer } from '../../../pipeline/model/recent-map.ts';
import { type Instant, SECONDS_PER_DAY } from '../../../pipeline/model/service-time.ts';
import type { ZoneDays } from '../../../pipeline/model/zone-days.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { DatedTrip } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import { getMembers, getZone, isPartOf, type Timetable } from '../read/timetable.ts';

export interface BoardScope {
  readonly published: Published;
  readonly stop: number;
  readonly kind: BoardKind;
  readonly filter: CallFilter;
  /** Begin of the board: calls that departed before it are left out. */
  readonly from: Instant;
  /** Freshness at this instant determines the order of rows: the same for all pages of a board. */
  readonly orderedAt: Instant;
}

/** A call of a dated trip of the timetable, or of an added one. */
export interface DatedCall extends DatedTrip {
  readonly position: number;
}

/** One visit of one trip of the timetable on one service day to a stop. */
export interface StopCall extends DatedCall {
  readonly addedTrip: -1;
  readonly pattern: number;
  /** Scheduled departure or arrival. */
  readonly time: Instant;
}

export type BoardKind = 'departures' | 'arrivals';

/** A call of every trip of a pattern. */
interface CallPlace {
  readonly pattern: number;
  readonly position: number;
}

/**
 * A call of a pattern with the position of its times, which never decrease from trip to trip, because no trip of a
 * pattern overtakes another.
 */
interface TimedPlace extends CallPlace {
  readonly zone: ZoneDays;
  readonly firstTrip: number;
  readonly tripCount: number;
  /** Row of `times` of the call of the first trip; that of the next trip is `callCount` rows later. */
  readonly firstRow: number;
  readonly callCount: number;
  /** Service time of the first and of the last trip. */
  readonly earliest: number;
  readonly latest: number;
  /** Last service day of any of the trips. */
  readonly lastDay: number;
}

/** Calls of patterns that a board shows. */
export interface BoardCalls {
  readonly kind: BoardKind;
  /** The stop whose calls these all are; null where a filter leaves some out. */
  readonly allOf: number | null;
  readonly places: readonly TimedPlace[];
}

export interface CallFilter {
  /** Labels of lines; null for all. */
  readonly lines: ReadonlySet<string> | null;
  /** Bits as in `stops.productClasses`; null for all. */
  readonly products: number | null;
  /** Only trips that serve this stop or station later (departures) or earlier (arrivals); null for all. */
  readonly otherStop: number | null;
}

const GTFS_NONE = 1;

/** The calls of patterns at a stop that a board of a kind may show under a filter. */
export function listBoardCalls(timetable: Timetable, stop: number, kind: BoardKind, filter: CallFilter): BoardCalls {
  const all = placesAt[kind](timetable, stop);
  const { products, lines, otherStop } = filter;
  if (products === null && lines === null && otherStop === null) return { kind, allOf: stop, places: all };
  const { patterns, routes } = timetable.tables;
  const places = all.filter((place) => {
    const route = patterns.route[place.pattern]!;
    if (products !== null && (products & (1 << routes.product[route]!)) === 0) return false;
    if (lines !== null && !lines.has(routes.label.get(route))) return false;
    return otherStop === null || callsElsewhere(timetable, place, kind, otherStop);
  });
  return { kind, allOf: null, places };
}

/** Stops whose places are remembered, for each kind of board. */
const REMEMBERED_STOPS = 2000;

const placesAt = {
  departures: rememberPer(REMEMBERED_STOPS, (timetable: Timetable, stop) => listPlaces(timetable, stop, 'departures')),
  arrivals: rememberPer(REMEMBERED_STOPS, (timetable: Timetable, stop) => listPlaces(timetable, stop, 'arrivals')),
};

/**
 * The calls of patterns at a stop. Excludes the last call of a trip on departures and the first on arrivals, and calls
 * without pickup or drop-off.
 */
function listPlaces(timetable: Timetable, stop: number, kind: BoardKind): TimedPlace[] {
  const { stops, stopCalls, patterns, patternCalls } = timetable.tables;
  const places: TimedPlace[] = [];
  for (const member of getMembers(timetable.tables, stop)) {
    const first = stops.firstStopCall[member]!;
    for (let i = first; i < first + stops.stopCallCount[member]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      const position = stopCalls.position[i]!;
      const call = patterns.firstCall[pattern]! + position;
      if (kind === 'departures') {
        if (position === patterns.callCount[pattern]! - 1 || patternCalls.pickupType[call] === GTFS_NONE) continue;
      } else if (position === 0 || patternCalls.dropOffType[call] === GTFS_NONE) continue;
      places.push(findTimes(timetable, { pattern, position }, kind));
    }
  }
  return places;
}

function findTimes(timetable: Timetable, { pattern, position }: CallPlace, kind: BoardKind): TimedPlace {
  const { patterns, trips, services } = timetable.tables;
  const times = getTimes(timetable, kind);
  const [callCount, tripCount] = [patterns.callCount[pattern]!, patterns.tripCount[pattern]!];
  const [firstTrip, firstRow] = [patterns.firstTrip[pattern]!, patterns.firstTime[pattern]! + position];
  let lastDay = Number.NEGATIVE_INFINITY;
  for (let trip = firstTrip; trip < firstTrip + tripCount; trip++) {
    lastDay = Math.max(lastDay, services.lastDay[trips.service[trip]!]!);
  }
  const latest = times[firstRow + (tripCount - 1) * callCount]!;
  const span = { earliest: times[firstRow]!, latest, lastDay };
  return { pattern, position, zone: getZone(timetable, pattern), firstTrip, tripCount, firstRow, callCount, ...span };
}

function getTimes({ tables: { times } }: Timetable, kind: BoardKind): Int32Array {
  return kind === 'departures' ? times.departure : times.arrival;
}

/**
 * Whether trips of a pattern call at a stop or station after one of their calls (departures), or before it (arrivals).
 * @param isServed false for the position of a call that does not count
 */
export function callsElsewhere(
  { tables }: Timetable,
  { pattern, position }: CallPlace,
  kind: BoardKind,
  wanted: number,
  isServed: (position: number) => boolean = () => true,
): boolean {
  const first = tables.patterns.firstCall[pattern]!;
  const [from, to] = kind === 'departures' ? [position + 1, tables.patterns.callCount[pattern]!] : [0, position];
  for (let k = from; k < to; k++) {
    if (isPartOf(tables, tables.patternCalls.stop[first + k]!, wanted) && isServed(k)) return true;
  }
  return false;
}

const SECONDS_PER_HOUR = 3600;
/** Pairs of a stop and an hour whose calls are remembered: 8 MB for usual stops. */
const REMEMBERED_HOURS = 3000;
/** More than the hours since 1970, so that a stop and an hour make one number. */
const MAX_HOURS = 2 ** 21;
/** Longer boards would displace hours that are requested more often. */
const MAX_HOURS_OF_BOARD = 2;

const findKnownHours = {
  departures: createRecentMaps<Timetable, number, readonly StopCall[]>(REMEMBERED_HOURS),
  arrivals: createRecentMaps<Timetable, number, readonly StopCall[]>(REMEMBERED_HOURS),
};

/** All calls scheduled in `[from, to)`, in no order, of every service day that overlaps this time. */
export function collectCalls(timetable: Timetable, calls: BoardCalls, from: number, to: number): StopCall[] {
  if (to - from > MAX_HOURS_OF_BOARD * SECONDS_PER_HOUR) return searchCalls(timetable, calls, from, to);
  return collectFirstCalls(timetable, calls, from, to, Number.POSITIVE_INFINITY);
}

/**
 * Calls scheduled in `[from, to)`, in no order: the first ones, with all that are due in the same second as the last of
 * them, and perhaps later ones.
 * @param count of calls after `from` that suffice
 */
export function collectFirstCalls(
  timetable: Timetable,
  calls: BoardCalls,
  from: number,
  to: number,
  count: number,
): StopCall[] {
  const { allOf } = calls;
  if (allOf === null) return searchCalls(timetable, calls, from, to);
  const found: StopCall[] = [];
  const firstHour = Math.floor(from / SECONDS_PER_HOUR);
  let [hour, later] = [firstHour, 0];
  for (; hour * SECONDS_PER_HOUR < to && hour <= firstHour + MAX_HOURS_OF_BOARD; hour++) {
    for (const call of getHour(timetable, calls, allOf, hour)) {
      if (call.time < from) continue;
      if (call.time >= to || (later >= count && call.time > found.at(-1)!.time)) return found;
      found.push(call);
      if (call.time > from) later += 1;
    }
  }
  const rest = hour * SECONDS_PER_HOUR;
  return rest < to ? [...found, ...searchCalls(timetable, calls, rest, to)] : found;
}

/** By time. */
function getHour(timetable: Timetable, calls: BoardCalls, stop: number, hour: number): readonly StopCall[] {
  const known = findKnownHours[calls.kind](timetable);
  const key = stop * MAX_HOURS + hour;
  const remembered = known.get(key);
  if (remembered) return remembered;
  const found = searchCalls(timetable, calls, hour * SECONDS_PER_HOUR, (hour + 1) * SECONDS_PER_HOUR);
  found.sort((a, b) => a.time - b.time);
  known.set(key, found);
  return found;
}

function searchCalls(timetable: Timetable, calls: BoardCalls, from: number, to: number): StopCall[] {
  const times = getTimes(timetable, calls.kind);
  const found: StopCall[] = [];
  for (const place of calls.places) collectCallsAt(timetable, times, place, from, to, found);
  return found;
}

/** @param found the calls are added to it */
function collectCallsAt(
  { tables }: Timetable,
  times: Int32Array,
  place: TimedPlace,
  from: number,
  to: number,
  found: StopCall[],
): void {
  const { pattern, position, zone, firstTrip, tripCount, firstRow, callCount, earliest, latest } = place;
  const lastDay = lastDayFor(to, earliest);
  for (let day = firstDayFor(from, latest); day <= lastDay; day++) {
    const start = zone.startOf(day);
    if (start + latest < from || start + earliest >= to) continue;
    for (let i = findFirstTrip(times, place, from - start); i < tripCount; i++) {
      const time = start + times[firstRow + i * callCount]!;
      if (time >= to) break;
      const trip = firstTrip + i;
      if (runsOn(tables, tables.trips.service[trip]!, day)) {
        found.push({ trip, addedTrip: -1, day, position, pattern, time: time as Instant });
      }
    }
  }
}

/** Number of trips of the pattern that call there before a service time. A loop, for the reason given at `lowerBound`. */
function findFirstTrip(times: Int32Array, { firstRow, callCount, tripCount }: TimedPlace, time: number): number {
  let [low, high] = [0, tripCount];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[firstRow + middle * callCount]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the time of the next call at or after an instant, up to the end of all services, or `null`. */
export function findNextTime(timetable: Timetable, calls: BoardCalls, from: number): Instant | null {
  const { allOf } = calls;
  const hour = allOf === null ? [] : getHour(timetable, calls, allOf, Math.floor(from / SECONDS_PER_HOUR));
  const known = hour.find(({ time }) => time >= from);
  if (known) return known.time;
  const times = getTimes(timetable, calls.kind);
  let next = Number.POSITIVE_INFINITY;
  for (const place of calls.places) next = findNextTimeAt(timetable, times, place, from, next);
  return Number.isFinite(next) ? (next as Instant) : null;
}

function findNextTimeAt(
  { tables }: Timetable,
  times: Int32Array,
  place: TimedPlace,
  from: number,
  best: number,
): number {
  const { zone, firstTrip, tripCount, firstRow, callCount, earliest, latest, lastDay } = place;
  let next = best;
  for (let day = firstDayFor(from, latest); day <= lastDay; day++) {
    const start = zone.startOf(day);
    // No later day can improve on this.
    if (start + earliest >= next) break;
    for (let i = findFirstTrip(times, place, from - start); i < tripCount; i++) {
      const time = start + times[firstRow + i * callCount]!;
      if (time >= next) break;
      if (runsOn(tables, tables.trips.service[firstTrip + i]!, day)) next = time;
    }
  }
  return next;
}

// A service day begins less than a day before or after midnight UTC, in any zone.

/** No earlier day has a call at `latest` at or after an instant. */
function firstDayFor(from: number, latest: number): number {
  return Math.floor((from - latest) / SECONDS_PER_DAY);
}

/** No later day has a call at `earliest` before an instant. */
function lastDayFor(to: number, earliest: number): number {
  return Math.floor((to - earliest) / SECONDS_PER_DAY) + 1;
}
