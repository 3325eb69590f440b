import type { RecordProblem } from '../../model/problem.ts';

// GTFS-Realtime as of 2026-06-05: gtfs-realtime.proto of google/transit, commit 2dd229b. That commit added the cause
// SPECIAL_EVENT; NEW, REPLACEMENT, TripModifications and the properties of stop times are of 2024 and 2025.

/** The enumerations by name and number; numbers that are not listed here are kept as numbers. */

export const incrementality = { FULL_DATASET: 0, DIFFERENTIAL: 1 } as const;

export const tripRelationship = {
  SCHEDULED: 0,
  /** Deprecated in favour of `NEW` and `DUPLICATED`, but still sent by most publishers. */
  ADDED: 1,
  UNSCHEDULED: 2,
  CANCELED: 3,
  REPLACEMENT: 5,
  DUPLICATED: 6,
  DELETED: 7,
  NEW: 8,
} as const;

export const stopTimeRelationship = { SCHEDULED: 0, SKIPPED: 1, NO_DATA: 2, UNSCHEDULED: 3 } as const;

export const dropOffPickupType = { REGULAR: 0, NONE: 1, PHONE_AGENCY: 2, COORDINATE_WITH_DRIVER: 3 } as const;

export const vehicleStopStatus = { INCOMING_AT: 0, STOPPED_AT: 1, IN_TRANSIT_TO: 2 } as const;

export const congestionLevel = {
  UNKNOWN_CONGESTION_LEVEL: 0,
  RUNNING_SMOOTHLY: 1,
  STOP_AND_GO: 2,
  CONGESTION: 3,
  SEVERE_CONGESTION: 4,
} as const;

export const occupancyStatus = {
  EMPTY: 0,
  MANY_SEATS_AVAILABLE: 1,
  FEW_SEATS_AVAILABLE: 2,
  STANDING_ROOM_ONLY: 3,
  CRUSHED_STANDING_ROOM_ONLY: 4,
  FULL: 5,
  NOT_ACCEPTING_PASSENGERS: 6,
  NO_DATA_AVAILABLE: 7,
  NOT_BOARDABLE: 8,
} as const;

export const wheelchairAccessible = {
  NO_VALUE: 0,
  UNKNOWN: 1,
  WHEELCHAIR_ACCESSIBLE: 2,
  WHEELCHAIR_INACCESSIBLE: 3,
} as const;

export const wheelchairBoarding = { UNKNOWN: 0, AVAILABLE: 1, NOT_AVAILABLE: 2 } as const;

export const alertCause = {
  UNKNOWN_CAUSE: 1,
  OTHER_CAUSE: 2,
  TECHNICAL_PROBLEM: 3,
  STRIKE: 4,
  DEMONSTRATION: 5,
  ACCIDENT: 6,
  HOLIDAY: 7,
  WEATHER: 8,
  MAINTENANCE: 9,
  CONSTRUCTION: 10,
  POLICE_ACTIVITY: 11,
  MEDICAL_EMERGENCY: 12,
  SPECIAL_EVENT: 13,
} as const;

export const alertEffect = {
  NO_SERVICE: 1,
  REDUCED_SERVICE: 2,
  SIGNIFICANT_DELAYS: 3,
  DETOUR: 4,
  ADDITIONAL_SERVICE: 5,
  MODIFIED_SERVICE: 6,
  OTHER_EFFECT: 7,
  UNKNOWN_EFFECT: 8,
  STOP_MOVED: 9,
  NO_EFFECT: 10,
  ACCESSIBILITY_ISSUE: 11,
} as const;

export const severityLevel = { UNKNOWN_SEVERITY: 1, INFO: 2, WARNING: 3, SEVERE: 4 } as const;

export type Incrementality = keyof typeof incrementality;
type TripScheduleRelationship = keyof typeof tripRelationship;
type StopTimeScheduleRelationship = keyof typeof stopTimeRelationship;
export type DropOffPickupType = keyof typeof dropOffPickupType;
export type VehicleStopStatus = keyof typeof vehicleStopStatus;
export type CongestionLevel = keyof typeof congestionLevel;
export type OccupancyStatus = keyof typeof occupancyStatus;
export type WheelchairAccessible = keyof typeof wheelchairAccessible;
export type WheelchairBoarding = keyof typeof wheelchairBoarding;
export type AlertCause = keyof typeof alertCause;
export type AlertEffect = keyof typeof alertEffect;
export type SeverityLevel = keyof typeof severityLevel;

