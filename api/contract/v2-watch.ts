import { type Static, Type } from './json-schema.ts';
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
import { LegRef, legRefs } from './v2-leg-ref.ts';
import { Place, Trip } from './v2-trip.ts';

// ---- Requests ----------------------------------------------------------------------------------

const pushKey = () => Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9+/_-]+={0,2}$' });

const PushKeys = define(
  'PushKeys',
  closed({
    p256dh: described('Public key of the browser, base64url.', pushKey()),
    auth: described('Shared secret, base64url.', pushKey()),
  }),
);

const PushSubscription = define(
  'PushSubscription',
  closed({
    endpoint: described(
      'Address of the push service: https, port 443, one of the hosts that the service pushes to.',
      Type.String({ format: 'uri', maxLength: 2048 }),
    ),
    expirationTime: Type.Optional(
      described('End of the subscription, in milliseconds since 1970.', nullable(Type.Number({ minimum: 0 }))),
    ),
    keys: described('Keys for the encryption of events.', PushKeys.ref),
  }),
);

const WebPushDelivery = define(
  'WebPushDelivery',
  closed({
    kind: described('Events are pushed.', Type.Literal('webPush')),
    subscription: described('As returned by the Push API of the browser.', PushSubscription.ref),
  }),
);

const PollDelivery = define('PollDelivery', closed({ kind: described('Events are fetched.', Type.Literal('poll')) }));

export const Delivery = define(
  'Delivery',
  Type.Union([WebPushDelivery.ref, PollDelivery.ref], {
    description: 'How events reach the app: pushed, or fetched by watching again with the watchId.',
  }),
);
export type Delivery = Static<typeof Delivery.schema>;

export const RescueRequest = define(
  'RescueRequest',
  closed({
    legs: legRefs(),
    to: Type.Optional(described('Absent: the destination of the last leg.', Place.ref)),
    position: Type.Optional(described('Where the traveller is, when known.', Coord.ref)),
    time: Type.Optional(described('Absent: now.', RequestTimestamp.ref)),
    limit: defaulted(described('Maximum number of options.', integer(1, 6)), 4),
  }),
);
export type RescueRequest = Static<typeof RescueRequest.schema>;

const watchId = () => described('Id from an earlier response, to extend that watch. Absent: a new watch.', text(500));
const delivery = () => defaulted(described('How events reach the app.', Delivery.ref), { kind: 'poll' });
const until = () =>
  Type.Optional(
    described('When the watch ends; at most 90 days ahead. Absent: chosen by the service.', RequestTimestamp.ref),
  );

const language = () => defaulted(described('Language of the texts of events.', oneOf('de', 'en')), 'de');

const tripWatch = {
  watchId: Type.Optional(watchId()),
  legs: legRefs(),
  delivery: delivery(),
  minDelayMinutes: defaulted(described('Minimum delay that causes an event.', integer(1, 60)), 5),
  until: until(),
  language: language(),
};

export const TripWatchRequest = define('TripWatchRequest', closed(tripWatch));
export type TripWatchRequest = Static<typeof TripWatchRequest.schema>;

export const RescueWatchRequest = define(
  'RescueWatchRequest',
  closed({
    ...tripWatch,
    to: Type.Optional(described('Absent: the destination of the last leg.', Place.ref)),
    minSuccessProbability: defaulted(described('Minimum probability of an option.', share()), 0.7),
  }),
);
export type RescueWatchRequest = Static<typeof RescueWatchRequest.schema>;

const WatchedLine = define(
  'WatchedLine',
  closed({
    label: described('As Line.label.', text(200)),
    operatorName: Type.Optional(described('Distinguishes lines of the same label.', text(200))),
  }),
);

const clock = () => Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

const WatchRepeat = define(
  'WatchRepeat',
  closed({
    weekdays: described(
      'Dates of these weekdays.',
      Type.Array(oneOf('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
      }),
    ),
    from: described('Earliest scheduled departure, local time `HH:MM`.', clock()),
    to: described(
      'Latest scheduled departure, at most 12 hours after `from`; before `from`: on the next date.',
      clock(),
    ),
  }),
);

