import type { Instant } from '../../../pipeline/model/service-time.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { type Booking, computeDeadline, computeOpening } from './bookings.ts';
import { findCallsAt, type OnDemandAreas, type Spot } from './on-demand.ts';
import type { OpenTime } from './open-times.ts';
import type { Timetable } from './timetable.ts';

/** A pair of calls between which on-demand service carries passengers: rows of `onDemandCalls`. */
export interface CallPair {
  readonly trip: number;
  readonly pickup: number;
  readonly dropOff: number;
}

/** GTFS pickup_type and drop_off_type. */
const NONE = 1;

/** The pairs of calls of on-demand trips whose pickup is at a place. */
export function listPairsFrom(areas: OnDemandAreas, { tables }: Timetable, from: Spot): CallPair[] {
  return findCallsAt(areas, tables, from).flatMap((pickup) => {
    const trip = areas.tripOfCall[pickup]!;
    const end = tables.onDemandTrips.firstCall[trip]! + tables.onDemandTrips.callCount[trip]!;
    const later = Array.from({ length: end - pickup - 1 }, (_, i) => pickup + 1 + i);
    return later.map((dropOff) => ({ trip, pickup, dropOff })).filter((pair) => isOffered(tables, pair));
  });
}

/** The pairs of calls of on-demand trips whose drop-off is at a place. */
export function listPairsTo(areas: OnDemandAreas, { tables }: Timetable, to: Spot): CallPair[] {
  return findCallsAt(areas, tables, to).flatMap((dropOff) => {
    const trip = areas.tripOfCall[dropOff]!;
    const first = tables.onDemandTrips.firstCall[trip]!;
    const earlier = Array.from({ length: dropOff - first }, (_, i) => first + i);
    return earlier.map((pickup) => ({ trip, pickup, dropOff })).filter((pair) => isOffered(tables, pair));
  });
}

/** Rides between two fixed calls are left out: the scheduled trip has them. */
function isOffered({ onDemandCalls }: Timetable['tables'], { pickup, dropOff }: CallPair): boolean {
  const { pickupType, dropOffType, isFixed } = onDemandCalls;
  return pickupType[pickup] !== NONE && dropOffType[dropOff] !== NONE && isFixed[pickup]! + isFixed[dropOff]! < 2;
}

/** Estimated duration of a ride, rounded up to whole minutes. @param carSeconds driving time of a car */
export function findRideSeconds({ tables }: Timetable, trip: number, carSeconds: number): number {
  const { durationFactor, durationOffsetSeconds } = tables.onDemandTrips;
  const seconds = durationFactor[trip]! * carSeconds + durationOffsetSeconds[trip]!;
  return Math.max(1, Math.ceil(seconds / MINUTE_SECONDS)) * MINUTE_SECONDS;
}

const MINUTE_SECONDS = 60;

/** A pair of calls with the period in which the ride may begin. */
export interface TimedPair extends OpenTime {
  readonly seconds: number;
}

/**
 * Lists the periods in which a ride may begin that overlap a period, without rides that can no longer be booked.
 * @param seconds duration of the ride
 * @param now `null` to ignore bookings
 */
export function listOpenTimes(
  timetable: Timetable,
  pair: CallPair,
  seconds: number,
  period: { readonly from: number; readonly to: number },
  now: Instant | null,
): TimedPair[] {
  const span = findPickupSpan(timetable.tables, pair, seconds);
  if (span === null) return [];
  const zone = getRideZone(timetable, pair.trip);
  const service = timetable.tables.onDemandTrips.service[pair.trip]!;
  const found: TimedPair[] = [];
  const [firstDay, lastDay] = [toDay(period.from - span.until), toDay(period.to - span.from) + 1];
  for (let day = firstDay; day <= lastDay; day++) {
    if (!runsOn(timetable.tables, service, day)) continue;
    const start = zone.startOf(day);
    const earliest = now === null ? Number.NEGATIVE_INFINITY : findEarliestPickup(timetable, pair, day, now);
    const from = Math.max(start + span.from, earliest) as Instant;
    const until = (start + span.until) as Instant;
    if (from > until || until < period.from || from > period.to) continue;
    found.push({ ...pair, day, from, until, seconds: span.seconds });
  }
  return found;
}

