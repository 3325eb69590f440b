import type { EpochDay, Instant } from '../../model/service-time.ts';

/** Facts of an answer, besides its reports. */
export interface MatchContext {
  /** Id of the timetable source whose ids the publisher uses; null: any that is loaded. */
  readonly timetableSource: string | null;
  readonly now: Instant;
}

/**
 * How a dated trip was matched, most certain first.
 * - `trip_id`: by id on the reported date; for a trip of a frequency, with its start time
 * - `trip_id_no_date`: by id, on the day nearest to the reported times
 * - `headway_run`: the dated trip nearest to the reported start, of a frequency without exact times
 * - `route_start`: by route, first departure, direction and stops; its id is not in the timetable, or not on that day
 * - `stop_line_time`: by line and planned time at its stops, to the minute
 * - `stop_line_near_time`: the same, up to two minutes off
 * - `resolved_id`: by an earlier report of the source with the same id that was matched
 */
export type MatchedBy =
  | 'trip_id'
  | 'trip_id_no_date'
  | 'headway_run'
  | 'route_start'
  | 'stop_line_time'
  | 'stop_line_near_time'
  | 'resolved_id';

/** Whether a report has the id of the matched trip: then the stop_sequences of its calls are that trip's. */
export function isFoundById(how: MatchedBy): boolean {
  return how === 'trip_id' || how === 'trip_id_no_date' || how === 'headway_run';
}

/**
 * Why a trip was not matched.
 * - `unknown_trip`: its id is not in the timetable, and no other data of the report identifies it
 * - `not_running`: it is in the timetable, but not on that day
 * - `no_start_time`: its id is that of several trips of a frequency
 * - `unknown_line`, `unknown_stop`: the timetable has no such line; none of the stops could be linked
 * - `no_planned_time`: it has no id, and no stop with a planned time to look it up by
 * - `no_candidate`: the line has no such departure
 * - `unknown_direction`: the line has one, but its direction is not certain
 * - `ambiguous`: more than one fits; none is guessed
 */
export type UnmatchedReason =
  | 'unknown_trip'
  | 'not_running'
  | 'no_start_time'
  | 'unknown_line'
  | 'unknown_stop'
  | 'no_planned_time'
  | 'no_candidate'
  | 'unknown_direction'
  | 'ambiguous';

interface Unmatched {
  readonly kind: 'unmatched';
  readonly reason: UnmatchedReason;
}

/** Calls of a report in the pattern of its trip. */
export interface CallPositions {
  /** One for each call, rising; -1 for one that the trip does not have. */
  readonly positions: Int32Array;
  /** Calls of position -1, except those that the publisher reports as unplanned. */
  readonly callProblems: number;
}

export interface DatedMatch extends CallPositions {
  readonly kind: 'dated';
  /** Row of the timetable's trips. */
  readonly trip: number;
  readonly day: EpochDay;
  readonly how: MatchedBy;
}

/** `added`: reported as not in the timetable; `Matcher.matchRoute` and `matchStops` help to describe it. */
export type TripMatch = DatedMatch | { readonly kind: 'added' } | Unmatched;

/**
 * `route`: only the line is certain; then `trip` may be a row of the timetable's trips that is known by its id but does
 * not run on the day, or null.
 */
export type VehicleMatch =
  | {
      readonly kind: 'dated';
      readonly trip: number;
      readonly day: EpochDay;
      readonly route: number;
      /** Call that its publisher reports it at or heading to, or -1: the nearest one is never guessed. */
      readonly position: number;
      readonly how: MatchedBy;
    }
  | {
      readonly kind: 'route';
      readonly route: number;
      readonly trip: number | null;
      readonly reason: UnmatchedReason;
    }
  | Unmatched;

/**
 * A condition of an alert in the timetable: rows, each once and rising. All members must be met; null is always met, an
 * empty list never, because the timetable has nothing of what is named.
 */
export interface MatchedEntity {
  readonly routes: readonly number[] | null;
  readonly directionId: 0 | 1 | null;
  /** A station represents its platforms. */
  readonly stops: readonly number[] | null;
  readonly trips: readonly { readonly trip: number; readonly day: EpochDay }[] | null;
}

/** Where an alert applies, and the entities that it names. */
export interface AlertMatch {
  /** It applies where one of these is met. */
  readonly entities: readonly MatchedEntity[];
  /** Of the publisher, else of the agencies of which the alert concerns all lines. */
  readonly operatorNames: readonly string[];
  /** As reported, else as in the timetable; including stops that it does not have. */
  readonly stopNames: readonly string[];
  readonly lines: readonly {
    readonly label: string;
    readonly operatorName: string | null;
    readonly region: string | null;
  }[];
  /** Number of lines, stops and trips that the alert names and the timetable does not have. */
  readonly unmatchedCount: number;
}
