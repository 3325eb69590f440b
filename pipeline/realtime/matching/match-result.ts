import type { EpochDay, Instant } from '../../model/service-time.ts';

/** What is known about an answer beside its reports. */
export interface MatchContext {
  /** Id of the timetable source whose trips, routes and stops the publisher speaks of; null: any that is loaded. */
  readonly timetableSource: string | null;
  readonly now: Instant;
}

/**
 * How a dated trip was found, surest first.
 * - `trip_id`: by its id, on the date that was given; for a run of a frequency, with its start
 * - `trip_id_no_date`: by its id, on the day nearest to what is told of it
 * - `headway_run`: the run nearest to the start that was given, of a headway without exact times
 * - `route_start`: by route, first departure, direction and stops; its id is not in the timetable, or not on that day
 * - `stop_line_time`: by line and planned time at its stops, to the minute
 * - `stop_line_near_time`: the same, up to two minutes off
 * - `resolved_id`: not by what is told of it; an earlier report of the source had the same id and was found
 */
export type MatchedBy =
  | 'trip_id'
  | 'trip_id_no_date'
  | 'headway_run'
  | 'route_start'
  | 'stop_line_time'
  | 'stop_line_near_time'
  | 'resolved_id';

/** Whether a report names the very trip that was found: then the stop_sequences of its calls are that trip's. */
export function isFoundById(how: MatchedBy): boolean {
  return how === 'trip_id' || how === 'trip_id_no_date' || how === 'headway_run';
}

/**
 * Why a trip was not found.
 * - `unknown_trip`: its id is not in the timetable, and nothing else tells which one it is
 * - `not_running`: it is in the timetable, but not on that day
 * - `no_start_time`: its id names many runs of a frequency
 * - `unknown_line`, `unknown_stop`: the timetable has no such line; none of the stops could be linked
 * - `no_planned_time`: there is no id, and no stop with a planned time to look it up by
 * - `no_candidate`: the line has no such departure
 * - `unknown_direction`: the line has one, but which way it goes is not sure
 * - `ambiguous`: more than one fits; which one is never guessed
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
  /** Calls of position -1, save those that the publisher itself calls unplanned. */
  readonly callProblems: number;
}

export interface DatedMatch extends CallPositions {
  readonly kind: 'dated';
  /** Row of the timetable's trips. */
  readonly trip: number;
  readonly day: EpochDay;
  readonly how: MatchedBy;
}

/** `added`: by the publisher's word not in the timetable; `Matcher.matchRoute` and `matchStops` help to describe it. */
export type TripMatch = DatedMatch | { readonly kind: 'added' } | Unmatched;

/**
 * `route`: only the line is sure; then `trip` may be a row of the timetable's trips that is known by its id but does
 * not run on the day, or null.
 */
export type VehicleMatch =
  | {
      readonly kind: 'dated';
      readonly trip: number;
      readonly day: EpochDay;
      readonly route: number;
      /** Call that it is at or heads to by its publisher's word, or -1: the nearest one is never guessed. */
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
 * A condition of an alert in the timetable: rows, each once and rising. Its members are met together; null asks for
 * nothing, and an empty list is met nowhere, because the timetable has none of what is named.
 */
export interface MatchedEntity {
  readonly routes: readonly number[] | null;
  readonly directionId: 0 | 1 | null;
  /** A station stands for its platforms. */
  readonly stops: readonly number[] | null;
  readonly trips: readonly { readonly trip: number; readonly day: EpochDay }[] | null;
}

/** Where an alert holds, and what it names. */
export interface AlertMatch {
  /** It holds where one of these is met. */
  readonly entities: readonly MatchedEntity[];
  /** Of the publisher, else of the agencies all of whose lines it is about. */
  readonly operatorNames: readonly string[];
  /** Names as told, else as in the timetable; also of stops that it does not know. */
  readonly stopNames: readonly string[];
  readonly lines: readonly {
    readonly label: string;
    readonly operatorName: string | null;
    readonly region: string | null;
  }[];
  /** Lines, stops and trips that the alert names and the timetable does not know. */
  readonly unmatchedCount: number;
}
