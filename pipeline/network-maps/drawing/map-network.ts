import type { Product } from '../../model/product.ts';

/** A line as riders know it: one colour on the map. */
export interface MapLine {
  readonly label: string;
  readonly product: Product;
  /** 0xRRGGBB. */
  readonly color: number;
  readonly operator: string | null;
}

/** A place of the map: all platforms and stops of one name near each other. */
export interface MapStation {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Number of calls by the map's lines over the whole timetable: the importance of the name. */
  readonly calls: number;
}

/** The path of a line's trips, as rows of `stations`. */
export interface MapRun {
  readonly line: number;
  /** Label of its trips, as a drawn line may combine several. */
  readonly label: string;
  readonly datedTrips: number;
  readonly stations: readonly number[];
  /** Whether trips call there; passing trains are drawn through the line's other stations. */
  readonly isStop: readonly boolean[];
}

/** Neighbouring stations and the lines between them: rows of `lines`, ascending. */
export interface MapEdge {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly number[];
}

/** The network of a map: the "line graph" of the literature. */
export interface MapNetwork {
  readonly lines: readonly MapLine[];
  readonly stations: readonly MapStation[];
  readonly edges: readonly MapEdge[];
  readonly runs: readonly MapRun[];
}

/** A position on the drawing; y decreases from north to south. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

export const pointDistance = (a: MapPoint, b: MapPoint): number => Math.hypot(a.x - b.x, a.y - b.y);

/** The same key for both directions of a pair of rows. */
export const pairKey = (a: number, b: number): string => (a < b ? `${a}-${b}` : `${b}-${a}`);
