import type { Product } from '../../pipeline/model/product.ts';
import type { V1Vehicles } from './v1.ts';

/** A position in degrees. */
export type LonLat = readonly [lon: number, lat: number];

/** A line in a section of the map. */
export interface MapSectionLine {
  readonly label: string;
  readonly product: Product;
  /** `#RRGGBB`; null where the publisher gives none. */
  readonly colorHex: string | null;
  /**
   * Its paths as longitude and latitude in degrees, clipped at some distance around the section. Where several run side
   * by side, such as both directions, they are one.
   */
  readonly ways: readonly (readonly LonLat[])[];
}

export interface MapSectionStop {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** `GET /site/data/map`: content of a map section at a zoom level. */
export interface MapSection {
  /** Bounding box of all stops of the timetable; null if none has coordinates. */
  readonly bounds: {
    readonly south: number;
    readonly west: number;
    readonly north: number;
    readonly east: number;
  } | null;
  /** Kinds of vehicles of the whole timetable, in the order of `products`. */
  readonly products: readonly Product[];
  /** Railways first, so that other lines are drawn on top. */
  readonly lines: readonly MapSectionLine[];
  /** Stops with the most calls first. */
  readonly stops: readonly MapSectionStop[];
  /** Whether lines or stops were left out because there are too many. */
  readonly isPartial: boolean;
}

/** A vehicle as in `/v1/vehicles`, with what the map shows besides. */
export type MapSectionVehicle = V1Vehicles['vehicles'][number] & {
  /** Colour of its line, `#RRGGBB`; null where the publisher gives none. */
  readonly colorHex: string | null;
  /** At its next call; null where no source reports one. */
  readonly delaySeconds: number | null;
};

/** `GET /site/data/vehicles`: vehicles of a section of the map. */
export interface VehicleSection {
  readonly vehicles: readonly MapSectionVehicle[];
  /** Number of all vehicles of the section; more than are listed where they would cover one another. */
  readonly count: number;
}
