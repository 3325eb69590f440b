import type { RecordProblem } from '../../model/problem.ts';

/**
 * An answer of TRIAS or OJP as written: texts, not yet times or numbers. `null`: the element is absent or empty.
 */
export interface RawAnswer {
  readonly kind: 'trias' | 'ojp';
  /** Version of the standard, from the root element. */
  readonly version: string | null;
  readonly responseTime: string | null;
  readonly trips: readonly RawTrip[];
  readonly situations: readonly RawSituation[];
  /** Stops whose names and coordinates the answer's context contains. */
  readonly places: readonly TriasPlace[];
  /**
   * Stop events, timed legs, trip infos, situations and found locations, refused ones included. Neither walks nor the
   * places of the context, which only describe other records, are counted.
   */
  readonly recordCount: number;
  readonly problems: readonly RecordProblem[];
}

/** One dated trip of a stop event, a timed leg or a trip info, with the calls that it contains. */
export interface RawTrip {
  /** Position in the answer, e.g. `StopEventResult 2`. */
  readonly place: string;
  readonly operatingDayRef: string | null;
  readonly journeyRef: string | null;
  readonly lineRef: string | null;
  readonly lineName: string | null;
  /** Vehicle type, e.g. `Straßenbahn`. */
  readonly modeName: string | null;
  readonly ptMode: string | null;
  readonly submode: string | null;
  readonly operatorName: string | null;
  readonly originText: string | null;
  readonly destinationText: string | null;
  readonly isCancelled: boolean;
  /** Not in the timetable. */
  readonly isUnplanned: boolean;
  /** Ids as in `RawSituation.id`, of the service and of its calls. */
  readonly situationIds: readonly string[];
  /** In document order, which is travel order; at least one. */
  readonly calls: readonly RawCall[];
}

export interface RawCall {
  readonly stopPointRef: string | null;
  readonly stopPointName: string | null;
  readonly plannedBay: string | null;
  readonly estimatedBay: string | null;
  readonly arrival: RawTimes | null;
  readonly departure: RawTimes | null;
  readonly isNotServiced: boolean;
  readonly isUnplanned: boolean;
}

export interface RawTimes {
  readonly timetabledTime: string | null;
  readonly estimatedTime: string | null;
  /** When the event happened. TRIAS calls it RecordedAtTime, which in SIRI is a message time. */
  readonly observedTime: string | null;
}

export interface TriasPlace {
  readonly ref: string;
  readonly name: string | null;
  readonly lat: string | null;
  readonly lon: string | null;
}

/** @see SIRI-SX, PtSituationElement */
export interface RawSituation {
  readonly place: string;
  /** Participant and number, joined by a colon. */
  readonly id: string;
  readonly version: string | null;
  /** `draft`, `published`, `closing`, `closed`, … */
  readonly progress: string | null;
  /** `real`, `test`, … */
  readonly reality: string | null;
  readonly validityPeriods: readonly { readonly startTime: string | null; readonly endTime: string | null }[];
  /** Of any group of reasons, e.g. `constructionWork`. */
  readonly reason: string | null;
  readonly severity: string | null;
  readonly priority: string | null;
  readonly scopeType: string | null;
  /** Conditions of the consequences, e.g. `cancelled`. */
  readonly conditions: readonly string[];
  readonly summary: string | null;
  /** Description, detail, advice and the like, in reading order. */
  readonly texts: readonly string[];
  readonly links: readonly { readonly label: string | null; readonly uri: string }[];
  /** A line with stops is affected only there. */
  readonly lines: readonly {
    readonly lineRef: string | null;
    readonly lineName: string | null;
    readonly stops: readonly RawAffectedStop[];
  }[];
  /** Stops outside lines and journeys. */
  readonly stops: readonly RawAffectedStop[];
  /** A journey with stops is affected only there. */
  readonly journeys: readonly {
    readonly journeyRef: string;
    readonly operatingDay: string | null;
    readonly lineRef: string | null;
    readonly stops: readonly RawAffectedStop[];
  }[];
  readonly operatorName: string | null;
}

export interface RawAffectedStop {
  readonly stopPointRef: string | null;
  readonly stopPointName: string | null;
}
