import type { RescueResult } from './definitions.ts';
import type { Trip, TripResult } from './v2-trip.ts';

// Responses of the site's trip routes: those of the app contract, with additional data for the pages.

/** Expected outcome of one transfer. */
export interface TransferOutlook {
  /** Time between arrival and departure, minus the walk; negative: the transfer is missed. */
  readonly spareSeconds: number;
  /** Probability that the transfer is made, 0 to 1; absent if there is too little data. */
  readonly probability?: number;
  /** Number of past transfers behind the probability; 0: it follows from the predictions of the two vehicles. */
  readonly sampleSize: number;
}

/** Trips with the outlook of each transfer: per trip, one for each leg with a `transferRisk`, in travel order. */
export interface TripChoice extends TripResult {
  readonly outlooks: readonly (readonly TransferOutlook[])[];
}

/** Current state of a chosen trip, also if it can no longer be made. */
export interface FollowedTrip extends Pick<RescueResult, 'generatedAt' | 'state' | 'atLeg'> {
  readonly trip: Trip;
  /** As in a `TripChoice`. */
  readonly outlooks: readonly TransferOutlook[];
}
