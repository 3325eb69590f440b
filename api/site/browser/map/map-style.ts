import type { FeatureCollection } from 'geojson';
import type { StyleSpecification } from 'maplibre-gl';
import type { MapSection } from '../../../contract/site-map.ts';
import { borderLayer, borderSources } from '../map-view/borders.ts';
import { readColor } from '../map-view/load-library.ts';
import type { PlacedVehicle } from './moving-vehicles.ts';
import { imageKey } from './text-images.ts';

const empty: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Layers whose features are links. */
export const VEHICLES = 'vehicles';
export const STOPS = 'stops';

/** Builds the map style of the current theme. @param tilesUrl base tiles; null: none */
export function styleOf(tilesUrl: string | null): StyleSpecification {
  const [paper, ink, card, casing, soft] = ['--map-paper', '--ink', '--card', '--map-casing', '--soft'].map(
    readColor,
  ) as [string, string, string, string, string];
  const round = { 'line-cap': 'round', 'line-join': 'round' } as const;
  const width = (extra: number) =>
    ['interpolate', ['linear'], ['zoom'], 6, 1.2 + extra, 10, 2.2 + extra, 14, 4 + extra, 17, 6 + extra] as never;
  return {
    version: 8,
    sources: {
      ...(tilesUrl === null ? borderSources : { tiles: { type: 'raster' as const, tiles: [tilesUrl], tileSize: 256 } }),
      lines: { type: 'geojson', data: empty },
      stops: { type: 'geojson', data: empty },
      vehicles: { type: 'geojson', data: empty },
    },
    layers: [
      { id: 'paper', type: 'background', paint: { 'background-color': paper } },
      ...(tilesUrl === null
        ? [borderLayer(soft)]
        : [
            {
              id: 'tiles',
              type: 'raster' as const,
              source: 'tiles',
              paint: { 'raster-opacity': 0.55, 'raster-saturation': -0.6 },
            },
          ]),
      {
        id: 'casing',
        type: 'line',
        source: 'lines',
        layout: round,
        paint: { 'line-color': casing, 'line-width': width(1.6) },
      },
      {
        id: 'lines',
        type: 'line',
        source: 'lines',
        layout: round,
        paint: { 'line-color': ['get', 'color'], 'line-width': width(0) },
      },
      {
        id: STOPS,
        type: 'circle',
        source: 'stops',
        paint: {
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 7, 2.2, 12, 3.2, 16, 6],
          'circle-color': card,
          'circle-stroke-color': ink,
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
      {
        id: VEHICLES,
        type: 'symbol',
        source: 'vehicles',
        layout: { 'icon-image': ['get', 'image'], 'icon-allow-overlap': true, 'icon-ignore-placement': true },
      },
    ],
  };
}

export function drawLines({ lines }: MapSection): FeatureCollection {
  const soft = readColor('--soft');
  return {
    type: 'FeatureCollection',
    features: lines.map(({ colorHex, ways }) => ({
      type: 'Feature',
      geometry: { type: 'MultiLineString', coordinates: ways.map((way) => way.map(([lon, lat]) => [lon, lat])) },
      properties: { color: colorHex ?? soft },
    })),
  };
}

export function drawStops({ stops }: MapSection): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: stops.map(({ id, name, lat, lon }, rank) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { id, rank, image: imageKey({ kind: 'name', text: name }) },
    })),
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