/**
 * A message of GTFS-Realtime 2.0 as sent: the reference's names in camel case; fields that were not sent are absent.
 * Unknown enumeration values are numbers. Times are seconds since 1970 UTC, unchecked; 64-bit numbers lose their last
 * digits beyond 2^53.
 * @see https://gtfs.org/documentation/realtime/reference/
 */
export interface FeedMessage {
  readonly header: FeedHeader;
  readonly entity: readonly FeedEntity[];
}

/** A decoded message, with a problem for each part that could not be read. */
export interface DecodedFeedMessage extends FeedMessage {
  /** `unreadable_entity`, one for each entity that cannot be read. */
  readonly problems: readonly RecordProblem[];
}

export interface FeedHeader {
  readonly gtfsRealtimeVersion: string;
  readonly incrementality?: Incrementality | number;
  readonly timestamp?: number;
  readonly feedVersion?: string;
}

export interface FeedEntity {
  readonly id: string;
  readonly isDeleted?: boolean;
  readonly tripUpdate?: TripUpdate;
  readonly vehicle?: VehiclePosition;
  readonly alert?: Alert;
  readonly shape?: Shape;
  readonly stop?: FeedStop;
  readonly tripModifications?: TripModifications;
}

// ---- Trips -------------------------------------------------------------------------------------

export interface TripUpdate {
  readonly trip: TripDescriptor;
  readonly vehicle?: VehicleDescriptor;
  readonly stopTimeUpdate: readonly StopTimeUpdate[];
  readonly timestamp?: number;
  readonly delay?: number;
  readonly tripProperties?: TripProperties;
}

export interface TripDescriptor {
  readonly tripId?: string;
  readonly routeId?: string;
  readonly directionId?: number;
  /** `H:MM:SS`, may pass 24 hours. */
  readonly startTime?: string;
  /** `YYYYMMDD`. */
  readonly startDate?: string;
  readonly scheduleRelationship?: TripScheduleRelationship | number;
  readonly modifiedTrip?: ModifiedTripSelector;
}

export interface ModifiedTripSelector {
  readonly modificationsId?: string;
  readonly affectedTripId?: string;
  readonly startTime?: string;
  readonly startDate?: string;
}

export interface TripProperties {
  readonly tripId?: string;
  readonly startDate?: string;
  readonly startTime?: string;
  readonly shapeId?: string;
  readonly tripHeadsign?: string;
  readonly tripShortName?: string;
}

export interface StopTimeUpdate {
  readonly stopSequence?: number;
  readonly stopId?: string;
  readonly arrival?: StopTimeEvent;
  readonly departure?: StopTimeEvent;
  readonly scheduleRelationship?: StopTimeScheduleRelationship | number;
  readonly stopTimeProperties?: StopTimeProperties;
  readonly departureOccupancyStatus?: OccupancyStatus | number;
}

export interface StopTimeEvent {
  readonly delay?: number;
  readonly time?: number;
  /** Seconds; absent means unknown, 0 certain. */
  readonly uncertainty?: number;
  readonly scheduledTime?: number;
}

export interface StopTimeProperties {
  readonly assignedStopId?: string;
  readonly stopHeadsign?: string;
  readonly pickupType?: DropOffPickupType | number;
  readonly dropOffType?: DropOffPickupType | number;
}

// ---- Modifications -----------------------------------------------------------------------------

/** Trips of one stop pattern that are rerouted on some days. */
export interface TripModifications {
  readonly selectedTrips: readonly SelectedTrips[];
  /** `H:MM:SS`, of trips of a frequency. */
  readonly startTimes: readonly string[];
  /** `YYYYMMDD`. */
  readonly serviceDates: readonly string[];
  readonly modifications: readonly Modification[];
}

export interface SelectedTrips {
  readonly tripIds: readonly string[];
  /** Of a shape entity or of shapes.txt. */
  readonly shapeId?: string;
}