const SECONDS_PER_DAY = 86_400;

function toDay(time: number): number {
  return Math.floor(time / SECONDS_PER_DAY) - 1;
}

export function getRideZone({ tables, zones }: Timetable, trip: number) {
  return zones[tables.routes.zone[tables.onDemandTrips.route[trip]!]!]!;
}

interface PickupSpan {
  /** Service times. */
  readonly from: number;
  readonly until: number;
  readonly seconds: number;
}

/**
 * Computes when a ride may begin so that it also ends within its window. Some publishers give all calls of a fixed
 * departure the same time. At a drop-off that is not a fixed call this is only the earliest time: the ride keeps its
 * estimated duration and ends later.
 * @returns `null` if the windows are too short for the ride
 */
function findPickupSpan(
  { onDemandCalls }: Timetable['tables'],
  { pickup, dropOff }: CallPair,
  seconds: number,
): PickupSpan | null {
  const { windowStart, windowEnd, isFixed } = onDemandCalls;
  // At a fixed call passengers board until the departure, and alight at the arrival.
  const begin = { from: isFixed[pickup] === 1 ? windowEnd[pickup]! : windowStart[pickup]!, until: windowEnd[pickup]! };
  const end = {
    from: windowStart[dropOff]!,
    until: isFixed[dropOff] === 1 ? windowStart[dropOff]! : windowEnd[dropOff]!,
  };
  if (end.from < end.until) {
    const [from, until] = [Math.max(begin.from, end.from - seconds), Math.min(begin.until, end.until - seconds)];
    return from <= until ? { from, until, seconds } : null;
  }
  const last = Math.min(begin.until, end.from - seconds);
  if (last >= begin.from) return { from: last, until: last, seconds: end.from - last };
  if (isFixed[dropOff] === 1 || begin.from < begin.until || end.from < begin.from) return null;
  return { from: begin.from, until: begin.from, seconds };
}

/** The booking rules of a ride: that of boarding, and that of alighting if it differs. */
function listRules({ onDemandCalls }: Timetable['tables'], { pickup, dropOff }: CallPair) {
  const uses = [
    { rule: onDemandCalls.pickupRule[pickup]!, use: 'pickup' as const },
    { rule: onDemandCalls.dropOffRule[dropOff]!, use: 'dropOff' as const },
  ];
  return uses.filter(({ rule }, i) => rule >= 0 && (i === 0 || rule !== uses[0]!.rule));
}

/** The earliest pickup on a day that can still be booked; Infinity if there is none. */
export function findEarliestPickup(timetable: Timetable, pair: CallPair, day: number, now: Instant): number {
  const zone = getRideZone(timetable, pair.trip);
  const earliest = listRules(timetable.tables, pair).map(({ rule }) => {
    const atMidnight = computeDeadline(timetable, rule, zone, day, 0);
    if (atMidnight === null) return now;
    // A notice period depends on the begin of the ride; a deadline by day does not.
    const notice = timetable.tables.bookingRules.noticeSeconds[rule]!;
    if (notice >= 0) return now + notice;
    return atMidnight >= now ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  });
  return Math.max(Number.NEGATIVE_INFINITY, ...earliest);
}

/** The bookings that a ride needs. */
export function listRideBookings(
  timetable: Timetable,
  { trip, day, pickup, dropOff }: CallPair & { readonly day: number },
  begin: Instant,
): Booking[] {
  const zone = getRideZone(timetable, trip);
  const seconds = begin - zone.startOf(day);
  return listRules(timetable.tables, { trip, pickup, dropOff }).map(({ rule, use }) => {
    const deadline = computeDeadline(timetable, rule, zone, day, seconds);
    const opening = computeOpening(timetable, rule, zone, day, seconds);
    return { rule, use, position: -1, deadline: deadline !== null && deadline <= begin ? deadline : null, opening };
  });
}
