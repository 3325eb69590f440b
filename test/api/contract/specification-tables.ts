/**
 * The tables of the interface specification and its decisions, copied by hand and not derived from the schemas.
 * Notation: `R` required; `a|b` the allowed values; `X[]` a list, `X[1..8]` with its length; `{…}` an unnamed object;
 * `integer` without bounds covers every integer that JSON represents exactly; `= x` the default.
 */
export type TypeTable = Readonly<Record<string, string>>;

export const products = 'tram|cityBus|regionalBus|nightBus|train|regionalTrain|sBahn|subway|cableway|ship|other';
const noticeKinds =
  'replacementService|construction|cancellation|information|emergency|allClear|loadingTime|announcement|other';
const affectedLines = '{label: string R, operatorName: string, region: string}[]';
const delivery =
  '{kind: "webPush" R, subscription: {endpoint: uri 0..2048 R, expirationTime: number 0.. or null, keys: {p256dh: string 1..200 ~^[A-Za-z0-9+/_-]+={0,2}$ R, auth: string 1..200 ~^[A-Za-z0-9+/_-]+={0,2}$ R} R} R} or {kind: "poll" R}';

const board = {
  platform: 'Platform R',
  cancelled: 'boolean R',
  serviceKind: 'additional|special',
  notices: 'Notice[] R',
  attributes: 'string[] R',
};

