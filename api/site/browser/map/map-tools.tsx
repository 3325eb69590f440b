import { useState } from 'preact/hooks';
import { mapPageTexts } from '../../texts/map.ts';
import { mapTexts } from '../../texts/map-view.ts';
import { pageLanguage } from '../page/language.ts';
import type { NetworkMap } from './open-network-map.ts';

const LOCATED_ZOOM = 15;
const TIMEOUT_MILLISECONDS = 15_000;

/** The buttons on the map: zoom, and one that moves it to the position of the user. */
export function MapTools({ map: { map } }: { readonly map: NetworkMap }) {
  const language = pageLanguage();
  const texts = mapTexts[language];
  const { locate, notLocated } = mapPageTexts[language];
  const [isLost, setLost] = useState(false);
  const findMe = () => {
    setLost(false);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => map.jumpTo({ center: [coords.longitude, coords.latitude], zoom: LOCATED_ZOOM }),
      () => setLost(true),
      { timeout: TIMEOUT_MILLISECONDS },
    );
  };
  return (
    <>
      <div class="map-buttons">
        <button type="button" aria-label={texts.zoomIn} title={texts.zoomIn} onClick={() => map.zoomIn()}>
          +
        </button>
        <button type="button" aria-label={texts.zoomOut} title={texts.zoomOut} onClick={() => map.zoomOut()}>
          −
        </button>
        {'geolocation' in navigator && (
          <button type="button" aria-label={locate} title={locate} onClick={findMe}>
            <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
              <path d="M12 2v4m0 12v4M2 12h4m12 0h4M12 6a6 6 0 1 0 0 12a6 6 0 1 0 0-12m0 4a2 2 0 1 0 0 4a2 2 0 1 0 0-4" />
            </svg>
          </button>
        )}
      </div>
      <p class="visually-hidden" role="status">
        {isLost ? notLocated : ''}
      </p>
      {isLost && (
        <p class="map-lost card" aria-hidden="true">
          {notLocated}
        </p>
      )}
    </>
  );
}
