import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, Map as LibraryMap, MapOptions } from 'maplibre-gl';
import { loadLibrary, onThemeChange } from '../map-view/load-library.ts';
import { findPlace } from '../page/mount.ts';
import type { Box, MapExtent } from './map-state.ts';
import { SHARING, STOPS, styleOf, VEHICLES } from './map-style.ts';
import { drawImage } from './text-images.ts';

interface MapEvents {
  /** Called with the visible extent at the start and after each move. */
  onMove(extent: MapExtent, box: Box): void;
  onVehicle(journeyRef: string): void;
  onStop(stop: { readonly id: string; readonly name: string }): void;
  /** @param key see `stationKey` */
  onSharing(key: string): void;
}

export interface NetworkMap {
  readonly map: LibraryMap;
  draw(source: 'lines' | 'stops' | 'sharing' | 'vehicles', data: FeatureCollection): void;
  close(): void;
}

const START_PADDING_PIXELS = 24;

/** Opens the map. @throws Error if the browser cannot draw it (no WebGL), or the library cannot be loaded */
export async function openNetworkMap(
  place: HTMLElement,
  label: string,
  start: MapExtent | Box,
  events: MapEvents,
): Promise<NetworkMap> {
  const { Map: LibraryMap } = await loadLibrary();
  const tilesUrl = findPlace('map').dataset.tiles ?? null;
  const map = new LibraryMap({
    container: place,
    style: styleOf(tilesUrl),
    ...toMapOptions(start),
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    maxZoom: 18,
    locale: { 'Map.Title': label },
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
  const reportView = () => events.onMove(extentOf(map), boxOf(map));
  map.on('moveend', reportView);
  followClicks(map, events);
  const stopThemes = onThemeChange(() => {
    map.setStyle(styleOf(tilesUrl), { diff: false });
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

function followClicks(map: LibraryMap, { onVehicle, onStop, onSharing }: MapEvents): void {
  const layers = [VEHICLES, SHARING, STOPS];
  map.on('click', (event) => {
    const [found] = map.queryRenderedFeatures(event.point, { layers });
    if (found?.layer.id === VEHICLES && typeof found.properties.jid === 'string') onVehicle(found.properties.jid);
    if (found?.layer.id === STOPS) {
      const { id, name } = found.properties;
      onStop({ id: String(id), name: String(name) });
    }
    if (found?.layer.id === SHARING) onSharing(String(found.properties.key));
  });
  for (const layer of layers) {
    map.on('mouseenter', layer, () => map.getCanvas().classList.add('over-link'));
    map.on('mouseleave', layer, () => map.getCanvas().classList.remove('over-link'));
  }
}
