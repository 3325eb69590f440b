import type { ColumnsOf } from '../model/column.ts';
import type { GeoBox } from '../model/geo.ts';
import type { PredictionModelState } from '../model/prediction.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import { sharingTables } from './sharing-contract.ts';

/** Vehicles seen longer ago are not shown. @see specification, Limits */
export const VEHICLE_MAX_AGE_SECONDS = 8 * 60;

/**
 * The realtime snapshot: all realtime data that the API reads, as one file of Arrow tables, replaced whole by
 * each poll. It belongs to one timetable snapshot and refers to stops, routes and trips by their rows. `texts` holds
 * every text once; a text column is a row of it, or -1. Instants are seconds since 1970 UTC, 0 where unknown.
 */
export const realtimeTables = {
  texts: { text: 'text' },
  /** Reported dated trips of the timetable, sorted by trip, then day. */
  trips: {
    trip: 'i32',
    /** Service day, since 1970. */
    day: 'i32',
    /** Row of `calls` of its first call; one row for each call of its pattern. */
    firstCall: 'i32',
    /** Bits of `tripFlags`. */
    flags: 'u8',
    /** Row of `addedTrips` that is the same trip with other calls, or -1. */
    replacedBy: 'i32',
    /** Of a cancelled trip: row of `addedTrips` of the additional trip that runs instead, or -1. */
    substitute: 'i32',
    /** When the newest report of it was published. */
    recordedAt: 'u32',
    /** Until this instant the times of its calls hold as they are; then some forecasts of them have expired. */
    settledUntil: 'u32',
  },
  /** Settled by `settleTimes`: times never fall along a trip. */
  calls: {
    /** Expected or observed; 0 where the plan holds. */
    arrival: 'u32',
    departure: 'u32',
    /** Position in `prognoses`. */
    arrivalPrognosis: 'u8',
    departurePrognosis: 'u8',
    /** Position in the manifest's `sources`. */
    source: 'u8',
    /** Bits of `callFlags`. */
    flags: 'u8',
    /**
     * Announced platform: row of `texts`, or -1 when none is announced. An empty text: another one than planned, of
     * which the publisher and the timetable do not tell the name.
     */
    platform: 'i32',
    /** Text that the vehicle shows from here on, or -1: as planned. */
    headsign: 'i32',
    /** Instant after which a forecast is too old to be shown as live; an observation does not expire. */
    expiresAt: 'u32',
  },
  /**
   * Occupancy at departure, reported for the call or, less precisely, for the vehicle: one row for each row of `calls`,
   * or no rows if no source reports occupancies.
   */
  occupancies: {
    /** See `toOccupancyNumber`. */
    status: 'u8',
    /** Instant after which it is too old to be shown. */
    expiresAt: 'u32',
  },
  /**
   * Calls that arrive or depart later than planned, by stop: boards find here the calls that are due though their
   * planned time has passed; most are not due yet. `lateStops` is sorted by stop.
   */
  lateStops: { stop: 'i32', firstLate: 'i32', lateCount: 'i32' },
  lateCalls: { trip: 'i32', position: 'u16', scheduledDeparture: 'u32' },
  /**
   * Calls announced for another platform of their station, by the stop of this platform, whose board shows them too.
   * `movedStops` is sorted by stop.
   */
  movedStops: { stop: 'i32', firstMoved: 'i32', movedCount: 'i32' },
  movedCalls: { trip: 'i32', position: 'u16' },
  /** Dated trips that are not in the timetable, sorted by key, then day. */
  addedTrips: {
    /**
     * As `trips.key` of the timetable, used in references. A replacement has the key of the trip it replaces, and all
     * calls of that trip: those that it does not serve are cancelled.
     */
    key: 'u64',
    day: 'i32',
    source: 'u8',
    /** Bits of `tripFlags`. */
    flags: 'u8',
    /** Row of the timetable's routes, or -1: then see `label` and `product`. */
    route: 'i32',
    label: 'i32',
    /** Position in `products`. */
    product: 'u8',
    operatorName: 'i32',
    headsign: 'i32',
    originName: 'i32',
    /** Its way as an encoded polyline, or -1. */
    polyline: 'i32',
    /** The trip of the timetable that it replaces or duplicates, or -1. */
    basedOn: 'i32',
    firstCall: 'i32',
    callCount: 'u16',
    recordedAt: 'u32',
    /** As in `trips`. */
    settledUntil: 'u32',
  },
  addedCalls: {
    /** Row of the timetable's stops, or -1: then see `stopName`. */
    stop: 'i32',
    stopName: 'i32',
    /** Degrees, as the publisher describes the stop; NaN where it does not. */
    lat: 'f64',
    lon: 'f64',
    /** 0 where the publisher gives no plan. */
    scheduledArrival: 'u32',
    scheduledDeparture: 'u32',
    arrival: 'u32',
    departure: 'u32',
    arrivalPrognosis: 'u8',
    departurePrognosis: 'u8',
    flags: 'u8',
    scheduledPlatform: 'i32',
    platform: 'i32',
    headsign: 'i32',
    expiresAt: 'u32',
  },
  /** As `occupancies`, of `addedCalls`. */
  addedOccupancies: { status: 'u8', expiresAt: 'u32' },
  /** Calls of added trips by station, or by stop where it belongs to none; sorted by it. */
  addedStations: { station: 'i32', firstCall: 'i32', callCount: 'i32' },
  addedStationCalls: { addedTrip: 'i32', position: 'u16' },
  /** Newest position of each vehicle. */
  vehicles: {
    id: 'i32',
    source: 'u8',
    lat: 'f64',
    lon: 'f64',
    /** 0 to 359, or -1. */
    headingDeg: 'i16',
    observedAt: 'u32',
    /** Row of the timetable's trips and service day; or row of `addedTrips`; or -1. */
    trip: 'i32',
    day: 'i32',
    addedTrip: 'i32',
    /** Row of the timetable's routes, or -1: then see `label`, which may be -1 too. */
    route: 'i32',
    label: 'i32',
    direction: 'i32',
    /** Call of the trip that it is at or heads to, or -1. */
    position: 'i16',
    isStopped: 'u8',
  },
  /**
   * Predictions of our model for dated trips under way, sorted by trip, then day. At most eight minutes old when
   * published; readers check `observedAt` again.
   */
  predictions: {
    trip: 'i32',
    /** Service day, since 1970. */
    day: 'i32',
    /** Position of the last observed call, when it was observed, and its delay then. */
    position: 'u16',
    observedAt: 'u32',
    delaySeconds: 'i32',
    /** Position in the manifest's `sources` of the source that observed it. */
    source: 'u8',
    /** Position in `evidences`, of the observation. */
    evidence: 'u8',
    /** 1 where a vehicle was seen there, 0 where a stop event reported it. */
    isFromPosition: 'u8',
    /** Rows of `predictedCalls`: of all calls after `position`, in their order. */
    firstCall: 'i32',
    callCount: 'u16',
  },
  /** Delay of a future arrival: p10, p50, p90; seconds, early is negative. */
  predictedCalls: { low: 'i16', median: 'i16', high: 'i16' },
  /** Learnt probabilities of transfers between trips of a source: see `readTransferModel`. */
  transferModels: {
    /** Position in the manifest's `sources`. */
    source: 'u8',
    /** Rows of `transferModelBytes`. */
    firstByte: 'i32',
    byteCount: 'i32',
  },
  transferModelBytes: { byte: 'u8' },
  /** One JSON text per alert, see `PublishedAlert`; most urgent first, then id. */
  alerts: { json: 'text' },
  /** Stations of `/v1/city-transit/metro`, sorted by number. */
  stationBoards: {
    station: 'u32',
    fetchedAt: 'u32',
    isFrozen: 'u8',
    source: 'u8',
    firstDeparture: 'i32',
    departureCount: 'i32',
  },
  stationDepartures: { line: 'i32', towards: 'i32', plannedAt: 'u32', realAt: 'u32' },
  ...sharingTables,
} as const;

