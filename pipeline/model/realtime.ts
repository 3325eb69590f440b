import type { Occupancy } from './occupancy.ts';
import type { RecordProblem } from './problem.ts';
import type { Product } from './product.ts';
import type { Instant, ServiceDate, ServiceTime } from './service-time.ts';
import type { SharingReport } from './sharing.ts';

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
 * An upstream answer in our model, before it is matched to the timetable. Every grammar produces this shape, so
 * matching, merging and the lake depend on no other. `null`: not reported by the publisher.
 */
export interface SourceUpdate {
  /** Publication time in the header of the answer. */
  readonly publishedAt: Instant | null;
  /**
   * Whether the answer is frozen: its times are far from now, or its header is old. It is counted, but not shown as
   * live: all of its times have evidence `unknown`.
   */
  readonly isFrozen: boolean;
  /**
   * `all`: future events of earlier answers to the same request that this one lacks are withdrawn. `mentioned`: only
   * the named records change (GTFS-RT DIFFERENTIAL).
   */
  readonly scope: 'all' | 'mentioned';
  /** Delays propagate to later calls, as in the GTFS-Realtime reference; otherwise each call stands alone. */
  readonly isPropagating: boolean;
  readonly trips: readonly TripReport[];
  readonly vehicles: readonly VehicleReport[];
  readonly alerts: readonly AlertReport[];
  readonly stationBoards: readonly StationBoard[];
  /** Stops and shapes that the publisher adds to the timetable. */
  readonly stops: readonly StopReport[];
  readonly shapes: readonly ShapeReport[];
  readonly modifications: readonly ModificationReport[];
  /** Ids of entities withdrawn by a differential answer. */
  readonly deletedIds: readonly string[];
  /** Data of a sharing system; absent for other sources. */
  readonly sharing?: SharingReport;
  /** Further files that this answer lists; absent if it lists none. */
  readonly listedFiles?: readonly ListedFile[];
  /** Time to live of the answer as published; absent if not published. */
  readonly validSeconds?: number;
  /** Records in the answer, refused ones included. */
  readonly recordCount: number;
  /** One for each record that was refused, or kept without an invalid part. */
  readonly problems: readonly RecordProblem[];
}

/** An update without records, as the base of others. */
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

/** A file of a source that another of its answers lists. */
export interface ListedFile {
  /** Part of its request, `[a-z0-9-]`. */
  readonly part: string;
  readonly url: string;
}

/** Namespace of stop ids: the timetable's, Wiener Linien's stations and platforms, IFOPT (`at:49:…`), HAFAS. */
export type IdSpace = 'gtfs' | 'diva' | 'rbl' | 'ifopt' | 'hafas';

export interface StopName {
  readonly id: string | null;
  readonly idSpace: IdSpace;
  readonly name: string | null;
  /** Degrees. */
  readonly lat: number | null;
  readonly lon: number | null;
  /** For a stop that the timetable lacks: GTFS stop_id of its station, and its platform, as published. */
  readonly stationId?: string | null;
  readonly platformCode?: string | null;
}

/** How an upstream identifies a dated trip; matching finds the row of the timetable and the service date. */
export interface TripName {
  /** GTFS trip_id, or the upstream's own reference. */
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
  /** Position in the answer, e.g. `entity 4711`; for problems and tracing. */
  readonly place: string;
  readonly trip: TripName;
  readonly relationship: TripRelationship;
  /** The id of the new trip, for `duplicated` (and `added` where it differs). */
  readonly newTripId: string | null;
  /** When the publisher recorded the trip. */
  readonly recordedAt: Instant | null;
  /** Delay of the whole trip, for calls without their own; positive is late. */
  readonly delaySeconds: number | null;
  /** The reported calls, in travel order. */
  readonly calls: readonly CallReport[];
  readonly vehicleId: string | null;
  /** Origin, for trips that the timetable lacks. */
  readonly originName: string | null;
  /** Reported as a special service. */
  readonly isSpecial: boolean;
  /** As published for this dated trip, where it differs from the timetable. */
  readonly properties?: TripProperties;
}

interface TripProperties {
  readonly headsign: string | null;
  readonly shapeId: string | null;
  /** The calls are those of the trip after its modification: its stop_sequences count them from 1. */
  readonly isModified: boolean;
}

export interface CallReport {
  /** GTFS stop_sequence. */
  readonly stopSequence: number | null;
  readonly stop: StopName | null;
  readonly arrival: ReportedTime | null;
  readonly departure: ReportedTime | null;
  /**
   * `skipped`: reported as served by neither event; `noData`: unknown from here on; `unplanned`: not in the timetable.
   */
  readonly state: 'normal' | 'skipped' | 'noData' | 'unplanned';
  /** The event that is cancelled while the other takes place: the trip ends or begins here. */
  readonly cancelledEvent: 'arrival' | 'departure' | null;
  readonly scheduledPlatform: string | null;
  readonly platform: string | null;
  /** GTFS stop_id of another platform. */
  readonly assignedStopId: string | null;
  /** How full the vehicle departs from this call; absent if not reported. */
  readonly departureOccupancy?: Occupancy;
  /** As published for this call, where it differs from the timetable. */
  readonly properties?: CallProperties;
}

