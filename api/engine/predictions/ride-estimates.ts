import type { Instant } from '../../../pipeline/model/service-time.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Published } from '../read/realtime.ts';
import { getZone } from '../read/timetable.ts';
import { findDelayForecast } from './predictions.ts';
import { type ExpectedCallEvent, startTransferEstimates } from './transfer-estimates.ts';

/** A call of a dated trip where a traveller alights or boards. */
export interface RideEvent {
  /** Row of the timetable's trips; -1 for an added trip. */
  readonly trip: number;
  /** Row of the realtime snapshot's added trips; -1 for a trip of the timetable. */
  readonly addedTrip: number;
  readonly day: number;
  readonly position: number;
  /** From realtime where it is known and fresh, else as planned. */
  readonly expected: number;
}

/** Probability of catching one vehicle from another; null where nothing is known of either. */
export type EstimateRides = (alighting: RideEvent, boarding: RideEvent, neededSeconds: number) => number | null;

/** Estimates transfers between calls of the planner like those of a presented trip. Each call is looked up once. */
export function openRideEstimates(published: Published, instant: Instant): EstimateRides {
  // Without realtime, nothing is known.
  if (published.realtime === null) return () => null;
  const estimate = startTransferEstimates(published, instant);
  const known = new Map<string, ExpectedCallEvent>();
  const lookUp = (event: RideEvent, name: 'arrival' | 'departure') => {
    const key = [event.trip, event.addedTrip, event.day, event.position, name].join(' ');
    const expected = known.get(key) ?? findExpectedCall(published, event, name, instant);
    known.set(key, expected);
    return expected;
  };
  return (alighting, boarding, neededSeconds) => {
    const [arrival, departure] = [lookUp(alighting, 'arrival'), lookUp(boarding, 'departure')];
    return estimate(arrival, departure, neededSeconds)?.probability ?? null;
  };
}

/** An event of a dated trip with its forecast; of an added trip, only its expected time is known. */
export function findExpectedCall(
  published: Published,
  { trip, day, position, expected }: Omit<RideEvent, 'addedTrip'>,
  name: 'arrival' | 'departure',
  instant: Instant,
): ExpectedCallEvent {
  if (trip < 0) return { scheduled: expected, expected, delay: null, at: null };
  const { tables } = published.timetable;
  const pattern = tables.trips.pattern[trip]!;
  const row = getTimeRow(tables, pattern, trip) + position;
  const scheduled = getZone(published.timetable, pattern).startOf(day) + tables.times[name][row]!;
  const at = { trip, day, position };
  return { scheduled, expected, delay: findDelayForecast(published, at, instant), at };
}
