import { type Static, Type } from './json-schema.ts';
import {
  allOrNone,
  anyGroup,
  calendarDate,
  closed,
  defaulted,
  described,
  exclusive,
  integer,
  latitude,
  longitude,
  oneOf,
  text,
} from './schema-builders.ts';
import { box, boxSides, listLimit } from './v2-queries.ts';

const jids = (maxItems: number) =>
  Type.Optional(described('Journey references.', Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems })));

export const v1HistoryQuery = closed({
  from: Type.Optional(described('First day. Default: 90 days up to the last day.', calendarDate())),
  to: Type.Optional(
    described('Last day; the period has at most 366 days, both ends included. Default: yesterday.', calendarDate()),
  ),
  line: Type.Optional(described('A line label, of any operator.', text(200))),
  operator: Type.Optional(described('Name of an operator, as in lines.', text(200))),
  source: Type.Optional(described('Id of a data source. Absent: all of them, each call once.', text(200))),
  definition: defaulted(
    described(
      'lastForecast: where nothing was observed, a forecast counts that was last reported less than a minute before its own time, if the trip was reported further after it.',
      oneOf('observed', 'lastForecast'),
    ),
    'observed',
  ),
  format: Type.Optional(described('A table instead of JSON; equivalent to the Accept header.', oneOf('arrow', 'csv'))),
  table: defaulted(
    described('Which table an Arrow or CSV response contains.', oneOf('daily', 'lines', 'heatmap')),
    'daily',
  ),
});
export type V1HistoryQuery = Static<typeof v1HistoryQuery>;

export const v1PredictionsQuery = closed(
  {
    lat: Type.Optional(described('Latitude of a point; returns predictions near it.', latitude())),
    lon: Type.Optional(described('Longitude of the point.', longitude())),
    radius: Type.Optional(
      described(
        'Radius around lat and lon in metres; absent: 1000. A trip is located at the position of its vehicle, else at its next stop.',
        integer(1, 10_000),
      ),
    ),
    line: Type.Optional(described('A line label.', text(200))),
    jid: Type.Optional(described('One journey reference; all filters must match.', Type.String({ minLength: 1 }))),
    jids: jids(40),
    limit: defaulted(listLimit(200), 50),
  },
  {
    dependentRequired: { ...allOrNone('lat', 'lon'), radius: ['lat', 'lon'] },
    ...anyGroup(['lat', 'lon'], ['line'], ['jid'], ['jids']),
  },
);
export type V1PredictionsQuery = Static<typeof v1PredictionsQuery>;

export const v1VehiclesQuery = closed(
  { ...box(), jids: jids(100), limit: defaulted(listLimit(1000), 500) },
  {
    dependentRequired: allOrNone(...boxSides),
    ...exclusive(...boxSides.map((side) => [side, 'jids'] as const)),
  },
);
export type V1VehiclesQuery = Static<typeof v1VehiclesQuery>;

export const v1MetroQuery = closed({ diva: described('Number of the station.', integer(0)) });
export type V1MetroQuery = Static<typeof v1MetroQuery>;
