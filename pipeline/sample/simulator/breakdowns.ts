import type { ServiceDate } from '../../model/service-time.ts';
import type { PlannedTrip } from './planned-trip.ts';

/** A vehicle that stands still between two calls: a delay of a known size at a known place, which no seed promises. */
export interface Breakdown {
  readonly tripId: string;
  readonly date: ServiceDate;
  /** First departure in seconds of the service day: the trips of a frequency share their id. */
  readonly startSeconds: number;
  /** The call on the way to which it stands still; 1 or more. */
  readonly call: number;
  readonly seconds: number;
}

/** How long a trip stands still on the way to a call; 0 for most. */
export function standstillSeconds(breakdowns: readonly Breakdown[], datedTrip: PlannedTrip, call: number): number {
  const isHit = (one: Breakdown) =>
    one.tripId === datedTrip.tripId &&
    one.date === datedTrip.date &&
    one.startSeconds === datedTrip.startSeconds &&
    one.call === call;
  return breakdowns.filter(isHit).reduce((sum, { seconds }) => sum + seconds, 0);
}
