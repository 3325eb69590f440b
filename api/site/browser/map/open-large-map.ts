import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, Map as LibraryMap, MapOptions, StyleSpecification } from 'maplibre-gl';
import type { Coord } from '../../../contract/v2-basics.ts';
import { loadLibrary, onThemeChange } from '../map-view/load-library.ts';
import type { Box, MapExtent } from './map-state.ts';
import { drawImage } from './text-images.ts';

interface LargeMapOptions {
  /** Description of the map for screen readers. */
  readonly label: string;
  readonly start: MapExtent | Box;
  /** Layers whose features can be chosen. */
  readonly layers: readonly string[];
  /** Builds the style of the current theme. */
  buildStyle(): StyleSpecification;
  /** Called with the visible extent at the start and after each move. */
  onMove(extent: MapExtent, box: Box): void;
  /** @param properties of the feature, whose `title` is shown when the mouse is over it */
  onChoose(layer: string, properties: Readonly<Record<string, unknown>>): void;
  /** Called for a tap beside all features; absent: nothing happens. */
  onPoint?(coord: Coord): void;
}

export interface LargeMap {
  readonly map: LibraryMap;
  /** Replaces the features of a GeoJSON source of the style. */
  draw(source: string, data: FeatureCollection): void;
  close(): void;
}

const START_PADDING_PIXELS = 24;

/**
 * Opens a map that is the main part of its page.
 * @throws Error if the browser cannot draw it (no WebGL), or the library cannot be loaded
 */
export async function openLargeMap(place: HTMLElement, options: LargeMapOptions): Promise<LargeMap> {
  const { Map: LibraryMap } = await loadLibrary();
  const map = new LibraryMap({
    container: place,
    style: options.buildStyle(),
    ...toMapOptions(options.start),
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 18,
    locale: { 'Map.Title': options.label },
  });
  map.touchZoomRotate.disableRotation();
  const addImage = async (name: string) => {
    const image = drawImage(name);
    if (image && !map.hasImage(name)) map.addImage(name, image.data, { pixelRatio: image.pixelRatio });
  };
  map.setMissingStyleImageResolver(addImage);
  const drawn = new Map<string, FeatureCollection>();
  const draw = (source: string, data: FeatureCollection) => {
    drawn.set(source, data);
    (map.getSource(source) as GeoJSONSource | undefined)?.setData(data);
  };
  const reportView = () => options.onMove(extentOf(map), boxOf(map));
  map.on('moveend', reportView);
  followClicks(map, options);
  const stopThemes = onThemeChange(() => {
    map.setStyle(options.buildStyle(), { diff: false });
    map.once('styledata', () => {
      for (const [source, data] of drawn) draw(source, data);
    });
  });
  await map.once('load');
  reportView();
  return {
    map,
    draw,
    close() {
      stopThemes();
      map.remove();
    },
  };
}

function toMapOptions(start: MapExtent | Box): Partial<MapOptions> {
  if ('zoom' in start) return { center: [start.lon, start.lat], zoom: start.zoom };
  return {
    bounds: [start.minLon, start.minLat, start.maxLon, start.maxLat],
    fitBoundsOptions: { padding: START_PADDING_PIXELS },
  };
}

function extentOf(map: LibraryMap): MapExtent {
  const { lat, lng: lon } = map.getCenter();
  return { lat, lon, zoom: map.getZoom() };
}

function boxOf(map: LibraryMap): Box {
  const bounds = map.getBounds();
  return {
    minLat: bounds.getSouth(),
    minLon: bounds.getWest(),
    maxLat: bounds.getNorth(),
    maxLon: bounds.getEast(),
  };
}

/** What is so near to a point is meant by it: dots are smaller than a finger. */
const REACH_PIXELS = 4;

interface Pixel {
  readonly x: number;
  readonly y: number;
}

function followClicks(map: LibraryMap, { layers, onChoose, onPoint }: LargeMapOptions): void {
  const findAt = ({ x, y }: Pixel) =>
    map.queryRenderedFeatures(
      [
        [x - REACH_PIXELS, y - REACH_PIXELS],
        [x + REACH_PIXELS, y + REACH_PIXELS],
      ],
      { layers: [...layers] },
    )[0];
  map.on('click', ({ point, lngLat }) => {
    const found = findAt(point);
    if (found) onChoose(found.layer.id, found.properties);
    else onPoint?.({ lat: lngLat.lat, lon: lngLat.lng });
  });
  map.on('mousemove', ({ point }) => {
    const canvas = map.getCanvas();
    const found = findAt(point);
    canvas.classList.toggle('over-link', found !== undefined);
    canvas.title = String(found?.properties.title ?? '');
  });
}
