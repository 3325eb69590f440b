import type { Instant } from './service-time.ts';

/** Where a shared vehicle may be returned: `anywhere` that the zones of its system allow, or only at a station. */
export type SharedReturn = 'anywhere' | 'stations' | 'sameStation';

/** A type of vehicle of a sharing system. */
export interface SharedVehicleType {
  readonly id: string;
  /** Whether it is a bicycle, with or without a motor. */
  readonly isBike: boolean;
  /** `null` if not published. */
  readonly returns: SharedReturn | null;
}

/** A station, without its stock. */
export interface SharingStation {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Total number of docks, used and free; `null` if not published. */
  readonly capacity: number | null;
  /** Address at which a vehicle of this station is rented. */
  readonly rentalUrl: string | null;
}

/** Number of vehicles or docks of some types; `null` for all types. */
export interface StockOfTypes {
  readonly typeIds: readonly string[] | null;
  readonly count: number;
}

/** The stock of a station. */
export interface SharingStationStatus {
  readonly stationId: string;
  readonly vehicles: readonly StockOfTypes[];
  /** `null` if it accepts any number. */
  readonly docks: readonly StockOfTypes[] | null;
  readonly isRenting: boolean;
  readonly isReturning: boolean;
}

/** A vehicle that can be rented where it stands, outside of stations. */
export interface SharedVehicle {
  readonly id: string;
  readonly lat: number;
  readonly lon: number;
  /** `null` if not published. */
  readonly typeId: string | null;
  readonly rentalUrl: string | null;
}

/** A ring of a zone: longitude and latitude in turn. */
export type ZoneRing = readonly number[];

/** What is allowed with vehicles of some types. */
export interface ZoneRule {
  /** `null` for all types. */
  readonly typeIds: readonly string[] | null;
  readonly mayStart: boolean;
  /** Whether rides may begin or end there, outside of stations. */
  readonly mayEnd: boolean;
}

/** An area with rules; where several overlap, the first one counts. */
export interface SharingZone {
  /** Polygons, each with its outer ring and its holes. */
  readonly polygons: readonly (readonly ZoneRing[])[];
  /** Whether the inside of its border is unclear; its rules then apply on both sides. */
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

/** The content of one answer of a sharing system. It replaces that of the previous answer to the same request. */
export type SharingReport =
  | { readonly kind: 'system'; readonly name: string; readonly url: string | null }
  | { readonly kind: 'vehicleTypes'; readonly types: readonly SharedVehicleType[] }
  | { readonly kind: 'stations'; readonly stations: readonly SharingStation[] }
  | { readonly kind: 'stationStatus'; readonly statuses: readonly SharingStationStatus[] }
  | { readonly kind: 'vehicles'; readonly vehicles: readonly SharedVehicle[] }
  | ({ readonly kind: 'zones' } & SharingZones);