export const v2Types: Readonly<Record<string, TypeTable>> = {
  Coord: { lat: 'number -90..90 R', lon: 'number -180..180 R' },
  Stop: {
    id: 'string R',
    name: 'string R',
    extId: 'string',
    coord: 'Coord',
    distanceMeters: 'integer 0..',
    kind: 'station|poi|address R',
    productClasses: 'integer 0..',
  },
  Line: {
    label: 'string R',
    name: 'string R',
    product: `${products} R`,
    colorHex: 'HexColor',
    textColorHex: 'HexColor',
    operatorName: 'string',
    lineId: 'string',
  },
  TimeInfo: { scheduled: 'Timestamp', realtime: 'Timestamp', isRealtime: 'boolean R', prognosis: 'string' },
  Platform: { text: 'string', scheduledText: 'string', changed: 'boolean R' },
  Cancellation: { fullyCancelled: 'boolean R', partiallyCancelled: 'boolean R', note: 'string' },
  Notice: {
    id: 'string R',
    title: 'string R',
    text: 'string R',
    kind: `${noticeKinds} R`,
    priority: 'integer R',
    access: 'boolean',
    operatorName: 'string',
    activeFrom: 'Timestamp',
    activeTo: 'Timestamp',
    affectedLines: 'string[] R',
    lines: affectedLines,
    affectedStops: 'string[] R',
  },
  Departure: {
    id: 'string R',
    journeyRef: 'string',
    line: 'Line R',
    direction: 'string R',
    stopName: 'string R',
    departure: 'TimeInfo R',
    ...board,
  },
  Board: { stop: 'Stop R', generatedAt: 'Timestamp', departures: 'Departure[] R', nextPageToken: 'string' },
  Arrival: {
    id: 'string R',
    journeyRef: 'string',
    line: 'Line R',
    origin: 'string R',
    stopName: 'string R',
    arrival: 'TimeInfo R',
    ...board,
  },
  ArrivalBoard: { stop: 'Stop R', generatedAt: 'Timestamp', arrivals: 'Arrival[] R' },
  JourneyStop: {
    id: 'string R',
    name: 'string R',
    coord: 'Coord',
    arrival: 'TimeInfo',
    departure: 'TimeInfo',
    platform: 'Platform R',
    cancellation: 'Cancellation R',
    isCurrent: 'boolean R',
  },
  Journey: {
    ref: 'string R',
    line: 'Line R',
    direction: 'string R',
    stops: 'JourneyStop[] R',
    cancellation: 'Cancellation R',
    notices: 'Notice[] R',
    attributes: 'string[] R',
    polyline: 'Coord[] R',
    serviceDate: 'LocalDate',
    lastPosition: 'Coord',
  },
  StopList: { stops: 'Stop[] R' },
  StopInfo: { stop: 'Stop R', lines: 'Line[] R' },
  WalkStep: { instruction: 'string R', maneuver: 'string', polyFrom: 'integer', polyTo: 'integer' },
  LegStop: {
    id: 'string R',
    placeId: 'string',
    name: 'string R',
    coord: 'Coord',
    arrival: 'TimeInfo',
    departure: 'TimeInfo',
    platform: 'Platform R',
    cancellation: 'Cancellation R',
  },
  Leg: {
    mode: 'transit|walk|bike|car|transfer|wait R',
    line: 'Line',
    direction: 'string',
    origin: 'LegStop R',
    destination: 'LegStop R',
    intermediateStops: 'LegStop[] R',
    distanceMeters: 'integer 0..',
    journeyRef: 'string',
    cancellation: 'Cancellation R',
    notices: 'Notice[] R',
    transferRisk: 'ok|tight|missed|guaranteed',
    attributes: 'string[] R',
    polyline: 'Coord[] R',
    steps: 'WalkStep[] R',
  },
  Fare: { name: 'string R', amountCents: 'integer >0.. R', currency: 'string R' },
  Trip: {
    id: 'string R',
    legs: 'Leg[] R',
    departure: 'TimeInfo R',
    arrival: 'TimeInfo R',
    transfers: 'integer 0.. R',
    cancellation: 'Cancellation R',
    notices: 'Notice[] R',
    attributes: 'string[] R',
    fares: 'Fare[] R',
  },
  TripResult: { trips: 'Trip[] R', earlierRef: 'string', laterRef: 'string' },
  Footpath: {
    distanceMeters: 'integer 0..',
    durationSeconds: 'integer 0..',
    polyline: 'Coord[] R',
    steps: 'WalkStep[] R',
  },
  Prediction: {
    journeyRef: 'string R',
    line: 'string R',
    delayMinutes: 'number R',
    confidence: 'high|medium R',
    measuredAt: 'Timestamp R',
    source: 'stop_events|positions R',
    evidence: 'unknown|forecast|observed_actual R',
    sourceNames: 'string[] R',
    sourceConflict: 'boolean R',
  },
  PredictionBatch: {
    generatedAt: 'Timestamp R',
    predictions: 'Prediction[] R',
    invalidatedJourneyRefs: 'string[] R',
  },
  Disruption: {
    id: 'string R',
    title: 'string R',
    text: 'string R',
    priority: 'number R',
    operator: 'string',
    category: 'string',
    access: 'boolean',
    activeFrom: 'Timestamp',
    activeTo: 'Timestamp',
    activeWindows: '{from: Timestamp R, to: Timestamp R}[]',
    affectedLines: 'string[] R',
    lines: affectedLines,
    affectedStops: 'string[] R',
    affectedStopIds: 'string[]',
    links: '{title: string R, url: uri R}[]',
    pin: 'Coord',
  },
  DisruptionList: {
    generatedAt: 'Timestamp R',
    coverage: 'nationwide|vienna_only R',
    total: 'integer 0.. R',
    nextOffset: 'integer 0..',
    disruptions: 'Disruption[] R',
  },
  Vehicle: {
    id: 'string R',
    journeyRef: 'string',
    coord: 'Coord R',
    line: 'Line',
    direction: 'string',
    headingDeg: 'integer 0..359',
    observedAt: 'Timestamp R',
  },
  VehicleSnapshot: {
    vehicles: 'Vehicle[] R',
    source: 'measurementSnapshot|ondemandLive|ondemandCapped|ondemandUnavailable|unavailable R',
    generatedAt: 'Timestamp R',
    count: 'integer 0.. R',
  },
  Meta: {
    contract: 'string R',
    routes: 'string ~^(GET|POST) /[] R',
    providers: 'string[] R',
    deprecations: '{route: string R, removedAfter: string R, note: string R}[] R',
    timetable: '{begin: LocalDate R, end: LocalDate R, dataDate: LocalDate R}',
  },
};