export type RealtimeTables = {
  readonly [Table in keyof typeof realtimeTables]: ColumnsOf<(typeof realtimeTables)[Table]>;
};

export const tripFlags = {
  /** By explicit report. */
  cancelled: 1,
  /** Must not be shown. */
  deleted: 2,
  /** Some of its calls are cancelled, not all. */
  partlyCancelled: 4,
  /** Not in the timetable: the contract's `serviceKind` `additional`. */
  additional: 8,
  /** The contract's `serviceKind` `special`. */
  special: 16,
  /** Another dated trip runs instead. */
  replaced: 32,
} as const;

export const callFlags = {
  /** The arrival does not take place: by explicit report, or because the trip begins later. */
  arrivalCancelled: 1,
  /** Two sources disagree about it. */
  sourceConflict: 2,
  /** Unknown by the publisher's report. */
  noData: 4,
  /** Not in the timetable. */
  unplanned: 8,
  /** The time comes from the position of a vehicle. */
  fromPosition: 16,
  /** The departure does not take place: by explicit report, or because the trip ends earlier. */
  departureCancelled: 32,
  /** The vehicle departs, and nobody may board it; or arrives, and nobody may alight. */
  boardingClosed: 64,
  alightingClosed: 128,
} as const;

/** Both events of a call. */
export const CALL_CANCELLED = callFlags.arrivalCancelled | callFlags.departureCancelled;
export const CALL_CLOSED = callFlags.boardingClosed | callFlags.alightingClosed;

