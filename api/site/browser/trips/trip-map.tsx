import type { Trip } from '../../../contract/v2-trip.ts';
import { MapView } from '../map-view/map-view.tsx';
import { drawTrip } from './draw-trip.ts';
import { texts } from './page-texts.ts';

/** The trip on a map; empty if none of its places is known. */
export function TripMap({ trip }: { readonly trip: Trip }) {
  const drawing = drawTrip(trip, texts.trip.carPark);
  if (drawing.lines.length === 0) return null;
  return <MapView label={texts.trip.map} drawing={drawing} />;
}
