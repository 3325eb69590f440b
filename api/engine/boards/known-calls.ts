import { createRecentMaps } from '../../../pipeline/model/recent-map.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { findBooking } from '../read/bookings.ts';
import { getLabel, openTrip, type TripView } from '../read/dated-trip.ts';
import { findOccupancyExpiry } from '../read/occupancy.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import type { BoardKind, DatedCall } from './calls-at-stop.ts';

/** A call as all boards of the same timetable and realtime snapshot show it. */
export interface KnownCall {
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
 * Calls that are remembered for one timetable and realtime snapshot: 40 MB at most, with the bytes of their rows. Half of
 * them are enough for boards of 30 rows of 800 stops that are requested again and again.
 */
const REMEMBERED_CALLS = 50_000;
/** More than the rows of `times` of any timetable, so that a day and a row make one number. */
const MAX_TIMES = 2 ** 31;

const findKnownCalls = createRecentMaps<object, number, KnownCall>(REMEMBERED_CALLS);

/** Returns the same object for a call on all boards of a snapshot, except for calls of added trips, which are few. */
export function findKnownCall(published: Published, call: DatedCall): KnownCall {
  if (call.trip < 0) return describeCall(openTrip(published, call), call.position);
  const { timetable, realtime } = published;
  const { tables } = timetable;
  const row = getTimeRow(tables, tables.trips.pattern[call.trip]!, call.trip) + call.position;
  const key = call.day * MAX_TIMES + row;
  // A realtime snapshot belongs to one timetable.
  const calls = findKnownCalls(realtime ?? timetable);
  const remembered = calls.get(key);
  if (remembered) return remembered;
  const known = describeCall(openTrip(published, call), call.position);
  calls.set(key, known);
  return known;
}

function describeCall(trip: TripView, position: number): KnownCall {
  const id = `${trip.tripKey.toString(16).padStart(16, '0')}.${trip.day}.${position}`;
  const settledUntil = Math.min(trip.settledUntil, findDeadline(trip, position), findOccupancyExpiry(trip, position));
  return { id, label: getLabel(trip), settledUntil, rows: { departures: null, arrivals: null } };
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
