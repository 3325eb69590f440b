import type { Product } from '../../pipeline/model/product.ts';

/** A position in degrees. */
export type LonLat = readonly [lon: number, lat: number];

/** A line in a section of the map. */
export interface MapSectionLine {
  readonly label: string;
  readonly product: Product;
  /** `#RRGGBB`; null where the publisher gives none. */
  readonly colorHex: string | null;
  /** Its paths as longitude and latitude in degrees, clipped at some distance around the section. */
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
  /** Railways first, so that other lines are drawn on top. */
  readonly lines: readonly MapSectionLine[];
  /** Stops with the most calls first. */
  readonly stops: readonly MapSectionStop[];
  /** Whether lines or stops were left out because there are too many. */
  readonly isPartial: boolean;
}
