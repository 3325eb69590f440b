import { products } from '../../pipeline/model/product.ts';
import { type Static, Type } from './json-schema.ts';
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
import { legRefs } from './v2-leg-ref.ts';
import { TripAccess, TripDirect, TripEgress } from './v2-trip-modes.ts';

// ---- Answers -----------------------------------------------------------------------------------

export const LegStop = define(
  'LegStop',
  closed({
    id: described('Stop.id; a coordinate is `lat,lon`.', Type.String()),
    placeId: Type.Optional(described('Stop.id of its station.', Type.String())),
    name: described('Name of the stop, or of the place as requested.', Type.String()),
    coord: Type.Optional(described('Where it is.', Coord.ref)),
    arrival: Type.Optional(described('Arrival time.', TimeInfo.ref)),
    departure: Type.Optional(described('Departure time.', TimeInfo.ref)),
    platform: described('Where the vehicle stops.', Platform.ref),
    cancellation: described('Whether the call is cancelled.', Cancellation.ref),
  }),
);
export type LegStop = Static<typeof LegStop.schema>;

export const Leg = define(
  'Leg',
  closed({
    mode: described('Mode of the leg.', oneOf('transit', 'walk', 'bike', 'car', 'transfer', 'wait')),
    line: Type.Optional(described('Line of a ride.', Line.ref)),
    direction: Type.Optional(described('Headsign of the vehicle.', Type.String())),
    origin: described('Where it begins.', LegStop.ref),
    destination: described('Where it ends.', LegStop.ref),
    intermediateStops: described('Calls between the two, in travel order.', Type.Array(LegStop.ref)),
    distanceMeters: Type.Optional(described('Length of the leg.', count())),
    journeyRef: Type.Optional(described('Journey of a ride.', Type.String())),
    cancellation: described('Whether the ride is cancelled.', Cancellation.ref),
    notices: described('Notices about this ride.', Type.Array(Notice.ref)),
    transferRisk: Type.Optional(
      described(
        'Of the transfer to the next ride. guaranteed: the next vehicle waits; missed: the walk does not fit between the expected arrival and departure; tight: it fits, but the minimum transfer time does not, or the probability is below 0.9.',
        oneOf('ok', 'tight', 'missed', 'guaranteed'),
      ),
    ),
    attributes: described(
      '`name:value` pairs, such as `walk:straightLine`, `occupancy:full` where a ride begins, and of a transfer `transferSeconds:300`.',
      Type.Array(Type.String()),
    ),
    polyline: described('Path of the leg.', Type.Array(Coord.ref)),
    steps: described('Directions on foot, by bicycle or by car.', Type.Array(WalkStep.ref)),
  }),
);
export type Leg = Static<typeof Leg.schema>;

export const Fare = define(
  'Fare',
  closed({
    name: described('Name of the ticket.', Type.String()),
    amountCents: described(
      'Price in hundredths of the currency unit.',
      Type.Integer({ exclusiveMinimum: 0, maximum: MAX_INTEGER }),
    ),
    currency: described('ISO 4217.', Type.String()),
  }),
);
export type Fare = Static<typeof Fare.schema>;

export const Trip = define(
  'Trip',
  closed({
    id: described('Derived from the rides, their origins and destinations; the same in every response.', Type.String()),
    legs: described('Legs in travel order.', Type.Array(Leg.ref)),
    departure: described('Start time.', TimeInfo.ref),
    arrival: described('End time.', TimeInfo.ref),
    transfers: described('Transfers between vehicles; staying on board does not count.', count()),
    cancellation: described('Whether a ride is cancelled.', Cancellation.ref),
    notices: described('Notices about its rides, each once.', Type.Array(Notice.ref)),
    attributes: described('Attributes of its legs that make the trip less certain.', Type.Array(Type.String())),
    fares: described(
      'Cheapest tickets for the whole trip, without reductions; empty if the fare of any ride is unknown.',
      Type.Array(Fare.ref),
    ),
  }),
);
export type Trip = Static<typeof Trip.schema>;

export const TripResult = define(
  'TripResult',
  closed({
    trips: described(
      'Pareto-optimal by departure (rounded down to minutes), arrival (rounded up) and transfers, without those that ' +
        'are folded (see `all`); of those equal in all three the most probable, then the one with less walking, then ' +
        'the shortest. On the first page they include the direct walk, and the direct trips that `direct` requests.',
      Type.Array(Trip.ref),
    ),
    earlierRef: Type.Optional(described('Pass it back as `pageRef` for earlier trips.', Type.String())),
    laterRef: Type.Optional(described('Pass it back as `pageRef` for later trips.', Type.String())),
  }),
);
export type TripResult = Static<typeof TripResult.schema>;

export const Footpath = define(
  'Footpath',
  closed({
    distanceMeters: Type.Optional(described('Length of the path.', count())),
    durationSeconds: Type.Optional(described('Time at the speed of the profile.', count())),
    polyline: described('Path.', Type.Array(Coord.ref)),
    steps: described(
      'Directions; one step with the manoeuvre `straightLine` where streets are not known.',
      Type.Array(WalkStep.ref),
    ),
  }),
);
export type Footpath = Static<typeof Footpath.schema>;

// ---- Requests ----------------------------------------------------------------------------------

const StopPlace = define(
  'StopPlace',
  closed({ stopId: described('Stop.id, also of a place; a station stands for all its platforms.', text(500)) }),
);

