import type { LineLayerSpecification, SourceSpecification } from 'maplibre-gl';

/** Address of the borders, which the build writes here. */
declare const BORDERS_ADDRESS: string;

const BORDERS = 'borders';

/** Borders of countries, from data/lookups/borders.json: what a map without pictures is found by. */
export const borderSources: Readonly<Record<string, SourceSpecification>> = {
  [BORDERS]: { type: 'geojson', data: BORDERS_ADDRESS },
};

export function borderLayer(color: string): LineLayerSpecification {
  return {
    id: BORDERS,
    type: 'line',
    source: BORDERS,
    layout: { 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': 1.2, 'line-opacity': 0.6, 'line-dasharray': [4, 2] },
  };
}
