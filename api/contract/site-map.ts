import type { Product } from '../../pipeline/model/product.ts';

/** A point in degrees. */
export type LonLat = readonly [lon: number, lat: number];

/** A line in a section of the map. */
export interface MapSectionLine {
  readonly label: string;
  readonly product: Product;
  /** `#RRGGBB`; null where the publisher gives none. */
  readonly colorHex: string | null;
  /** Its ways as longitude and latitude in degrees, cut at some distance around the section. */
  readonly ways: readonly (readonly LonLat[])[];
}

export interface MapSectionStop {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** `GET /site/data/map`: what a map of a section draws at a zoom. */
export interface MapSection {
  /** Around all stops of the timetable; null without any coordinates. */
  readonly bounds: {
    readonly south: number;
    readonly west: number;
    readonly north: number;
    readonly east: number;
  } | null;
  /** Railways first, so that others are drawn over them. */
  readonly lines: readonly MapSectionLine[];
  /** Those with the most calls first. */
  readonly stops: readonly MapSectionStop[];
  /** Whether lines or stops were left out, as there are too many. */
  readonly isPartial: boolean;
}
