import type { Trip } from '../../../contract/v2-trip.ts';
import { legNoteTexts } from '../../texts/leg-notes.ts';
import { MapView } from '../map-view/map-view.tsx';
import { pageLanguage } from '../page/language.ts';
import { drawTrip } from './draw-trip.ts';
import { texts } from './page-texts.ts';

/** The trip on a map; empty if none of its places is known. */
export function TripMap({ trip }: { readonly trip: Trip }) {
  const { rentedAt } = legNoteTexts[pageLanguage()];
  const drawing = drawTrip(trip, { carPark: texts.trip.carPark, rentedAt });
  if (drawing.lines.length === 0) return null;
  return <MapView label={texts.trip.map} drawing={drawing} />;
}
