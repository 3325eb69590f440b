import type { Product } from '../../model/product.ts';

/** A line as riders know it: one colour on the map. */
export interface MapLine {
  readonly label: string;
  readonly product: Product;
  /** 0xRRGGBB. */
  readonly color: number;
  readonly operator: string | null;
}

/** A place of the map: all platforms and stops of one name near one another. */
export interface MapStation {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  /** Calls of the lines of the map here, in all of the timetable: how important the name is. */
  readonly calls: number;
}

/** The way of trips of a line, by rows of `stations`. */
export interface MapRun {
  readonly line: number;
  /** The label of its trips: a line that is drawn for several has runs of each. */
  readonly label: string;
  readonly datedTrips: number;
  readonly stations: readonly number[];
  /** Whether trips call there; a train that passes is drawn through its line's other stations. */
  readonly isStop: readonly boolean[];
}

/** Neighbouring stations, and the lines between them: rows of `lines`, rising. */
export interface MapEdge {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly number[];
}

/** What a map shows: the "line graph" of the literature. */
export interface MapNetwork {
  readonly lines: readonly MapLine[];
  readonly stations: readonly MapStation[];
  readonly edges: readonly MapEdge[];
  readonly runs: readonly MapRun[];
}

/** A place on the drawing; y falls from north to south. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export const pointDistance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** The same key for both directions of a pair of rows. */
export const pairKey = (a: number, b: number): string => (a < b ? `${a}-${b}` : `${b}-${a}`);
