import { openPlaceIndex, type PlacesIndex } from '../../../api/engine/places/place-index.ts';
import { buildPlaceTables } from '../../../pipeline/places/build-tables.ts';
import { addObject } from '../../../pipeline/places/osm/add-object.ts';
import { interpretTags } from '../../../pipeline/places/osm/interpret-tags.ts';
import { createPlaceRows } from '../../../pipeline/places/rows/place-rows.ts';
import {
  PLACE_UNITS_PER_DEGREE,
  PLACES_FORMAT_VERSION,
  type PlacesManifest,
} from '../../../pipeline/snapshots/places-contract.ts';
import type { Tags } from './osm-pbf.ts';

/** A node of a made-up map; its id is its number in the list, from 1. */
export interface MapNode {
  readonly lat: number;
  readonly lon: number;
  readonly tags: Tags;
}

/** An address as the map has it. */
export function house(
  street: string,
  number: string,
  town: string,
  postcode: string,
  lat: number,
  lon: number,
): MapNode {
  const tags = { 'addr:street': street, 'addr:housenumber': number, 'addr:city': town, 'addr:postcode': postcode };
  return { lat, lon, tags };
}

/** The index of a made-up map, as the API opens it. */
export function makePlaceIndex(nodes: readonly MapNode[]): PlacesIndex {
  const rows = createPlaceRows();
  for (const [i, { lat, lon, tags }] of nodes.entries()) {
    const point = { lat: Math.round(lat * PLACE_UNITS_PER_DEGREE), lon: Math.round(lon * PLACE_UNITS_PER_DEGREE) };
    addObject(rows, 'node', i + 1, interpretTags(new Map(Object.entries(tags))), point);
  }
  return openPlaceIndex({ manifest: madeUpManifest, tables: buildPlaceTables(rows) });
}

const nothing = { read: 0, published: 0, refused: {} };

const madeUpManifest: PlacesManifest = {
  kind: 'places',
  formatVersion: PLACES_FORMAT_VERSION,
  id: 'made-up',
  createdAt: '2026-03-01T00:00:00.000Z',
  extract: { name: 'made-up.osm.pbf', bytes: 0, sha256: '' },
  register: null,
  rows: { places: 0, streets: 0, addresses: 0 },
  addresses: nothing,
  places: nothing,
  streets: nothing,
  stopsCovered: null,
  files: {},
};
