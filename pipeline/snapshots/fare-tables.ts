/**
 * Fares in the timetable snapshot. Zones, areas, networks, timeframes, leg groups and products are numbers that are unique
 * over all feeds and have no meaning elsewhere; -1: none or, in a rule, any. Amounts are hundredths of a currency's unit,
 * whatever the currency.
 */
export const fareTables = {
  /** Fare classes of fare_attributes.txt, sorted by feed, then fare id. */
  fareClasses: {
    feed: 'u16',
    fareId: 'text',
    amountCents: 'f64',
    /** ISO 4217, in capitals. */
    currency: 'text',
    /** Number of transfers allowed; -1: unlimited. */
    transfers: 'i16',
    /** From first to last boarding; -1: unlimited. */
    transferSeconds: 'i32',
    /** The fare is for routes of this agency only; -1: all. */
    agency: 'i32',
    /** 0: it is valid everywhere in its feed. */
    hasRules: 'u8',
  },
  /** Validity of fare classes; sorted by feed, route, origin, destination, fare class. */
  fareRules: {
    feed: 'u16',
    route: 'i32',
    /** Zones. */
    origin: 'i32',
    destination: 'i32',
    fareClass: 'i32',
    /** Zones travelled through, exactly these; none: any. Rows of `fareRuleZones`, sorted. */
    firstZone: 'i32',
    zoneCount: 'i32',
  },
  fareRuleZones: { zone: 'i32' },
  /** One row for each stop. */
  fareStops: {
    zone: 'i32',
    /** Its own areas, else those of its station. */
    firstArea: 'i32',
    areaCount: 'i32',
    /** Row of `fareTimeZones`, or -1 for the time zone of the routes. */
    timeZone: 'i16',
  },
  fareStopAreas: {
    area: 'i32',
    /** Bits of `namedAs`: some leg rule names it. */
    named: 'u8',
  },
  fareTimeZones: { name: 'text' },
  /** One row for each route. */
  fareRoutes: {
    network: 'i32',
    /** 1: some leg rule names it. */
    isNamed: 'u8',
  },
  /** Sorted by timeframe, service, start. */
  fareTimeframes: {
    timeframe: 'i32',
    service: 'i32',
    /** Seconds of local time; the end is exclusive. */
    start: 'i32',
    end: 'i32',
  },
  /** Regular prices, without a reduction, on the cheapest medium; sorted by product, currency. */
  fareProducts: { product: 'i32', name: 'text', amountCents: 'f64', currency: 'text' },
  /** fare_leg_rules.txt; sorted by feed, network, from area, to area, then the rest. */
  fareLegRules: {
    feed: 'u16',
    network: 'i32',
    fromArea: 'i32',
    toArea: 'i32',
    fromTimeframe: 'i32',
    toTimeframe: 'i32',
    legGroup: 'i32',
    /** Bits of `namedAs`: some transfer rule names the leg group. */
    groupNamed: 'u8',
    product: 'i32',
    /** -1 if the feed has no priorities: then -1 in a field matches only what no other rule of the feed names there. */
    priority: 'i32',
  },
  /** fare_leg_join_rules.txt; sorted by feed, from network, to network, then the rest. */
  fareJoinRules: { feed: 'u16', fromNetwork: 'i32', toNetwork: 'i32', fromStop: 'i32', toStop: 'i32' },
  /** fare_transfer_rules.txt; sorted by feed, from group, to group, then the rest. */
  fareTransferRules: {
    feed: 'u16',
    fromGroup: 'i32',
    toGroup: 'i32',
    /** Number of consecutive transfers; -1: unlimited. */
    transferCount: 'i32',
    /** -1: without limit. */
    durationSeconds: 'i32',
    /** GTFS duration_limit_type and fare_transfer_type. */
    durationType: 'u8',
    transferType: 'u8',
    product: 'i32',
  },
} as const;

/** Sides on which fare rules name an area or a leg group: origin or destination of a leg. */
export const namedAs = { from: 1, to: 2 } as const;
