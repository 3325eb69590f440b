import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import type { Simulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';

export function at(text: string): Instant {
  const instant = parseTimestamp(text);
  if (instant === null) throw new Error(`not a timestamp: ${text}`);
  return instant;
}

/** Key of a dated trip, including runs of one template. */
export function runKey({ tripId, startDate, startTime }: SimulatedTrip): string {
  return `${tripId} ${startDate} ${startTime}`;
}

/**
 * Instants from the first up to the last, exclusive.
 * @param stepSeconds between two of them
 */
export function listInstants(first: string, last: string, stepSeconds: number): Instant[] {
  const start = at(first);
  return Array.from(
    { length: Math.ceil((at(last) - start) / stepSeconds) },
    (_, i) => (start + i * stepSeconds) as Instant,
  );
}

/** The last report of every trip of a service date. */
export function collectTrips(
  simulator: Simulator,
  date: string,
  [first, last]: readonly [string, string],
  stepSeconds: number,
): Map<string, SimulatedTrip> {
  const trips = new Map<string, SimulatedTrip>();
  for (const now of listInstants(first, last, stepSeconds)) {
    for (const trip of simulator.stateAt(now).trips) if (trip.startDate === date) trips.set(runKey(trip), trip);
  }
  return trips;
}
