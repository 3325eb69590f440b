import type { CallChange, ModificationReport, ShapeReport, StopReport, TripName } from '../../model/realtime.ts';
import type { EpochDay } from '../../model/service-time.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { DatedMatch } from '../matching/match-result.ts';

/** A change with its position in a trip: it omits the calls from `firstPosition` up to, not including, `endPosition`. */
export interface PlacedChange extends CallChange {
  readonly firstPosition: number;
  readonly endPosition: number;
}

/** A dated trip of the timetable that a modification concerns. */
export interface ModifiedTrip {
  readonly key: bigint;
  readonly day: EpochDay;
  readonly match: DatedMatch;
  readonly name: TripName;
  /** The part of the source that publishes the modification. */
  readonly part: string;
  readonly place: string;
  /** Null if the trip does not have the calls to be changed. */
  readonly changes: readonly PlacedChange[] | null;
  readonly polyline: string | null;
  /** Changes with the content of the modification. */
  readonly signature: string;
}

/** The trips affected by the modifications of a source. */
export interface ModificationIndex {
  /** The timetable of the trips. */
  readonly tables: TimetableTables;
  /** By `datedTripKey`. */
  readonly trips: ReadonlyMap<string, ModifiedTrip>;
  /** By part: numbers of modifications that cannot be applied, by code. */
  readonly problems: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** Stops, shapes and modifications of trips, by their ids: those of a modification are its place. */
export interface PartEntities {
  readonly stops: ReadonlyMap<string, StopReport>;
  readonly shapes: ReadonlyMap<string, ShapeReport>;
  readonly modifications: ReadonlyMap<string, ModificationReport>;
}

export const NO_ENTITIES: PartEntities = { stops: new Map(), shapes: new Map(), modifications: new Map() };
