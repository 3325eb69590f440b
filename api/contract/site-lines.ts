import type { Product } from '../../pipeline/model/product.ts';
import type { Line } from './v2-basics.ts';

// Responses of the site routes about lines and trains.

export interface FoundLine {
  /** Identifies the line in `/site/data/line`. */
  readonly id: string;
  readonly line: Line;
}

export interface FoundTrain {
  /** As published: `RJX 662`. */
  readonly number: string;
  readonly line: Line;
  readonly from: string;
  readonly to: string;
  /** `HH:MM`, local time. */
  readonly departure: string;
  readonly arrival: string;
  /** Date and journey of the next trip; absent if there is none in the next two weeks. */
  readonly date?: string;
  readonly journeyRef?: string;
}

export interface LineList {
  readonly lines: readonly FoundLine[];
  readonly trains: readonly FoundTrain[];
}

/** The lines of a product. */
export interface ProductLines {
  readonly product: Product;
  /** All of its lines, of which some may not be listed. */
  readonly count: number;
  readonly lines: readonly FoundLine[];
}

export interface LineOverview {
  readonly products: readonly ProductLines[];
}

/** A trip of a line: one column of its timetable. */
export interface LineColumn {
  readonly journeyRef: string;
  /** Train number; absent if it has none. */
  readonly number?: string;
  /** `HH:MM` at each stop of the direction; `null` where it does not call. */
  readonly times: readonly (string | null)[];
}

export interface LineDirection {
  /** First and last stop of most trips. */
  readonly from: string;
  readonly to: string;
  readonly stops: readonly { readonly id: string; readonly name: string }[];
  /** In order of travel. */
  readonly runs: readonly LineColumn[];
  /** Whether the response was cut at the maximum number of trips. */
  readonly isCut: boolean;
}

/** The timetable of a line on one service date, without realtime. */
export interface LineTimetable extends FoundLine {
  readonly date: string;
  /** Hours of the service date in which its trips begin; 24 and above are after midnight. */
  readonly fromHour: number;
  readonly untilHour: number;
  readonly directions: readonly LineDirection[];
}
