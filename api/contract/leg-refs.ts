import type { LegRef } from './v2-leg-ref.ts';
import type { Trip } from './v2-trip.ts';

/** The rides of a trip in travel order, in the form of requests; empty for a trip entirely on foot. */
export function listLegRefs({ legs }: Trip): LegRef[] {
  return legs.flatMap(({ journeyRef, origin, destination }) =>
    journeyRef === undefined ? [] : { journeyRef, originId: origin.id, destinationId: destination.id },
  );
}