const tripWatch = {
  watchId: 'string 1..500',
  legs: 'LegRef[1..8] R',
  delivery: 'Delivery = {"kind":"poll"}',
  minDelayMinutes: 'integer 1..60 = 5',
  until: 'RequestTimestamp',
  language: 'de|en = "de"',
};

/** Types that the specification leaves open and the decisions settle. */
export const decidedTypes: Readonly<Record<string, TypeTable>> = {
  Problem: {
    type: 'uri-reference R',
    title: 'string R',
    status: 'integer 400..599 R',
    detail: 'string R',
    code: 'missing_query|invalid_parameter|unknown_parameter|invalid_body|period_too_long|mode_unavailable|timetable_out_of_range|origin_not_allowed|not_found|unknown_stop|unknown_journey|unknown_station|no_path|method_not_allowed|request_timeout|watch_limit|journey_expired|payload_too_large|uri_too_long|unsupported_media_type|expectation_failed|rate_limited|headers_too_large|internal_error|source_standby|timetable_unavailable|overloaded|not_available_yet R',
    parameter: 'string',
  },
  TripAccess: {
    modes: 'walk|bike|car|sharedBike[1..4] R',
    maxBikeMeters: 'integer 0..20000',
    bikeSpeedKmh: 'number 8..30',
    maxCarSeconds: 'integer 0..7200',
    parking: 'parkAndRide|anyStation|none',
  },
  TripEgress: {
    modes: 'walk|bike|car|sharedBike[1..4] R',
    maxBikeMeters: 'integer 0..20000',
    bikeSpeedKmh: 'number 8..30',
    maxCarSeconds: 'integer 0..7200',
  },
  TripDirect: {
    modes: 'walk|bike|car|sharedBike[1..4] R',
    maxBikeMeters: 'integer 0..50000',
    bikeSpeedKmh: 'number 8..30',
    maxCarSeconds: 'integer 0..14400',
  },
  TripRequest: {
    from: 'Place R',
    to: 'Place R',
    via: 'Place[0..2]',
    viaMinimumStaySeconds: 'integer 0..86400[0..2]',
    time: 'RequestTimestamp',
    timeMode: 'departure|arrival = "departure"',
    limit: 'integer 1..6 = 4',
    maxTransfers: 'integer 0..8',
    minTransferMinutes: 'integer 0..60',
    products: `${products}[0..50]`,
    walkSpeedKmh: 'number 2..7 = 4.7',
    access: 'TripAccess',
    egress: 'TripEgress',
    direct: 'TripDirect',
    bikeOnBoard: 'boolean',
    maxWalkMeters: 'integer 0..5000 = 1500',
    wheelchair: 'boolean = false',
    avoid: `{lines: string 1..200[0..50], operators: string 1..200[0..50], stopIds: string 1..500[0..50], products: ${products}[0..50]}`,
    all: 'boolean',
    legAlternatives: '{legs: LegRef[1..8] R, leg: integer 0..7 R}',
    pageRef: 'string 1..4000',
  },
  FootpathRequest: {
    from: 'Coord R',
    to: 'Coord R',
    profile: 'foot|wheelchair = "foot"',
    language: 'de|en = "de"',
  },
  PredictionBatchRequest: { journeyRefs: 'string 1..[1..200] R' },
  LegRef: { journeyRef: 'string 1.. R', originId: 'string 1..500 R', destinationId: 'string 1..500 R' },
  RescueRequest: {
    legs: 'LegRef[1..8] R',
    to: 'Place',
    position: 'Coord',
    time: 'RequestTimestamp',
    limit: 'integer 1..6 = 4',
  },
  TripWatchRequest: tripWatch,
  RescueWatchRequest: { ...tripWatch, to: 'Place', minSuccessProbability: 'number 0..1 = 0.7' },
  LineWatchRequest: {
    watchId: 'string 1..500',
    lines: '{label: string 1..200 R, operatorName: string 1..200}[1..20] R',
    stopIds: 'string 1..500[0..20]',
    repeat:
      '{weekdays: monday|tuesday|wednesday|thursday|friday|saturday|sunday[1..7] R, from: string ~^([01][0-9]|2[0-3]):[0-5][0-9]$ R, to: string ~^([01][0-9]|2[0-3]):[0-5][0-9]$ R}',
    minDelayMinutes: 'integer 1..60',
    delivery: 'Delivery = {"kind":"poll"}',
    until: 'RequestTimestamp',
    language: 'de|en = "de"',
  },
  UnwatchRequest: { watchId: 'string 1..500 R' },
  UnwatchResult: { removed: 'boolean R' },
  RescueOption: {
    kind: 'wait|next|exitEarlier|reroute|walk R',
    trip: 'Trip R',
    arrivalDeltaMinutes: 'number R',
    successProbability: 'number 0..1',
    sampleSize: 'integer 0.. R',
    decideBy: 'Timestamp R',
  },
  RescueResult: {
    generatedAt: 'Timestamp R',
    state: 'onTrack|atRisk|missed|cancelled|unknown R',
    atLeg: 'integer 0..',
    options: 'RescueOption[] R',
  },
  WatchEvent: {
    id: 'string R',
    at: 'Timestamp R',
    kind: 'delay|recovered|platform|cancelled|transferAtRisk|transferMissed|disruption|disruptionEnded|options|ended R',
    journeyRef: 'string',
    disruptionId: 'string',
    delayMinutes: 'number',
    text: 'string R',
    options: 'RescueOption[]',
  },
  WatchState: {
    watchId: 'string R',
    expiresAt: 'Timestamp R',
    checkedAt: 'Timestamp R',
    status: 'onTrack|delayed|atRisk|missed|cancelled|disrupted|ended|unknown R',
    events: 'WatchEvent[] R',
  },
  History: {
    generatedAt: 'Timestamp R',
    period: '{from: LocalDate R, to: LocalDate R} R',
    definition:
      '{onTimeMaxDelaySeconds: integer 0.. R, lateMinDelaySeconds: integer 0.. R, earlyMinSeconds: integer -7200..-1 R, derivedShare: number 0..1} R',
    totals:
      '{events: integer 0.. R, observed: integer 0.. R, expected: integer 0.. R, cancelled: integer 0.. R, replaced: integer 0.. R, onTimeShare: number 0..1, earlyShare: number 0..1, avgDelayMinutes: number, late10Share: number 0..1} R',
    daily: '{day: LocalDate R, events: integer 0.. R, onTimeShare: number 0..1}[] R',
    lines:
      '{line: string R, product: string, operator: string, events: integer 0.. R, onTimeShare: number 0..1 R, avgDelayMinutes: number R}[] R',
    heatmap:
      '{isoWeekday: integer 1..7 R, hour: integer 0..23 R, events: integer 0.. R, avgDelayMinutes: number R}[] R',
  },
};

