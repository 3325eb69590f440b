import { TextColumn } from '../model/column.ts';
import type { SharingZones } from '../model/sharing.ts';

/** The tables of shared bicycles in the realtime snapshot; they do not refer to a timetable. */
export const sharingTables = {
  /** One JSON text per system, see `PublishedSharingSystem`. */
  sharingSystems: { json: 'text' },
  /** Stations with known stock, by system, then id. */
  sharingStations: {
    /** Row of `sharingSystems`. */
    system: 'u8',
    id: 'text',
    name: 'text',
    /** Degrees. */
    lat: 'f64',
    lon: 'f64',
    /** Bicycles for one-way use that can be rented; 0 while the station rents none. */
    bikes: 'u16',
    /** Bicycles that can be returned; 0 while the station accepts none, `ANY_DOCKS` if unlimited. */
    docks: 'u16',
    /** Address for renting there; empty if there is none. */
    url: 'text',
  },
  /** Bicycles outside of stations that can be rented there, by system, then id. */
  sharedBikes: {
    system: 'u8',
    id: 'text',
    lat: 'f64',
    lon: 'f64',
    /** Position in the `types` of the system, or 255. */
    type: 'u8',
    /** Bits of `sharedBikeFlags`. */
    flags: 'u8',
    url: 'text',
  },
} as const;

/** A station that accepts any number of bicycles. */
export const ANY_DOCKS = 65_535;

export const NO_TYPE = 255;

export const sharedBikeFlags = {
  /** May be returned wherever the zones of the system allow it; otherwise only at stations. */
  anywhere: 1,
} as const;

/** A sharing system, as needed by the API. */
export interface PublishedSharingSystem {
  /** Id of its source. */
  readonly id: string;
  readonly name: string;
  /** Its web site for riders; `null` if there is none. */
  readonly url: string | null;
  /** Instants, seconds since 1970, after which the stock is too old to be used; 0 if it was never known. */
  readonly stationsExpireAt: number;
  readonly bikesExpireAt: number;
  /** Ids of the types that zones refer to. */
  readonly types: readonly string[];
  readonly zones: SharingZones;
}

/** For a service without sharing systems. */
export const noSharing = {
  sharingSystems: { json: TextColumn.from([]) },
  sharingStations: {
    system: new Uint8Array(0),
    id: TextColumn.from([]),
    name: TextColumn.from([]),
    lat: new Float64Array(0),
    lon: new Float64Array(0),
    bikes: new Uint16Array(0),
    docks: new Uint16Array(0),
    url: TextColumn.from([]),
  },
  sharedBikes: {
    system: new Uint8Array(0),
    id: TextColumn.from([]),
    lat: new Float64Array(0),
    lon: new Float64Array(0),
    type: new Uint8Array(0),
    flags: new Uint8Array(0),
    url: TextColumn.from([]),
  },
};
