import type { ServiceDate } from '../../model/service-time.ts';
import type { PlannedTrip } from './planned-trip.ts';

/** A vehicle that stands still between two calls: a delay that no seed brings. */
export interface Breakdown {
  /** The call on the way to which it stands still; 1 or more. */
  readonly call: number;
  readonly seconds: number;
}

/** Which dated trips break down, and where; null for most. Equal trips get equal answers. */
export type FindBreakdown = (datedTrip: PlannedTrip) => Breakdown | null;

/** The dated trip of a breakdown. */
export interface BrokenTrip extends Breakdown {
  readonly tripId: string;
  readonly date: ServiceDate;
  /** First departure in seconds of the service day: the trips of a frequency share their id. */
  readonly startSeconds: number;
}

/** No other trip breaks down. */
export function breakDownOnly(broken: BrokenTrip): FindBreakdown {
  return ({ tripId, date, startSeconds }) =>
    tripId === broken.tripId && date === broken.date && startSeconds === broken.startSeconds ? broken : null;
}
