import type { ColumnsOf, FileFacts } from '../model/column.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { RecordProblem } from '../model/problem.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { fareTables } from './fare-tables.ts';
import { onDemandTables } from './on-demand-tables.ts';
import { searchEntryColumns, searchTables } from './search-tables.ts';

/**
 * The timetable snapshot: all timetable data that the API reads, as Arrow tables in one folder. Rows refer to rows of
 * other tables by number. `first…` and `…Count` name a range of rows. Times are service times: seconds from noon minus
 * 12 h of the service date in the zone of the trip's route. Within a pattern no trip overtakes another: at every call,
 * arrivals and departures are in the order of trips.
 */
export const timetableTables = {
  sources: { sourceId: 'text' },
  /**
   * Feed versions by source, the one in force at build time first. Each applies on its own service dates; all versions
   * of a source share its stops.
   */
  feeds: {
    source: 'u16',
    feedVersion: 'text',
    /** First and last day since 1970; the least and the greatest number for the first and last version of a source. */
    firstDay: 'i32',
    lastDay: 'i32',
  },
  zones: { name: 'text' },
  agencies: { source: 'u16', agencyId: 'text', name: 'text' },
  texts: { text: 'text' },
  stops: {
    source: 'u16',
    /** As published; the public id is `<source>:<stopId>`. */
    stopId: 'text',
    /** As shown to riders: prefixed with the town if several places have the published name. */
    name: 'text',
    /** Name as published, also used to match stops of other publishers. */
    publishedName: 'text',
    /** Degrees; NaN where unknown. */
    lat: 'f64',
    lon: 'f64',
    /** The station, or the stop itself; stations published more than once are merged, see `mergedStops`. */
    station: 'i32',
    /** The station as published, or the stop itself: the feed's rules for a station apply to these platforms. */
    publishedStation: 'i32',
    locationType: 'u8',
    platformCode: 'text',
    /** GTFS: 0 unknown, 1 possible, 2 not possible. */
    wheelchairBoarding: 'u8',
    /** Sum of `1 << product` over all lines that call here or, for a station, at its platforms. */
    productClasses: 'u16',
    /** Calls at this stop itself, see `stopCalls`. */
    firstStopCall: 'i32',
    stopCallCount: 'i32',
    /** Stops with calls that the stop represents: itself and, for a station, its platforms; see `members`. */
    firstMember: 'i32',
    memberCount: 'i32',
  },
  members: { stop: 'i32' },
  /** Stations represented by another one in `stops.station`; by stop. */
  mergedStops: {
    stop: 'i32',
    /** Position in `stationRules`. */
    rule: 'u8',
  },
  /** Stops sorted by source, then stopId: the index of public ids. */
  stopsById: { stop: 'i32' },
  /** Patterns that call at a stop, and the position of the call; by stop. */
  stopCalls: { pattern: 'i32', position: 'u16' },
  routes: {
    source: 'u16',
    /** Row of `feeds`: a route of several versions has one row in each, as do its trips. */
    feed: 'u16',
    routeId: 'text',
    /** -1 where unknown. */
    agency: 'i32',
    zone: 'u16',
    label: 'text',
    longName: 'text',
    /** Position in `products`. */
    product: 'u8',
    /** 0xRRGGBB, or -1. */
    color: 'i32',
    textColor: 'i32',
  },
  services: {
    /** First and last day since 1970; an idle service has last < first. */
    firstDay: 'i32',
    lastDay: 'i32',
    /** First byte in `serviceBits`: bit n is day `firstDay + n`. */
    firstByte: 'i32',
  },
  serviceBits: { bits: 'u8' },
  /** Sorted by route. */
  patterns: {
    route: 'i32',
    firstCall: 'i32',
    callCount: 'u16',
    firstTrip: 'i32',
    tripCount: 'i32',
    /** Row of `times` of the first trip's first call; trips follow one another with `callCount` rows each. */
    firstTime: 'i32',
  },
  patternCalls: {
    stop: 'i32',
    /** GTFS pickup_type and drop_off_type: 0 regular, 1 none, 2 phone the agency, 3 ask the driver. */
    pickupType: 'u8',
    dropOffType: 'u8',
    /** stop_headsign, or -1 for the headsign of the trip. */
    headsign: 'i32',
    /** Platform from a duplicate of the trips if the stop has none, in `texts`; else -1. */
    platform: 'i32',
    /** Transfer places of boarding and alighting, see `transfers`; -1 if not allowed. */
    boardAt: 'i32',
    alightAt: 'i32',
  },
  /** How and until when rides must be booked, as published. */
  bookingRules: {
    source: 'u16',
    ruleId: 'text',
    /** GTFS booking_type: 0 at any time, 1 with notice on the same day, 2 on an earlier day. */
    type: 'u8',
    /** Of type 1: least time before the ride; -1 where unknown. */
    noticeSeconds: 'i32',
    /** Of type 2: until this time, this many days before the ride; both -1 where unknown. */
    lastDay: 'i32',
    lastSeconds: 'i32',
    /** Of type 2: row of `services` on whose days these are counted; -1: all days. */
    service: 'i32',
    /** Type 1: booking begins this long before the ride; -1 if it is possible at any time. */
    mostNoticeSeconds: 'i32',
    /** Booking begins at this time, this many days before the ride; both -1 if it is possible at any time. */
    startDay: 'i32',
    startSeconds: 'i32',
    /** Empty if absent, as the other texts. */
    phone: 'text',
    url: 'text',
    message: 'text',
    pickupMessage: 'text',
    dropOffMessage: 'text',
  },
  /** Calls of patterns with booking rules, by call. */
  bookedCalls: {
    /** Row of `patternCalls`. */
    call: 'i32',
    /** Of boarding and of alighting: rows of `bookingRules`, or -1. */
    pickup: 'i32',
    dropOff: 'i32',
  },
  /** Platforms with a published step-free path to the street, sorted by stop. */
  stepFreeStops: {
    stop: 'i32',
    /** How many lifts must be out of service to close all of these paths; 255 if one of them needs no lift. */
    lifts: 'u8',
    /** Equal for platforms that are connected without steps and lifts: a row of `stops`. */
    group: 'i32',
  },
  /**
   * Transfer places besides the stops. The transfer place of a stop has the stop's row number. Calls whose route or
   * trip is named by a rule of transfers.txt have separate transfer places, numbered after the stops. A rule that names
   * trips separates their pattern from others with the same stops.
   */
  transferPlaces: { stop: 'i32' },
  /** Transfers, by the transfer place of alighting, then of boarding; at most one per pair. */
  transfers: {
    from: 'i32',
    to: 'i32',
    /** Walking distance. */
    meters: 'i32',
    /** -1 without a wheelchair-accessible way. */
    wheelchairMeters: 'i32',
    /** Position in `transferKinds`. */
    kind: 'u8',
    /** Of kind `published`: minimum seconds from arrival to departure; 0 elsewhere. */
    seconds: 'i32',
  },
  /** First row of `transfers` by transfer place; one more than there are transfer places. */
  transferStarts: { transfer: 'i32' },
  /** The same transfers by place of boarding, then of alighting: rows of `transfers`, and their starts. */
  transfersBack: { transfer: 'i32' },
  transferBackStarts: { row: 'i32' },
  /**
   * Trips that a vehicle serves one after the other with its passengers on board (transfer type 4, or the same block),
   * by `fromTrip`, then `toTrip`.
   */
  continuations: {
    fromTrip: 'i32',
    toTrip: 'i32',
    /** Service date of `toTrip` minus that of `fromTrip` in days: 0 or 1. */
    dayOffset: 'i8',
    /** Days of `fromTrip` with this continuation: row of `services`. */
    service: 'i32',
    /**
     * 1 if not published but derived: the second trip has the same number or line, and begins where and when the first
     * ends.
     */
    isDerived: 'u8',
  },
  /** Rows of `continuations` by `toTrip`, then `fromTrip`. */
  continuationsBack: { continuation: 'i32' },
  trips: {
    tripId: 'text',
    /** The days on which it is shown: those of `publishedService` except those on which it is a duplicate. */
    service: 'i32',
    /** The days as published, used to match reports; see `duplicates`. */
    publishedService: 'i32',
    pattern: 'i32',
    /** Row of `texts`, or -1. */
    headsign: 'i32',
    shortName: 'i32',
    block: 'i32',
    /** 0, 1, or -1 where unknown. */
    direction: 'i8',
    /** Row of `tripShapes`, or -1. */
    tripShape: 'i32',
    wheelchairAccessible: 'u8',
    bikesAllowed: 'u8',
    /** First departure of a run expanded from frequencies, else -1. */
    frequencyStart: 'i32',
    /** 1 for a run of a headway without exact times: its times are an approximation. */
    isHeadway: 'u8',
    /** First row in `stopSequences`, one per call. */
    firstSequence: 'i32',
    /** Identifies the trip in references, see `hashTrip`. */
    key: 'u64',
  },
  /**
   * Trips published twice: on the days of `service`, `shownTrip`, which has all of its calls, is shown for `trip`. By
   * `trip`.
   */
  duplicates: {
    trip: 'i32',
    shownTrip: 'i32',
    /** Service date of `shownTrip` minus that of `trip` in days: -1, 0 or 1. */
    dayOffset: 'i8',
    /** Days of `trip`: row of `services`. */
    service: 'i32',
    /** Position in `tripRules`. */
    rule: 'u8',
  },
  /** Trips sorted by key; several versions of a source may have the same trip, each on its own days. */
  tripsByKey: { trip: 'i32' },
  /** GTFS stop_sequence, ascending along a trip; trips with equal numbering share a list. */
  stopSequences: { sequence: 'u32' },
  times: { arrival: 'i32', departure: 'i32' },
  /** One bit per row of `times`: the time is interpolated. Empty without interpolated times. */
  interpolated: { bits: 'u8' },
  /** Positions of a pattern's calls on a shape; `firstPosition` is the first of one row per call. */
  tripShapes: { shape: 'i32', firstPosition: 'i32' },
  /** Position along the shape in points: 2.25 is a quarter of the way from the third point to the fourth. */
  shapePositions: { position: 'f32' },
  shapes: { firstPoint: 'i32', pointCount: 'i32' },
  /** Millionths of a degree. */
  shapePoints: { lat: 'i32', lon: 'i32' },
  /** The search, see `SearchIndex`; `stop` is the row that represents an entry. */
  searchEntries: { stop: 'i32', ...searchEntryColumns },
  ...searchTables,
  ...fareTables,
  ...onDemandTables,
} as const;

