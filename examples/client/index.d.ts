// Written by `npm run client` from the contract; changes here are lost.

/** Austrian local time with its true offset; no fraction of a second, no Z. */
export type Timestamp = string;

/** A time in a request: RFC 3339 with Z or any offset; fractions of a second are truncated. */
export type RequestTimestamp = string;

/** A calendar day, YYYY-MM-DD. */
export type LocalDate = string;

export type HexColor = string;

export interface Coord {
  /** Degrees north, WGS 84. */
  lat: number;
  /** Degrees east, WGS 84. */
  lon: number;
}

export interface Stop {
  /**
   * Stable across reloads of the same timetable. Ids of places and addresses begin with `place:`, and have no
   * boards.
   */
  id: string;
  /** Name for riders; includes the town if several towns have a stop of this name. */
  name: string;
  /** The publisher's own id, without the source. */
  extId?: string;
  /** Where it is. */
  coord?: Coord;
  /** Straight-line distance from the requested point. */
  distanceMeters?: number;
  /**
   * `station` for stations, platforms and single stops alike, `poi` for a named place, `address` for a house or
   * street.
   */
  kind: "station" | "poi" | "address";
  /** Sum of the bits of the products that call here, in the order of Line.product, tram = 1. */
  productClasses?: number;
}

export interface Line {
  /** Label shown on the vehicle. */
  label: string;
  /** Long name of the line, else its label. */
  name: string;
  /** Kind of vehicle. */
  product: "tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other";
  /** The line's colour. */
  colorHex?: HexColor;
  /** Text colour on that background. */
  textColorHex?: HexColor;
  /** Name of the operator. */
  operatorName?: string;
  /** Stable across reloads of the same timetable. */
  lineId?: string;
}

export interface TimeInfo {
  /** Scheduled time; absent if the call was added in realtime. */
  scheduled?: Timestamp;
  /** Time last reported or forecast by a live source. */
  realtime?: Timestamp;
  /** True if and only if `realtime` is present and fresh. */
  isRealtime: boolean;
  /**
   * Where the realtime comes from: `observed_actual`, `forecast` as published, `carried` from an earlier call, or
   * `predicted` by our model.
   */
  prognosis?: string;
}

export interface Platform {
  /** Platform last reported; absent: unknown. */
  text?: string;
  /** Scheduled platform. */
  scheduledText?: string;
  /** True when both are known and differ. */
  changed: boolean;
}

export interface Cancellation {
  /** The whole journey, or at a stop the whole call, is cancelled. */
  fullyCancelled: boolean;
  /** Some calls of the journey, or one side of the call, are cancelled. */
  partiallyCancelled: boolean;
  /** Text of the publisher's alert for this trip or call. */
  note?: string;
}

export interface AffectedLine {
  /** Label shown on the vehicle. */
  label: string;
  /** Operator of the line; absent: unknown. */
  operatorName?: string;
  /** Region or network of the line. */
  region?: string;
}

export interface Notice {
  /** Id of the disruption from which it is derived. */
  id: string;
  /** One line. */
  title: string;
  /** Plain text without markup. */
  text: string;
  /** Subject category. */
  kind: "replacementService" | "construction" | "cancellation" | "information" | "emergency" | "allClear" | "loadingTime" | "announcement" | "other";
  /** Higher numbers are more important. */
  priority: number;
  /** True when the access to stops or vehicles is impaired. */
  access?: boolean;
  /** Its publisher, else the affected operator. */
  operatorName?: string;
  /** Start of validity; absent: no start. */
  activeFrom?: Timestamp;
  /** End of validity; absent: until further notice. */
  activeTo?: Timestamp;
  /** Labels of the lines; empty: all lines of the stops or the operator. */
  affectedLines: Array<string>;
  /** The affected lines, with the details that distinguish lines of the same label. */
  lines?: Array<AffectedLine>;
  /** Names of the stops; empty: all stops of the lines. */
  affectedStops: Array<string>;
}

export interface WalkStep {
  /** Instruction in the requested language. */
  instruction: string;
  /** Kind of manoeuvre, as the street engine names it; `straightLine` where streets are not known. */
  maneuver?: string;
  /** Index into the polyline. */
  polyFrom?: number;
  /** Index into the polyline. */
  polyTo?: number;
}

export interface Departure {
  /** Unique within the response; stable until the timetable changes. */
  id: string;
  /** Opaque reference of one trip on one service date; pass it back unchanged. */
  journeyRef?: string;
  /** Line of the trip. */
  line: Line;
  /** Headsign of the vehicle. */
  direction: string;
  /** Name of the stop or platform. */
  stopName: string;
  /** Departure time. */
  departure: TimeInfo;
  /** Where it stops. */
  platform: Platform;
  /** The vehicle does not stop here. */
  cancelled: boolean;
  /** `additional`: not in the timetable; `special`: outside of the regular service. */
  serviceKind?: "additional" | "special";
  /** Notices about this trip at this stop. */
  notices: Array<Notice>;
  /**
   * `name:value` pairs, such as `wheelchair:yes`, `tripNumber:RJX 162`, `occupancy:fewSeatsAvailable`, or
   * `bookBy:…` of a ride that must be booked.
   */
  attributes: Array<string>;
}

export interface Board {
  /** The requested stop. */
  stop: Stop;
  /** Time of the board, rounded down to 15 s. */
  generatedAt?: Timestamp;
  /** Sorted by time (realtime if known, else scheduled), then line, then id. */
  departures: Array<Departure>;
  /** Pass it back as `pageToken`, alone or with the same filters; present if the service period has more calls. */
  nextPageToken?: string;
}

export interface Arrival {
  /** Unique within the response; stable until the timetable changes. */
  id: string;
  /** Opaque reference of one trip on one service date; pass it back unchanged. */
  journeyRef?: string;
  /** Line of the trip. */
  line: Line;
  /** Name of the stop where the trip begins. */
  origin: string;
  /** Name of the stop or platform. */
  stopName: string;
  /** Arrival time. */
  arrival: TimeInfo;
  /** Where it stops. */
  platform: Platform;
  /** The vehicle does not stop here. */
  cancelled: boolean;
  /** `additional`: not in the timetable; `special`: outside of the regular service. */
  serviceKind?: "additional" | "special";
  /** Notices about this trip at this stop. */
  notices: Array<Notice>;
  /**
   * `name:value` pairs, such as `wheelchair:yes`, `tripNumber:RJX 162`, `occupancy:fewSeatsAvailable`, or
   * `bookBy:…` of a ride that must be booked.
   */
  attributes: Array<string>;
}

export interface ArrivalBoard {
  /** The requested stop. */
  stop: Stop;
  /** Time of the board, rounded down to 15 s. */
  generatedAt?: Timestamp;
  /** Sorted by time (realtime if known, else scheduled), then line, then id. */
  arrivals: Array<Arrival>;
}