export interface CallProperties {
  readonly headsign: string | null;
  /** Whether passengers may board and alight. */
  readonly pickup: boolean | null;
  readonly dropOff: boolean | null;
}

/** A stop described in realtime, valid while it is published. */
export interface StopReport {
  readonly place: string;
  /** Absent: `gtfs`. */
  readonly idSpace?: 'rbl';
  /** GTFS stop_id, or number of a platform. */
  readonly id: string;
  readonly name: string | null;
  /** Degrees. */
  readonly lat: number | null;
  readonly lon: number | null;
  /** GTFS stop_id of its station; of a platform of Wiener Linien its DIVA number. */
  readonly parentStation: string | null;
  readonly platformCode: string | null;
}

export interface ShapeReport {
  readonly place: string;
  readonly id: string;
  /** The encoded polyline, of five decimals. */
  readonly polyline: string;
}

/** A detour: on some service dates, trips skip planned calls and serve other stops. */
export interface ModificationReport {
  readonly place: string;
  readonly trips: readonly { readonly tripId: string; readonly shapeId: string | null }[];
  /** Of trips of a frequency; empty: any. */
  readonly startTimes: readonly ServiceTime[];
  readonly serviceDates: readonly ServiceDate[];
  /** In travel order. */
  readonly changes: readonly CallChange[];
}

/** A range of calls replaced by other stops. */
export interface CallChange {
  /** The first affected call; it takes place if `last` is null. */
  readonly first: CallName;
  /** The last skipped call; null if none is skipped. */
  readonly last: CallName | null;
  /** Added to all times after the detour. */
  readonly delaySeconds: number;
  readonly stops: readonly {
    readonly stop: StopName;
    /** From the arrival at the call before `first`, or at `first` itself if that is the first call of the trip. */
    readonly travelSeconds: number | null;
  }[];
}

export interface CallName {
  /** GTFS stop_sequence. */
  readonly stopSequence: number | null;
  readonly stop: StopName | null;
}

export interface ReportedTime {
  readonly scheduledTime: Instant | null;
  /** Estimated or observed. */
  readonly time: Instant | null;
  /** In place of `time`. */
  readonly delaySeconds: number | null;
  /**
   * Whether the publisher reports a past time as observed (decisions, section 5). Otherwise it stays a forecast for
   * ever.
   */
  readonly isMeasured: boolean;
}

export interface VehicleReport {
  readonly place: string;
  readonly id: string;
  readonly label: string | null;
  readonly trip: TripName | null;
  /** Relationship of its trip: `scheduled` unless reported otherwise. A duplicate has its own id. */
  readonly relationship: TripRelationship;
  readonly lat: number;
  readonly lon: number;
  /** Degrees clockwise from north, 0 to 359. */
  readonly headingDeg: number | null;
  readonly recordedAt: Instant | null;
  readonly stop: StopName | null;
  readonly stopSequence: number | null;
  readonly stopStatus: 'incomingAt' | 'stoppedAt' | 'inTransitTo' | null;
  /** How full it is now; absent if not reported. */
  readonly occupancy?: Occupancy;
}

/** An alert with its publisher's texts, cleaned of HTML. */
export interface AlertReport {
  readonly place: string;
  /** The publisher's id, unique within the source. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** The publisher's own category, e.g. `stoerungkurz`, `CONSTRUCTION`. */
  readonly category: string | null;
  /** 0 most urgent … 100 least; each grammar maps its publisher's priorities. */
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  readonly operatorName: string | null;
  /** About access to the vehicle: lifts, stairs, entrances. */
  readonly isAccess: boolean;
  /** Validity periods; empty: valid while it is published. */
  readonly activeWindows: readonly { readonly from: Instant | null; readonly to: Instant | null }[];
  /** All lines, stops and trips that it names, without duplicates. */
  readonly lines: readonly AlertLine[];
  readonly stops: readonly StopName[];
  readonly trips: readonly TripName[];
  /** Where it applies: at least one must match. Empty: nowhere in particular. */
  readonly entities: readonly AlertEntity[];
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly pin: { readonly lat: number; readonly lon: number } | null;
}

/**
 * One condition of an alert. All members must match; a list matches if one of its items does, or if it is empty. Items
 * are positions in the lists of the alert. An entity with trips applies to these trips only, so it has no lines.
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

/** The departures of one station as on the publisher's own monitor. */
export interface StationBoard {
  /** Number of the station, e.g. a DIVA. */
  readonly station: string;
  /** By the publisher's clock; null if not reported. */
  readonly publishedAt: Instant | null;
  /** The feed is frozen and must not be shown. */
  readonly isFrozen: boolean;
  readonly departures: readonly {
    readonly line: string;
    readonly towards: string;
    readonly plannedAt: Instant;
    readonly realAt: Instant | null;
  }[];
}
