import type { Problem } from './problem.ts';
import type { Product } from './product.ts';
import type { Instant, ServiceDate, ServiceTime } from './service-time.ts';

/** Kinds of alerts, as the contract's `Notice.kind` lists them. */
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
 * An upstream's answer in our model, before it is matched to the timetable. Every grammar produces this shape, so
 * matching, merging and the lake know no other. `null` means that the publisher did not report the value.
 */
export interface SourceUpdate {
  /** Header time of the answer: when the publisher knew. */
  readonly publishedAt: Instant | null;
  /**
   * Whether its times must not be shown as live. A frozen answer (its times are far from now, or its header is old) is
   * counted, and all of its times have evidence `unknown`.
   */
  readonly isFrozen: boolean;
  /**
   * `all`: the future that an earlier answer of the same request reported and this one does not is withdrawn.
   * `mentioned`: only what is named changes (GTFS-RT DIFFERENTIAL).
   */
  readonly scope: 'all' | 'mentioned';
  /** Delays propagate to later calls, as in the GTFS Realtime reference; otherwise each call counts by itself. */
  readonly isPropagating: boolean;
  readonly trips: readonly TripReport[];
  readonly vehicles: readonly VehicleReport[];
  readonly alerts: readonly AlertReport[];
  readonly stationBoards: readonly StationBoard[];
  /** Stops and shapes that the publisher describes beside the timetable. */
  readonly stops: readonly StopReport[];
  readonly shapes: readonly ShapeReport[];
  readonly modifications: readonly ModificationReport[];
  /** Ids of entities withdrawn by a differential answer. */
  readonly deletedIds: readonly string[];
  /** Records in the answer, refused ones included. */
  readonly recordCount: number;
  /** One for each record that was refused or kept with something left out. */
  readonly problems: readonly Problem[];
}

/** An empty answer, the base for spreading an answer's values. */
export const emptyUpdate: SourceUpdate = {
  publishedAt: null,
  isFrozen: false,
  scope: 'all',
  isPropagating: false,
  trips: [],
  vehicles: [],
  alerts: [],
  stationBoards: [],
  stops: [],
  shapes: [],
  modifications: [],
  deletedIds: [],
  recordCount: 0,
  problems: [],
};

/** Publisher of the ids: the timetable, Wiener Linien's stations and platforms, IFOPT (`at:49:…`), HAFAS. */
export type IdSpace = 'gtfs' | 'diva' | 'rbl' | 'ifopt' | 'hafas';

export interface StopName {
  readonly id: string | null;
  readonly idSpace: IdSpace;
  readonly name: string | null;
  /** Degrees. */
  readonly lat: number | null;
  readonly lon: number | null;
  /** As the publisher describes a stop that the timetable lacks: GTFS stop_id of its station, and its platform. */
  readonly stationId?: string | null;
  readonly platformCode?: string | null;
}

/** How an upstream names a dated trip; matching finds its row of the timetable and its service day. */
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
  /** Destination as the vehicle shows it. */
  readonly headsign: string | null;
}

/**
 * - `scheduled`: a report of the timetable's trip
 * - `cancelled`: it does not run; `deleted`: it must not be shown at all
 * - `added`: not in the timetable; `unscheduled`: a dated trip of a frequency without times
 * - `replacement`: its calls replace the scheduled ones
 * - `duplicated`: the scheduled trip again at another time: start date and time are those of the duplicate
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
  /** Its place in the answer, e.g. `entity 4711`; for problems and for tracing. */
  readonly place: string;
  readonly trip: TripName;
  readonly relationship: TripRelationship;
  /** The id of the new trip, for `duplicated` (and `added` where it differs). */
  readonly newTripId: string | null;
  /** When the publisher knew of this trip. */
  readonly recordedAt: Instant | null;
  /** Delay of the whole trip, for calls without their own; positive is late. */
  readonly delaySeconds: number | null;
  /** In travel order, as far as reported. */
  readonly calls: readonly CallReport[];
  readonly vehicleId: string | null;
  /** Where it comes from, for trips that the timetable does not have. */
  readonly originName: string | null;
  /** Reported as a special service. */
  readonly isSpecial: boolean;
  /** As published for this dated trip, where it differs from the timetable. */
  readonly properties?: TripProperties;
}

export interface TripProperties {
  readonly headsign: string | null;
  readonly shapeId: string | null;
  /** The calls are those of the trip after its modification: its stop_sequences count them from 1. */
  readonly isModified: boolean;
}