export type TimetableTables = {
  readonly [Table in keyof typeof timetableTables]: ColumnsOf<(typeof timetableTables)[Table]>;
};

/**
 * Kinds of transfers by duration. `sameStop`: 2 min. `sameStation`: the walk plus 2 min, at least 3; also between stops
 * for which transfers.txt has a transfer without a time. `walk`: the same, between nearby stops within the traveller's
 * maximum walk. `timed`: 0, as the next vehicle waits. `published`: as in transfers.txt.
 */
export const transferKinds = ['sameStop', 'sameStation', 'walk', 'timed', 'published'] as const;
export type TransferKind = (typeof transferKinds)[number];

/** Raise it with every change of `timetableTables`: a snapshot of another format is refused. */
export const TIMETABLE_FORMAT_VERSION = 12;

/** A version of a source with its service dates. */
export interface SnapshotVersion {
  readonly feedVersion: FeedVersion;
  /** First and last day with a trip, among its own days; null without any. */
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  /** First and last date of this version; null: unbounded. */
  readonly from: ServiceDate | null;
  readonly until: ServiceDate | null;
  /** `feed_end_date` of feed_info: beyond it the timetable is still served, but counts as stale. */
  readonly feedEndDate: ServiceDate | null;
  /** IANA name: the time zone of its service dates. */
  readonly timeZone: string;
  readonly fetchedAt: string;
}

