import type { Trip } from '../../contract/v2-trip.ts';
import { clockOf } from './shown-time.ts';

/** Names a trip by its ends and its scheduled departure: `Wien Meidling → Linz/Donau Hbf 06:52`. */
export function describeTripTitle({ legs, departure }: Trip): string {
  const ends = [legs[0]!.origin, legs.at(-1)!.destination].map(({ name }) => name).join(' → ');
  return `${ends} ${clockOf((departure.scheduled ?? departure.realtime)!)}`;
}
