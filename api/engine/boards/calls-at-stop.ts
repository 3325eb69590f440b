import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { type Instant, SECONDS_PER_DAY } from '../../../pipeline/model/service-time.ts';
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

/** One visit of one trip on one service day to a stop. */
export interface StopCall {
  readonly pattern: number;
  /** Position in the pattern, from 0. */
  readonly position: number;
  /** Row of `trips`. */
  readonly trip: number;
  /** Service day, since 1970. */
  readonly day: number;
  /** Scheduled departure or arrival. */
  readonly time: Instant;
}

/** A call of a dated trip of the timetable, or of an added one. */
export interface DatedCall extends DatedTrip {
  readonly position: number;
}

export type BoardKind = 'departures' | 'arrivals';

/** A call of every trip of a pattern. */
interface CallPlace {
  readonly pattern: number;
  readonly position: number;
}

/** Calls of patterns that a board shows. */
export interface BoardCalls {
  readonly kind: BoardKind;
  readonly places: readonly CallPlace[];
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
/**
 * The calls of patterns at a stop that a board may show. Excludes the last call of a trip on departures and the first
 * on arrivals, and calls without pickup or drop-off.
 */
export function listBoardCalls(timetable: Timetable, stop: number, kind: BoardKind, filter: CallFilter): BoardCalls {
  const { stops, stopCalls, patterns, patternCalls, routes } = timetable.tables;
  const places: CallPlace[] = [];
  for (const member of getMembers(timetable.tables, stop)) {
    const first = stops.firstStopCall[member]!;
    for (let i = first; i < first + stops.stopCallCount[member]!; i++) {
      const pattern = stopCalls.pattern[i]!;
      const position = stopCalls.position[i]!;
      const call = patterns.firstCall[pattern]! + position;
      const route = patterns.route[pattern]!;
      if (kind === 'departures') {
        if (position === patterns.callCount[pattern]! - 1 || patternCalls.pickupType[call] === GTFS_NONE) continue;
      } else if (position === 0 || patternCalls.dropOffType[call] === GTFS_NONE) continue;
      if (filter.products !== null && (filter.products & (1 << routes.product[route]!)) === 0) continue;
      if (filter.lines !== null && !filter.lines.has(routes.label.get(route))) continue;
      if (filter.otherStop !== null && !callsElsewhere(timetable, { pattern, position }, kind, filter.otherStop))
        continue;
      places.push({ pattern, position });
    }
  }
  return { kind, places };
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

/** All calls scheduled in `[from, to)`, in no order, of every service day that overlaps this time. */
export function collectCalls(timetable: Timetable, calls: BoardCalls, from: number, to: number): StopCall[] {
  const { patterns, trips } = timetable.tables;
  const found: StopCall[] = [];
  for (const { pattern, position } of calls.places) {
    const times = timesAt(timetable, calls.kind, pattern, position);
    const zone = getZone(timetable, pattern);
    for (let day = firstDayFor(from, times.last); day <= lastDayFor(to, times.first); day++) {
      const start = zone.startOf(day);
      for (let i = times.firstNotBefore(from - start); i < times.count && times.at(i) < to - start; i++) {
        const trip = patterns.firstTrip[pattern]! + i;
        if (!runsOn(timetable.tables, trips.service[trip]!, day)) continue;
        found.push({ pattern, position, trip, day, time: (start + times.at(i)) as Instant });
      }
    }
  }
  return found;
}

/** Returns the time of the next call at or after an instant, up to the end of all services, or `null`. */
export function findNextTime(timetable: Timetable, calls: BoardCalls, from: number): Instant | null {
  let next = Number.POSITIVE_INFINITY;
  for (const place of calls.places) next = Math.min(next, findNextTimeAt(timetable, calls.kind, place, from, next));
  return Number.isFinite(next) ? (next as Instant) : null;
}

function findNextTimeAt(
  timetable: Timetable,
  kind: BoardKind,
  { pattern, position }: CallPlace,
  from: number,
  best: number,
): number {
  const { patterns, trips, services } = timetable.tables;
  const times = timesAt(timetable, kind, pattern, position);
  const zone = getZone(timetable, pattern);
  const firstTrip = patterns.firstTrip[pattern]!;
  let lastDay = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < times.count; i++) lastDay = Math.max(lastDay, services.lastDay[trips.service[firstTrip + i]!]!);
  let next = best;
  for (let day = firstDayFor(from, times.last); day <= lastDay; day++) {
    const start = zone.startOf(day);
    // No later day can improve on this.
    if (start + times.first >= next) break;
    for (let i = times.firstNotBefore(from - start); i < times.count; i++) {
      if (start + times.at(i) >= next) break;
      if (runsOn(timetable.tables, trips.service[firstTrip + i]!, day)) next = start + times.at(i);
    }
  }
  return next;
}

/** Times of a pattern's trips at one call: they never decrease, because no trip of a pattern overtakes another. */
function timesAt({ tables }: Timetable, kind: BoardKind, pattern: number, position: number) {
  const column = kind === 'departures' ? tables.times.departure : tables.times.arrival;
  const callCount = tables.patterns.callCount[pattern]!;
  const base = tables.patterns.firstTime[pattern]! + position;
  const count = tables.patterns.tripCount[pattern]!;
  const at = (i: number) => column[base + i * callCount]!;
  return {
    count,
    at,
    first: at(0),
    last: at(count - 1),
    firstNotBefore: (time: number) => partitionPoint(0, count, (i) => at(i) < time),
  };
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