export interface JourneyStop {
  /** Stop.id of the stop or platform. */
  id: string;
  /** Name of the stop. */
  name: string;
  /** Where it is. */
  coord?: Coord;
  /** Absent at the first call. */
  arrival?: TimeInfo;
  /** Absent at the last call. */
  departure?: TimeInfo;
  /** Where it stops. */
  platform: Platform;
  /** Whether the call is cancelled. */
  cancellation: Cancellation;
  /** The requested call, else the current or next call of the vehicle. */
  isCurrent: boolean;
}

export interface Journey {
  /** Opaque reference of one trip on one service date; pass it back unchanged. */
  ref: string;
  /** Line of the trip. */
  line: Line;
  /** Headsign of the vehicle. */
  direction: string;
  /** Calls in travel order, cancelled ones included. */
  stops: Array<JourneyStop>;
  /** Whether the journey is cancelled. */
  cancellation: Cancellation;
  /** Notices about this trip. */
  notices: Array<Notice>;
  /** `name:value` pairs, such as `wheelchair:yes`, or `occupancy:full` from the current call on. */
  attributes: Array<string>;
  /** Path from the first to the last call. */
  polyline: Array<Coord>;
  /** Service date of the trip; may be the day before a call. */
  serviceDate?: LocalDate;
  /** Last observed position of the vehicle. */
  lastPosition?: Coord;
}

export interface StopList {
  /** Sorted by relevance, or by distance. */
  stops: Array<Stop>;
}

export interface StopInfo {
  /** The requested stop. */
  stop: Stop;
  /** Every line that calls there in the loaded timetable. */
  lines: Array<Line>;
}

export interface LegStop {
  /** Stop.id; a coordinate is `lat,lon`. */
  id: string;
  /** Stop.id of its station. */
  placeId?: string;
  /** Name of the stop, or of the place as requested. */
  name: string;
  /** Where it is. */
  coord?: Coord;
  /** Arrival time. */
  arrival?: TimeInfo;
  /** Departure time. */
  departure?: TimeInfo;
  /** Where the vehicle stops. */
  platform: Platform;
  /** Whether the call is cancelled. */
  cancellation: Cancellation;
}

export interface Leg {
  /** Mode of the leg. */
  mode: "transit" | "walk" | "bike" | "car" | "transfer" | "wait";
  /** Line of a ride. */
  line?: Line;
  /** Headsign of the vehicle. */
  direction?: string;
  /** Where it begins. */
  origin: LegStop;
  /** Where it ends. */
  destination: LegStop;
  /** Calls between the two, in travel order. */
  intermediateStops: Array<LegStop>;
  /** Length of the leg. */
  distanceMeters?: number;
  /** Journey of a ride. */
  journeyRef?: string;
  /** Whether the ride is cancelled. */
  cancellation: Cancellation;
  /** Notices about this ride. */
  notices: Array<Notice>;
  /**
   * Of the transfer to the next ride. guaranteed: the next vehicle waits; missed: the walk does not fit between the
   * expected arrival and departure; tight: it fits, but the minimum transfer time does not, or the probability is
   * below 0.9.
   */
  transferRisk?: "ok" | "tight" | "missed" | "guaranteed";
  /**
   * `name:value` pairs, such as `walk:straightLine`, `occupancy:full` where a ride begins, and of a transfer
   * `transferSeconds:300`.
   */
  attributes: Array<string>;
  /** Path of the leg. */
  polyline: Array<Coord>;
  /** Directions on foot, by bicycle or by car. */
  steps: Array<WalkStep>;
}

export interface Fare {
  /** Name of the ticket. */
  name: string;
  /** Price in hundredths of the currency unit. */
  amountCents: number;
  /** ISO 4217. */
  currency: string;
}

export interface Trip {
  /** Derived from the rides, their origins and destinations; the same in every response. */
  id: string;
  /** Legs in travel order. */
  legs: Array<Leg>;
  /** Start time. */
  departure: TimeInfo;
  /** End time. */
  arrival: TimeInfo;
  /** Transfers between vehicles; staying on board does not count. */
  transfers: number;
  /** Whether a ride is cancelled. */
  cancellation: Cancellation;
  /** Notices about its rides, each once. */
  notices: Array<Notice>;
  /** Attributes of its legs that make the trip less certain. */
  attributes: Array<string>;
  /** Cheapest tickets for the whole trip, without reductions; empty if the fare of any ride is unknown. */
  fares: Array<Fare>;
}

export interface TripResult {
  /**
   * Pareto-optimal by departure (rounded down to minutes), arrival (rounded up) and transfers, without those that
   * are folded (see `all`); of those equal in all three the most probable, then the one with less walking, then the
   * shortest. On the first page they include the direct walk, and the direct trips that `direct` requests.
   */
  trips: Array<Trip>;
  /** Pass it back as `pageRef` for earlier trips. */
  earlierRef?: string;
  /** Pass it back as `pageRef` for later trips. */
  laterRef?: string;
}

export interface Footpath {
  /** Length of the path. */
  distanceMeters?: number;
  /** Time at the speed of the profile. */
  durationSeconds?: number;
  /** Path. */
  polyline: Array<Coord>;
  /** Directions; one step with the manoeuvre `straightLine` where streets are not known. */
  steps: Array<WalkStep>;
}

export interface StopPlace {
  /** Stop.id, also of a place; a station stands for all its platforms. */
  stopId: string;
}

export interface CoordPlace {
  /** Any coordinate. */
  coord: Coord;
  /** Repeated in the response; absent: the nearest address or place, where known. */
  name?: string;
}

/** A stop, or any coordinate. */
export type Place = StopPlace | CoordPlace;

export interface Avoidance {
  /** Labels or ids (`lineId`) of lines. */
  lines?: Array<string>;
  /** Names of operators. */
  operators?: Array<string>;
  /** Stops, or stations with all of their platforms, where nobody boards or alights; vehicles may pass. */
  stopIds?: Array<string>;
  /** Kinds of vehicles. */
  products?: Array<"tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other">;
}

export interface LegAlternatives {
  /** In travel order. */
  legs: Array<LegRef>;
  /** Which of them is to be replaced, from 0. */
  leg: number;
}

export interface TripAccess {
  /**
   * Modes of travel. The fastest one to each stop is used; walking if it is as fast. sharedBike: a bicycle of a
   * sharing system, with the walks to and from it.
   */
  modes: Array<"walk" | "bike" | "car" | "sharedBike">;
  /** Longest distance by bicycle. Absent: 5000. */
  maxBikeMeters?: number;
  /** Speed of cycling on level ground. Absent: 16. */
  bikeSpeedKmh?: number;
  /** Longest drive, without parking. Absent: 900. */
  maxCarSeconds?: number;
  /**
   * Where the car stays. Absent or parkAndRide: at car parks for changing to public transport; anyStation: at every
   * station; none: someone else drives, or a taxi.
   */
  parking?: "parkAndRide" | "anyStation" | "none";
}

