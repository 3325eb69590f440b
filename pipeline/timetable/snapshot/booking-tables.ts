import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { TextColumn } from '../../model/column.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { TripCalls } from '../feed/patterns.ts';

/** Distinct pairs of rules, for boarding and for alighting, that calls have: rows of `bookingRules`, or -1. */
interface BookingPairs {
  readonly pickup: readonly number[];
  readonly dropOff: readonly number[];
}

/** Reads the rules of all feeds. */
export function readBookingRules(db: Duckdb, rows: number) {
  return readColumns(
    db,
    {
      source: ['u16', 'source_index'],
      ruleId: ['text', 'booking_rule_id'],
      type: ['u8', 'booking_type'],
      noticeSeconds: ['i32', 'coalesce(notice_seconds, -1)'],
      lastDay: ['i32', 'coalesce(last_day, -1)'],
      lastSeconds: ['i32', 'coalesce(last_time_seconds, -1)'],
      service: ['i32', 'coalesce(service_index, -1)'],
      mostNoticeSeconds: ['i32', 'coalesce(most_notice_seconds, -1)'],
      startDay: ['i32', 'coalesce(start_day, -1)'],
      startSeconds: ['i32', 'coalesce(start_time_seconds, -1)'],
      phone: ['text', `coalesce(phone_number, '')`],
      url: ['text', `coalesce(url, '')`],
      message: ['text', `coalesce(message, '')`],
      pickupMessage: ['text', `coalesce(pickup_message, '')`],
      dropOffMessage: ['text', `coalesce(drop_off_message, '')`],
    },
    'from all_booking_rules order by booking_index',
    rows,
  );
}

/** @returns the pairs of rules, and for each call the number of its pair, or -1 */
export async function readCallBookings(
  db: Duckdb,
  rows: number,
  callCount: number,
): Promise<{ readonly bookings: BookingPairs; readonly booking: Int32Array }> {
  const booking = new Int32Array(callCount).fill(-1);
  const bookings = { pickup: [] as number[], dropOff: [] as number[] };
  if (rows === 0) return { bookings, booking };
  const from = 'from all_calls join all_call_bookings using (trip_index, stop_sequence)';
  const [count] = await db.query(`select count(*)::int as n ${from}`);
  const calls = await readColumns(
    db,
    {
      call: ['i32', 'call_index'],
      pickup: ['i32', 'coalesce(pickup_booking_index, -1)'],
      dropOff: ['i32', 'coalesce(drop_off_booking_index, -1)'],
    },
    `${from} order by call_index`,
    Number(count?.n),
  );
  const numbers = new Map<string, number>();
  for (let i = 0; i < calls.call.length; i++) {
    const [pickup, dropOff] = [calls.pickup[i]!, calls.dropOff[i]!];
    const key = `${pickup} ${dropOff}`;
    const known = numbers.get(key) ?? bookings.pickup.push(pickup) - 1;
    numbers.set(key, known);
    bookings.dropOff[known] = dropOff;
    booking[calls.call[i]!] = known;
  }
  return { bookings, booking };
}

interface BookedFeeds {
  readonly bookingRules: Awaited<ReturnType<typeof readBookingRules>>;
  readonly bookings: BookingPairs;
  readonly calls: Pick<TripCalls, 'booking' | 'tripFirstCall'>;
}

/** @param firstTripOf trip of the feeds by pattern */
export function buildBookingTables(
  { bookingRules: rules, bookings, calls }: BookedFeeds,
  { firstCall, callCount }: TimetableTables['patterns'],
  firstTripOf: (pattern: number) => number,
): Pick<TimetableTables, 'bookingRules' | 'bookedCalls'> {
  const booked = { call: [] as number[], pickup: [] as number[], dropOff: [] as number[] };
  for (let pattern = 0; pattern < firstCall.length && bookings.pickup.length > 0; pattern++) {
    const from = calls.tripFirstCall[firstTripOf(pattern)]!;
    for (let k = 0; k < callCount[pattern]!; k++) {
      const pair = calls.booking[from + k]!;
      if (pair < 0) continue;
      booked.call.push(firstCall[pattern]! + k);
      booked.pickup.push(bookings.pickup[pair]!);
      booked.dropOff.push(bookings.dropOff[pair]!);
    }
  }
  const { ruleId, phone, url, message, pickupMessage, dropOffMessage, ...numbers } = rules;
  return {
    bookingRules: {
      ...numbers,
      ruleId: TextColumn.from(ruleId),
      phone: TextColumn.from(phone),
      url: TextColumn.from(url),
      message: TextColumn.from(message),
      pickupMessage: TextColumn.from(pickupMessage),
      dropOffMessage: TextColumn.from(dropOffMessage),
    },
    bookedCalls: {
      call: Int32Array.from(booked.call),
      pickup: Int32Array.from(booked.pickup),
      dropOff: Int32Array.from(booked.dropOff),
    },
  };
}