const CoordPlace = define(
  'CoordPlace',
  closed({
    coord: described('Any coordinate.', Coord.ref),
    name: Type.Optional(
      described('Repeated in the response; absent: the nearest address or place, where known.', text(200)),
    ),
  }),
);

export const Place = define(
  'Place',
  Type.Union([StopPlace.ref, CoordPlace.ref], { description: 'A stop, or any coordinate.' }),
);
export type Place = Static<typeof Place.schema>;

const Avoidance = define(
  'Avoidance',
  closed({
    lines: Type.Optional(described('Labels or ids (`lineId`) of lines.', Type.Array(text(200), { maxItems: 50 }))),
    operators: Type.Optional(described('Names of operators.', Type.Array(text(200), { maxItems: 50 }))),
    stopIds: Type.Optional(
      described(
        'Stops, or stations with all of their platforms, where nobody boards or alights; vehicles may pass.',
        Type.Array(text(500), { maxItems: 50 }),
      ),
    ),
    products: Type.Optional(described('Kinds of vehicles.', Type.Array(oneOf(...products), { maxItems: 50 }))),
  }),
);

const LegAlternatives = define(
  'LegAlternatives',
  closed({
    legs: legRefs(),
    leg: described('Which of them is to be replaced, from 0.', integer(0, 7)),
  }),
);

export const TripRequest = define(
  'TripRequest',
  closed(
    {
      from: described('Where the trip begins.', Place.ref),
      to: described('Where it ends.', Place.ref),
      via: Type.Optional(described('Intermediate places, in travel order.', Type.Array(Place.ref, { maxItems: 2 }))),
      viaMinimumStaySeconds: Type.Optional(
        described(
          'Minimum stay at each `via`, from arrival to departure, in the same order; absent or 0: passing it is enough.',
          Type.Array(integer(0, 86_400), { maxItems: 2 }),
        ),
      ),
      time: Type.Optional(described('Absent: now. Not together with pageRef.', RequestTimestamp.ref)),
      timeMode: defaulted(
        described('Whether `time` is the earliest departure, or the latest arrival.', oneOf('departure', 'arrival')),
        'departure',
      ),
      limit: defaulted(
        described(
          'Maximum number of trips of a page; a page may have fewer if time is short, with a reference to the next.',
          integer(1, 6),
        ),
        4,
      ),
      maxTransfers: Type.Optional(described('Absent: 8.', integer(0, 8))),
      minTransferMinutes: Type.Optional(
        described('Minimum duration of every transfer, except guaranteed ones and staying on board.', integer(0, 60)),
      ),
      products: Type.Optional(
        described('Absent or empty: every product.', Type.Array(oneOf(...products), { maxItems: 50 })),
      ),
      avoid: Type.Optional(described('Lines, operators, stops and products that no ride uses.', Avoidance.ref)),
      walkSpeedKmh: defaulted(described('Speed on foot.', Type.Number({ minimum: 2, maximum: 7 })), 4.7),
      access: Type.Optional(described('How the first vehicle is reached. Absent: on foot.', TripAccess.ref)),
      egress: Type.Optional(
        described(
          'How the trip continues after the last vehicle; by bicycle only with `bikeOnBoard`. Absent: on foot.',
          TripEgress.ref,
        ),
      ),
      direct: Type.Optional(described('Trips without public transport. Absent: on foot.', TripDirect.ref)),
      bikeOnBoard: Type.Optional(
        described(
          'Absent: false. Whether a bicycle is taken along: `access` and `egress` are then by bicycle if they are absent, and vehicles that carry none are not used.',
          Type.Boolean(),
        ),
      ),
      maxWalkMeters: defaulted(described('Longest walk to, from and between stops.', integer(0, 5000)), 1500),
      wheelchair: defaulted(
        described('Only stops and vehicles that are not known to be inaccessible.', Type.Boolean()),
        false,
      ),
      all: Type.Optional(
        described(
          'Absent: false. Whether to show folded trips too: those of little use beside another one, which ' +
            'leaves no earlier, has no more transfers and arrives at most 3 minutes later, and leaves at least 10 ' +
            'minutes later or has fewer transfers.',
          Type.Boolean(),
        ),
      ),
      legAlternatives: Type.Optional(
        described(
          'A trip from `from` to `to` by its rides, of which one is to be replaced: the response has the trip with each ' +
            'of the previous two and the next two departures that connect with the legs before and after, between the ' +
            'same stops or stations. Not together with via, time and pageRef.',
          LegAlternatives.ref,
        ),
      ),
      pageRef: Type.Optional(
        described('earlierRef or laterRef of a response to the same body, without `time`.', text(4000)),
      ),
    },
    exclusive(
      ['time', 'pageRef'],
      ['legAlternatives', 'via'],
      ['legAlternatives', 'time'],
      ['legAlternatives', 'pageRef'],
    ),
  ),
);
export type TripRequest = Static<typeof TripRequest.schema>;

export const FootpathRequest = define(
  'FootpathRequest',
  closed({
    from: described('Start of the path.', Coord.ref),
    to: described('Where it ends.', Coord.ref),
    profile: defaulted(described('On foot or with a wheelchair.', oneOf('foot', 'wheelchair')), 'foot'),
    language: defaulted(described('Language of the directions.', oneOf('de', 'en')), 'de'),
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
  StopPlace,
  CoordPlace,
  Place,
  Avoidance,
  LegAlternatives,
  TripAccess,
  TripEgress,
  TripDirect,
  TripRequest,
  FootpathRequest,
] as const;
