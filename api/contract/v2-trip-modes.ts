import { type Static, Type } from './json-schema.ts';
import { closed, define, described, integer, oneOf } from './schema-builders.ts';

const modes = described(
  'Modes of travel. The fastest one to each stop is used; walking if it is as fast. sharedBike: a bicycle of a sharing system, with the walks to and from it.',
  Type.Array(oneOf('walk', 'bike', 'car', 'sharedBike'), { minItems: 1, maxItems: 4, uniqueItems: true }),
);
const bikeSpeedKmh = Type.Optional(
  described('Speed of cycling on level ground. Absent: 16.', Type.Number({ minimum: 8, maximum: 30 })),
);
const maxBikeMeters = Type.Optional(described('Longest distance by bicycle. Absent: 5000.', integer(0, 20_000)));
const maxCarSeconds = Type.Optional(described('Longest drive, without parking. Absent: 900.', integer(0, 7200)));

export const TripAccess = define(
  'TripAccess',
  closed({
    modes,
    maxBikeMeters,
    bikeSpeedKmh,
    maxCarSeconds,
    parking: Type.Optional(
      described(
        'Where the car stays. Absent or parkAndRide: at car parks for changing to public transport; anyStation: at every station; none: someone else drives, or a taxi.',
        oneOf('parkAndRide', 'anyStation', 'none'),
      ),
    ),
  }),
);
export type TripAccess = Static<typeof TripAccess.schema>;

export const TripEgress = define('TripEgress', closed({ modes, maxBikeMeters, bikeSpeedKmh, maxCarSeconds }));
export type TripEgress = Static<typeof TripEgress.schema>;

export const TripDirect = define(
  'TripDirect',
  closed({
    modes,
    maxBikeMeters: Type.Optional(
      described('Longest distance by bicycle from one place to the next. Absent: 20000.', integer(0, 50_000)),
    ),
    bikeSpeedKmh,
    maxCarSeconds: Type.Optional(
      described('Longest drive from one place to the next. Absent: 7200.', integer(0, 14_400)),
    ),
  }),
);
export type TripDirect = Static<typeof TripDirect.schema>;