const sourceStatus = 'fresh|stale|standby|never';
const componentStatus = 'operational|degraded|outage|paused|unknown';

export const v1Types: Readonly<Record<string, TypeTable>> = {
  V1Health: {
    status: 'ok|unhealthy R',
    generatedAt: 'V1Timestamp R',
    freshness: `{id: string R, status: ${sourceStatus} R, ageSeconds: integer 0.. or null R, maxAgeSeconds: integer 0.. or null R}[] R`,
    timetable: '{begin: LocalDate R, end: LocalDate R, dataDate: LocalDate R} or null R',
  },
  V1Status: {
    generatedAt: 'V1Timestamp R',
    overall: `${componentStatus} R`,
    components: `{id: departures|routePlanning|map|disruptions|punctuality|vehiclePositions|livePredictions R, name: string R, status: ${componentStatus} R}[] R`,
    measurement:
      '{predictionsAvailable: boolean R, state: live|idle|paused|unavailable R, reason: string ~^[a-z][a-z0-9_]*$ or null R, evidenceSources: string[] R} R',
    sources: `{id: string R, status: ${sourceStatus} R, lastSuccessAt: V1Timestamp or null R, ageSeconds: integer 0.. or null R, attribution: string or null R, licence: string or null R}[] R`,
    coveredAreas: 'string[] R',
  },
  V1History: {
    period: '{from: LocalDate R, to: LocalDate R} R',
    definition:
      '{name: observed|lastForecast R, onTimeMaxDelaySeconds: integer 0.. R, lateMinDelaySeconds: integer 0.. R, earlyMinSeconds: integer -7200..-1 R, derivedShare: number 0..1 or null R, forecastShare: number 0..1 or null R} R',
    totals:
      '{onTimeShare: number 0..1 or null R, earlyShare: number 0..1 or null R, avgDelayMin: number or null R, late10Share: number 0..1 or null R, events: integer 0.. R, observed: integer 0.. R, expected: integer 0.. R, cancelled: integer 0.. R, replaced: integer 0.. R} R',
    officialRealtime:
      '{daily: {day: LocalDate R, events: integer 0.. R, on_time_pct: number 0..100 or null R}[] R, lines: {line: string R, product: string or null R, operator: string or null R, events: integer 0.. R, on_time_pct: number 0..100 R}[] R, heatmap: {dow: integer 1..7 R, hour: integer 0..23 R, events: integer 0.. R, avg_delay_min: number R}[] R} R',
  },
  V1Predictions: {
    generatedAt: 'V1Timestamp R',
    count: 'integer 0.. R',
    predictions:
      '{jid: string R, line: string or null R, delayMin: number R, confidence: high|medium R, measuredAt: V1Timestamp R}[] R',
  },
  V1PredictionBatchRequest: { jids: 'string 1..[1..200] R' },
  V1Vehicles: {
    generatedAt: 'V1Timestamp R',
    source: 'ondemand_live|ondemand_capped|measurement_snapshot|unavailable R',
    count: 'integer 0.. R',
    vehicles: `{id: string R, jid: string or null R, line: string or null R, product: ${products} or null R, direction: string or null R, lat: number -90..90 R, lon: number -180..180 R, headingDeg: integer 0..359 or null R, observedAt: V1Timestamp R}[] R`,
  },
  V1Metro: {
    generatedAt: 'V1Timestamp R',
    status: 'ok|stale R',
    departures: '{line: string R, towards: string R, plannedAt: V1Timestamp R, realAt: V1Timestamp or null R}[] R',
  },
  V1Announcements: {
    generatedAt: 'V1Timestamp R',
    announcements:
      '{id: string R, title: string R, text: string R, kind: information|maintenance|disruption|update R, priority: integer 0.. R, activeFrom: V1Timestamp or null R, activeTo: V1Timestamp or null R, url: uri or null R, platforms: ios|android|web[] R}[] R',
  },
  V1NetworkMaps: {
    generatedAt: 'V1Timestamp R',
    maps: '{id: string R, title: string R, region: string R, format: pdf|svg|png R, url: uri-reference R, bytes: integer 0.. R, sha256: string ~^[0-9a-f]{64}$ R, validFrom: LocalDate or null R, attribution: string or null R}[] R',
  },
};

/** Types that are not objects with a table of members. */
export const otherTypes: TypeTable = {
  Timestamp: 'date-time ~^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$',
  RequestTimestamp: 'date-time ~^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  V1Timestamp: 'date-time ~^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  LocalDate: 'date ~^\\d{4}-\\d{2}-\\d{2}$',
  HexColor: 'string ~^#[0-9A-Fa-f]{6}$',
  Place: '{stopId: string 1..500 R} or {coord: Coord R, name: string 1..200}',
  Delivery: delivery,
};