/** Rises with every change of `realtimeTables` or of the manifest: a snapshot of another format is refused. */
export const REALTIME_FORMAT_VERSION = 12;

export interface RealtimeManifest {
  readonly kind: 'realtime';
  readonly formatVersion: number;
  readonly id: string;
  /** The timetable snapshot whose rows it names. */
  readonly timetableId: string;
  readonly createdAt: string;
  readonly sources: readonly RealtimeSourceState[];
  /** The models behind `predictions`, by source; a source without one forecasts nothing. */
  readonly models: readonly PredictionModelState[];
}

/** Areas of `/v1/status` that depend on realtime sources. */
export type RealtimeArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** State of one source. Times are ISO 8601 UTC. */
export interface RealtimeSourceState {
  readonly id: string;
  readonly kind: string;
  /** Whether its licence allows an archive: without one it has no history. Older snapshots lack it: no history. */
  readonly archive: 'full' | 'none';
  /** Paused on purpose by the operator. */
  readonly isStandby: boolean;
  /** The newest usable answer of each part; null: never. */
  readonly lastSuccessAt: string | null;
  /** The same by area, where an area has separate requests; an area that is absent is as old as the source. */
  readonly lastSuccessByArea: Readonly<Partial<Record<RealtimeArea, string | null>>>;
  readonly lastAttemptAt: string | null;
  /** Areas with a request since the poller started. */
  readonly requestedAreas: readonly RealtimeArea[];
  /** Code of the present failure, e.g. `http_timeout`, `budget_spent`, `frozen`; null: none. */
  readonly trouble: string | null;
  /** Since when there is trouble, of whatever code; older snapshots lack it. */
  readonly troubleSince?: string | null;
  /** Whether requests are paused after failures in a row; older snapshots lack it. */
  readonly isCircuitOpen?: boolean;
  /** Where its requests are redirected; absent: nowhere, or the kind of the source does not report it. */
  readonly redirectedTo?: string;
  readonly maxAgeSeconds: number;
  /** The areas of `/v1/status` that depend on it. */
  readonly provides: readonly RealtimeArea[];
  readonly coverage: readonly string[];
  readonly isNationwide: boolean;
  /** From the configuration or the publisher; null where neither gives it. */
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Map cells in which vehicles that it polls were seen during the last day, see `nameCoverageCell`. */
  readonly vehicleCells: readonly string[];
  /** For a source that is polled for map areas on demand; null otherwise. */
  readonly onDemand: {
    /** Its request budget allows no further area. */
    readonly isCapped: boolean;
    readonly areas: readonly { readonly box: GeoBox; readonly requestedAt: string }[];
  } | null;
  /** How the records of the newest answers were counted. */
  readonly tally: RealtimeTally;
}

/** An alert as the api shows it: places matched, texts cleaned, reports of several sources merged. */
export interface PublishedAlert {
  /** `<source>:<publisher's id>`; stable while it is published. */
  readonly id: string;
  readonly sources: readonly string[];
  readonly kind: string;
  readonly category: string | null;
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  readonly operatorNames: readonly string[];
  readonly isAccess: boolean;
  /** Seconds since 1970; null: open. */
  readonly activeWindows: readonly { readonly from: number | null; readonly to: number | null }[];
  readonly lines: readonly {
    readonly label: string;
    readonly operatorName: string | null;
    readonly region: string | null;
  }[];
  /** The alert applies where one of these is met; empty: nowhere in particular. */
  readonly entities: readonly PublishedEntity[];
  /** Names of stops, including those that the timetable does not have. */
  readonly stopNames: readonly string[];
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly pin: { readonly lat: number; readonly lon: number } | null;
}

/**
 * A condition of an alert, in rows of the timetable. All its members must be met; null is always met, an empty list
 * never.
 */
export interface PublishedEntity {
  readonly routes: readonly number[] | null;
  readonly directionId: 0 | 1 | null;
  readonly stops: readonly number[] | null;
  /** Rows of the timetable's trips, and service days. */
  readonly trips: readonly { readonly trip: number; readonly day: number }[] | null;
}

export interface RealtimeSnapshot {
  readonly manifest: RealtimeManifest;
  readonly tables: RealtimeTables;
}