export const LineWatchRequest = define(
  'LineWatchRequest',
  closed({
    watchId: Type.Optional(watchId()),
    lines: described('The watched lines.', Type.Array(WatchedLine.ref, { minItems: 1, maxItems: 20 })),
    stopIds: Type.Optional(
      described('Only disruptions at these stops. Absent or empty: all.', Type.Array(text(500), { maxItems: 20 })),
    ),
    repeat: Type.Optional(
      described(
        'Watches the departures of the lines at the stops, of which there is at least one, in a window on some weekdays, ' +
          'from an hour before it; disruptions only then. Absent: disruptions at any time, and no departures.',
        WatchRepeat.ref,
      ),
    ),
    minDelayMinutes: Type.Optional(
      described('With `repeat`: minimum delay that causes an event. Absent: 5.', integer(1, 60)),
    ),
    delivery: delivery(),
    until: until(),
    language: language(),
  }),
);
export type LineWatchRequest = Static<typeof LineWatchRequest.schema>;

export const UnwatchRequest = define('UnwatchRequest', closed({ watchId: described('The watch to end.', text(500)) }));
export type UnwatchRequest = Static<typeof UnwatchRequest.schema>;

// ---- Answers -----------------------------------------------------------------------------------

export const RescueOption = define(
  'RescueOption',
  closed({
    kind: described('What to do.', oneOf('wait', 'next', 'exitEarlier', 'reroute', 'walk')),
    trip: described('The remaining trip of this option, with realtime.', Trip.ref),
    arrivalDeltaMinutes: described('Difference from the planned arrival; positive: later.', Type.Number()),
    successProbability: Type.Optional(described('Probability that all transfers are made; absent: unknown.', share())),
    sampleSize: described('Number of past trips behind the probability.', count()),
    decideBy: described('Latest time at which this option can be chosen.', Timestamp.ref),
  }),
);
export type RescueOption = Static<typeof RescueOption.schema>;

export const RescueResult = define(
  'RescueResult',
  closed({
    generatedAt: described('When the response was generated.', Timestamp.ref),
    state: described('State of the requested trip.', oneOf('onTrack', 'atRisk', 'missed', 'cancelled', 'unknown')),
    atLeg: Type.Optional(described('Index of the leg that fails, from 0.', count())),
    options: described('Sorted by quality, best first.', Type.Array(RescueOption.ref)),
  }),
);
export type RescueResult = Static<typeof RescueResult.schema>;

export const WatchEvent = define(
  'WatchEvent',
  closed({
    id: described('Unique within the watch.', Type.String()),
    at: described('When the change was detected.', Timestamp.ref),
    kind: described(
      'What happened.',
      oneOf(
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
    ),
    journeyRef: Type.Optional(described('The affected journey.', Type.String())),
    disruptionId: Type.Optional(described('The disruption; absent: stops that the journey skips.', Type.String())),
    delayMinutes: Type.Optional(described('The delay; early is negative.', Type.Number())),
    text: described('One sentence for the traveller.', Type.String()),
    options: Type.Optional(described('Alternatives.', Type.Array(RescueOption.ref))),
  }),
);
export type WatchEvent = Static<typeof WatchEvent.schema>;

export const WatchState = define(
  'WatchState',
  closed({
    watchId: described('Pass it back to extend or end the watch.', Type.String()),
    expiresAt: described('When the watch expires.', Timestamp.ref),
    checkedAt: described('Time of the evaluated realtime.', Timestamp.ref),
    status: described(
      'State of the watched trip or lines; delayed: an event reported a late or early departure or arrival.',
      oneOf('onTrack', 'delayed', 'atRisk', 'missed', 'cancelled', 'disrupted', 'ended', 'unknown'),
    ),
    events: described('Events so far, oldest first.', Type.Array(WatchEvent.ref)),
  }),
);
export type WatchState = Static<typeof WatchState.schema>;

export const UnwatchResult = define(
  'UnwatchResult',
  closed({ removed: described('False if there was no such watch, as on a repeated request.', Type.Boolean()) }),
);
export type UnwatchResult = Static<typeof UnwatchResult.schema>;

export const watchDefinitions = [
  LegRef,
  PushKeys,
  PushSubscription,
  WebPushDelivery,
  PollDelivery,
  Delivery,
  RescueRequest,
  TripWatchRequest,
  RescueWatchRequest,
  WatchedLine,
  WatchRepeat,
  LineWatchRequest,
  UnwatchRequest,
  RescueOption,
  RescueResult,
  WatchEvent,
  WatchState,
  UnwatchResult,
] as const;
