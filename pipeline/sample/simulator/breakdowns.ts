import type { ServiceDate } from '../../model/service-time.ts';
import type { PlannedTrip } from './planned-trip.ts';

/** A breakdown between two calls: a delay beyond the seeded ones. */
export interface Breakdown {
  /** Position of the call before which it stands still; at least 1. */
  readonly call: number;
  readonly seconds: number;
}

/** Returns the breakdown of a dated trip; null for most. Deterministic. */
export type FindBreakdown = (datedTrip: PlannedTrip) => Breakdown | null;

/** The dated trip of a breakdown. */
export interface BrokenTrip extends Breakdown {
  readonly tripId: string;
  readonly date: ServiceDate;
  /** First departure in seconds of the service day; trips of a frequency share an id. */
  readonly startSeconds: number;
}

/** No other trip breaks down. */
export function breakDownOnly(broken: BrokenTrip): FindBreakdown {
  return ({ tripId, date, startSeconds }) =>
    tripId === broken.tripId && date === broken.date && startSeconds === broken.startSeconds ? broken : null;
}
