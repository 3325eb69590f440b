import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { StationPunctuality } from '../../../contract/site-stations.ts';
import {
  classifyStation,
  describeStation,
  type StationClass,
  stationClasses,
  stationRadius,
} from '../../view-model/station-punctuality.ts';
import { chosenLayer, empty, groundLayers, groundSources } from '../map/map-style.ts';
import { imageKey } from '../map/text-images.ts';
import { readColor } from '../map-view/load-library.ts';
import { pageLanguage } from '../page/language.ts';

export const STATIONS = 'stations';
/** From this zoom circles have names, where there is room. */
const NAMES_ZOOM = 8;

const COLORS: Readonly<Record<StationClass, string>> = {
  good: '--delay-on-time',
  warn: '--delay-late',
  bad: '--delay-very-late',
  few: '--delay-unknown',
};

/** Builds the map style of the current theme. @param tilesUrl base tiles; null: none */
export function stationStyle(tilesUrl: string | null): StyleSpecification {
  return {
    version: 8,
    sources: {
      ...groundSources(tilesUrl),
      stations: { type: 'geojson', data: empty },
      chosen: { type: 'geojson', data: empty },
    },
    layers: [
      ...groundLayers(tilesUrl),
      circleLayer(),
      chosenLayer(),
      {
        id: 'names',
        type: 'symbol',
        source: 'stations',
        minzoom: NAMES_ZOOM,
        layout: {
          'icon-image': ['get', 'image'],
          'icon-anchor': 'left',
          'icon-offset': ['array', 'number', 2, ['get', 'offset']],
          'symbol-sort-key': ['get', 'rank'],
        },
      },
    ],
  };
}

/** Stations with many calls lie below those with fewer, which they would hide. */
function circleLayer(): LayerSpecification {
  const colors = stationClasses.flatMap((kind) => [kind, readColor(COLORS[kind])]);
  const color = ['match', ['get', 'kind'], ...colors, readColor('--soft')] as never;
  const isFew = ['==', ['get', 'kind'], 'few'] as never;
  return {
    id: STATIONS,
    type: 'circle',
    source: 'stations',
    layout: { 'circle-sort-key': ['get', 'rank'] },
    paint: {
      'circle-color': color,
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 6, ['*', 0.7, ['get', 'radius']], 12, ['get', 'radius']],
      'circle-opacity': ['case', isFew, 0, 0.8],
      'circle-stroke-color': ['case', isFew, color, readColor('--card')],
      'circle-stroke-width': 1.2,
    },
  };
}

/** @param stations those with the most observed calls first */
export function drawStations(stations: readonly StationPunctuality[]): FeatureCollection {
  const most = stations[0]?.observed ?? 0;
  return {
    type: 'FeatureCollection',
    features: stations.map((station, rank) => {
      const { id, name, lat, lon } = station;
      const radius = stationRadius(station, most);
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [lon, lat] },
        properties: {
          id,
          rank,
          kind: classifyStation(station),
          radius,
          offset: [radius + 3, 0],
          title: `${name}: ${describeStation(station, pageLanguage())[0]}`,
          image: imageKey({ kind: 'name', text: name }),
        },
      };
    }),
  };
}