export interface TripEgress {
  /**
   * Modes of travel. The fastest one to each stop is used; walking if it is as fast. sharedBike: a bicycle of a
   * sharing system, with the walks to and from it.
   */
  modes: Array<"walk" | "bike" | "car" | "sharedBike">;
  /** Longest distance by bicycle. Absent: 5000. */
  maxBikeMeters?: number;
  /** Speed of cycling on level ground. Absent: 16. */
  bikeSpeedKmh?: number;
  /** Longest drive, without parking. Absent: 900. */
  maxCarSeconds?: number;
}

export interface TripDirect {
  /**
   * Modes of travel. The fastest one to each stop is used; walking if it is as fast. sharedBike: a bicycle of a
   * sharing system, with the walks to and from it.
   */
  modes: Array<"walk" | "bike" | "car" | "sharedBike">;
  /** Longest distance by bicycle from one place to the next. Absent: 20000. */
  maxBikeMeters?: number;
  /** Speed of cycling on level ground. Absent: 16. */
  bikeSpeedKmh?: number;
  /** Longest drive from one place to the next. Absent: 7200. */
  maxCarSeconds?: number;
}

export interface TripRequest {
  /** Where the trip begins. */
  from: Place;
  /** Where it ends. */
  to: Place;
  /** Intermediate places, in travel order. */
  via?: Array<Place>;
  /**
   * Minimum stay at each `via`, from arrival to departure, in the same order; absent or 0: passing it is enough.
   */
  viaMinimumStaySeconds?: Array<number>;
  /** Absent: now. Not together with pageRef. */
  time?: RequestTimestamp;
  /** Whether `time` is the earliest departure, or the latest arrival. Absent: "departure". */
  timeMode?: "departure" | "arrival";
  /**
   * Maximum number of trips of a page; a page may have fewer if time is short, with a reference to the next.
   * Absent: 4.
   */
  limit?: number;
  /** Absent: 8. */
  maxTransfers?: number;
  /** Minimum duration of every transfer, except guaranteed ones and staying on board. */
  minTransferMinutes?: number;
  /** Absent or empty: every product. */
  products?: Array<"tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other">;
  /** Lines, operators, stops and products that no ride uses. */
  avoid?: Avoidance;
  /** Speed on foot. Absent: 4.7. */
  walkSpeedKmh?: number;
  /** How the first vehicle is reached. Absent: on foot. */
  access?: TripAccess;
  /** How the trip continues after the last vehicle; by bicycle only with `bikeOnBoard`. Absent: on foot. */
  egress?: TripEgress;
  /** Trips without public transport. Absent: on foot. */
  direct?: TripDirect;
  /**
   * Absent: false. Whether a bicycle is taken along: `access` and `egress` are then by bicycle if they are absent,
   * and vehicles that carry none are not used.
   */
  bikeOnBoard?: boolean;
  /** Longest walk to, from and between stops. Absent: 1500. */
  maxWalkMeters?: number;
  /** Only stops and vehicles that are not known to be inaccessible. Absent: false. */
  wheelchair?: boolean;
  /**
   * Absent: false. Whether to show folded trips too: those of little use beside another one, which leaves no
   * earlier, has no more transfers and arrives at most 3 minutes later, and leaves at least 10 minutes later or has
   * fewer transfers.
   */
  all?: boolean;
  /**
   * A trip from `from` to `to` by its rides, of which one is to be replaced: the response has the trip with each of
   * the previous two and the next two departures that connect with the legs before and after, between the same
   * stops or stations. Not together with via, time and pageRef.
   */
  legAlternatives?: LegAlternatives;
  /** earlierRef or laterRef of a response to the same body, without `time`. */
  pageRef?: string;
}

export interface FootpathRequest {
  /** Start of the path. */
  from: Coord;
  /** Where it ends. */
  to: Coord;
  /** On foot or with a wheelchair. Absent: "foot". */
  profile?: "foot" | "wheelchair";
  /** Language of the directions. Absent: "de". */
  language?: "de" | "en";
}

export interface Prediction {
  /** The journey, as requested. */
  journeyRef: string;
  /** Label of its line. */
  line: string;
  /** Predicted delay of the arrival at the next stop, with one decimal; negative: early. */
  delayMinutes: number;
  /** high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5. */
  confidence: "high" | "medium";
  /** When the vehicle was observed; at most eight minutes ago. */
  measuredAt: Timestamp;
  /** Kind of observation: reports of stops, or a vehicle position at one. */
  source: "stop_events" | "positions";
  /** Evidence of that observation. */
  evidence: "unknown" | "forecast" | "observed_actual";
  /** Ids: the source that observed it, then all others with realtime of the trip. */
  sourceNames: Array<string>;
  /** Sources disagree on the last observed stop or on the next stop. */
  sourceConflict: boolean;
}

export interface PredictionBatch {
  /** When the response was generated. */
  generatedAt: Timestamp;
  /** In the order of the requested references, each once. */
  predictions: Array<Prediction>;
  /** Requested references that are unknown, expired or finished. */
  invalidatedJourneyRefs: Array<string>;
}

export interface PredictionBatchRequest {
  /** References as received. */
  journeyRefs: Array<string>;
}

export interface TimeWindow {
  /** Beginning. */
  from: Timestamp;
  /** End. */
  to: Timestamp;
}

export interface DisruptionLink {
  /** Title of the page. */
  title: string;
  /** URL of the page. */
  url: string;
}

export interface Disruption {
  /** Stable as long as the publisher does not change its id. */
  id: string;
  /** One line. */
  title: string;
  /** Plain text without markup. */
  text: string;
  /** Higher numbers are more important. */
  priority: number;
  /** Its publisher, else the affected operator. */
  operator?: string;
  /** Category given by the publisher, else the kind of the notice. */
  category?: string;
  /** True when the access to stops or vehicles is impaired. */
  access?: boolean;
  /** Beginning of the first window; absent: from any time. */
  activeFrom?: Timestamp;
  /** End of the last window; absent: until further notice. */
  activeTo?: Timestamp;
  /** Periods of validity, in order of time. */
  activeWindows?: Array<TimeWindow>;
  /** Labels of the lines; empty: all lines of the stops or the operator. */
  affectedLines: Array<string>;
  /** The affected lines, with the details that distinguish lines of the same label. */
  lines?: Array<AffectedLine>;
  /** Names of the stops; empty: all stops of the lines. */
  affectedStops: Array<string>;
  /** Stop.id of the affected stops that are in the timetable. */
  affectedStopIds?: Array<string>;
  /** Pages with more information. */
  links?: Array<DisruptionLink>;
  /** Position for the map. */
  pin?: Coord;
}

export interface DisruptionList {
  /** When the response was generated. */
  generatedAt: Timestamp;
  /** Area covered by the live sources. */
  coverage: "nationwide" | "vienna_only";
  /** Number of entries on all pages. */
  total: number;
  /** Offset of the next page; absent on the last one. */
  nextOffset?: number;
  /** Sorted by importance. */
  disruptions: Array<Disruption>;
}

