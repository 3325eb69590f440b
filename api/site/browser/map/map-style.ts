import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { MapSection } from '../../../contract/site-map.ts';
import type { SharingStationStock } from '../../../contract/site-sharing.ts';
import type { Coord } from '../../../contract/v2-basics.ts';
import { classifyDelay, delayClasses, describeDelay, shortDelay } from '../../view-model/vehicle-delay.ts';
import { baseMapLayers, baseMapSources, townLayer } from '../map-view/base-map.ts';
import { readColor } from '../map-view/load-library.ts';
import { pageLanguage } from '../page/language.ts';
import { DETAIL_ZOOM, stationKey } from './map-state.ts';
import type { PlacedVehicle } from './moving-vehicles.ts';
import { DELAY_COLORS, imageKey, TOWN_IMAGE } from './text-images.ts';

/** Colour of a vehicle whose line has none. */
const PLAIN_COLOR = '#566069';
export const empty: FeatureCollection = { type: 'FeatureCollection', features: [] };

const VEHICLES = 'vehicles';
const DOTS = 'dots';
export const STOPS = 'stops';
export const SHARING = 'sharing';

/** Layers whose features can be chosen. */
export const chosenLayers: readonly string[] = [VEHICLES, DOTS, SHARING, STOPS];

/** Builds the map style of the current theme. @param tilesUrl base tiles; null: none */
export function styleOf(tilesUrl: string | null): StyleSpecification {
  return {
    version: 8,
    sources: {
      ...groundSources(tilesUrl),
      lines: { type: 'geojson', data: empty },
      stops: { type: 'geojson', data: empty },
      sharing: { type: 'geojson', data: empty },
      vehicles: { type: 'geojson', data: empty },
      chosen: { type: 'geojson', data: empty },
    },
    layers: [
      ...groundLayers(tilesUrl),
      lineLayer('casing', readColor('--map-casing'), 1.6),
      // Lines without a colour follow the theme.
      lineLayer('lines', ['coalesce', ['get', 'color'], readColor('--soft')], 0),
      lineLabelLayer(),
      ...stopLayers(),
      {
        id: SHARING,
        type: 'symbol',
        source: 'sharing',
        layout: { 'icon-image': ['get', 'image'], 'icon-allow-overlap': true, 'symbol-sort-key': ['get', 'bikes'] },
      },
      chosenLayer(),
      dotLayer(),
      {
        id: VEHICLES,
        type: 'symbol',
        source: 'vehicles',
        minzoom: DETAIL_ZOOM,
        layout: { 'icon-image': ['get', 'image'], 'icon-allow-overlap': true, 'icon-ignore-placement': true },
      },
    ],
  };
}

/** Sources of what lies below the network. @param tilesUrl base tiles; null: none */
export function groundSources(tilesUrl: string | null): StyleSpecification['sources'] {
  return tilesUrl === null ? baseMapSources : { tiles: { type: 'raster', tiles: [tilesUrl], tileSize: 256 } };
}

/** Layers of these sources. */
export function groundLayers(tilesUrl: string | null): LayerSpecification[] {
  return tilesUrl === null ? [...baseMapLayers(), townLayer(townImage())] : tileLayers();
}

/** Vehicles as dots, larger the later they are, so that colour is not all that distinguishes them. */
function dotLayer(): LayerSpecification {
  const colors = delayClasses.flatMap((kind) => [kind, readColor(DELAY_COLORS[kind])]);
  return {
    id: DOTS,
    type: 'circle',
    source: 'vehicles',
    maxzoom: DETAIL_ZOOM,
    layout: { 'circle-sort-key': ['match', ['get', 'delay'], 'veryLate', 3, 'late', 2, 'unknown', 0, 1] },
    paint: {
      'circle-color': ['match', ['get', 'delay'], ...colors, readColor('--soft')] as never,
      'circle-radius': ['match', ['get', 'delay'], 'veryLate', 6.5, 'late', 5.2, 'unknown', 3, 4],
      'circle-stroke-color': readColor('--card'),
      'circle-stroke-width': 1.2,
    },
  };
}

/** A ring around the chosen stop or place. */
export function chosenLayer(): LayerSpecification {
  return {
    id: 'chosen',
    type: 'circle',
    source: 'chosen',
    paint: {
      'circle-radius': 11,
      'circle-color': 'transparent',
      'circle-stroke-color': readColor('--accent'),
      'circle-stroke-width': 3,
    },
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

/** From this zoom lines are far enough apart for their labels. */
const LINE_LABEL_ZOOM = 13;

/** Labels along the lines, where no name of a stop is in the way: upper layers are placed first. */
function lineLabelLayer(): LayerSpecification {
  return {
    id: 'line-labels',
    type: 'symbol',
    source: 'lines',
    minzoom: LINE_LABEL_ZOOM,
    layout: {
      'symbol-placement': 'line',
      'symbol-spacing': 260,
      'icon-image': ['get', 'image'],
      'icon-rotation-alignment': 'viewport',
      'icon-padding': 6,
    },
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
    features: lines.map(({ label, colorHex, ways }) => ({
      type: 'Feature',
      geometry: { type: 'MultiLineString', coordinates: ways.map((way) => way.map(([lon, lat]) => [lon, lat])) },
      properties: { color: colorHex, image: imageKey({ kind: 'line', text: label, color: colorHex }) },
    })),
  };
}

export function drawStops({ stops }: MapSection): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: stops.map(({ id, name, lat, lon }, rank) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { id, name, lat, lon, rank, image: imageKey({ kind: 'name', text: name }) },
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

export function drawVehicles(placed: readonly PlacedVehicle[]): FeatureCollection {
  const language = pageLanguage();
  return {
    type: 'FeatureCollection',
    features: placed.map(({ vehicle, at }) => {
      const { id, line, direction, colorHex, delaySeconds } = vehicle;
      const delay = classifyDelay(delaySeconds);
      const text = [line ?? '•', shortDelay(delaySeconds)].filter(Boolean).join(' ');
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [at[0], at[1]] },
        properties: {
          id,
          delay,
          title: [line, direction, describeDelay(delaySeconds, language)].filter(Boolean).join(' · '),
          image: imageKey({ kind: 'badge', text, color: colorHex ?? PLAIN_COLOR, delay }),
        },
      };
    }),
  };
}

/** The chosen stop or place. */
export function drawChosen(coord: Coord | null): FeatureCollection {
  if (coord === null) return empty;
  const geometry = { type: 'Point' as const, coordinates: [coord.lon, coord.lat] };
  return { type: 'FeatureCollection', features: [{ type: 'Feature', geometry, properties: {} }] };
}
