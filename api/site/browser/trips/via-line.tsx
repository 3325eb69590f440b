import type { Trip } from '../../../contract/v2-trip.ts';
import { describeVia } from '../../view-model/trip-via.ts';
import type { TripEnd } from '../../view-model/trips-state.ts';
import { pageLanguage } from '../page/language.ts';

interface ViaLineProps {
  readonly trip: Trip;
  readonly via: readonly TripEnd[];
}

/** Where and when a trip passes the requested stops on the way. */
export function ViaLine({ trip, via }: ViaLineProps) {
  const text = describeVia(trip, via, pageLanguage());
  return text === '' ? null : <p class="via-line">{text}</p>;
}
