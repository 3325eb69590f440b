import type { Map as LibraryMap } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'preact/hooks';
import { mapTexts } from '../../texts/map-view.ts';
import { pageLanguage } from '../page/language.ts';
import { type Drawing, openMap } from './open-map.ts';
import './map-view.css';

interface MapViewProps {
  /** Description of the map for screen readers. */
  readonly label: string;
  readonly drawing: Drawing;
}

/** A map of lines and stops. The first map loads the library. */
export function MapView({ label, drawing }: MapViewProps) {
  const texts = mapTexts[pageLanguage()];
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<LibraryMap | null>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    let isGone = false;
    let opened: { readonly map: LibraryMap; close(): void } | null = null;
    openMap(place.current!, label, drawing).then(
      (result) => {
        opened = result;
        if (isGone) result.close();
        else setMap(result.map);
      },
      () => setFailed(true),
    );
    return () => {
      isGone = true;
      opened?.close();
    };
    // Compared by value: an equal drawing is not drawn again.
  }, [label, JSON.stringify(drawing)]);
  if (isFailed) return <p class="hint">{texts.failed}</p>;
  return (
    <div class="map-view">
      <div class="map-place" ref={place} />
      <div class="map-buttons">
        <button type="button" aria-label={texts.zoomIn} title={texts.zoomIn} onClick={() => map?.zoomIn()}>
          +
        </button>
        <button type="button" aria-label={texts.zoomOut} title={texts.zoomOut} onClick={() => map?.zoomOut()}>
          −
        </button>
      </div>
    </div>
  );
}
