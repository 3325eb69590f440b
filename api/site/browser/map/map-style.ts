import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { MapSection } from '../../../contract/site-map.ts';
import type { SharingStationStock } from '../../../contract/site-sharing.ts';
import { baseMapLayers, baseMapSources, townLayer } from '../map-view/base-map.ts';
import { readColor } from '../map-view/load-library.ts';
import { pageLanguage } from '../page/language.ts';
import { stationKey } from './map-state.ts';
import type { PlacedVehicle } from './moving-vehicles.ts';
import { imageKey, TOWN_IMAGE } from './text-images.ts';

const empty: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Layers whose features are links. */
export const VEHICLES = 'vehicles';
export const STOPS = 'stops';
export const SHARING = 'sharing';

/** Builds the map style of the current theme. @param tilesUrl base tiles; null: none */
export function styleOf(tilesUrl: string | null): StyleSpecification {
  return {
    version: 8,
    sources: {
      ...(tilesUrl === null
        ? baseMapSources
        : { tiles: { type: 'raster' as const, tiles: [tilesUrl], tileSize: 256 } }),
      lines: { type: 'geojson', data: empty },
      stops: { type: 'geojson', data: empty },
      sharing: { type: 'geojson', data: empty },
      vehicles: { type: 'geojson', data: empty },
    },
    layers: [
      ...(tilesUrl === null ? [...baseMapLayers(), townLayer(townImage())] : tileLayers()),
      lineLayer('casing', readColor('--map-casing'), 1.6),
      // Lines without a colour follow the theme.
      lineLayer('lines', ['coalesce', ['get', 'color'], readColor('--soft')], 0),
      ...stopLayers(),
      {
        id: SHARING,
        type: 'symbol',
        source: 'sharing',
        layout: { 'icon-image': ['get', 'image'], 'icon-allow-overlap': true, 'symbol-sort-key': ['get', 'bikes'] },
      },
      {
        id: VEHICLES,
        type: 'symbol',
        source: 'vehicles',
        layout: { 'icon-image': ['get', 'image'], 'icon-allow-overlap': true, 'icon-ignore-placement': true },
      },
    ],
  };
}

/** The name of a town in the language of the page. */
function townImage(): ExpressionSpecification {
  const isGerman = pageLanguage() === 'de';
  return ['concat', TOWN_IMAGE, isGerman ? ['get', 'name'] : ['coalesce', ['get', 'english'], ['get', 'name']]];
}

function tileLayers(): LayerSpecification[] {
  return [
    { id: 'paper', type: 'background', paint: { 'background-color': readColor('--map-paper') } },
    {
      id: 'tiles',
      type: 'raster',
      source: 'tiles',
      paint: { 'raster-opacity': 0.55, 'raster-saturation': -0.6 },
    },
  ];
}

/** @param extraPixels added to the width of a line, at every zoom */
function lineLayer(id: string, color: string | ExpressionSpecification, extraPixels: number): LayerSpecification {
  const widths = [6, 1.2 + extraPixels, 10, 2.2 + extraPixels, 14, 4 + extraPixels, 17, 6 + extraPixels];
  return {
    id,
    type: 'line',
    source: 'lines',
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': ['interpolate', ['linear'], ['zoom'], ...widths] as never },
  };
}

/** Stops as circles, and their names beside them. */
function stopLayers(): LayerSpecification[] {
  return [
    {
      id: STOPS,
      type: 'circle',
      source: 'stops',
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 7, 2.2, 12, 3.2, 16, 6],
        'circle-color': readColor('--card'),
        'circle-stroke-color': readColor('--ink'),
        'circle-stroke-width': 1.5,
      },
    },
    {
      id: 'names',
      type: 'symbol',
      source: 'stops',
      layout: {
        'icon-image': ['get', 'image'],
        'icon-anchor': 'left',
        'icon-offset': [7, 0],
        'symbol-sort-key': ['get', 'rank'],
      },
    },
  ];
}

export function drawLines({ lines }: MapSection): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: lines.map(({ colorHex, ways }) => ({
      type: 'Feature',
      geometry: { type: 'MultiLineString', coordinates: ways.map((way) => way.map(([lon, lat]) => [lon, lat])) },
      properties: { color: colorHex },
    })),
  };
}

export function drawStops({ stops }: MapSection): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: stops.map(({ id, name, lat, lon }, rank) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { id, name, rank, image: imageKey({ kind: 'name', text: name }) },
    })),
  };
}

/** Sharing stations with their number of bicycles. */
export function drawSharing(stations: readonly SharingStationStock[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: stations.map((station) => {
      const { bikes, lat, lon } = station;
      const image = imageKey({ kind: 'bikes', text: String(bikes), isEmpty: bikes === 0 });
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [lon, lat] },
        properties: { key: stationKey(station), bikes, image },
      };
    }),
  };
}

/** @param colorOf `#rrggbb` of a vehicle's line */
export function drawVehicles(
  placed: readonly PlacedVehicle[],
  colorOf: (vehicle: PlacedVehicle['vehicle']) => string,
): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: placed.map(({ vehicle, at }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [at[0], at[1]] },
      properties: {
        jid: vehicle.jid,
        image: imageKey({ kind: 'badge', text: vehicle.line ?? '•', color: colorOf(vehicle) }),
      },
    })),
  };
}