export interface Vehicle {
  /** Stable as long as the source does not change its vehicle id. */
  id: string;
  /** Its journey; absent if unknown. */
  journeyRef?: string;
  /** Where it was observed. */
  coord: Coord;
  /** Its line. */
  line?: Line;
  /** Headsign of the vehicle. */
  direction?: string;
  /** Direction of travel: 0 north, 90 east. */
  headingDeg?: number;
  /** Time of the observation; at most eight minutes ago. */
  observedAt: Timestamp;
}

export interface VehicleSnapshot {
  /** Vehicles in the box or of the journeys. */
  vehicles: Array<Vehicle>;
  /**
   * Origin of its vehicles: `measurementSnapshot`: regular polls cover the area; `ondemandLive`: a source was
   * polled for the area within 60 s; `ondemandCapped`: the budget for polls is used up; `ondemandUnavailable`: no
   * source can be polled, or none has answered yet, retry in some seconds; `unavailable`: paused.
   */
  source: "measurementSnapshot" | "ondemandLive" | "ondemandCapped" | "ondemandUnavailable" | "unavailable";
  /** When the response was generated. */
  generatedAt: Timestamp;
  /** Number of entries. */
  count: number;
}

/** One ride: the journey, and the LegStop ids where it is boarded and left. */
export interface LegRef {
  /** Journey of the ride. */
  journeyRef: string;
  /** LegStop.id of the boarding stop. */
  originId: string;
  /** LegStop.id of the alighting stop. */
  destinationId: string;
}

export interface PushKeys {
  /** Public key of the browser, base64url. */
  p256dh: string;
  /** Shared secret, base64url. */
  auth: string;
}

export interface PushSubscription {
  /** Address of the push service: https, port 443, one of the hosts that the service pushes to. */
  endpoint: string;
  /** End of the subscription, in milliseconds since 1970. */
  expirationTime?: number | null;
  /** Keys for the encryption of events. */
  keys: PushKeys;
}

export interface WebPushDelivery {
  /** Events are pushed. */
  kind: "webPush";
  /** As returned by the Push API of the browser. */
  subscription: PushSubscription;
}

export interface PollDelivery {
  /** Events are fetched. */
  kind: "poll";
}

/** How events reach the app: pushed, or fetched by watching again with the watchId. */
export type Delivery = WebPushDelivery | PollDelivery;

export interface RescueRequest {
  /** In travel order. */
  legs: Array<LegRef>;
  /** Absent: the destination of the last leg. */
  to?: Place;
  /** Where the traveller is, when known. */
  position?: Coord;
  /** Absent: now. */
  time?: RequestTimestamp;
  /** Maximum number of options. Absent: 4. */
  limit?: number;
}

export interface TripWatchRequest {
  /** Id from an earlier response, to extend that watch. Absent: a new watch. */
  watchId?: string;
  /** In travel order. */
  legs: Array<LegRef>;
  /** How events reach the app. Absent: {"kind":"poll"}. */
  delivery?: Delivery;
  /** Minimum delay that causes an event. Absent: 5. */
  minDelayMinutes?: number;
  /** When the watch ends; at most 90 days ahead. Absent: chosen by the service. */
  until?: RequestTimestamp;
  /** Language of the texts of events. Absent: "de". */
  language?: "de" | "en";
}

export interface RescueWatchRequest {
  /** Id from an earlier response, to extend that watch. Absent: a new watch. */
  watchId?: string;
  /** In travel order. */
  legs: Array<LegRef>;
  /** How events reach the app. Absent: {"kind":"poll"}. */
  delivery?: Delivery;
  /** Minimum delay that causes an event. Absent: 5. */
  minDelayMinutes?: number;
  /** When the watch ends; at most 90 days ahead. Absent: chosen by the service. */
  until?: RequestTimestamp;
  /** Language of the texts of events. Absent: "de". */
  language?: "de" | "en";
  /** Absent: the destination of the last leg. */
  to?: Place;
  /** Minimum probability of an option. Absent: 0.7. */
  minSuccessProbability?: number;
}

export interface WatchedLine {
  /** As Line.label. */
  label: string;
  /** Distinguishes lines of the same label. */
  operatorName?: string;
}

export interface WatchRepeat {
  /** Dates of these weekdays. */
  weekdays: Array<"monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday">;
  /** Earliest scheduled departure, local time `HH:MM`. */
  from: string;
  /** Latest scheduled departure, at most 12 hours after `from`; before `from`: on the next date. */
  to: string;
}

export interface LineWatchRequest {
  /** Id from an earlier response, to extend that watch. Absent: a new watch. */
  watchId?: string;
  /** The watched lines. */
  lines: Array<WatchedLine>;
  /** Only disruptions at these stops. Absent or empty: all. */
  stopIds?: Array<string>;
  /**
   * Watches the departures of the lines at the stops, of which there is at least one, in a window on some weekdays,
   * from an hour before it; disruptions only then. Absent: disruptions at any time, and no departures.
   */
  repeat?: WatchRepeat;
  /** With `repeat`: minimum delay that causes an event. Absent: 5. */
  minDelayMinutes?: number;
  /** How events reach the app. Absent: {"kind":"poll"}. */
  delivery?: Delivery;
  /** When the watch ends; at most 90 days ahead. Absent: chosen by the service. */
  until?: RequestTimestamp;
  /** Language of the texts of events. Absent: "de". */
  language?: "de" | "en";
}

export interface UnwatchRequest {
  /** The watch to end. */
  watchId: string;
}

export interface RescueOption {
  /** What to do. */
  kind: "wait" | "next" | "exitEarlier" | "reroute" | "walk";
  /** The remaining trip of this option, with realtime. */
  trip: Trip;
  /** Difference from the planned arrival; positive: later. */
  arrivalDeltaMinutes: number;
  /** Probability that all transfers are made; absent: unknown. */
  successProbability?: number;
  /** Number of past trips behind the probability. */
  sampleSize: number;
  /** Latest time at which this option can be chosen. */
  decideBy: Timestamp;
}

export interface RescueResult {
  /** When the response was generated. */
  generatedAt: Timestamp;
  /** State of the requested trip. */
  state: "onTrack" | "atRisk" | "missed" | "cancelled" | "unknown";
  /** Index of the leg that fails, from 0. */
  atLeg?: number;
  /** Sorted by quality, best first. */
  options: Array<RescueOption>;
}

export interface WatchEvent {
  /** Unique within the watch. */
  id: string;
  /** When the change was detected. */
  at: Timestamp;
  /** What happened. */
  kind: "delay" | "recovered" | "platform" | "cancelled" | "transferAtRisk" | "transferMissed" | "disruption" | "disruptionEnded" | "options" | "ended";
  /** The affected journey. */
  journeyRef?: string;
  /** The disruption; absent: stops that the journey skips. */
  disruptionId?: string;
  /** The delay; early is negative. */
  delayMinutes?: number;
  /** One sentence for the traveller. */
  text: string;
  /** Alternatives. */
  options?: Array<RescueOption>;
}

