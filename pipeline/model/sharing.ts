import type { Instant } from './service-time.ts';

/** Where a shared vehicle may be returned: `anywhere` that the zones of its system allow, or at a station. */
export type SharedReturn = 'anywhere' | 'stations' | 'sameStation';

/** A type of vehicle of a sharing system. */
export interface SharedVehicleType {
  readonly id: string;
  /** Whether it is a bicycle, with or without a motor. */
  readonly isBike: boolean;
  /** null: not published. */
  readonly returns: SharedReturn | null;
}

/** A station as it stands on the street. */
export interface SharingStation {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Docks, used and free ones; null: not published. */
  readonly capacity: number | null;
  /** Address at which a vehicle of this station is rented. */
  readonly rentalUrl: string | null;
}

/** Vehicles or docks of the named types; null: of all types. */
export interface StockOfTypes {
  readonly typeIds: readonly string[] | null;
  readonly count: number;
}

/** The stock of a station. */
export interface SharingStationStatus {
  readonly stationId: string;
  readonly vehicles: readonly StockOfTypes[];
  /** null: it takes back any number. */
  readonly docks: readonly StockOfTypes[] | null;
  readonly isRenting: boolean;
  readonly isReturning: boolean;
}

/** A vehicle that can be rented where it stands, outside of stations. */
export interface SharedVehicle {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  /** null: not published. */
  readonly typeId: string | null;
  readonly rentalUrl: string | null;
}

/** A ring of a zone: longitude and latitude in turn. */
export type ZoneRing = readonly number[];

/** What may be done with vehicles of some types. */
export interface ZoneRule {
  /** null: of all types. */
  readonly typeIds: readonly string[] | null;
  readonly mayStart: boolean;
  /** Outside of stations. */
  readonly mayEnd: boolean;
}

/** An area with rules; of several that overlap, the first one counts. */
export interface SharingZone {
  /** Polygons, each with its outer ring and its holes. */
  readonly polygons: readonly (readonly ZoneRing[])[];
  /** It is unclear which side of its border it is: its rules apply on both. */
  readonly isEverywhere: boolean;
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly rules: readonly ZoneRule[];
}

export interface SharingZones {
  readonly zones: readonly SharingZone[];
  /** Outside of the zones; the first one for a type counts. */
  readonly rules: readonly ZoneRule[];
}

/** What one answer of a sharing system contains. It replaces that of the answer before to the same request. */
export type SharingReport =
  | { readonly kind: 'system'; readonly name: string; readonly url: string | null }
  | { readonly kind: 'vehicleTypes'; readonly types: readonly SharedVehicleType[] }
  | { readonly kind: 'stations'; readonly stations: readonly SharingStation[] }
  | { readonly kind: 'stationStatus'; readonly statuses: readonly SharingStationStatus[] }
  | { readonly kind: 'vehicles'; readonly vehicles: readonly SharedVehicle[] }
  | ({ readonly kind: 'zones' } & SharingZones);
