import { locationTexts } from '../../texts/location.ts';
import { mapTexts } from '../../texts/map-view.ts';
import { useLocation } from '../location/use-location.ts';
import { pageLanguage } from '../page/language.ts';
import type { LargeMap } from './open-large-map.ts';

const LOCATED_ZOOM = 15;

/** The buttons on the map: zoom, and one that moves it to the position of the user. */
export function MapTools({ map: { map } }: { readonly map: LargeMap }) {
  const language = pageLanguage();
  const texts = mapTexts[language];
  const { here } = locationTexts[language];
  const location = useLocation(({ lat, lon }) => map.jumpTo({ center: [lon, lat], zoom: LOCATED_ZOOM }));
  return (
    <>
      <div class="map-buttons">
        <button type="button" aria-label={texts.zoomIn} title={texts.zoomIn} onClick={() => map.zoomIn()}>
          +
        </button>
        <button type="button" aria-label={texts.zoomOut} title={texts.zoomOut} onClick={() => map.zoomOut()}>
          −
        </button>
        {location && (
          <button type="button" aria-label={here} title={here} onClick={location.locate}>
            <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
              <path d="M12 2v4m0 12v4M2 12h4m12 0h4M12 6a6 6 0 1 0 0 12a6 6 0 1 0 0-12m0 4a2 2 0 1 0 0 4a2 2 0 1 0 0-4" />
            </svg>
          </button>
        )}
      </div>
      <p class="visually-hidden" role="status">
        {location?.message}
      </p>
      {location?.hasFailed && (
        <p class="map-lost card" aria-hidden="true">
          {location.message}
        </p>
      )}
    </>
  );
}