export interface WatchState {
  /** Pass it back to extend or end the watch. */
  watchId: string;
  /** When the watch expires. */
  expiresAt: Timestamp;
  /** Time of the evaluated realtime. */
  checkedAt: Timestamp;
  /** State of the watched trip or lines; delayed: an event reported a late or early departure or arrival. */
  status: "onTrack" | "delayed" | "atRisk" | "missed" | "cancelled" | "disrupted" | "ended" | "unknown";
  /** Events so far, oldest first. */
  events: Array<WatchEvent>;
}

export interface UnwatchResult {
  /** False if there was no such watch, as on a repeated request. */
  removed: boolean;
}

/** Problem details, RFC 9457. */
export interface Problem {
  /** Page that explains the code. */
  type: string;
  /** Summary of the code; the same for all problems of this code. */
  title: string;
  /** Status code of the answer. */
  status: number;
  /** What is wrong with this request, and what to do. */
  detail: string;
  /** Stable code for programs. */
  code: "missing_query" | "invalid_parameter" | "unknown_parameter" | "invalid_body" | "period_too_long" | "mode_unavailable" | "timetable_out_of_range" | "origin_not_allowed" | "not_found" | "unknown_stop" | "unknown_journey" | "unknown_station" | "no_path" | "method_not_allowed" | "request_timeout" | "watch_limit" | "journey_expired" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "rate_limited" | "headers_too_large" | "internal_error" | "source_standby" | "timetable_unavailable" | "overloaded" | "not_available_yet";
  /** The invalid query parameter, or the JSON Pointer of the body member. */
  parameter?: string;
}

export interface TimetableValidity {
  /** First day on which trips run. */
  begin: LocalDate;
  /** Last day on which trips run. */
  end: LocalDate;
  /** Day of the data. */
  dataDate: LocalDate;
}

export interface Deprecation {
  /** `METHOD path`. */
  route: string;
  /** Earliest day of removal. */
  removedAfter: string;
  /** Replacement. */
  note: string;
}

export interface Meta {
  /** Version of the app contract. */
  contract: string;
  /** `METHOD path` of every route of v2. */
  routes: Array<string>;
  /** Ids of the configured timetable providers. */
  providers: Array<string>;
  /** Deprecated routes. */
  deprecations: Array<Deprecation>;
  /** The loaded timetable. */
  timetable?: TimetableValidity;
}

export interface PunctualityDefinition {
  /** A call is on time if its delay is smaller than this; early calls are on time too. */
  onTimeMaxDelaySeconds: number;
  /** late10Share counts delays of at least this value. */
  lateMinDelaySeconds: number;
  /** earlyShare counts delays of at most this value; negative. */
  earlyMinSeconds: number;
  /** Share of the observed calls whose times are derived from positions of their vehicles. */
  derivedShare?: number;
}

export interface HistoryPeriod {
  /** First day. */
  from: LocalDate;
  /** Last day. */
  to: LocalDate;
}

export interface HistoryTotals {
  /** As observed. */
  events: number;
  /** Calls with an observed time; the base of every share. */
  observed: number;
  /** Scheduled calls: observed, cancelled, and unreported ones. */
  expected: number;
  /** Explicitly reported as cancelled; never counted as observed. */
  cancelled: number;
  /** Cancelled calls that a replacement trip served within 15 minutes. */
  replaced: number;
  /** Share of the observed calls that were on time. */
  onTimeShare?: number;
  /** Share of the observed calls that were early. */
  earlyShare?: number;
  /** Mean delay; early is negative. */
  avgDelayMinutes?: number;
  /** Share of the observed calls that were late. */
  late10Share?: number;
}

export interface HistoryDay {
  /** Service day. */
  day: LocalDate;
  /** Observed calls. */
  events: number;
  /** Share of them that were on time. */
  onTimeShare?: number;
}

export interface HistoryLine {
  /** Label of the line. */
  line: string;
  /** As Line.product; for archives, the archive's own name. */
  product?: string;
  /** Name of the operator; two networks may have a line of the same label. */
  operator?: string;
  /** Observed calls. */
  events: number;
  /** Share of them that were on time. */
  onTimeShare: number;
  /** Their mean delay. */
  avgDelayMinutes: number;
}

export interface HistoryHour {
  /** 1 Monday to 7 Sunday. */
  isoWeekday: number;
  /** Hour of the day. */
  hour: number;
  /** Observed calls. */
  events: number;
  /** Their mean delay. */
  avgDelayMinutes: number;
}

/** Punctuality from observed times alone; shares are of the observed events. */
export interface History {
  /** When the numbers were computed. */
  generatedAt: Timestamp;
  /** Period of the numbers, both days included. */
  period: HistoryPeriod;
  /** Definition of the shares. */
  definition: PunctualityDefinition;
  /** All days together; shares and average are absent without an observed call. */
  totals: HistoryTotals;
  /** Service days with scheduled calls, in their order. */
  daily: Array<HistoryDay>;
  /** Lines with observed calls, by label, product and operator; an empty label: unknown. */
  lines: Array<HistoryLine>;
  /** Weekdays and hours with observed calls, by scheduled local time. */
  heatmap: Array<HistoryHour>;
}

/** UTC with milliseconds and Z. */
export type V1Timestamp = string;

export interface V1Freshness {
  /** A source, or a kind of data. */
  id: string;
  /** `standby`: paused by the operator; `never`: not polled yet. */
  status: "fresh" | "stale" | "standby" | "never";
  /** Time since the last success. */
  ageSeconds: number | null;
  /** Maximum age; older data are stale. */
  maxAgeSeconds: number | null;
}

export interface V1Health {
  /** `unhealthy` comes with status code 503. */
  status: "ok" | "unhealthy";
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** How fresh each kind of data is. */
  freshness: Array<V1Freshness>;
  /** The loaded timetable. */
  timetable: TimetableValidity | null;
}

export interface V1Component {
  /** The component. */
  id: "departures" | "routePlanning" | "map" | "disruptions" | "punctuality" | "vehiclePositions" | "livePredictions";
  /** Display name. */
  name: string;
  /** How well it works. */
  status: "operational" | "degraded" | "outage" | "paused" | "unknown";
}

export interface V1Measurement {
  /** Whether there is at least one prediction now. */
  predictionsAvailable: boolean;
  /** Whether predictions are computed. */
  state: "live" | "idle" | "paused" | "unavailable";
  /** Reason why they are not, as a stable code. */
  reason: string | null;
  /** Sources whose trips are predicted: by a trained model, or by a prior until there is one. */
  evidenceSources: Array<string>;
}

