import Type, { type Static } from 'typebox';
import { products } from '../../pipeline/model/product.ts';
import {
  closed,
  count,
  defaulted,
  define,
  described,
  exclusive,
  integer,
  MAX_INTEGER,
  oneOf,
  text,
} from './schema-builders.ts';
import { Cancellation, Coord, Line, Notice, Platform, RequestTimestamp, TimeInfo, WalkStep } from './v2-basics.ts';

// ---- Answers -----------------------------------------------------------------------------------

export const LegStop = define(
  'LegStop',
  closed({
    id: Type.String(),
    placeId: Type.Optional(Type.String()),
    name: Type.String(),
    coord: Type.Optional(Coord.ref),
    arrival: Type.Optional(TimeInfo.ref),
    departure: Type.Optional(TimeInfo.ref),
    platform: Platform.ref,
    cancellation: Cancellation.ref,
  }),
);
export type LegStop = Static<typeof LegStop.schema>;

export const Leg = define(
  'Leg',
  closed({
    mode: oneOf('transit', 'walk', 'bike', 'car', 'transfer', 'wait'),
    line: Type.Optional(Line.ref),
    direction: Type.Optional(Type.String()),
    origin: LegStop.ref,
    destination: LegStop.ref,
    intermediateStops: Type.Array(LegStop.ref),
    distanceMeters: Type.Optional(count()),
    journeyRef: Type.Optional(Type.String()),
    cancellation: Cancellation.ref,
    notices: Type.Array(Notice.ref),
    transferRisk: Type.Optional(
      described(
        'Of the way from one ride to the next. guaranteed: the next waits; missed: realtime says that it is gone; tight: it is caught less than nine times in ten, or, where no delay is forecast, with less than 3 minutes to spare.',
        oneOf('ok', 'tight', 'missed', 'guaranteed'),
      ),
    ),
    attributes: Type.Array(Type.String()),
    polyline: Type.Array(Coord.ref),
    steps: Type.Array(WalkStep.ref),
  }),
);
export type Leg = Static<typeof Leg.schema>;

export const Fare = define(
  'Fare',
  closed({
    name: Type.String(),
    amountCents: described(
      "Hundredths of the currency's unit, whatever its coins.",
      Type.Integer({ exclusiveMinimum: 0, maximum: MAX_INTEGER }),
    ),
    currency: Type.String(),
  }),
);
export type Fare = Static<typeof Fare.schema>;

export const Trip = define(
  'Trip',
  closed({
    id: described('Names what is ridden from where to where; the same in every answer.', Type.String()),
    legs: Type.Array(Leg.ref),
    departure: TimeInfo.ref,
    arrival: TimeInfo.ref,
    transfers: count(),
    cancellation: Cancellation.ref,
    notices: Type.Array(Notice.ref),
    attributes: Type.Array(Type.String()),
    fares: described(
      'The tickets of the whole trip at the cheapest, without reductions; empty where the fare of any ride is unknown.',
      Type.Array(Fare.ref),
    ),
  }),
);
export type Trip = Static<typeof Trip.schema>;

export const TripResult = define(
  'TripResult',
  closed({
    trips: described(
      'Those that no other beats in departure (rounded down to minutes), arrival (rounded up) and transfers; of those ' +
        'equal in all three the shortest, and of these the last. Among them, on the first page, the direct walk.',
      Type.Array(Trip.ref),
    ),
    earlierRef: Type.Optional(described('Send it back as pageRef for earlier trips.', Type.String())),
    laterRef: Type.Optional(described('Send it back as pageRef for later trips.', Type.String())),
  }),
);
export type TripResult = Static<typeof TripResult.schema>;

export const Footpath = define(
  'Footpath',
  closed({
    distanceMeters: Type.Optional(count()),
    durationSeconds: Type.Optional(count()),
    polyline: Type.Array(Coord.ref),
    steps: Type.Array(WalkStep.ref),
  }),
);
export type Footpath = Static<typeof Footpath.schema>;

// ---- Requests ----------------------------------------------------------------------------------

export const Place = define(
  'Place',
  Type.Union([closed({ stopId: text(500) }), closed({ coord: Coord.ref, name: Type.Optional(text(200)) })], {
    description: 'A stop, or any point of the map.',
  }),
);
export type Place = Static<typeof Place.schema>;

export const TripRequest = define(
  'TripRequest',
  closed(
    {
      from: Place.ref,
      to: Place.ref,
      via: Type.Optional(Type.Array(Place.ref, { maxItems: 2 })),
      time: Type.Optional(described('Absent: now. Not together with pageRef.', RequestTimestamp.ref)),
      timeMode: defaulted(oneOf('departure', 'arrival'), 'departure'),
      limit: defaulted(integer(1, 6), 4),
      maxTransfers: Type.Optional(described('Absent: 8.', integer(0, 8))),
      minTransferMinutes: Type.Optional(
        described('Raises every change, guaranteed ones and staying seated excepted.', integer(0, 60)),
      ),
      products: Type.Optional(
        described('Absent or empty: every product.', Type.Array(oneOf(...products), { maxItems: 50 })),
      ),
      walkSpeedKmh: defaulted(Type.Number({ minimum: 2, maximum: 7 }), 4.7),
      maxWalkMeters: defaulted(integer(0, 5000), 1500),
      wheelchair: defaulted(Type.Boolean(), false),
      pageRef: Type.Optional(
        described('earlierRef or laterRef of an answer to the same body, without time.', text(4000)),
      ),
    },
    exclusive(['time', 'pageRef']),
  ),
);
export type TripRequest = Static<typeof TripRequest.schema>;

export const FootpathRequest = define(
  'FootpathRequest',
  closed({
    from: Coord.ref,
    to: Coord.ref,
    profile: defaulted(oneOf('foot', 'wheelchair'), 'foot'),
    language: defaulted(oneOf('de', 'en'), 'de'),
  }),
);
export type FootpathRequest = Static<typeof FootpathRequest.schema>;

export const tripDefinitions = [
  LegStop,
  Leg,
  Fare,
  Trip,
  TripResult,
  Footpath,
  Place,
  TripRequest,
  FootpathRequest,
] as const;