/** A source; members that depend on a version are those of the version in force at build time. */
export interface SnapshotSource {
  readonly sourceId: SourceId;
  readonly feedVersion: FeedVersion;
  readonly publisherName: string | null;
  readonly publishedVersion: string | null;
  /** Of all its versions. */
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  readonly fetchedAt: string;
  /** In order of release. */
  readonly versions: readonly SnapshotVersion[];
  readonly report: readonly TableReport[];
}

/** Counts and samples of merges, by rule; the tables have all of them. */
export interface MergeReport {
  readonly stations: readonly MergedByRule[];
  /** Trips that are duplicates on some of their days. */
  readonly trips: readonly MergedByRule[];
  /** Derived continuations, without a block or transfer rule. */
  readonly derivedContinuations: number;
  /** Rows of the operator's table that do not fit. */
  readonly problems: readonly RecordProblem[];
}

export interface MergedByRule {
  readonly rule: string;
  readonly count: number;
  /** The first few. */
  readonly samples: readonly string[];
}

export interface TimetableManifest {
  readonly kind: 'timetable';
  readonly formatVersion: number;
  readonly id: string;
  readonly createdAt: string;
  /** Validity over all sources. */
  readonly beginDate: ServiceDate;
  readonly endDate: ServiceDate;
  /** When the newest data were fetched. */
  readonly dataDate: ServiceDate;
  readonly sources: readonly SnapshotSource[];
  readonly merges: MergeReport;
  readonly rows: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface TimetableSnapshot {
  readonly manifest: TimetableManifest;
  readonly tables: TimetableTables;
}