export interface V1Source {
  /** Id of the source. */
  id: string;
  /** `standby`: paused by the operator; `never`: not polled yet. */
  status: "fresh" | "stale" | "standby" | "never";
  /** Time of the last successful response. */
  lastSuccessAt: V1Timestamp | null;
  /** Time since that response. */
  ageSeconds: number | null;
  /** Attribution of the data; show it verbatim. */
  attribution: string | null;
  /** Licence of the data. */
  licence: string | null;
}

export interface V1Status {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** The worst component; paused and unknown ones are left out. */
  overall: "operational" | "degraded" | "outage" | "paused" | "unknown";
  /** A component is unknown until one of its sources has been polled since the start. */
  components: Array<V1Component>;
  /** Whether delays are predicted, and why not. */
  measurement: V1Measurement;
  /** Every configured source. */
  sources: Array<V1Source>;
  /** Areas covered by the live sources of disruptions. */
  coveredAreas: Array<string>;
}

export interface V1HistoryTotals {
  /** Share of the observed calls that were on time. */
  onTimeShare: number | null;
  /** Share of the observed calls that were early. */
  earlyShare: number | null;
  /** Mean delay in minutes; early is negative. */
  avgDelayMin: number | null;
  /** Share of the observed calls that were late. */
  late10Share: number | null;
  /** As observed. */
  events: number;
  /** Calls with an observed time; the base of every share. */
  observed: number;
  /** Scheduled calls: observed, cancelled, and unreported ones. */
  expected: number;
  /** Explicitly reported as cancelled; never counted as observed. */
  cancelled: number;
  /** Cancelled calls that a replacement trip served within 15 minutes. */
  replaced: number;
}

export interface V1HistoryDay {
  /** Service day. */
  day: LocalDate;
  /** Observed calls. */
  events: number;
  /** Percentage of them that were on time. */
  on_time_pct: number | null;
}

export interface V1HistoryLine {
  /** Label of the line. */
  line: string;
  /** As Line.product; null: unknown. */
  product: string | null;
  /** Name of the operator; null: unknown. */
  operator: string | null;
  /** Observed calls. */
  events: number;
  /** Percentage of them that were on time. */
  on_time_pct: number;
}

export interface V1HistoryHour {
  /** 1 Monday to 7 Sunday. */
  dow: number;
  /** Hour of the day. */
  hour: number;
  /** Observed calls. */
  events: number;
  /** Their mean delay in minutes. */
  avg_delay_min: number;
}

export interface V1OfficialRealtime {
  /** Service days with scheduled calls, in their order. */
  daily: Array<V1HistoryDay>;
  /** Lines with observed calls, by label, product and operator; an empty label: unknown. */
  lines: Array<V1HistoryLine>;
  /** Weekdays (1 Monday to 7 Sunday) and hours with observed calls, by scheduled local time. */
  heatmap: Array<V1HistoryHour>;
}

export interface V1PunctualityDefinition {
  /** observed: only observed times count; lastForecast: final forecasts too, where nothing was observed. */
  name: "observed" | "lastForecast";
  /** A call is on time if its delay is smaller than this; early calls are on time too. */
  onTimeMaxDelaySeconds: number;
  /** late10Share counts delays of at least this value. */
  lateMinDelaySeconds: number;
  /** earlyShare counts delays of at most this value; negative. */
  earlyMinSeconds: number;
  /** Share of the observed calls whose times are derived from positions of their vehicles. */
  derivedShare: number | null;
  /** Share of the observed calls that count by a final forecast; 0 unless the name is lastForecast. */
  forecastShare: number | null;
}

export interface V1History {
  /** Period of the numbers, both days included. */
  period: HistoryPeriod;
  /** Definition of the shares. */
  definition: V1PunctualityDefinition;
  /** All days together; shares and average are null without an observed call. */
  totals: V1HistoryTotals;
  /** The same by day, line and hour. */
  officialRealtime: V1OfficialRealtime;
}

export interface V1Prediction {
  /** Reference of the journey. */
  jid: string;
  /** Label of its line. */
  line: string | null;
  /** Predicted delay of the arrival at the next stop, with one decimal; negative: early. */
  delayMin: number;
  /** high: at least four of five such arrivals lie within 2 minutes of one another; medium: within 5. */
  confidence: "high" | "medium";
  /** When the vehicle was observed; at most eight minutes ago. */
  measuredAt: V1Timestamp;
}

export interface V1Predictions {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** Number of entries. */
  count: number;
  /** Sorted by distance if a point was given, then by line, then in timetable order of trips. */
  predictions: Array<V1Prediction>;
}

export interface V1PredictionBatchRequest {
  /** Journey references as received. */
  jids: Array<string>;
}

export interface V1Vehicle {
  /** Stable as long as the source does not change its vehicle id. */
  id: string;
  /** Reference of its journey. */
  jid: string | null;
  /** Label of its line. */
  line: string | null;
  /** Kind of vehicle. */
  product: "tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other" | null;
  /** Headsign of the vehicle. */
  direction: string | null;
  /** Degrees north, WGS 84. */
  lat: number;
  /** Degrees east, WGS 84. */
  lon: number;
  /** Direction of travel: 0 north, 90 east. */
  headingDeg: number | null;
  /** Time of the position; at most eight minutes ago. */
  observedAt: V1Timestamp;
}

export interface V1Vehicles {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /**
   * Origin of its vehicles: `measurement_snapshot`: regular polls cover the area; `ondemand_live`: a source was
   * polled for the area within 60 s; `ondemand_capped`: the budget for polls is used up; `unavailable`: paused, or
   * no source can be polled or has answered yet.
   */
  source: "ondemand_live" | "ondemand_capped" | "measurement_snapshot" | "unavailable";
  /** Number of entries. */
  count: number;
  /** Vehicles in the box or of the journeys. */
  vehicles: Array<V1Vehicle>;
}

export interface V1MetroDeparture {
  /** Label of the line. */
  line: string;
  /** Headsign of the vehicle. */
  towards: string;
  /** Scheduled time. */
  plannedAt: V1Timestamp;
  /** Time forecast by the source. */
  realAt: V1Timestamp | null;
}

export interface V1Metro {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** stale: the upstream data are frozen or too old, and no departures are shown. */
  status: "ok" | "stale";
  /** Future departures, in order of time. */
  departures: Array<V1MetroDeparture>;
}

export interface V1Announcement {
  /** Stable. */
  id: string;
  /** One line. */
  title: string;
  /** Plain text. */
  text: string;
  /** Subject category. */
  kind: "information" | "maintenance" | "disruption" | "update";
  /** Higher numbers are more important. */
  priority: number;
  /** Start of validity; null: no start. */
  activeFrom: V1Timestamp | null;
  /** End of validity; null: until further notice. */
  activeTo: V1Timestamp | null;
  /** Page with more information. */
  url: string | null;
  /** Target platforms; empty: all platforms. */
  platforms: Array<"ios" | "android" | "web">;
}

