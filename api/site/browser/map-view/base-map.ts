import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  SourceSpecification,
} from 'maplibre-gl';
import { readColor } from './load-library.ts';

/** URL of data/lookups/base-map.json; the build inserts it. */
declare const BASE_MAP_ADDRESS: string;

const SOURCE = 'base-map';

/** Land, water, borders and towns, for orientation on a map without base tiles. */
export const baseMapSources: Readonly<Record<string, SourceSpecification>> = {
  [SOURCE]: { type: 'geojson', data: BASE_MAP_ADDRESS },
};

/** Zooms between which shapes fade out, because they are too coarse to be seen nearer. */
const FADING = { world: [5.5, 7], rivers: [11, 12.5], region: [13, 15] } as const;

/** The world, then the finer region above it. Names of towns are a separate layer. */
export function baseMapLayers(): LayerSpecification[] {
  const water = readColor('--map-water');
  const border = readColor('--map-border');
  return [
    { id: 'paper', type: 'background', paint: { 'background-color': readColor('--map-paper') } },
    waterLayer('world', water),
    borderLayer('world', border),
    {
      id: 'region-land',
      type: 'fill',
      source: SOURCE,
      filter: only('land', 'region'),
      paint: { 'fill-color': readColor('--map-paper'), 'fill-antialias': false },
    },
    waterLayer('region', water),
    {
      id: 'rivers',
      type: 'line',
      source: SOURCE,
      filter: only('river', 'region'),
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': water,
        'line-width': ['interpolate', ['linear'], ['zoom'], 5, 0.6, 9, 2, 13, 5],
        'line-opacity': fade('rivers'),
      },
    },
    borderLayer('region', border),
  ];
}

/** Names of towns where no name of a stop is in the way. @param toImage the image that shows a name */
export function townLayer(toImage: ExpressionSpecification): LayerSpecification {
  return {
    id: 'towns',
    type: 'symbol',
    source: SOURCE,
    maxzoom: 11,
    // Natural Earth names a town from the zoom at which a map of its style has room for it.
    filter: [
      'all',
      ['==', ['get', 'kind'], 'town'],
      ['>=', ['+', ['zoom'], 1], ['get', 'zoom']],
    ] as FilterSpecification,
    layout: { 'icon-image': toImage, 'symbol-sort-key': ['get', 'zoom'] },
  };
}

type Area = 'world' | 'region';

const only = (kind: string, area: Area): FilterSpecification => [
  'all',
  ['==', ['get', 'kind'], kind],
  ['==', ['get', 'area'], area],
];

function fade(shapes: keyof typeof FADING): ExpressionSpecification {
  const [from, to] = FADING[shapes];
  return ['interpolate', ['linear'], ['zoom'], from, 1, to, 0];
}

function waterLayer(area: Area, color: string): LayerSpecification {
  return {
    id: `${area}-water`,
    type: 'fill',
    source: SOURCE,
    filter: only('water', area),
    paint: { 'fill-color': color, 'fill-opacity': fade(area) },
  };
}

function borderLayer(area: Area, color: string): LayerSpecification {
  return {
    id: `${area}-borders`,
    type: 'line',
    source: SOURCE,
    filter: only('border', area),
    layout: { 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': 1.2, 'line-opacity': fade(area), 'line-dasharray': [4, 2] },
  };
}
