import type { StopKind } from '../../../contract/v2-basics.ts';
import { stopSearchTexts } from '../../texts/stop-search.ts';
import { pageLanguage } from '../page/language.ts';

/** A stop's sign, a pin, a house; drawn on 24 × 24. */
const paths: Readonly<Record<StopKind, string>> = {
  station:
    'M6 3.5h12a2 2 0 0 1 2 2V13a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V5.5a2 2 0 0 1 2-2zM12 15v6M9 21h6M9.5 12V6.5M14.5 12V6.5M9.5 9h5',
  poi: 'M12 21.5c4.5-4.6 7-8 7-11.5a7 7 0 1 0-14 0c0 3.5 2.5 6.9 7 11.5zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  address: 'M4 11.5 12 4l8 7.5M6 10v10h12V10M10 20v-5.5h4V20',
};

/** Icon of the kind of a result. Screen readers read it out unless it is a stop, as most results are. */
export function PlaceIcon({ kind }: { readonly kind: StopKind }) {
  const path = <path d={paths[kind]} />;
  const size = { viewBox: '0 0 24 24', width: 20, height: 20 };
  if (kind === 'station') {
    return (
      <svg class="place-icon" {...size} aria-hidden="true">
        {path}
      </svg>
    );
  }
  const name = stopSearchTexts[pageLanguage()].kinds[kind];
  return (
    <svg class="place-icon" {...size} role="img" aria-label={name}>
      <title>{name}</title>
      {path}
    </svg>
  );
}