export interface V1Announcements {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** Active announcements, sorted by importance. */
  announcements: Array<V1Announcement>;
}

export interface V1NetworkMap {
  /** Stable. */
  id: string;
  /** Name of the map. */
  title: string;
  /** Area or network shown. */
  region: string;
  /** Format of the file. */
  format: "pdf" | "svg" | "png";
  /** Path of the file on this service. */
  url: string;
  /** Size of the file. */
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
  /** First day on which the map is valid. */
  validFrom: LocalDate | null;
  /** Credits. */
  attribution: string | null;
}

export interface V1NetworkMaps {
  /** When the response was generated. */
  generatedAt: V1Timestamp;
  /** All maps, by region and title. */
  maps: Array<V1NetworkMap>;
}

/** Parameters of `GET /v2/stops`. */
export interface SearchStopsInput {
  /** Text typed by the rider. */
  query: string;
  /** Maximum number of entries. Absent: 10. */
  limit?: number;
  /** Only stops of these kinds. */
  kinds?: Array<"station" | "poi" | "address">;
  /** Latitude; with `lon`, ties are ranked by distance from this point. */
  lat?: number;
  /** Longitude of the point. */
  lon?: number;
}

/** Parameters of `GET /v2/stops/nearby`. */
export interface ListNearbyStopsInput {
  /** Of the point; with `lon`, or `stopId` instead of both. */
  lat?: number;
  /** Of the point. */
  lon?: number;
  /** Stop.id of a stop, an address or a place: the point is there. */
  stopId?: string;
  /** Search radius. Absent: 1000. */
  radiusMeters?: number;
  /** Maximum number of entries. Absent: 20. */
  limit?: number;
}

/** Parameters of `GET /v2/stops/{id}/departures`. */
export interface GetDeparturesInput {
  /** A Stop.id. */
  id: string;
  /** Absent: now. */
  time?: string;
  /** Length of the board, by scheduled time. Absent: 60. */
  durationMinutes?: number;
  /** Maximum number of entries. Absent: 30. */
  limit?: number;
  /** Line labels. */
  lines?: Array<string>;
  /** Only these products. */
  products?: Array<"tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other">;
  /** Only departures that call at this stop later. */
  directionStopId?: string;
  /** nextPageToken of an earlier response; it contains the whole query. Filters sent with it must be the same. */
  pageToken?: string;
}

/** Parameters of `GET /v2/stops/{id}/arrivals`. */
export interface GetArrivalsInput {
  /** A Stop.id. */
  id: string;
  /** Absent: now. */
  time?: string;
  /** Length of the board, by scheduled time. Absent: 60. */
  durationMinutes?: number;
  /** Maximum number of entries. Absent: 30. */
  limit?: number;
  /** Line labels. */
  lines?: Array<string>;
  /** Only these products. */
  products?: Array<"tram" | "cityBus" | "regionalBus" | "nightBus" | "train" | "regionalTrain" | "sBahn" | "subway" | "cableway" | "ship" | "other">;
  /** Only arrivals that called at this stop before. */
  originStopId?: string;
}

/** Parameters of `GET /v2/stops/{id}/info`. */
export interface GetStopInfoInput {
  /** A Stop.id. */
  id: string;
}

/** Parameters of `GET /v2/journeys/{ref}`. */
export interface GetJourneyInput {
  /** A journeyRef as received. */
  ref: string;
  /** Marks the call at this stop as current. Absent: the position of the vehicle. */
  stopId?: string;
}

/** Parameters of `GET /v2/disruptions`. */
export interface ListDisruptionsInput {
  /** nextOffset of the previous page. Absent: 0. */
  offset?: number;
  /** Maximum number of entries. Absent: 50. */
  limit?: number;
  /** A line label; with stopId: this line at this stop. */
  line?: string;
  /** Disruptions that name the stop, one of its platforms or its station. */
  stopId?: string;
  /** Name of the operator. */
  operator?: string;
  /** Category, or kind of notice. */
  category?: string;
  /** Absent: now. */
  activeAt?: string;
  /** Only disruptions near this point. */
  lat?: number;
  /** Longitude of the point. */
  lon?: number;
  /** Around lat and lon; absent: 1000. */
  radiusMeters?: number;
}

/** Parameters of `GET /v2/history`. */
export interface GetHistoryInput {
  /** First day. Default: 30 days up to the last day. */
  from?: string;
  /** Last day; the period has at most 366 days, both ends included. Default: yesterday. */
  to?: string;
  /** A line label, of any operator. */
  line?: string;
  /** Name of an operator, as in lines. */
  operator?: string;
  /** Calls at this stop; of a station, at all of its platforms. */
  stopId?: string;
  /** Id of a data source. Absent: all of them, each call once. */
  source?: string;
}

/** Parameters of `GET /v2/vehicles`. */
export interface ListVehiclesInput {
  /** Southern side. */
  minLat?: number;
  /** Western side. */
  minLon?: number;
  /** Northern side. */
  maxLat?: number;
  /** Eastern side. */
  maxLon?: number;
  /** Only vehicles of these journeys. */
  journeyRefs?: Array<string>;
  /** Maximum number of entries. Absent: 500. */
  limit?: number;
}

/** Parameters of `GET /v1/history`. */
export interface GetV1HistoryInput {
  /** First day. Default: 90 days up to the last day. */
  from?: string;
  /** Last day; the period has at most 366 days, both ends included. Default: yesterday. */
  to?: string;
  /** A line label, of any operator. */
  line?: string;
  /** Name of an operator, as in lines. */
  operator?: string;
  /** Id of a data source. Absent: all of them, each call once. */
  source?: string;
  /**
   * lastForecast: where nothing was observed, a forecast counts that was last reported less than a minute before
   * its own time, if the trip was reported further after it. Absent: "observed".
   */
  definition?: "observed" | "lastForecast";
  /** A table instead of JSON; equivalent to the Accept header. */
  format?: "arrow" | "csv";
  /** Which table an Arrow or CSV response contains. Absent: "daily". */
  table?: "daily" | "lines" | "heatmap";
}

/** Parameters of `GET /v1/predictions`. */
export interface GetV1PredictionsInput {
  /** Latitude of a point; returns predictions near it. */
  lat?: number;
  /** Longitude of the point. */
  lon?: number;
  /**
   * Radius around lat and lon in metres; absent: 1000. A trip is located at the position of its vehicle, else at
   * its next stop.
   */
  radius?: number;
  /** A line label. */
  line?: string;
  /** One journey reference; all filters must match. */
  jid?: string;
  /** Journey references. */
  jids?: Array<string>;
  /** Maximum number of entries. Absent: 50. */
  limit?: number;
}

/** Parameters of `GET /v1/vehicles`. */
export interface GetV1VehiclesInput {
  /** Southern side. */
  minLat?: number;
  /** Western side. */
  minLon?: number;
  /** Northern side. */
  maxLat?: number;
  /** Eastern side. */
  maxLon?: number;
  /** Journey references. */
  jids?: Array<string>;
  /** Maximum number of entries. Absent: 500. */
  limit?: number;
}

