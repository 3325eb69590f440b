import type { ColumnsOf, FileFacts } from '../model/column.ts';
import { searchEntryColumns, searchTables } from './search-tables.ts';

/**
 * Kinds of searchable places, in the order of their numbers. `street` has the addresses; `station` is a stop or station
 * as the map has it, which leads to that of the timetable.
 */
export const placeKinds = [
  'street',
  'city',
  'town',
  'village',
  'suburb',
  'hamlet',
  'locality',
  'sight',
  'culture',
  'school',
  'university',
  'health',
  'authority',
  'shop',
  'food',
  'lodging',
  'worship',
  'sport',
  'park',
  'water',
  'mountain',
  'airport',
  'service',
  'station',
] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Kinds that are whole settlements or parts of them. */
export const settlementKinds: readonly PlaceKind[] = ['city', 'town', 'village', 'suburb', 'hamlet', 'locality'];

/** Raise it with every change of the tables or of how they are built. */
export const PLACES_FORMAT_VERSION = 1;

/**
 * The place index: named places and streets, searchable like the stops of a timetable, and addresses, which are found
 * through their street. Streets are the first rows of `places`.
 */
export const placeTables = {
  places: {
    /** Position in `placeKinds`. */
    kind: 'u8',
    /** Degrees. */
    lat: 'f64',
    lon: 'f64',
    /** See `toPlaceRef`. */
    ref: 'f64',
    name: 'text',
    /** Row of `placeTowns`. */
    town: 'u32',
  },
  /** The first row is the empty name, for places far from any town. */
  placeTowns: { name: 'text' },
  /** First address of each street; one row more than there are streets. */
  placeStreets: { firstHouse: 'u32' },
  /** Addresses by street, then number. */
  placeHouses: {
    /** Rows of `placeNumbers` and `placePostcodes`. */
    number: 'u32',
    postcode: 'u16',
    /** Ten millionths of a degree. */
    lat: 'i32',
    lon: 'i32',
    ref: 'f64',
  },
  placeNumbers: { text: 'text' },
  /** The first row is empty: unknown. */
  placePostcodes: { text: 'text' },
  /** Rows of `places`, then of `placeHouses` counted on from them, sorted by `ref`. */
  placeIds: { row: 'u32' },
  /** Places with a point in a cell of the map, and streets with an address there; sorted by cell, see `cellOf`. */
  placeCells: { cell: 'u32', place: 'u32' },
  searchEntries: searchEntryColumns,
  ...searchTables,
} as const;

export type PlaceTables = {
  readonly [Name in keyof typeof placeTables]: ColumnsOf<(typeof placeTables)[Name]>;
};

/** Rows of an input: all that were read are published or refused. */
export interface PlaceTally {
  readonly read: number;
  readonly published: number;
  /** Number of refused rows by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Name of the input that holds the made-up addresses of the sample. */
export const SAMPLE_PLACES = 'the sample';

/** An input of the index. */
export interface PlaceInput {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface PlacesManifest {
  readonly kind: 'places';
  readonly formatVersion: number;
  /** Equal for equal input under equal rules. */
  readonly id: string;
  readonly createdAt: string;
  readonly extract: PlaceInput;
  /** Austria's address register; null: not used. */
  readonly register: PlaceInput | null;
  readonly rows: { readonly places: number; readonly streets: number; readonly addresses: number };
  readonly addresses: PlaceTally;
  readonly places: PlaceTally;
  /** Named pieces of streets; a published one is part of a street. */
  readonly streets: PlaceTally;
  /** Share of the timetable's stops within reach of a place; null without a timetable. */
  readonly stopsCovered: number | null;
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface PlacesSnapshot {
  readonly manifest: PlacesManifest;
  readonly tables: PlaceTables;
}

export const PLACE_UNITS_PER_DEGREE = 1e7;

/** Side of a cell in degrees, some 450 m at the latitude of Austria. */
const [CELL_LAT, CELL_LON] = [0.004, 0.006];
const CELLS_PER_ROW = 2 ** 16;

/** The cell of a point, by row from south to north, then from west to east. */
export function cellOf(lat: number, lon: number): number {
  return Math.floor((lat + 90) / CELL_LAT) * CELLS_PER_ROW + Math.floor((lon + 180) / CELL_LON);
}

/** First and last cell of each row of cells around a point. */
export function listCellRows(lat: number, lon: number, radiusCells: number): { first: number; last: number }[] {
  const middle = cellOf(lat, lon);
  return Array.from({ length: 2 * radiusCells + 1 }, (_, i) => {
    const row = middle + (i - radiusCells) * CELLS_PER_ROW;
    return { first: row - radiusCells, last: row + radiusCells };
  });
}
