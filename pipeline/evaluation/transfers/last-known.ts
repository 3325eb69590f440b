import type { DatedTripTable } from '../../predictions/features/dated-trip-table.ts';

/** The last event of a trip that was known at a moment. */
export interface KnownEvent {
  readonly call: number;
  readonly isDeparture: boolean;
  /** Seconds. */
  readonly delay: number;
  /** UTC seconds of the event. */
  readonly time: number;
}

/**
 * Finds the last event of a trip, in order of travel, that had happened at a moment. The arrival at the first call and
 * the departure from the last one are no events.
 * @param call last call that is searched, with its arrival
 * @param withDeparture whether the departure from `call` is searched too
 * @param first first call of the trip
 */
export function findLastKnown(
  { arrivalDelay, arrivalTime, departureDelay, departureTime }: DatedTripTable,
  first: number,
  call: number,
  withDeparture: boolean,
  at: number,
): KnownEvent | null {
  for (let one = call; one >= first; one--) {
    // An unknown time is NaN and passes neither comparison.
    if ((one < call || withDeparture) && departureTime[one]! <= at) {
      return { call: one, isDeparture: true, delay: departureDelay[one]!, time: departureTime[one]! };
    }
    if (one > first && arrivalTime[one]! <= at) {
      return { call: one, isDeparture: false, delay: arrivalDelay[one]!, time: arrivalTime[one]! };
    }
  }
  return null;
}