export interface Modification {
  readonly startStopSelector?: StopSelector;
  /** Inclusive; absent if no stop is skipped. */
  readonly endStopSelector?: StopSelector;
  readonly propagatedModificationDelay?: number;
  readonly replacementStops: readonly ReplacementStop[];
  readonly serviceAlertId?: string;
  readonly lastModifiedTime?: number;
}

export interface StopSelector {
  readonly stopSequence?: number;
  readonly stopId?: string;
}

export interface ReplacementStop {
  /** Seconds from the arrival at the reference stop. */
  readonly travelTimeToStop?: number;
  readonly stopId?: string;
}

export interface Shape {
  readonly shapeId?: string;
  /** @see https://developers.google.com/maps/documentation/utilities/polylinealgorithm */
  readonly encodedPolyline?: string;
}

export interface FeedStop {
  readonly stopId?: string;
  readonly stopCode?: TranslatedString;
  readonly stopName?: TranslatedString;
  readonly ttsStopName?: TranslatedString;
  readonly stopDesc?: TranslatedString;
  readonly stopLat?: number;
  readonly stopLon?: number;
  readonly zoneId?: string;
  readonly stopUrl?: TranslatedString;
  readonly parentStation?: string;
  readonly stopTimezone?: string;
  readonly wheelchairBoarding?: WheelchairBoarding | number;
  readonly levelId?: string;
  readonly platformCode?: TranslatedString;
}

// ---- Vehicles ----------------------------------------------------------------------------------

export interface VehiclePosition {
  readonly trip?: TripDescriptor;
  readonly vehicle?: VehicleDescriptor;
  readonly position?: Position;
  readonly currentStopSequence?: number;
  readonly stopId?: string;
  readonly currentStatus?: VehicleStopStatus | number;
  readonly timestamp?: number;
  readonly congestionLevel?: CongestionLevel | number;
  readonly occupancyStatus?: OccupancyStatus | number;
  readonly occupancyPercentage?: number;
  readonly multiCarriageDetails?: readonly CarriageDetails[];
}

export interface CarriageDetails {
  readonly id?: string;
  readonly label?: string;
  readonly occupancyStatus?: OccupancyStatus | number;
  readonly occupancyPercentage?: number;
  readonly carriageSequence?: number;
}

export interface VehicleDescriptor {
  readonly id?: string;
  readonly label?: string;
  readonly licensePlate?: string;
  readonly wheelchairAccessible?: WheelchairAccessible | number;
}

/** Single precision, so 48.2 arrives as 48.20000076293945. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly bearing?: number;
  readonly odometer?: number;
  readonly speed?: number;
}

// ---- Alerts ------------------------------------------------------------------------------------

export interface Alert {
  readonly activePeriod: readonly TimeRange[];
  readonly informedEntity: readonly EntitySelector[];
  readonly cause?: AlertCause | number;
  readonly causeDetail?: TranslatedString;
  readonly effect?: AlertEffect | number;
  readonly effectDetail?: TranslatedString;
  readonly url?: TranslatedString;
  readonly headerText?: TranslatedString;
  readonly descriptionText?: TranslatedString;
  readonly ttsHeaderText?: TranslatedString;
  readonly ttsDescriptionText?: TranslatedString;
  readonly severityLevel?: SeverityLevel | number;
  readonly image?: TranslatedImage;
  readonly imageAlternativeText?: TranslatedString;
}

export interface TimeRange {
  readonly start?: number;
  readonly end?: number;
}

export interface EntitySelector {
  readonly agencyId?: string;
  readonly routeId?: string;
  readonly routeType?: number;
  readonly trip?: TripDescriptor;
  readonly stopId?: string;
  readonly directionId?: number;
}

export interface TranslatedString {
  readonly translation: readonly Translation[];
}

export interface Translation {
  readonly text: string;
  /** BCP 47. */
  readonly language?: string;
}

export interface TranslatedImage {
  readonly localizedImage: readonly LocalizedImage[];
}

export interface LocalizedImage {
  readonly url: string;
  readonly mediaType: string;
  readonly language?: string;
}
