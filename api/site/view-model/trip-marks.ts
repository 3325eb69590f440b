import type { TransferOutlook } from '../../contract/trip-outlook.ts';
import type { Trip } from '../../contract/v2-trip.ts';
import { countTransfers, countTripMinutes, findTripProbability, isBroken, sumFares } from './trip-view.ts';

/** What a trip is best at among those of its list. */
export type TripMark = 'fastest' | 'safest' | 'fewestTransfers' | 'cheapest';

interface RatedTrip {
  readonly trip: Trip;
  readonly outlooks: readonly TransferOutlook[];
}

/** Lower is better; null: unknown, and so never best. */
const criteria: Readonly<Record<TripMark, (rated: RatedTrip) => number | null>> = {
  fastest: ({ trip }) => countTripMinutes(trip),
  safest: ({ outlooks }) => findRisk(outlooks),
  fewestTransfers: ({ trip }) => countTransfers(trip),
  cheapest: ({ trip }) => sumFares(trip)?.amountCents ?? null,
};

/**
 * Marks the best trips by each criterion, several if they are equal. A criterion in which all trips are equal marks none,
 * and a trip that can no longer be made is never marked.
 * @param outlooks of the transfers of each trip
 * @returns marks of each trip, in the order of the trips
 */
export function markTrips(
  trips: readonly Trip[],
  outlooks: readonly (readonly TransferOutlook[])[],
): (readonly TripMark[])[] {
  const rated = trips.map((trip, i) => (isBroken(trip) ? null : { trip, outlooks: outlooks[i] ?? [] }));
  const marks = trips.map((): TripMark[] => []);
  for (const mark of Object.keys(criteria) as TripMark[]) {
    const values = rated.map((one) => one && criteria[mark](one));
    const known = values.filter((value) => value !== null);
    const best = Math.min(...known);
    if (Math.max(...known) === best) continue;
    for (const [i, value] of values.entries()) if (value === best) marks[i]!.push(mark);
  }
  return marks;
}

/** Probability that a transfer fails, in whole percent as shown; null if it is unknown for one of them. */
function findRisk(outlooks: readonly TransferOutlook[]): number | null {
  const probability = findTripProbability(outlooks);
  return probability === null ? null : Math.round((1 - probability) * 100);
}
