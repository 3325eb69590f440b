import type { RescueResult } from './definitions.ts';
import type { Trip, TripResult } from './v2-trip.ts';

// Answers of the site's own routes about trips: those of the app contract, and what its pages show beside them.

/** What is known of one change between two vehicles. */
export interface TransferOutlook {
  /** Between the arrival of the one and the departure of the other, beyond the walk; negative: too late. */
  readonly spareSeconds: number;
  /** That the next vehicle is caught, 0 to 1; absent where too little is known to say a number. */
  readonly probability?: number;
  /** Number of past changes behind the probability; 0: it follows from the forecasts of the two vehicles. */
  readonly sampleSize: number;
}

/** Trips, and the outlook of each change: one for each leg with a `transferRisk`, in travel order, for each trip. */
export interface TripChoice extends TripResult {
  readonly outlooks: readonly (readonly TransferOutlook[])[];
}

/** A chosen trip as it is now, whatever has happened to it. */
export interface FollowedTrip extends Pick<RescueResult, 'generatedAt' | 'state' | 'atLeg'> {
  readonly trip: Trip;
  /** As in a `TripChoice`. */
  readonly outlooks: readonly TransferOutlook[];
}
