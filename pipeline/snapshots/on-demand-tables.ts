/** On-demand service in the timetable snapshot: trips that serve zones, groups of stops, or stops within time windows. */
export const onDemandTables = {
  /** Zones with their bounding boxes, in degrees. */
  onDemandZones: {
    source: 'u16',
    zoneId: 'text',
    /** Empty where absent, as in the groups. */
    name: 'text',
    /** Rows of `onDemandRings`. */
    firstRing: 'i32',
    ringCount: 'i32',
    south: 'f64',
    west: 'f64',
    north: 'f64',
    east: 'f64',
  },
  /** A point is within a zone if an odd number of its rings enclose it. */
  onDemandRings: { firstPoint: 'i32', pointCount: 'i32' },
  /** Millionths of a degree. */
  onDemandPoints: { lat: 'i32', lon: 'i32' },
  onDemandGroups: { source: 'u16', groupId: 'text', name: 'text', firstStop: 'i32', stopCount: 'i32' },
  onDemandGroupStops: { stop: 'i32' },
  /** Trips with on-demand service; those that also have fixed calls are in `trips` as well. */
  onDemandTrips: {
    tripId: 'text',
    route: 'i32',
    service: 'i32',
    /** Empty if unknown. */
    headsign: 'text',
    wheelchairAccessible: 'u8',
    bikesAllowed: 'u8',
    /** Duration of a ride: this factor times the driving time of a car, plus the offset. */
    durationFactor: 'f32',
    durationOffsetSeconds: 'i32',
    firstCall: 'i32',
    callCount: 'i32',
  },
  /** In travel order. Exactly one of zone, group and stop is a row; the others are -1. */
  onDemandCalls: {
    zone: 'i32',
    group: 'i32',
    stop: 'i32',
    /** Service times between which the vehicle comes; arrival and departure of a fixed call. */
    windowStart: 'i32',
    windowEnd: 'i32',
    /** GTFS pickup_type and drop_off_type: 0 regular, 1 none, 2 phone the agency, 3 ask the driver. */
    pickupType: 'u8',
    dropOffType: 'u8',
    /** Rows of `bookingRules`, or -1. */
    pickupRule: 'i32',
    dropOffRule: 'i32',
    /** 1 for a call at a fixed time; a ride has at least one call that is not fixed. */
    isFixed: 'u8',
  },
} as const;
