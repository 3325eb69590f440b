import { products } from '../../pipeline/model/product.ts';
import { noticeKinds } from '../../pipeline/model/realtime.ts';
import { type Static, Type } from './json-schema.ts';
import {
  calendarDate,
  closed,
  count,
  define,
  described,
  instant,
  integer,
  latitude,
  longitude,
  oneOf,
  signedInteger,
} from './schema-builders.ts';

// Types used by all others of v2.

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
  described('A time in a request: RFC 3339 with Z or any offset; fractions of a second are truncated.', instant()),
);

export const LocalDate = define('LocalDate', described('A calendar day, YYYY-MM-DD.', calendarDate()));

export const HexColor = define('HexColor', Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#E20210'] }));

export const Coord = define(
  'Coord',
  closed({
    lat: described('Degrees north, WGS 84.', latitude()),
    lon: described('Degrees east, WGS 84.', longitude()),
  }),
);
export type Coord = Static<typeof Coord.schema>;

export const stopKinds = ['station', 'poi', 'address'] as const;
export type StopKind = (typeof stopKinds)[number];

export const Stop = define(
  'Stop',
  closed({
    id: described(
      'Stable across reloads of the same timetable. Ids of places and addresses begin with `place:`, and have no boards.',
      Type.String(),
    ),
    name: described('Name for riders; includes the town if several towns have a stop of this name.', Type.String()),
    extId: Type.Optional(described("The publisher's own id, without the source.", Type.String())),
    coord: Type.Optional(described('Where it is.', Coord.ref)),
    distanceMeters: Type.Optional(described('Straight-line distance from the requested point.', count())),
    kind: described(
      '`station` for stations, platforms and single stops alike, `poi` for a named place, `address` for a house or street.',
      oneOf(...stopKinds),
    ),
    productClasses: Type.Optional(
      described('Sum of the bits of the products that call here, in the order of Line.product, tram = 1.', count()),
    ),
  }),
);
export type Stop = Static<typeof Stop.schema>;

export const Line = define(
  'Line',
  closed({
    label: described('Label shown on the vehicle.', Type.String()),
    name: described('Long name of the line, else its label.', Type.String()),
    product: described('Kind of vehicle.', oneOf(...products)),
    colorHex: Type.Optional(described("The line's colour.", HexColor.ref)),
    textColorHex: Type.Optional(described('Text colour on that background.', HexColor.ref)),
    operatorName: Type.Optional(described('Name of the operator.', Type.String())),
    lineId: Type.Optional(described('Stable across reloads of the same timetable.', Type.String())),
  }),
);
export type Line = Static<typeof Line.schema>;

export const TimeInfo = define(
  'TimeInfo',
  closed({
    scheduled: Type.Optional(described('Scheduled time; absent if the call was added in realtime.', Timestamp.ref)),
    realtime: Type.Optional(described('Time last reported or forecast by a live source.', Timestamp.ref)),
    isRealtime: described('True if and only if `realtime` is present and fresh.', Type.Boolean()),
    prognosis: Type.Optional(
      described(
        'Where the realtime comes from: `observed_actual`, `forecast` as published, `carried` from an earlier call, or `predicted` by our model.',
        Type.String(),
      ),
    ),
  }),
);
export type TimeInfo = Static<typeof TimeInfo.schema>;

export const Platform = define(
  'Platform',
  closed({
    text: Type.Optional(described('Platform last reported; absent: unknown.', Type.String())),
    scheduledText: Type.Optional(described('Scheduled platform.', Type.String())),
    changed: described('True when both are known and differ.', Type.Boolean()),
  }),
);
export type Platform = Static<typeof Platform.schema>;

export const Cancellation = define(
  'Cancellation',
  closed({
    fullyCancelled: described('The whole journey, or at a stop the whole call, is cancelled.', Type.Boolean()),
    partiallyCancelled: described('Some calls of the journey, or one side of the call, are cancelled.', Type.Boolean()),
    note: Type.Optional(described("Text of the publisher's alert for this trip or call.", Type.String())),
  }),
);
export type Cancellation = Static<typeof Cancellation.schema>;

const AffectedLine = define(
  'AffectedLine',
  closed({
    label: described('Label shown on the vehicle.', Type.String()),
    operatorName: Type.Optional(described('Operator of the line; absent: unknown.', Type.String())),
    region: Type.Optional(described('Region or network of the line.', Type.String())),
  }),
);
export type AffectedLine = Static<typeof AffectedLine.schema>;
/** The optional `lines` member of notices and disruptions. */
export const affectedLines = Type.Optional(
  described(
    'The affected lines, with the details that distinguish lines of the same label.',
    Type.Array(AffectedLine.ref),
  ),
);

export const Notice = define(
  'Notice',
  closed({
    id: described('Id of the disruption from which it is derived.', Type.String()),
    title: described('One line.', Type.String()),
    text: described('Plain text without markup.', Type.String()),
    kind: described('Subject category.', oneOf(...noticeKinds)),
    priority: described('Higher numbers are more important.', signedInteger()),
    access: Type.Optional(described('True when the access to stops or vehicles is impaired.', Type.Boolean())),
    operatorName: Type.Optional(described('Its publisher, else the affected operator.', Type.String())),
    activeFrom: Type.Optional(described('Start of validity; absent: no start.', Timestamp.ref)),
    activeTo: Type.Optional(described('End of validity; absent: until further notice.', Timestamp.ref)),
    affectedLines: described(
      'Labels of the lines; empty: all lines of the stops or the operator.',
      Type.Array(Type.String()),
    ),
    lines: affectedLines,
    affectedStops: described('Names of the stops; empty: all stops of the lines.', Type.Array(Type.String())),
  }),
);
export type Notice = Static<typeof Notice.schema>;

export const WalkStep = define(
  'WalkStep',
  closed({
    instruction: described('Instruction in the requested language.', Type.String()),
    maneuver: Type.Optional(
      described(
        'Kind of manoeuvre, as the street engine names it; `straightLine` where streets are not known.',
        Type.String(),
      ),
    ),
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
  AffectedLine,
  Notice,
  WalkStep,
] as const;
