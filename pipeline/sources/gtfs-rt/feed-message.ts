import type { Problem } from '../../model/problem.ts';

/** The enumerations of GTFS-Realtime 2.0 by name and number; numbers that are not listed here are kept as numbers. */

export const incrementality = { FULL_DATASET: 0, DIFFERENTIAL: 1 } as const;

export const tripRelationship = {
  SCHEDULED: 0,
  /** Deprecated in favour of `NEW` and `DUPLICATED`, and what most publishers send. */
  ADDED: 1,
  UNSCHEDULED: 2,
  CANCELED: 3,
  REPLACEMENT: 5,
  DUPLICATED: 6,
  DELETED: 7,
  NEW: 8,
} as const;

export const stopTimeRelationship = { SCHEDULED: 0, SKIPPED: 1, NO_DATA: 2, UNSCHEDULED: 3 } as const;

export const vehicleStopStatus = { INCOMING_AT: 0, STOPPED_AT: 1, IN_TRANSIT_TO: 2 } as const;

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
export type VehicleStopStatus = keyof typeof vehicleStopStatus;
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
  readonly problems: readonly Problem[];
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
  /** The last three are experimental: recognised by field number, not decoded further. */
  readonly shape?: Uint8Array;
  readonly stop?: Uint8Array;
  readonly tripModifications?: Uint8Array;
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
}

export interface VehicleDescriptor {
  readonly id?: string;
  readonly label?: string;
  readonly licensePlate?: string;
}

/** Single precision, so 48.2 arrives as 48.20000076293945. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly bearing?: number;
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
