import { type Static, Type } from './json-schema.ts';
import { closed, define, described, oneOf } from './schema-builders.ts';
import { Cancellation, Coord, Line, LocalDate, Notice, Platform, Stop, TimeInfo, Timestamp } from './v2-basics.ts';

const journeyRef = () =>
  described('Opaque reference of one trip on one service date; pass it back unchanged.', Type.String());

// Common members of departures and arrivals, in the order of the specification.
const leading = {
  id: described('Unique within the response; stable until the timetable changes.', Type.String()),
  journeyRef: Type.Optional(journeyRef()),
  line: described('Line of the trip.', Line.ref),
};
const trailing = {
  platform: described('Where it stops.', Platform.ref),
  cancelled: described('The vehicle does not stop here.', Type.Boolean()),
  serviceKind: Type.Optional(
    described(
      '`additional`: not in the timetable; `special`: outside of the regular service.',
      oneOf('additional', 'special'),
    ),
  ),
  notices: described('Notices about this trip at this stop.', Type.Array(Notice.ref)),
  attributes: described(
    '`name:value` pairs, such as `wheelchair:yes`, `tripNumber:RJX 162`, `occupancy:fewSeatsAvailable`, or `bookBy:…` of a ride that must be booked.',
    Type.Array(Type.String()),
  ),
};

export const Departure = define(
  'Departure',
  closed({
    ...leading,
    direction: described('Headsign of the vehicle.', Type.String()),
    stopName: described('Name of the stop or platform.', Type.String()),
    departure: described('Departure time.', TimeInfo.ref),
    ...trailing,
  }),
);
export type Departure = Static<typeof Departure.schema>;

export const Board = define(
  'Board',
  closed({
    stop: described('The requested stop.', Stop.ref),
    generatedAt: Type.Optional(described('Time of the board, rounded down to 15 s.', Timestamp.ref)),
    departures: described(
      'Sorted by time (realtime if known, else scheduled), then line, then id.',
      Type.Array(Departure.ref),
    ),
    nextPageToken: Type.Optional(
      described(
        'Pass it back as `pageToken`, alone or with the same filters; present if the service period has more calls.',
        Type.String(),
      ),
    ),
  }),
);
export type Board = Static<typeof Board.schema>;

export const Arrival = define(
  'Arrival',
  closed({
    ...leading,
    origin: described('Name of the stop where the trip begins.', Type.String()),
    stopName: described('Name of the stop or platform.', Type.String()),
    arrival: described('Arrival time.', TimeInfo.ref),
    ...trailing,
  }),
);
export type Arrival = Static<typeof Arrival.schema>;

export const ArrivalBoard = define(
  'ArrivalBoard',
  closed({
    stop: described('The requested stop.', Stop.ref),
    generatedAt: Type.Optional(described('Time of the board, rounded down to 15 s.', Timestamp.ref)),
    arrivals: described(
      'Sorted by time (realtime if known, else scheduled), then line, then id.',
      Type.Array(Arrival.ref),
    ),
  }),
);
export type ArrivalBoard = Static<typeof ArrivalBoard.schema>;

export const JourneyStop = define(
  'JourneyStop',
  closed({
    id: described('Stop.id of the stop or platform.', Type.String()),
    name: described('Name of the stop.', Type.String()),
    coord: Type.Optional(described('Where it is.', Coord.ref)),
    arrival: Type.Optional(described('Absent at the first call.', TimeInfo.ref)),
    departure: Type.Optional(described('Absent at the last call.', TimeInfo.ref)),
    platform: described('Where it stops.', Platform.ref),
    cancellation: described('Whether the call is cancelled.', Cancellation.ref),
    isCurrent: described('The requested call, else the current or next call of the vehicle.', Type.Boolean()),
  }),
);
export type JourneyStop = Static<typeof JourneyStop.schema>;

export const Journey = define(
  'Journey',
  closed({
    ref: journeyRef(),
    line: described('Line of the trip.', Line.ref),
    direction: described('Headsign of the vehicle.', Type.String()),
    stops: described('Calls in travel order, cancelled ones included.', Type.Array(JourneyStop.ref)),
    cancellation: described('Whether the journey is cancelled.', Cancellation.ref),
    notices: described('Notices about this trip.', Type.Array(Notice.ref)),
    attributes: described(
      '`name:value` pairs, such as `wheelchair:yes`, or `occupancy:full` from the current call on.',
      Type.Array(Type.String()),
    ),
    polyline: described('Path from the first to the last call.', Type.Array(Coord.ref)),
    serviceDate: Type.Optional(described('Service date of the trip; may be the day before a call.', LocalDate.ref)),
    lastPosition: Type.Optional(described('Last observed position of the vehicle.', Coord.ref)),
  }),
);
export type Journey = Static<typeof Journey.schema>;

export const StopList = define(
  'StopList',
  closed({ stops: described('Sorted by relevance, or by distance.', Type.Array(Stop.ref)) }),
);
export type StopList = Static<typeof StopList.schema>;

export const StopInfo = define(
  'StopInfo',
  closed({
    stop: described('The requested stop.', Stop.ref),
    lines: described('Every line that calls there in the loaded timetable.', Type.Array(Line.ref)),
  }),
);
export type StopInfo = Static<typeof StopInfo.schema>;

export const boardDefinitions = [
  Departure,
  Board,
  Arrival,
  ArrivalBoard,
  JourneyStop,
  Journey,
  StopList,
  StopInfo,
] as const;
