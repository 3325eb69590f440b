import { createRecentMaps } from '../../../pipeline/model/recent-map.ts';
import type { Arrival, Departure } from '../../contract/definitions.ts';
import { getLabel, openTrip, type TripView } from '../read/dated-trip.ts';
import { getTimeRow } from '../read/present.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import type { DatedCall } from './calls-at-stop.ts';

/** What a call has on every board while the same timetable and realtime are served. */
export interface KnownCall {
  /** Unique on a board. */
  readonly id: string;
  readonly label: string;
  /** Until this instant, its rows stay as they are. */
  readonly settledUntil: number;
  /** The rows that boards have shown, by the references in them. */
  departure: KnownRow<Departure> | null;
  arrival: KnownRow<Arrival> | null;
}

interface KnownRow<Row> {
  readonly references: References;
  readonly row: Row;
}

/** Calls of one pair of timetable and realtime; with their rows and the bytes of these, 25 MB at most. */
const REMEMBERED_CALLS = 20_000;
/** More than the rows of `times` of any timetable, so that a day and a row make one number. */
const MAX_TIMES = 2 ** 31;

const findKnownCalls = createRecentMaps<object, number, KnownCall>(REMEMBERED_CALLS);

/** Finds what is known of a call. Calls of added trips are few, and are not remembered. */
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
  return { id, label: getLabel(trip), settledUntil: trip.settledUntil, departure: null, arrival: null };
}
