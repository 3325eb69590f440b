import type { Problem } from './problem.ts';
import type { Product } from './product.ts';
import type { Instant, ServiceDate, ServiceTime } from './service-time.ts';

/** Kinds of news, as the contract's `Notice.kind` lists them. */
export const noticeKinds = [
  'replacementService',
  'construction',
  'cancellation',
  'information',
  'emergency',
  'allClear',
  'loadingTime',
  'announcement',
  'other',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

/**
 * What upstreams say, in the words of the model, before any of it is matched to the timetable. Every grammar ends
 * here, so matching, merging and the lake know one shape alone. `null` means that the publisher did not say.
 */
export interface SourceUpdate {
  /** Header time of the answer; when the publisher knew. */
  readonly publishedAt: Instant | null;
  /**
   * Whether its times may be shown as live. A frozen answer (its times stand far from now, or its header is old) is
   * counted, and all of its times are of evidence `unknown`.
   */
  readonly isFrozen: boolean;
  /**
   * `all`: what an earlier answer of the same request said of the future and this one does not is withdrawn.
   * `mentioned`: only what is named changes (GTFS-RT DIFFERENTIAL).
   */
  readonly scope: 'all' | 'mentioned';
  /** Delays carry on to the calls after, as the GTFS-Realtime reference says; else each call speaks for itself. */
  readonly isPropagating: boolean;
  readonly trips: readonly TripReport[];
  readonly vehicles: readonly VehicleReport[];
  readonly alerts: readonly AlertReport[];
  readonly stationBoards: readonly StationBoard[];
  /** Ids of entities withdrawn by a differential answer. */
  readonly deletedIds: readonly string[];
  /** Records that the answer held, refused ones included. */
  readonly recordCount: number;
  /** One for each record that was refused or kept with something left out. */
  readonly problems: readonly Problem[];
}

/** An answer that says nothing: to be spread under what an answer does say. */
export const emptyUpdate: SourceUpdate = {
  publishedAt: null,
  isFrozen: false,
  scope: 'all',
  isPropagating: false,
  trips: [],
  vehicles: [],
  alerts: [],
  stationBoards: [],
  deletedIds: [],
  recordCount: 0,
  problems: [],
};

/** Whose ids they are: the timetable's own, Wiener Linien's stations and platforms, IFOPT (`at:49:…`), HAFAS. */
export type IdSpace = 'gtfs' | 'diva' | 'rbl' | 'ifopt' | 'hafas';

export interface StopName {
  readonly id: string | null;
  readonly idSpace: IdSpace;
  readonly name: string | null;
  /** Degrees. */
  readonly lat: number | null;
  readonly lon: number | null;
}

/** How an upstream names a dated trip; matching makes a row of the timetable and a service day of it. */
export interface TripName {
  /** As in trips.txt, or the upstream's own reference. */
  readonly tripId: string | null;
  readonly routeId: string | null;
  readonly directionId: 0 | 1 | null;
  readonly startDate: ServiceDate | null;
  readonly startTime: ServiceTime | null;
  /** What riders call the line, e.g. `U1`. */
  readonly lineLabel: string | null;
  readonly product: Product | null;
  readonly operatorName: string | null;
  /** Where the vehicle says that it goes. */
  readonly headsign: string | null;
}

/**
 * - `scheduled`: the timetable's trip, with news
 * - `cancelled`: it does not run; `deleted`: it is not to be shown at all
 * - `added`: not in the timetable; `unscheduled`: a run of a frequency without times
 * - `replacement`: its calls take the place of the scheduled ones
 * - `duplicated`: the scheduled trip once more, at another time: start date and time are those of the repetition
 */
export type TripRelationship =
  | 'scheduled'
  | 'cancelled'
  | 'deleted'
  | 'added'
  | 'unscheduled'
  | 'replacement'
  | 'duplicated';

export interface TripReport {
  /** Where it stands in the answer, e.g. `entity 4711`; for problems and for tracing. */
  readonly place: string;
  readonly trip: TripName;
  readonly relationship: TripRelationship;
  /** The name of the new trip, for `duplicated` (and `added` where it differs). */
  readonly newTripId: string | null;
  /** When the publisher knew of this trip. */
  readonly recordedAt: Instant | null;
  /** Delay of the trip as a whole, where no call says better; positive is late. */
  readonly delaySeconds: number | null;
  /** In travel order, as far as told. */
  readonly calls: readonly CallReport[];
  readonly vehicleId: string | null;
  /** Where it comes from, for trips that the timetable does not know. */
  readonly originName: string | null;
  /** A special service by the publisher's word. */
  readonly isSpecial: boolean;
}

export interface CallReport {
  /** GTFS stop_sequence. */
  readonly stopSequence: number | null;
  readonly stop: StopName | null;
  readonly arrival: TimeReport | null;
  readonly departure: TimeReport | null;
  /** `skipped`: by explicit report; `noData`: nothing is known from here on; `unplanned`: not in the timetable. */
  readonly state: 'normal' | 'skipped' | 'noData' | 'unplanned';
  readonly scheduledPlatform: string | null;
  readonly platform: string | null;
  /** Another platform's GTFS stop id. */
  readonly assignedStopId: string | null;
}

export interface TimeReport {
  readonly scheduledTime: Instant | null;
  /** Estimated or observed. */
  readonly time: Instant | null;
  /** In place of `time`. */
  readonly delaySeconds: number | null;
  /**
   * Whether a time that lies in the past is, by the publisher's word, what happened (decisions, section 5). A time
   * without that word stays a forecast for ever.
   */
  readonly isMeasured: boolean;
}

export interface VehicleReport {
  readonly place: string;
  readonly id: string;
  readonly label: string | null;
  readonly trip: TripName | null;
  /** Of its trip: `scheduled` where nothing is said. A duplicated one is named by the id of the repetition. */
  readonly relationship: TripRelationship;
  readonly lat: number;
  readonly lon: number;
  /** Degrees clockwise from north, 0 to 359. */
  readonly headingDeg: number | null;
  readonly recordedAt: Instant | null;
  readonly stop: StopName | null;
  readonly stopSequence: number | null;
  readonly stopStatus: 'incomingAt' | 'stoppedAt' | 'inTransitTo' | null;
}

/** A piece of bad or useful news in the words of its publisher, texts cleaned of HTML. */
export interface AlertReport {
  readonly place: string;
  /** The publisher's id, unique within the source. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** Publisher's own word for the kind, e.g. `stoerungkurz`, `CONSTRUCTION`. */
  readonly category: string | null;
  /** 0 most urgent … 100 least, as far as the publisher tells; see each grammar for the mapping. */
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  readonly operatorName: string | null;
  /** It is about getting to the vehicle: lifts, stairs, entrances. */
  readonly isAccess: boolean;
  /** When it applies; empty: always while it is published. */
  readonly activeWindows: readonly { readonly from: Instant | null; readonly to: Instant | null }[];
  /** All lines, stops and trips that it names, each once. */
  readonly lines: readonly AlertLine[];
  readonly stops: readonly StopName[];
  readonly trips: readonly TripName[];
  /** What it is about: it holds where at least one of these is met. Empty: nothing in particular. */
  readonly entities: readonly AlertEntity[];
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly pin: { readonly lat: number; readonly lon: number } | null;
}

/**
 * One condition of an alert. Its members are met together; of a member's list one item is enough, and an empty list asks
 * for nothing. Items are positions in the lists of the alert. One that names trips is of these trips alone, so it names
 * no line.
 */
export interface AlertEntity {
  readonly lines: readonly number[];
  readonly stops: readonly number[];
  readonly trips: readonly number[];
  readonly directionId: 0 | 1 | null;
}

export interface AlertLine {
  /** What riders call it; null for all lines of the operator, or where only `routeId` is known. */
  readonly label: string | null;
  readonly routeId: string | null;
  /** GTFS agency_id. */
  readonly agencyId: string | null;
  readonly operatorName: string | null;
  readonly region: string | null;
}

/** The departures of one station as its publisher's own monitor shows them. */
export interface StationBoard {
  /** Number of the station, e.g. a DIVA. */
  readonly station: string;
  /** The publisher's clock; null when it did not say. */
  readonly publishedAt: Instant | null;
  /** The feed stands still: nothing of it is shown. */
  readonly isFrozen: boolean;
  readonly departures: readonly {
    readonly line: string;
    readonly towards: string;
    readonly plannedAt: Instant;
    readonly realAt: Instant | null;
  }[];
}
