import type { TSchema } from 'typebox';
import { products } from '../../pipeline/model/product.ts';
import { type Static, Type } from './json-schema.ts';
import {
  allOrNone,
  calendarDate,
  closed,
  defaulted,
  described,
  exclusive,
  instant,
  integer,
  latitude,
  longitude,
  oneOf,
  text,
} from './schema-builders.ts';
import { stopKinds } from './v2-basics.ts';

// Queries contain no references, so that errors and documents show each parameter in full.

const list = <S extends TSchema>(items: S, maxItems: number) => Type.Array(items, { minItems: 1, maxItems });

/** A bounding box: all four sides or none. Each route checks its size. */
export const boxSides = ['minLat', 'minLon', 'maxLat', 'maxLon'] as const;
export const box = () => ({
  minLat: Type.Optional(described('Southern side.', latitude())),
  minLon: Type.Optional(described('Western side.', longitude())),
  maxLat: Type.Optional(described('Northern side.', latitude())),
  maxLon: Type.Optional(described('Eastern side.', longitude())),
});

/** Maximum number of entries in a response. */
export const listLimit = (maximum: number) => described('Maximum number of entries.', integer(1, maximum));

export const noQuery = closed({});

export const stopsQuery = closed(
  {
    query: described('Text typed by the rider.', text(100)),
    limit: defaulted(listLimit(50), 10),
    kinds: Type.Optional(described('Only stops of these kinds.', list(oneOf(...stopKinds), 10))),
    lat: Type.Optional(described('Latitude; with `lon`, ties are ranked by distance from this point.', latitude())),
    lon: Type.Optional(described('Longitude of the point.', longitude())),
  },
  { dependentRequired: allOrNone('lat', 'lon') },
);
export type StopsQuery = Static<typeof stopsQuery>;

export const nearbyQuery = closed(
  {
    lat: Type.Optional(described('Of the point; with `lon`, or `stopId` instead of both.', latitude())),
    lon: Type.Optional(described('Of the point.', longitude())),
    stopId: Type.Optional(described('Stop.id of a stop, an address or a place: the point is there.', text(500))),
    radiusMeters: defaulted(described('Search radius.', integer(1, 10_000)), 1000),
    limit: defaulted(listLimit(100), 20),
  },
  { dependentRequired: allOrNone('lat', 'lon'), ...exclusive(['lat', 'stopId']) },
);
export type NearbyQuery = Static<typeof nearbyQuery>;

const boardFilters = {
  time: Type.Optional(described('Absent: now.', instant())),
  durationMinutes: defaulted(described('Length of the board, by scheduled time.', integer(1, 1440)), 60),
  limit: defaulted(listLimit(200), 30),
  lines: Type.Optional(described('Line labels.', list(text(200), 100))),
  products: Type.Optional(described('Only these products.', list(oneOf(...products), 50))),
};

export const departuresQuery = closed(
  {
    ...boardFilters,
    directionStopId: Type.Optional(described('Only departures that call at this stop later.', text(500))),
    pageToken: Type.Optional(
      described(
        'nextPageToken of an earlier response; it contains the whole query. Filters sent with it must be the same.',
        text(4000),
      ),
    ),
  },
  exclusive(['time', 'pageToken']),
);
export type DeparturesQuery = Static<typeof departuresQuery>;

export const arrivalsQuery = closed({
  ...boardFilters,
  originStopId: Type.Optional(described('Only arrivals that called at this stop before.', text(500))),
});
export type ArrivalsQuery = Static<typeof arrivalsQuery>;

export const journeyQuery = closed({
  stopId: Type.Optional(
    described('Marks the call at this stop as current. Absent: the position of the vehicle.', text(500)),
  ),
});
export type JourneyQuery = Static<typeof journeyQuery>;

export const disruptionsQuery = closed(
  {
    offset: defaulted(described('nextOffset of the previous page.', integer(0)), 0),
    limit: defaulted(listLimit(200), 50),
    line: Type.Optional(described('A line label; with stopId: this line at this stop.', text(200))),
    stopId: Type.Optional(described('Disruptions that name the stop, one of its platforms or its station.', text(500))),
    operator: Type.Optional(described('Name of the operator.', text(200))),
    category: Type.Optional(described('Category, or kind of notice.', text(200))),
    activeAt: Type.Optional(described('Absent: now.', instant())),
    lat: Type.Optional(described('Only disruptions near this point.', latitude())),
    lon: Type.Optional(described('Longitude of the point.', longitude())),
    radiusMeters: Type.Optional(described('Around lat and lon; absent: 1000.', integer(1, 100_000))),
  },
  { dependentRequired: { ...allOrNone('lat', 'lon'), radiusMeters: ['lat', 'lon'] } },
);
export type DisruptionsQuery = Static<typeof disruptionsQuery>;

export const historyQuery = closed({
  from: Type.Optional(described('First day. Default: 30 days up to the last day.', calendarDate())),
  to: Type.Optional(
    described('Last day; the period has at most 366 days, both ends included. Default: yesterday.', calendarDate()),
  ),
  line: Type.Optional(described('A line label, of any operator.', text(200))),
  operator: Type.Optional(described('Name of an operator, as in lines.', text(200))),
  stopId: Type.Optional(described('Calls at this stop; of a station, at all of its platforms.', text(500))),
  source: Type.Optional(described('Id of a data source. Absent: all of them, each call once.', text(200))),
});

export const vehiclesQuery = closed(
  {
    ...box(),
    journeyRefs: Type.Optional(described('Only vehicles of these journeys.', list(Type.String({ minLength: 1 }), 100))),
    limit: defaulted(listLimit(1000), 500),
  },
  {
    dependentRequired: allOrNone(...boxSides),
    ...exclusive(...boxSides.map((side) => [side, 'journeyRefs'] as const)),
  },
);
export type VehiclesQuery = Static<typeof vehiclesQuery>;

// ---- Path parameters ---------------------------------------------------------------------------

export const stopParams = closed({ id: described('A Stop.id.', Type.String({ minLength: 1 })) });

export const journeyParams = closed({ ref: described('A journeyRef as received.', Type.String({ minLength: 1 })) });
