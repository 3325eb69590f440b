import { rememberPerObject } from '../../../pipeline/model/recent-map.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { findBooking } from '../read/bookings.ts';
import { getLabel, openTrip, type TripView } from '../read/dated-trip.ts';
import { findOccupancyExpiry } from '../read/occupancy.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import type { BoardKind, DatedCall } from './calls-at-stop.ts';

/** A call as all boards of the same timetable and realtime snapshot show it. */
export interface KnownCall {
  /** Row of `times`; -1 for a call of an added trip. */
  readonly row: number;
  readonly day: number;
  /** Unique on a board. */
  readonly id: string;
  readonly label: string;
  /** Its rows do not change up to and including this instant. */
  readonly settledUntil: number;
  /** Its last row on boards of each kind, encoded; null before the first one. */
  readonly rows: { [Kind in BoardKind]: KnownRow | null };
}

interface KnownRow {
  /** They sealed the `journeyRef` of the row. */
  readonly references: References;
  readonly bytes: Uint8Array;
}

/**
 * Calls that are remembered for one timetable and realtime snapshot, in sets: 40 MB at most, with the bytes of their rows.
 * Half of them are enough for boards of 30 rows of 800 stops that are requested again and again.
 */
const SET_BITS = 13;
const SETS = 2 ** SET_BITS;
const CALLS_PER_SET = 6;

/** A set-associative cache: a map would take longer to look up the thirty calls of a board than to write their bytes. */
const findKnownCalls = rememberPerObject<object, (KnownCall | null)[]>(() => Array(SETS * CALLS_PER_SET).fill(null));

/** Finds the same object for a call on all boards of a snapshot, except for calls of added trips, which are few. */
export function openKnownCalls(published: Published): (call: DatedCall) => KnownCall {
  const { timetable, realtime } = published;
  const { tables } = timetable;
  // A realtime snapshot belongs to one timetable.
  const calls = findKnownCalls(realtime ?? timetable);
  return (call) => {
    if (call.trip < 0) return describeCall(openTrip(published, call), call.position, -1);
    const { day, position } = call;
    const row = getTimeRow(tables, tables.trips.pattern[call.trip]!, call.trip) + position;
    const first = chooseSet(row, day) * CALLS_PER_SET;
    for (let i = first; i < first + CALLS_PER_SET; i++) {
      const remembered = calls[i];
      if (remembered && remembered.row === row && remembered.day === day) return remembered;
    }
    const known = describeCall(openTrip(published, call), position, row);
    // The oldest call of the set is replaced.
    calls.copyWithin(first + 1, first, first + CALLS_PER_SET - 1);
    calls[first] = known;
    return known;
  };
}

/** Multiplies by odd constants near the golden ratio; the high bits depend on all others. */
function chooseSet(row: number, day: number): number {
  return Math.imul(row + Math.imul(day, 0x9e3779b1), 0x85ebca6b) >>> (32 - SET_BITS);
}

function describeCall(trip: TripView, position: number, row: number): KnownCall {
  const id = `${trip.tripKey.toString(16).padStart(16, '0')}.${trip.day}.${position}`;
  const settledUntil = Math.min(trip.settledUntil, findDeadline(trip, position), findOccupancyExpiry(trip, position));
  return { row, day: trip.day, id, label: getLabel(trip), settledUntil, rows: { departures: null, arrivals: null } };
}

/** The earlier of the booking deadlines of boarding and alighting: once it has passed, a row changes. */
function findDeadline(trip: TripView, position: number): number {
  const { timetable } = trip.published;
  const [pickup, dropOff] = [
    findBooking(timetable, trip, position, 'pickup'),
    findBooking(timetable, trip, position, 'dropOff'),
  ];
  return Math.min(pickup?.deadline ?? Number.POSITIVE_INFINITY, dropOff?.deadline ?? Number.POSITIVE_INFINITY);
}