export interface CallReport {
  /** GTFS stop_sequence. */
  readonly stopSequence: number | null;
  readonly stop: StopName | null;
  readonly arrival: TimeReport | null;
  readonly departure: TimeReport | null;
  /** `skipped`: neither event takes place, by explicit report; `noData`: unknown from here on; `unplanned`: not in the timetable. */
  readonly state: 'normal' | 'skipped' | 'noData' | 'unplanned';
  /** The one event that does not take place where the other does: the trip ends or begins here. */
  readonly cancelledEvent: 'arrival' | 'departure' | null;
  readonly scheduledPlatform: string | null;
  readonly platform: string | null;
  /** Another platform's GTFS stop id. */
  readonly assignedStopId: string | null;
  /** As published for this call, where it differs from the timetable. */
  readonly properties?: CallProperties;
}

export interface CallProperties {
  readonly headsign: string | null;
  /** Whether passengers may board and alight. */
  readonly pickup: boolean | null;
  readonly dropOff: boolean | null;
}

/** A stop as its publisher describes it, for as long as it is published. */
export interface StopReport {
  readonly place: string;
  /** GTFS stop_id. */
  readonly id: string;
  readonly name: string | null;
  /** Degrees. */
  readonly lat: number | null;
  readonly lon: number | null;
  /** GTFS stop_id of its station. */
  readonly parentStation: string | null;
  readonly platformCode: string | null;
}

export interface ShapeReport {
  readonly place: string;
  readonly id: string;
  /** The encoded polyline, of five decimals. */
  readonly polyline: string;
}

/** A detour: trips that on some service dates leave out calls of their plan and serve other stops. */
export interface ModificationReport {
  readonly place: string;
  readonly trips: readonly { readonly tripId: string; readonly shapeId: string | null }[];
  /** Of trips of a frequency; empty: any. */
  readonly startTimes: readonly ServiceTime[];
  readonly serviceDates: readonly ServiceDate[];
  /** In travel order. */
  readonly changes: readonly CallChange[];
}

/** A range of calls that is replaced by other stops. */
export interface CallChange {
  /** The first call that is affected; it takes place where `last` is null. */
  readonly first: CallName;
  /** The last call that is left out; null where none is. */
  readonly last: CallName | null;
  /** Added to all times after the change. */
  readonly delaySeconds: number;
  readonly stops: readonly {
    readonly stop: StopName;
    /** From the arrival at the call before `first`, or at `first` where that is the first of the trip. */
    readonly travelSeconds: number | null;
  }[];
}

export interface CallName {
  /** GTFS stop_sequence. */
  readonly stopSequence: number | null;
  readonly stop: StopName | null;
}

export interface TimeReport {
  readonly scheduledTime: Instant | null;
  /** Estimated or observed. */
  readonly time: Instant | null;
  /** In place of `time`. */
  readonly delaySeconds: number | null;
  /**
   * Whether the publisher reports a past time as what happened (decisions, section 5). Without that it stays a
   * forecast for ever.
   */
  readonly isMeasured: boolean;
}

export interface VehicleReport {
  readonly place: string;
  readonly id: string;
  readonly label: string | null;
  readonly trip: TripName | null;
  /** Of its trip: `scheduled` unless reported otherwise. A duplicate is named by its own id. */
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

/** An alert with its publisher's texts, cleaned of HTML. */
export interface AlertReport {
  readonly place: string;
  /** The publisher's id, unique within the source. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** Publisher's own word for the kind, e.g. `stoerungkurz`, `CONSTRUCTION`. */
  readonly category: string | null;
  /** 0 most urgent … 100 least, as far as the publisher reports it; see each grammar for the mapping. */
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  readonly operatorName: string | null;
  /** It concerns access to the vehicle: lifts, stairs, entrances. */
  readonly isAccess: boolean;
  /** When it applies; empty: always while it is published. */
  readonly activeWindows: readonly { readonly from: Instant | null; readonly to: Instant | null }[];
  /** All lines, stops and trips that it names, each once. */
  readonly lines: readonly AlertLine[];
  readonly stops: readonly StopName[];
  readonly trips: readonly TripName[];
  /** Where it applies: at least one of these must be met. Empty: nowhere in particular. */
  readonly entities: readonly AlertEntity[];
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly pin: { readonly lat: number; readonly lon: number } | null;
}

/**
 * One condition of an alert. All its members must be met; of a member's list one item is enough, and an empty list is
 * always met. Items are positions in the lists of the alert. An entity with trips applies to these trips only, so it
 * has no lines.
 */
export interface AlertEntity {
  readonly lines: readonly number[];
  readonly stops: readonly number[];
  readonly trips: readonly number[];
  readonly directionId: 0 | 1 | null;
}

export interface AlertLine {
  /** Label for riders; null for all lines of the operator, or where only `routeId` is known. */
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
  /** By the publisher's clock; null when it is not reported. */
  readonly publishedAt: Instant | null;
  /** The feed is frozen: none of it is shown. */
  readonly isFrozen: boolean;
  readonly departures: readonly {
    readonly line: string;
    readonly towards: string;
    readonly plannedAt: Instant;
    readonly realAt: Instant | null;
  }[];
}
