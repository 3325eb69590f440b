import type { Trip } from './v2-trip.ts';
import type { LegRef } from './v2-watch.ts';

/** The rides of a trip in travel order, as requests name them; empty for one on foot all the way. */
export function listLegRefs({ legs }: Trip): LegRef[] {
  return legs.flatMap(({ journeyRef, origin, destination }) =>
    journeyRef === undefined ? [] : { journeyRef, originId: origin.id, destinationId: destination.id },
  );
}
