import type { Trip } from '../../../contract/v2-trip.ts';
import { sumFares } from '../../view-model/trip-view.ts';
import { describePrice, texts } from './page-texts.ts';

/** The price of a trip, or a note that it is unknown; empty for a walk. */
export function Fare({ trip }: { readonly trip: Trip }) {
  const fare = sumFares(trip);
  if (fare) return <span title={texts.trip.fareNote}>{describePrice(fare)}</span>;
  const isRide = trip.legs.some(({ mode }) => mode === 'transit');
  return isRide ? <span class="unknown">{texts.trip.fareUnknown}</span> : null;
}
