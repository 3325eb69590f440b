import Type, { type Static } from 'typebox';
import { noticeKinds } from '../../pipeline/model/notice-kind.ts';
import { products } from '../../pipeline/model/product.ts';
import {
  calendarDate,
  closed,
  count,
  define,
  described,
  integer,
  latitude,
  longitude,
  moment,
  oneOf,
  signedInteger,
} from './schema-builders.ts';

// The words that all v2 types are made of.

export const Timestamp = define(
  'Timestamp',
  Type.String({
    description: 'Austrian local time with its true offset; no fraction of a second, no Z.',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$',
    examples: ['2025-10-26T02:30:00+01:00'],
  }),
);

export const RequestTimestamp = define(
  'RequestTimestamp',
  described('A moment in a request: RFC 3339 with Z or any offset; a fraction of a second is cut off.', moment()),
);

export const LocalDate = define('LocalDate', described('A day of the calendar, YYYY-MM-DD.', calendarDate()));

export const HexColor = define('HexColor', Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#E20210'] }));

export const Coord = define('Coord', closed({ lat: latitude(), lon: longitude() }));
export type Coord = Static<typeof Coord.schema>;

export const stopKinds = ['station', 'poi', 'address'] as const;
export type StopKind = (typeof stopKinds)[number];

export const Stop = define(
  'Stop',
  closed({
    id: described('Stable across reloads of the same timetable.', Type.String()),
    name: Type.String(),
    extId: Type.Optional(Type.String()),
    coord: Type.Optional(Coord.ref),
    distanceMeters: Type.Optional(count()),
    kind: oneOf(...stopKinds),
    productClasses: Type.Optional(
      described('Sum of the bits of the products that call here, in the order of Line.product, tram = 1.', count()),
    ),
  }),
);
export type Stop = Static<typeof Stop.schema>;

export const Line = define(
  'Line',
  closed({
    label: described('What is written on the vehicle.', Type.String()),
    name: Type.String(),
    product: oneOf(...products),
    colorHex: Type.Optional(HexColor.ref),
    textColorHex: Type.Optional(HexColor.ref),
    operatorName: Type.Optional(Type.String()),
    lineId: Type.Optional(Type.String()),
  }),
);
export type Line = Static<typeof Line.schema>;

export const TimeInfo = define(
  'TimeInfo',
  closed({
    scheduled: Type.Optional(Timestamp.ref),
    realtime: Type.Optional(Timestamp.ref),
    isRealtime: described('True exactly when realtime is present and fresh.', Type.Boolean()),
    prognosis: Type.Optional(Type.String()),
  }),
);
export type TimeInfo = Static<typeof TimeInfo.schema>;

export const Platform = define(
  'Platform',
  closed({
    text: Type.Optional(Type.String()),
    scheduledText: Type.Optional(Type.String()),
    changed: Type.Boolean(),
  }),
);
export type Platform = Static<typeof Platform.schema>;

export const Cancellation = define(
  'Cancellation',
  closed({
    fullyCancelled: Type.Boolean(),
    partiallyCancelled: Type.Boolean(),
    note: Type.Optional(
      described('What the publisher says of it: the text of an alert of this very trip, or call.', Type.String()),
    ),
  }),
);
export type Cancellation = Static<typeof Cancellation.schema>;

const affectedLine = closed({
  label: Type.String(),
  operatorName: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
});
export type AffectedLine = Static<typeof affectedLine>;
/** The optional `lines` member of notices and disruptions. */
export const affectedLines = Type.Optional(Type.Array(affectedLine));

export const Notice = define(
  'Notice',
  closed({
    id: Type.String(),
    title: Type.String(),
    text: Type.String(),
    kind: oneOf(...noticeKinds),
    priority: signedInteger(),
    access: Type.Optional(Type.Boolean()),
    operatorName: Type.Optional(Type.String()),
    activeFrom: Type.Optional(Timestamp.ref),
    activeTo: Type.Optional(Timestamp.ref),
    affectedLines: Type.Array(Type.String()),
    lines: affectedLines,
    affectedStops: Type.Array(Type.String()),
  }),
);
export type Notice = Static<typeof Notice.schema>;

export const WalkStep = define(
  'WalkStep',
  closed({
    instruction: Type.String(),
    maneuver: Type.Optional(Type.String()),
    polyFrom: Type.Optional(described('Index into the polyline.', signedInteger())),
    polyTo: Type.Optional(described('Index into the polyline.', signedInteger())),
  }),
);
export type WalkStep = Static<typeof WalkStep.schema>;

/** Compass direction: 0 north, 90 east. */
export const heading = () => integer(0, 359);

export const basicDefinitions = [
  Timestamp,
  RequestTimestamp,
  LocalDate,
  HexColor,
  Coord,
  Stop,
  Line,
  TimeInfo,
  Platform,
  Cancellation,
  Notice,
  WalkStep,
] as const;
