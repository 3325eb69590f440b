import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { ZoneDays } from '../../../pipeline/model/zone-days.ts';
import { getTimeRow, runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { presentTimestamp } from './present.ts';
import { getZone, type Timetable } from './timetable.ts';

// Service on demand: rides that must be booked before a deadline, which follows from the schedule alone.

/** What a passenger does at a call. */
type CallUse = 'pickup' | 'dropOff';

/** A use of a call that must be booked. */
export interface Booking {
  /** Row of `bookingRules`. */
  readonly rule: number;
  readonly use: CallUse;
  readonly position: number;
  /** Latest instant of booking; null: until the departure, or the arrival if `use` is `dropOff`, or unknown. */
  readonly deadline: Instant | null;
  /** Earliest instant of booking; `null` if at any time, or unknown. */
  readonly opening: Instant | null;
}

/** @returns row of `bookingRules`; -1 for a use of a call that needs no booking */
function findBookingRule({ tables }: Timetable, call: number, use: CallUse): number {
  const { bookedCalls } = tables;
  const row = lowerBound(bookedCalls.call, call);
  return bookedCalls.call[row] === call ? bookedCalls[use][row]! : -1;
}

/** @returns null for a use of a call that needs no booking, and for trips that the timetable lacks */
export function findBooking(
  timetable: Timetable,
  { trip, day }: { readonly trip: number; readonly day: number },
  position: number,
  use: CallUse,
): Booking | null {
  const { trips, patterns, bookedCalls, times } = timetable.tables;
  if (trip < 0 || bookedCalls.call.length === 0) return null;
  const pattern = trips.pattern[trip]!;
  const rule = findBookingRule(timetable, patterns.firstCall[pattern]! + position, use);
  if (rule < 0) return null;
  const zone = getZone(timetable, pattern);
  const row = getTimeRow(timetable.tables, pattern, trip);
  // Passengers who alight here may have boarded at the first call, so the deadline counts from its departure.
  const seconds = times.departure[use === 'pickup' ? row + position : row]!;
  const deadline = computeDeadline(timetable, rule, zone, day, seconds);
  // A rule of type 2 may name a time after the departure, such as 23:59 of the same day.
  const usedAt = zone.startOf(day) + (use === 'pickup' ? times.departure : times.arrival)[row + position]!;
  const opening = computeOpening(timetable, rule, zone, day, seconds);
  return { rule, use, position, deadline: deadline !== null && deadline <= usedAt ? deadline : null, opening };
}

/** All uses of the calls of a dated trip that must be booked. */
export function listTripBookings(timetable: Timetable, dated: { readonly trip: number; readonly day: number }) {
  const { trips, patterns, bookedCalls } = timetable.tables;
  if (dated.trip < 0 || bookedCalls.call.length === 0) return [];
  const last = patterns.callCount[trips.pattern[dated.trip]!]! - 1;
  const found: Booking[] = [];
  for (let position = 0; position <= last; position++) {
    const pickup = position === last ? null : findBooking(timetable, dated, position, 'pickup');
    const dropOff = position === 0 ? null : findBooking(timetable, dated, position, 'dropOff');
    for (const booking of [pickup, dropOff]) if (booking) found.push(booking);
  }
  return found;
}

/** GTFS booking_type. */
const SAME_DAY = 1;
const EARLIER_DAY = 2;

/** Whether a rule has a deadline at all. */
export function hasDeadline({ tables }: Timetable, rule: number): boolean {
  const { type, noticeSeconds, lastDay } = tables.bookingRules;
  if (type[rule] === SAME_DAY) return noticeSeconds[rule]! >= 0;
  return type[rule] === EARLIER_DAY && lastDay[rule]! >= 0;
}

/**
 * Returns the latest instant of booking a ride; null if the rule has no deadline.
 * @param day service day of the ride
 * @param seconds service time at which the ride begins
 */
export function computeDeadline(
  timetable: Timetable,
  rule: number,
  zone: ZoneDays,
  day: number,
  seconds: number,
): Instant | null {
  if (!hasDeadline(timetable, rule)) return null;
  const { type, noticeSeconds, lastSeconds } = timetable.tables.bookingRules;
  if (type[rule] === SAME_DAY) return (zone.startOf(day) + seconds - noticeSeconds[rule]!) as Instant;
  return (zone.startOf(findLastDay(timetable, rule, day)) + lastSeconds[rule]!) as Instant;
}

/** Returns the earliest instant at which a ride can be booked; `null` if the rule has none. @see computeDeadline */
export function computeOpening(
  timetable: Timetable,
  rule: number,
  zone: ZoneDays,
  day: number,
  seconds: number,
): Instant | null {
  const { type, mostNoticeSeconds, startDay, startSeconds } = timetable.tables.bookingRules;
  if (type[rule] === SAME_DAY && mostNoticeSeconds[rule]! >= 0) {
    return (zone.startOf(day) + seconds - mostNoticeSeconds[rule]!) as Instant;
  }
  if (startDay[rule]! < 0) return null;
  return (zone.startOf(day - startDay[rule]!) + startSeconds[rule]!) as Instant;
}

/** Days back that are searched for days of the rule's service; if these are too few, calendar days are counted. */
const MAX_DAYS_BACK = 400;

/** The last day of booking for a ride on a day. */
function findLastDay({ tables }: Timetable, rule: number, day: number): number {
  const { service: services, lastDay } = tables.bookingRules;
  const service = services[rule]!;
  let left = lastDay[rule]!;
  if (service < 0) return day - left;
  for (let at = day; at > day - MAX_DAYS_BACK; at--) {
    if (left === 0) return at;
    if (runsOn(tables, service, at - 1)) left--;
  }
  return day - lastDay[rule]!;
}

/** Whether a ride with these bookings can no longer be booked. */
export function isClosed(bookings: readonly Booking[], instant: Instant): boolean {
  return bookings.some(({ deadline }) => deadline !== null && deadline < instant);
}

/**
 * Attributes of a ride that needs all of these bookings: `onDemand:yes`, until then `bookFrom:<Timestamp>`,
 * `bookBy:<Timestamp>`, after that `booking:closed`, `phone:…`, `url:…`; none without bookings.
 */
export function listBookingAttributes(
  timetable: Timetable,
  bookings: readonly Booking[],
  instant: Instant,
): readonly string[] {
  if (bookings.length === 0) return NONE;
  const deadlines = bookings.flatMap(({ deadline }) => deadline ?? []);
  const bookBy = deadlines.length > 0 ? (Math.min(...deadlines) as Instant) : null;
  return describe(timetable, bookings, instant, { bookBy, isOver: isClosed(bookings, instant) });
}

const NONE: readonly string[] = [];

/**
 * Attributes of a whole trip, each ride of which needs some of these bookings: `bookBy` is the next deadline, and
 * `booking:closed` is added after the last one.
 */
export function listTripBookingAttributes(
  timetable: Timetable,
  bookings: readonly Booking[],
  instant: Instant,
): readonly string[] {
  if (bookings.length === 0) return NONE;
  const deadlines = bookings.flatMap(({ deadline }) => deadline ?? []).sort((a, b) => a - b);
  const next = deadlines.find((deadline) => deadline >= instant);
  const isOver = next === undefined && deadlines.length === bookings.length;
  return describe(timetable, bookings, instant, { bookBy: next ?? (isOver ? deadlines.at(-1)! : null), isOver });
}

function describe(
  { tables }: Timetable,
  bookings: readonly Booking[],
  instant: Instant,
  { bookBy, isOver }: { readonly bookBy: Instant | null; readonly isOver: boolean },
): string[] {
  const { phone, url } = tables.bookingRules;
  const listTexts = (name: string, column: typeof phone) =>
    bookings.flatMap(({ rule }) => (column.get(rule) === '' ? [] : `${name}:${column.get(rule)}`));
  const openings = bookings.flatMap(({ opening }) => (opening !== null && opening > instant ? opening : []));
  return [
    'onDemand:yes',
    ...(openings.length === 0 ? [] : [`bookFrom:${presentTimestamp(Math.max(...openings) as Instant)}`]),
    ...(bookBy === null ? [] : [`bookBy:${presentTimestamp(bookBy)}`]),
    ...(isOver ? ['booking:closed'] : []),
    ...new Set([...listTexts('phone', phone), ...listTexts('url', url)]),
  ];
}
