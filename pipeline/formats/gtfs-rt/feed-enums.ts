/** The enumerations of GTFS-Realtime 2.0 by name and number; a number that is not listed here is kept as a number. */

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
export type TripScheduleRelationship = keyof typeof tripRelationship;
export type StopTimeScheduleRelationship = keyof typeof stopTimeRelationship;
export type VehicleStopStatus = keyof typeof vehicleStopStatus;
export type AlertCause = keyof typeof alertCause;
export type AlertEffect = keyof typeof alertEffect;
export type SeverityLevel = keyof typeof severityLevel;
