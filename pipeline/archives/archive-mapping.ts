import type { SourceId } from '../model/ids.ts';

/**
 * How an archive from elsewhere is read: which of its columns is what. A mapping is a YAML file of the same shape; what
 * each key means to a person who writes one stands in `data/lookups/archives/README.md`.
 */
export interface ArchiveMapping {
  /** As its file is called. */
  readonly name: string;
  readonly title: string;
  /** The source the rows belong to, unless somebody names another. */
  readonly source: SourceId;
  /** The timetable that its ids of trips and stops are of; null where they are its own. */
  readonly timetable: SourceId | null;
  readonly file: ArchiveFileFormat;
  /** IANA name; the clocks of the places where the vehicles run. */
  readonly zone: string;
  /** What the archive's times are told in: by clocks of the zone, or in UTC. */
  readonly clock: 'local' | 'utc';
  readonly serviceDate: Expression;
  readonly columns: Readonly<Partial<Record<TextColumn, Expression>>> & { readonly tripId: Expression };
  readonly numbers: Readonly<Partial<Record<NumberColumn, Expression>>>;
  /** Null: calls stand in the order of their scheduled times. */
  readonly position: PositionColumn | null;
  readonly arrival: EventColumns;
  readonly departure: EventColumns;
  readonly countedEvent: { readonly firstCall: CallEvent; readonly otherCalls: CallEvent };
  readonly isCancelled: Condition | null;
  readonly isAdded: Condition | null;
  /** Rows that are no calls; each is refused with its code. */
  readonly skip: readonly { readonly code: string; readonly when: Condition }[];
  readonly unknown: readonly UnknownRule[];
  readonly duplicates: DuplicateRule;
  readonly limits: { readonly earlySeconds: number; readonly lateSeconds: number };
  /** A call told a day later than the one after it is meant a day earlier. */
  readonly repairsDays: boolean;
}

export type CallEvent = 'arrival' | 'departure';

export interface ArchiveFileFormat {
  readonly format: 'parquet' | 'csv';
  readonly delimiter: string;
  /** Tried in this order; the first that fits all of the file is taken. */
  readonly encodings: readonly ArchiveEncoding[];
}

export const archiveEncodings = ['utf-8', 'latin-1'] as const;
export type ArchiveEncoding = (typeof archiveEncodings)[number];

/** Columns of texts, as the mapping calls them; those of the table of stop events in snake case. */
export const textColumns = [
  'tripId',
  'routeId',
  'lineLabel',
  'product',
  'operator',
  'direction',
  'stopId',
  'stopName',
  'stationId',
  'platform',
] as const;
export type TextColumn = (typeof textColumns)[number];

export const numberColumns = ['lat', 'lon'] as const;
export type NumberColumn = (typeof numberColumns)[number];

/** A value of a row, without SQL. */
export type Expression =
  | ColumnExpression
  | { readonly kind: 'constant'; readonly value: string }
  | { readonly kind: 'join'; readonly columns: readonly string[]; readonly with: string }
  /** Of times alone: seconds, or hours:minutes:seconds, from noon minus 12 h of the service date, as in GTFS. */
  | { readonly kind: 'serviceSeconds'; readonly column: string }
  | { readonly kind: 'firstOf'; readonly of: readonly Expression[] };

export interface ColumnExpression {
  readonly kind: 'column';
  readonly column: string;
  /** Formats of DuckDB's strptime, tried in order; empty: as ISO 8601 or as the column's own type. */
  readonly parse: readonly string[];
  /** Values that stand for others, compared without case; null: the value as it is. */
  readonly map: Readonly<Record<string, string>> | null;
  /** For values that `map` does not list. */
  readonly otherwise: string | null;
}

export interface PositionColumn {
  readonly column: string;
  /** Taken away, so that positions begin with 0. */
  readonly minus: number;
}

export interface EventColumns {
  readonly scheduled: Expression;
  /** One of the two: a delay, or the time at which it happened. */
  readonly delay: { readonly column: string; readonly unit: 'seconds' | 'minutes' } | null;
  readonly actual: Expression | null;
  /** Gives `observed_actual`, `forecast` or `unknown`; what else it gives is unknown. */
  readonly evidence: Expression;
}

export interface Condition {
  readonly column: string;
  /** Compared as texts, without case. */
  readonly in: readonly string[];
}

/** A delay of this value says nothing where the rule holds; in the archive's unit, seconds where it tells times. */
export interface UnknownRule {
  readonly value: number;
  readonly where: UnknownWhere;
}

export type UnknownWhere =
  | { readonly kind: 'always' }
  /** Behind the last call of the trip that tells another value; a trip that tells no other value is believed. */
  | { readonly kind: 'afterLastOther' }
  | { readonly kind: 'condition'; readonly when: Condition }
  /** Scheduled after the moment in a column: the call was still to come when the row was recorded. */
  | { readonly kind: 'scheduledAfter'; readonly column: string }
  /** Where the archive tells, over at least so many rows with the same value in a column, nothing else. */
  | { readonly kind: 'neverOther'; readonly column: string; readonly rows: number };

export interface DuplicateRule {
  readonly keep: 'first' | 'last';
  /** A column whose greatest value tells the last one; null: the order in the file. */
  readonly by: string | null;
}

/** The mapping is wrong; the message names its key. Whoever wrote it can put it right. */
export class MappingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MappingError';
  }
}
