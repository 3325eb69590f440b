import { products, type TypeTable } from './specification-tables.ts';

// The routes and queries of the specification and its decisions, copied by hand, in the notation of its types.

const lists = { lines: 'string 1..200[1..100]', products: `${products}[1..50]` };
const date = 'date ~^\\d{4}-\\d{2}-\\d{2}$';
const instant = 'date-time ~^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$';
const position = { lat: 'number -90..90', lon: 'number -180..180' };
const box = {
  minLat: 'number -90..90',
  minLon: 'number -180..180',
  maxLat: 'number -90..90',
  maxLon: 'number -180..180',
};
const boardQuery = {
  time: instant,
  durationMinutes: 'integer 1..1440 = 60',
  limit: 'integer 1..200 = 30',
  ...lists,
};

/** The query of each route that has one, by path. */
export const queries: Readonly<Record<string, TypeTable>> = {
  '/v2/stops': {
    query: 'string 1..100 R',
    limit: 'integer 1..50 = 10',
    kinds: 'station|poi|address[1..10]',
    ...position,
  },
  '/v2/stops/nearby': {
    ...position,
    stopId: 'string 1..500',
    radiusMeters: 'integer 1..10000 = 1000',
    limit: 'integer 1..100 = 20',
  },
  '/v2/stops/{id}/departures': { ...boardQuery, directionStopId: 'string 1..500', pageToken: 'string 1..4000' },
  '/v2/stops/{id}/arrivals': { ...boardQuery, originStopId: 'string 1..500' },
  '/v2/journeys/{ref}': { stopId: 'string 1..500' },
  '/v2/disruptions': {
    offset: 'integer 0.. = 0',
    limit: 'integer 1..200 = 50',
    line: 'string 1..200',
    stopId: 'string 1..500',
    operator: 'string 1..200',
    category: 'string 1..200',
    activeAt: instant,
    ...position,
    radiusMeters: 'integer 1..100000',
  },
  '/v2/history': {
    from: date,
    to: date,
    line: 'string 1..200',
    operator: 'string 1..200',
    stopId: 'string 1..500',
    source: 'string 1..200',
  },
  '/v2/vehicles': { ...box, journeyRefs: 'string 1..[1..100]', limit: 'integer 1..1000 = 500' },
  '/v1/history': {
    from: date,
    to: date,
    line: 'string 1..200',
    operator: 'string 1..200',
    source: 'string 1..200',
    definition: 'observed|lastForecast = "observed"',
    format: 'arrow|csv',
    table: 'daily|lines|heatmap = "daily"',
  },
  '/v1/predictions': {
    ...position,
    radius: 'integer 1..10000',
    line: 'string 1..200',
    jid: 'string 1..',
    jids: 'string 1..[1..40]',
    limit: 'integer 1..200 = 50',
  },
  '/v1/vehicles': { ...box, jids: 'string 1..[1..100]', limit: 'integer 1..1000 = 500' },
  '/v1/city-transit/metro': { diva: 'integer 0.. R' },
};

/** The routes of both families in order, with response, body and fair-use cost. */
export const routeTable: readonly (readonly [
  route: string,
  answer: string | null,
  body: string | null,
  cost: number,
])[] = [
  ['GET /v2/meta', 'Meta', null, 1],
  ['GET /v2/schema', null, null, 1],
  ['GET /v2/stops', 'StopList', null, 1],
  ['GET /v2/stops/nearby', 'StopList', null, 1],
  ['GET /v2/stops/{id}/departures', 'Board', null, 1],
  ['GET /v2/stops/{id}/arrivals', 'ArrivalBoard', null, 1],
  ['GET /v2/stops/{id}/info', 'StopInfo', null, 1],
  ['GET /v2/journeys/{ref}', 'Journey', null, 1],
  ['POST /v2/trips', 'TripResult', 'TripRequest', 4],
  ['POST /v2/footpath', 'Footpath', 'FootpathRequest', 2],
  ['GET /v2/disruptions', 'DisruptionList', null, 1],
  ['GET /v2/history', 'History', null, 2],
  ['GET /v2/vehicles', 'VehicleSnapshot', null, 1],
  ['POST /v2/predictions/batch', 'PredictionBatch', 'PredictionBatchRequest', 1],
  ['POST /v2/rescue', 'RescueResult', 'RescueRequest', 6],
  ['POST /v2/rescue/watch', 'WatchState', 'RescueWatchRequest', 1],
  ['POST /v2/rescue/unwatch', 'UnwatchResult', 'UnwatchRequest', 1],
  ['POST /v2/lines/watch', 'WatchState', 'LineWatchRequest', 1],
  ['POST /v2/lines/unwatch', 'UnwatchResult', 'UnwatchRequest', 1],
  ['POST /v2/trips/watch', 'WatchState', 'TripWatchRequest', 1],
  ['POST /v2/trips/unwatch', 'UnwatchResult', 'UnwatchRequest', 1],
  ['GET /v1/health', 'V1Health', null, 0],
  ['GET /v1/status', 'V1Status', null, 0],
  ['GET /v1/history', 'V1History', null, 2],
  ['GET /v1/predictions', 'V1Predictions', null, 1],
  ['POST /v1/predictions/batch', 'V1Predictions', 'V1PredictionBatchRequest', 1],
  ['GET /v1/vehicles', 'V1Vehicles', null, 1],
  ['GET /v1/city-transit/metro', 'V1Metro', null, 1],
  ['GET /v1/announcements', 'V1Announcements', null, 1],
  ['GET /v1/network-maps', 'V1NetworkMaps', null, 1],
];
