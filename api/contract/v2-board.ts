import Type, { type Static } from 'typebox';
import { closed, define, described, oneOf } from './schema-builders.ts';
import { Cancellation, Coord, Line, LocalDate, Notice, Platform, Stop, TimeInfo, Timestamp } from './v2-basics.ts';

const journeyRef = () =>
  described('Opaque name of one trip on one service date; use it exactly as received.', Type.String());

// What departures and arrivals share, in the order of the specification.
const leading = { id: Type.String(), journeyRef: Type.Optional(journeyRef()), line: Line.ref };
const trailing = {
  platform: Platform.ref,
  cancelled: Type.Boolean(),
  serviceKind: Type.Optional(oneOf('additional', 'special')),
  notices: Type.Array(Notice.ref),
  attributes: Type.Array(Type.String()),
};

export const Departure = define(
  'Departure',
  closed({
    ...leading,
    direction: Type.String(),
    stopName: Type.String(),
    departure: TimeInfo.ref,
    ...trailing,
  }),
);
export type Departure = Static<typeof Departure.schema>;

export const Board = define(
  'Board',
  closed({
    stop: Stop.ref,
    generatedAt: Type.Optional(Timestamp.ref),
    departures: Type.Array(Departure.ref),
    nextPageToken: Type.Optional(
      described(
        'Send it back as pageToken, alone or with the same filters; there while more exist in the service period.',
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
    origin: Type.String(),
    stopName: Type.String(),
    arrival: TimeInfo.ref,
    ...trailing,
  }),
);
export type Arrival = Static<typeof Arrival.schema>;

export const ArrivalBoard = define(
  'ArrivalBoard',
  closed({
    stop: Stop.ref,
    generatedAt: Type.Optional(Timestamp.ref),
    arrivals: Type.Array(Arrival.ref),
  }),
);
export type ArrivalBoard = Static<typeof ArrivalBoard.schema>;

export const JourneyStop = define(
  'JourneyStop',
  closed({
    id: Type.String(),
    name: Type.String(),
    coord: Type.Optional(Coord.ref),
    arrival: Type.Optional(TimeInfo.ref),
    departure: Type.Optional(TimeInfo.ref),
    platform: Platform.ref,
    cancellation: Cancellation.ref,
    isCurrent: Type.Boolean(),
  }),
);
export type JourneyStop = Static<typeof JourneyStop.schema>;

export const Journey = define(
  'Journey',
  closed({
    ref: journeyRef(),
    line: Line.ref,
    direction: Type.String(),
    stops: Type.Array(JourneyStop.ref),
    cancellation: Cancellation.ref,
    notices: Type.Array(Notice.ref),
    attributes: Type.Array(Type.String()),
    polyline: Type.Array(Coord.ref),
    serviceDate: Type.Optional(LocalDate.ref),
    lastPosition: Type.Optional(Coord.ref),
  }),
);
export type Journey = Static<typeof Journey.schema>;

export const StopList = define('StopList', closed({ stops: Type.Array(Stop.ref) }));
export type StopList = Static<typeof StopList.schema>;

export const StopInfo = define('StopInfo', closed({ stop: Stop.ref, lines: Type.Array(Line.ref) }));
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
