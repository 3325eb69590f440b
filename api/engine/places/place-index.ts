import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import { foldHouseNumber } from '../../../pipeline/model/house-number.ts';
import type { SearchIndex } from '../../../pipeline/model/search-index.ts';
import {
  type PlaceKind,
  type PlacesManifest,
  type PlacesSnapshot,
  type PlaceTables,
  placeKinds,
} from '../../../pipeline/snapshots/places-contract.ts';
import { getSearchIndex } from '../../../pipeline/snapshots/search-tables.ts';
import { SearchWorkspace } from '../read/search-workspace.ts';

/** Addresses and places of a published index. */
export interface PlacesIndex {
  readonly manifest: PlacesManifest;
  readonly tables: PlaceTables;
  /** Its entries are the rows of `places`. */
  readonly search: SearchIndex;
  readonly workspace: SearchWorkspace;
  /** Streets are the first rows of `places`. */
  readonly streetCount: number;
  /** Rows of `placeNumbers` by the folded number; several numbers of one house ("3;5") are all of them. */
  readonly numberRows: ReadonlyMap<string, readonly number[]>;
  /** Rows of `placePostcodes`. */
  readonly postcodeRows: ReadonlyMap<string, number>;
}

export function openPlaceIndex({ manifest, tables }: PlacesSnapshot): PlacesIndex {
  const search = getSearchIndex(tables);
  const { placeNumbers, placePostcodes } = tables;
  const postcodes = Array.from({ length: placePostcodes.text.length }, (_, row) => placePostcodes.text.get(row));
  return {
    manifest,
    tables,
    search,
    workspace: new SearchWorkspace(search),
    streetCount: tables.placeStreets.firstHouse.length - 1,
    numberRows: indexNumbers(placeNumbers.text.length, (row) => placeNumbers.text.get(row)),
    postcodeRows: new Map(postcodes.map((text, row) => [text, row])),
  };
}

function indexNumbers(count: number, textOf: (row: number) => string): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>();
  for (let row = 0; row < count; row++) {
    for (const part of textOf(row).split(/[,;]/)) {
      const folded = foldHouseNumber(part);
      const known = rows.get(folded);
      if (known === undefined) rows.set(folded, [row]);
      else if (known.at(-1) !== row) known.push(row);
    }
  }
  return rows;
}

/** A row of `places`, or of `placeHouses` with its street. */
export interface PlaceRow {
  readonly place: number;
  /** Row of `placeHouses`; -1: the place itself. */
  readonly house: number;
}

export function getPlaceKind({ tables }: PlacesIndex, place: number): PlaceKind {
  return placeKinds[tables.places.kind[place]!]!;
}

/** Range of a street's addresses. */
export function getHouses({ tables }: PlacesIndex, street: number): { readonly first: number; readonly end: number } {
  const { firstHouse } = tables.placeStreets;
  return { first: firstHouse[street]!, end: firstHouse[street + 1]! };
}

/** @returns null if the index has no place of this id */
export function findPlaceRow(index: PlacesIndex, ref: number): PlaceRow | null {
  const { tables } = index;
  const places = tables.places.ref.length;
  const order = tables.placeIds.row;
  const refOf = (row: number) => (row < places ? tables.places.ref[row]! : tables.placeHouses.ref[row - places]!);
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (refOf(order[middle]!) < ref) low = middle + 1;
    else high = middle;
  }
  const row = order[low];
  if (row === undefined || refOf(row) !== ref) return null;
  return row < places ? { place: row, house: -1 } : toHouseRow(index, row - places);
}

function toHouseRow({ tables }: PlacesIndex, house: number): PlaceRow {
  const { firstHouse } = tables.placeStreets;
  // The last street that begins at or before it; streets without addresses begin where the next one does.
  return { place: lowerBound(firstHouse, house + 1) - 1, house };
}
