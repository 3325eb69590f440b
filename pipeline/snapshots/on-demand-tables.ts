/** On-demand service in the timetable snapshot: trips that serve zones, groups of stops, or stops within time windows. */
export const onDemandTables = {
  /** Zones, with the box around each; degrees. */
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
  /** A point is within a zone if an odd number of its rings is around it. */
  onDemandRings: { firstPoint: 'i32', pointCount: 'i32' },
  /** Millionths of a degree. */
  onDemandPoints: { lat: 'i32', lon: 'i32' },
  onDemandGroups: { source: 'u16', groupId: 'text', name: 'text', firstStop: 'i32', stopCount: 'i32' },
  onDemandGroupStops: { stop: 'i32' },
  /** Trips with on-demand service; those with fixed calls too are also in `trips`. */
  onDemandTrips: {
    tripId: 'text',
    route: 'i32',
    service: 'i32',
    /** Empty where unknown. */
    headsign: 'text',
    wheelchairAccessible: 'u8',
    bikesAllowed: 'u8',
    /** Duration of a ride: this times that of a car, plus the offset. */
    durationFactor: 'f32',
    durationOffsetSeconds: 'i32',
    firstCall: 'i32',
    callCount: 'i32',
  },
  /** In travel order. Of zone, group and stop, one is a row and the others are -1. */
  onDemandCalls: {
    zone: 'i32',
    group: 'i32',
    stop: 'i32',
    /** Service times between which the vehicle comes; of a fixed call, its arrival and departure. */
    windowStart: 'i32',
    windowEnd: 'i32',
    /** GTFS pickup_type and drop_off_type: 0 regular, 1 none, 2 phone the agency, 3 ask the driver. */
    pickupType: 'u8',
    dropOffType: 'u8',
    /** Rows of `bookingRules`, or -1. */
    pickupRule: 'i32',
    dropOffRule: 'i32',
    /** 1 for a call at a fixed time: a ride has one call at least that is not. */
    isFixed: 'u8',
  },
} as const;
