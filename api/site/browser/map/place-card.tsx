import { mapPageTexts } from '../../texts/map.ts';
import { emptyState, tripsAddress } from '../../view-model/trips-state.ts';
import { pageLanguage } from '../page/language.ts';
import { CardHead } from './card-head.tsx';

interface PlaceCardProps {
  readonly place: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** The address or place that was found by the search. */
export function PlaceCard({ place: { id, name }, onClose }: PlaceCardProps) {
  const texts = mapPageTexts[pageLanguage()];
  const end = { place: id, name };
  const from = tripsAddress({ ...emptyState, from: end }, new URLSearchParams());
  const to = tripsAddress({ ...emptyState, to: end }, new URLSearchParams());
  return (
    <section class="map-card card" aria-label={name}>
      <CardHead name={name} onClose={onClose} />
      <p class="actions">
        <a href={from}>{texts.tripFrom}</a> <a href={to}>{texts.tripTo}</a>
      </p>
    </section>
  );
}
