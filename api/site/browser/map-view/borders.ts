import type { LineLayerSpecification, SourceSpecification } from 'maplibre-gl';

/** URL of the borders file; the build inserts it. */
declare const BORDERS_ADDRESS: string;

const BORDERS = 'borders';

/** Country borders from data/lookups/borders.json, for orientation on a map without base tiles. */
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
