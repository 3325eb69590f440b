import Type, { type Static } from 'typebox';
import {
  closed,
  count,
  defaulted,
  define,
  described,
  integer,
  nullable,
  oneOf,
  share,
  text,
} from './schema-builders.ts';
import { Coord, RequestTimestamp, Timestamp } from './v2-basics.ts';
import { Place, Trip } from './v2-trip.ts';

// ---- What is asked -----------------------------------------------------------------------------

export const LegRef = define(
  'LegRef',
  closed(
    {
      journeyRef: Type.String({ minLength: 1 }),
      originId: text(500),
      destinationId: text(500),
    },
    { description: 'One ride: the journey, and the LegStop ids where it is boarded and left.' },
  ),
);
export type LegRef = Static<typeof LegRef.schema>;

const legs = () => described('In travel order.', Type.Array(LegRef.ref, { minItems: 1, maxItems: 8 }));

const pushKey = () => Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9+/_-]+={0,2}$' });

export const Delivery = define(
  'Delivery',
  Type.Union(
    [
      closed({
        kind: Type.Literal('webPush'),
        subscription: closed({
          endpoint: Type.String({ format: 'uri', pattern: '^https://', maxLength: 2048 }),
          expirationTime: Type.Optional(nullable(Type.Number({ minimum: 0 }))),
          keys: closed({ p256dh: pushKey(), auth: pushKey() }),
        }),
      }),
      closed({ kind: Type.Literal('poll') }),
    ],
    { description: 'How events reach the app: pushed, or fetched by watching again with the watchId.' },
  ),
);
export type Delivery = Static<typeof Delivery.schema>;

export const RescueRequest = define(
  'RescueRequest',
  closed({
    legs: legs(),
    to: Type.Optional(described('Absent: the destination of the last leg.', Place.ref)),
    position: Type.Optional(Coord.ref),
    time: Type.Optional(described('Absent: now.', RequestTimestamp.ref)),
    limit: defaulted(integer(1, 6), 4),
  }),
);
export type RescueRequest = Static<typeof RescueRequest.schema>;

const watchId = () => described('Of an earlier answer: extends that watch. Absent: a new watch.', text(500));
const delivery = () => defaulted(Delivery.ref, { kind: 'poll' });
const until = () =>
  Type.Optional(
    described('When the watch ends; at most 90 days ahead. Absent: chosen by the service.', RequestTimestamp.ref),
  );

const tripWatch = {
  watchId: Type.Optional(watchId()),
  legs: legs(),
  delivery: delivery(),
  minDelayMinutes: defaulted(integer(1, 60), 5),
  until: until(),
};

export const TripWatchRequest = define('TripWatchRequest', closed(tripWatch));
export type TripWatchRequest = Static<typeof TripWatchRequest.schema>;

export const RescueWatchRequest = define(
  'RescueWatchRequest',
  closed({ ...tripWatch, to: Type.Optional(Place.ref), minSuccessProbability: defaulted(share(), 0.7) }),
);
export type RescueWatchRequest = Static<typeof RescueWatchRequest.schema>;

export const LineWatchRequest = define(
  'LineWatchRequest',
  closed({
    watchId: Type.Optional(watchId()),
    lines: Type.Array(closed({ label: text(200), operatorName: Type.Optional(text(200)) }), {
      minItems: 1,
      maxItems: 20,
    }),
    stopIds: Type.Optional(Type.Array(text(500), { maxItems: 20 })),
    delivery: delivery(),
    until: until(),
  }),
);
export type LineWatchRequest = Static<typeof LineWatchRequest.schema>;

export const UnwatchRequest = define('UnwatchRequest', closed({ watchId: text(500) }));
export type UnwatchRequest = Static<typeof UnwatchRequest.schema>;

// ---- What is answered --------------------------------------------------------------------------

export const RescueOption = define(
  'RescueOption',
  closed({
    kind: oneOf('wait', 'next', 'exitEarlier', 'reroute', 'walk'),
    trip: Trip.ref,
    arrivalDeltaMinutes: described('Against the planned arrival; later is positive.', Type.Number()),
    successProbability: Type.Optional(share()),
    sampleSize: described('How many past runs the probability rests on.', count()),
    decideBy: Timestamp.ref,
  }),
);
export type RescueOption = Static<typeof RescueOption.schema>;

export const RescueResult = define(
  'RescueResult',
  closed({
    generatedAt: Timestamp.ref,
    state: oneOf('onTrack', 'atRisk', 'missed', 'cancelled', 'unknown'),
    atLeg: Type.Optional(described('Where it goes wrong: the leg, counted from 0.', count())),
    options: Type.Array(RescueOption.ref),
  }),
);
export type RescueResult = Static<typeof RescueResult.schema>;

export const WatchEvent = define(
  'WatchEvent',
  closed({
    id: Type.String(),
    at: Timestamp.ref,
    kind: oneOf(
      'delay',
      'recovered',
      'platform',
      'cancelled',
      'transferAtRisk',
      'transferMissed',
      'disruption',
      'disruptionEnded',
      'options',
      'ended',
    ),
    journeyRef: Type.Optional(Type.String()),
    disruptionId: Type.Optional(Type.String()),
    delayMinutes: Type.Optional(Type.Number()),
    text: Type.String(),
    options: Type.Optional(Type.Array(RescueOption.ref)),
  }),
);
export type WatchEvent = Static<typeof WatchEvent.schema>;

export const WatchState = define(
  'WatchState',
  closed({
    watchId: Type.String(),
    expiresAt: Timestamp.ref,
    checkedAt: Timestamp.ref,
    status: oneOf('onTrack', 'delayed', 'atRisk', 'missed', 'cancelled', 'disrupted', 'ended', 'unknown'),
    events: Type.Array(WatchEvent.ref),
  }),
);
export type WatchState = Static<typeof WatchState.schema>;

export const UnwatchResult = define('UnwatchResult', closed({ removed: Type.Boolean() }));
export type UnwatchResult = Static<typeof UnwatchResult.schema>;

export const watchDefinitions = [
  LegRef,
  Delivery,
  RescueRequest,
  TripWatchRequest,
  RescueWatchRequest,
  LineWatchRequest,
  UnwatchRequest,
  RescueOption,
  RescueResult,
  WatchEvent,
  WatchState,
  UnwatchResult,
] as const;
