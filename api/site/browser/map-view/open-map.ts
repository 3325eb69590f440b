import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification, LngLatBoundsLike, StyleSpecification } from 'maplibre-gl';
import type { Coord } from '../../../contract/v2-basics.ts';
import { mapTexts } from '../../texts/map-view.ts';
import { type LegMode, legWays } from '../../view-model/leg-ways.ts';
import { pageLanguage } from '../page/language.ts';
import { baseMapLayers, baseMapSources } from './base-map.ts';
import { loadLibrary, onThemeChange, readColor } from './load-library.ts';

/** A line on the map, with its points in order. */
export type DrawnLine = { readonly points: readonly Coord[] } & (
  | { /** `#rrggbb`, of a ride. */ readonly color: string }
  | { readonly mode: LegMode }
);

/** A named place on the map. */
export interface MapPlace {
  readonly point: Coord;
  readonly name: string;
  /** Whether it is an end of the trip, which is drawn larger. */
  readonly isEnd: boolean;
}

export interface Drawing {
  readonly lines: readonly DrawnLine[];
  readonly places: readonly MapPlace[];
}

/** In pixels; the zoom buttons are on the right. */
const PADDING = { top: 48, right: 84, bottom: 48, left: 48 };
const MAX_ZOOM = 16;

/**
 * Draws a map on land and water without base tiles: its lines, places and their names.
 * @throws Error if the browser cannot draw it (no WebGL), or the library cannot be loaded
 */
export async function openMap(place: HTMLElement, label: string, drawing: Drawing) {
  const { Map: LibraryMap, Marker } = await loadLibrary();
  const texts = mapTexts[pageLanguage()];
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = new LibraryMap({
    container: place,
    style: styleOf(drawing),
    bounds: boundsOf(drawing),
    fitBoundsOptions: { padding: PADDING, maxZoom: MAX_ZOOM },
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    cooperativeGestures: true,
    fadeDuration: calm ? 0 : 200,
    locale: {
      'Map.Title': label,
      'CooperativeGesturesHandler.WindowsHelpText': texts.gestures.control,
      'CooperativeGesturesHandler.MacHelpText': texts.gestures.command,
      'CooperativeGesturesHandler.MobileHelpText': texts.gestures.touch,
    },
  });
  map.touchZoomRotate.disableRotation();
  const names = drawing.places.map(({ point, name, isEnd }) => {
    const element = labelOf(name, isEnd);
    new Marker({ element, anchor: 'left' }).setLngLat([point.lon, point.lat]).addTo(map);
    return { element, isEnd };
  });
  // The ends of the trip are labelled before the places between.
  names.sort((a, b) => Number(b.isEnd) - Number(a.isEnd));
  const arrange = () =>
    arrangeNames(
      place,
      names.map(({ element }) => element),
    );
  map.on('move', arrange);
  map.once('idle', arrange);
  const stopThemes = onThemeChange(() => map.setStyle(styleOf(drawing)));
  return {
    map,
    close() {
      stopThemes();
      map.remove();
    },
  };
}

function labelOf(name: string, isEnd: boolean): HTMLElement {
  const element = document.createElement('div');
  const text = document.createElement('bdi');
  element.className = 'map-place-name';
  text.className = isEnd ? 'end' : '';
  text.textContent = name;
  element.append(text);
  return element;
}

/** Places a label to the left if there is no room on the right, and omits it if it would overlap an earlier one. */
function arrangeNames(place: HTMLElement, names: readonly HTMLElement[]): void {
  const { right } = place.getBoundingClientRect();
  const taken: DOMRect[] = [];
  for (const name of names) {
    const text = name.firstElementChild as HTMLElement;
    text.classList.remove('before', 'covered');
    if (text.getBoundingClientRect().right > right) text.classList.add('before');
    const own = text.getBoundingClientRect();
    if (taken.some((other) => overlap(own, other))) text.classList.add('covered');
    else taken.push(own);
  }
}

function overlap(one: DOMRect, other: DOMRect): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

// ---- Style -------------------------------------------------------------------------------------

function styleOf(drawing: Drawing): StyleSpecification {
  const [paper, ink] = ['--map-paper', '--ink'].map(readColor) as [string, string];
  return {
    version: 8,
    sources: { ...baseMapSources, ...sourcesOf(drawing) },
    layers: [
      ...baseMapLayers(),
      rideLayer('casing', paper, 9),
      rideLayer('rides', ['get', 'color'], 5),
      ...(Object.keys(legWays) as LegMode[]).map(wayLayer),
      {
        id: 'places',
        type: 'circle',
        source: 'places',
        paint: {
          'circle-radius': ['case', ['get', 'isEnd'], 7, 5],
          'circle-color': paper,
          'circle-stroke-color': ink,
          'circle-stroke-width': 2.5,
        },
      },
    ],
  };
}

function rideLayer(id: string, color: string | ['get', string], widthPixels: number): LayerSpecification {
  return {
    id,
    type: 'line',
    source: 'lines',
    filter: ['!', ['has', 'mode']],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': widthPixels },
  };
}

/** Legs on streets, with the dashes of their mode. */
function wayLayer(mode: LegMode): LayerSpecification {
  const { color, dashes } = legWays[mode];
  return {
    id: mode,
    type: 'line',
    source: 'lines',
    filter: ['==', ['get', 'mode'], mode],
    layout: { 'line-cap': mode === 'walk' ? 'round' : 'butt', 'line-join': 'round' },
    paint: { 'line-color': readColor(color), 'line-width': 4, 'line-dasharray': [...dashes] },
  };
}

function sourcesOf({ lines, places }: Drawing): StyleSpecification['sources'] {
  const lineFeatures = lines.map(
    ({ points, ...look }): Feature => ({
      type: 'Feature',
      geometry: { type: 'LineString', coordinates: points.map(({ lat, lon }) => [lon, lat]) },
      properties: look,
    }),
  );
  const placeFeatures = places.map(
    ({ point, isEnd }): Feature => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [point.lon, point.lat] },
      properties: { isEnd },
    }),
  );
  return {
    lines: { type: 'geojson', data: collect(lineFeatures) },
    places: { type: 'geojson', data: collect(placeFeatures) },
  };
}

function collect(features: Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features };
}

function boundsOf({ lines, places }: Drawing): LngLatBoundsLike {
  const points = [...lines.flatMap(({ points: all }) => all), ...places.map(({ point }) => point)];
  const lats = points.map(({ lat }) => lat);
  const lons = points.map(({ lon }) => lon);
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}