/** Parameters of `GET /v1/city-transit/metro`. */
export interface GetV1MetroInput {
  /** Number of the station. */
  diva: number;
}

export interface ClientOptions {
  /** Address of the service, such as `https://api.example.org`. */
  baseUrl: string;
  /** Chosen by the app, one per installation: separates devices behind one address for fair use. */
  installationToken?: string;
  /** Absent: the global one. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal;
}

export class ProblemError extends Error {
  readonly status: number;
  /** The problem document of the service; null if the response was from something else, such as a proxy. */
  readonly problem: Problem | null;
  /** Wait this long before the next request; null if the response does not say. */
  readonly retryAfterSeconds: number | null;
}

export interface Client {
  /**
   * `GET /v2/meta`: The contract: its version and routes, the providers, and the period of the loaded timetable.
   */
  getMeta(input?: Record<string, never>, options?: RequestOptions): Promise<Meta>;
  /** `GET /v2/schema`: The JSON Schema (draft 2020-12) of all types. */
  getSchema(input?: Record<string, never>, options?: RequestOptions): Promise<unknown>;
  /**
   * `GET /v2/stops`: Stops by name in any published language, or by code, and places and addresses, ranked by
   * relevance.
   */
  searchStops(input: SearchStopsInput, options?: RequestOptions): Promise<StopList>;
  /** `GET /v2/stops/nearby`: Stops around a point, a stop or a place, nearest first. */
  listNearbyStops(input?: ListNearbyStopsInput, options?: RequestOptions): Promise<StopList>;
  /** `GET /v2/stops/{id}/departures`: The departure board of a stop; a station covers all its platforms. */
  getDepartures(input: GetDeparturesInput, options?: RequestOptions): Promise<Board>;
  /** `GET /v2/stops/{id}/arrivals`: The arrival board of a stop; a station covers all its platforms. */
  getArrivals(input: GetArrivalsInput, options?: RequestOptions): Promise<ArrivalBoard>;
  /** `GET /v2/stops/{id}/info`: A stop and every line that calls there in the loaded timetable. */
  getStopInfo(input: GetStopInfoInput, options?: RequestOptions): Promise<StopInfo>;
  /** `GET /v2/journeys/{ref}`: One trip on one service date: its calls, path and current position. */
  getJourney(input: GetJourneyInput, options?: RequestOptions): Promise<Journey>;
  /**
   * `POST /v2/trips`: Trips from one place to another, Pareto-optimal by departure, arrival and transfers, in whole
   * minutes.
   */
  planTrips(body: TripRequest, options?: RequestOptions): Promise<TripResult>;
  /** `POST /v2/footpath`: The walking path from one point to another. */
  planFootpath(body: FootpathRequest, options?: RequestOptions): Promise<Footpath>;
  /** `GET /v2/disruptions`: Disruptions active at a given time. */
  listDisruptions(input?: ListDisruptionsInput, options?: RequestOptions): Promise<DisruptionList>;
  /** `GET /v2/history`: Punctuality of past service days, based on observed times only. */
  getHistory(input?: GetHistoryInput, options?: RequestOptions): Promise<History>;
  /** `GET /v2/vehicles`: Vehicles in a bounding box (at most 2 degrees per side), or of given journeys. */
  listVehicles(input?: ListVehiclesInput, options?: RequestOptions): Promise<VehicleSnapshot>;
  /** `POST /v2/predictions/batch`: Delay predictions for many journeys at once. */
  getPredictions(body: PredictionBatchRequest, options?: RequestOptions): Promise<PredictionBatch>;
  /** `POST /v2/rescue`: Whether a trip is still feasible, and the alternatives if it is not. */
  planRescue(body: RescueRequest, options?: RequestOptions): Promise<RescueResult>;
  /** `POST /v2/rescue/watch`: Watches a trip; its events contain alternatives. */
  watchRescue(body: RescueWatchRequest, options?: RequestOptions): Promise<WatchState>;
  /** `POST /v2/rescue/unwatch`: Ends a watch made by rescue/watch; idempotent. */
  unwatchRescue(body: UnwatchRequest, options?: RequestOptions): Promise<UnwatchResult>;
  /** `POST /v2/lines/watch`: Watches the disruptions of lines. */
  watchLines(body: LineWatchRequest, options?: RequestOptions): Promise<WatchState>;
  /** `POST /v2/lines/unwatch`: Ends a watch made by lines/watch; idempotent. */
  unwatchLines(body: UnwatchRequest, options?: RequestOptions): Promise<UnwatchResult>;
  /** `POST /v2/trips/watch`: Watches a trip for delays, cancellations and transfers at risk. */
  watchTrip(body: TripWatchRequest, options?: RequestOptions): Promise<WatchState>;
  /** `POST /v2/trips/unwatch`: Ends a watch made by trips/watch; idempotent. */
  unwatchTrip(body: UnwatchRequest, options?: RequestOptions): Promise<UnwatchResult>;
  /** `GET /v1/health`: Health of the service, and freshness of its data. */
  getV1Health(input?: Record<string, never>, options?: RequestOptions): Promise<V1Health>;
  /** `GET /v1/status`: The state of every component and source. */
  getV1Status(input?: Record<string, never>, options?: RequestOptions): Promise<V1Status>;
  /** `GET /v1/history`: Punctuality of past service days, as JSON, Arrow or CSV. */
  getV1History(input?: GetV1HistoryInput, options?: RequestOptions): Promise<V1History>;
  /**
   * `GET /v1/predictions`: Delay predictions near a point, of a line or of journeys; at most eight minutes old.
   */
  getV1Predictions(input?: GetV1PredictionsInput, options?: RequestOptions): Promise<V1Predictions>;
  /** `POST /v1/predictions/batch`: Delay predictions for many journeys at once. */
  getV1PredictionBatch(body: V1PredictionBatchRequest, options?: RequestOptions): Promise<V1Predictions>;
  /** `GET /v1/vehicles`: Vehicles in a bounding box (at most 2 degrees per side), or of given journeys. */
  getV1Vehicles(input?: GetV1VehiclesInput, options?: RequestOptions): Promise<V1Vehicles>;
  /** `GET /v1/city-transit/metro`: Realtime departures of a metro station of the fixed list. */
  getV1Metro(input: GetV1MetroInput, options?: RequestOptions): Promise<V1Metro>;
  /** `GET /v1/announcements`: Notices that apps display without an app update. */
  getV1Announcements(input?: Record<string, never>, options?: RequestOptions): Promise<V1Announcements>;
  /** `GET /v1/network-maps`: The directory of network maps. */
  getV1NetworkMaps(input?: Record<string, never>, options?: RequestOptions): Promise<V1NetworkMaps>;
}

export function createClient(options: ClientOptions): Client;
