import type { ProblemCode } from './problems.ts';
import type { RouteContract } from './route-contract.ts';
import { v2Routes } from './routes-v2.ts';
import { V1PredictionBatchRequest } from './v1.ts';
import { v1HistoryQuery, v1MetroQuery, v1PredictionsQuery, v1VehiclesQuery } from './v1-queries.ts';
import { noQuery } from './v2-queries.ts';

const JSON_ONLY = ['application/json'] as const;

/** The open routes, in the order of the specification. */
const v1Routes: readonly RouteContract[] = [
  {
    method: 'GET',
    path: '/v1/health',
    operationId: 'getV1Health',
    summary: 'Health of the service, and freshness of its data.',
    query: noQuery,
    answer: 'V1Health',
    answerMediaTypes: JSON_ONLY,
    otherAnswers: { 503: 'V1Health' },
    problems: [],
    // Health checks must not exhaust the fair-use budget.
    cost: 0,
    cacheControl: 'no-store',
  },
  {
    method: 'GET',
    path: '/v1/status',
    operationId: 'getV1Status',
    summary: 'The state of every component and source.',
    query: noQuery,
    answer: 'V1Status',
    answerMediaTypes: JSON_ONLY,
    problems: [],
    cost: 0,
    // Polling a source does not change the data version, so an entity tag would go stale.
    cacheControl: 'no-store',
  },
  {
    method: 'GET',
    path: '/v1/history',
    operationId: 'getV1History',
    summary: 'Punctuality of past service days, as JSON, Arrow or CSV.',
    query: v1HistoryQuery,
    answer: 'V1History',
    answerMediaTypes: ['application/json', 'application/vnd.apache.arrow.stream', 'text/csv'],
    problems: ['period_too_long'],
    cost: 2,
    cacheControl: 'public, max-age=600',
  },
  {
    method: 'GET',
    path: '/v1/predictions',
    operationId: 'getV1Predictions',
    summary: 'Delay predictions near a point, of a line or of journeys; at most eight minutes old.',
    query: v1PredictionsQuery,
    answer: 'V1Predictions',
    answerMediaTypes: JSON_ONLY,
    problems: ['missing_query'],
    cost: 1,
    cacheControl: 'public, max-age=15',
  },
  {
    method: 'POST',
    path: '/v1/predictions/batch',
    operationId: 'getV1PredictionBatch',
    summary: 'Delay predictions for many journeys at once.',
    query: noQuery,
    body: V1PredictionBatchRequest.schema,
    bodyType: V1PredictionBatchRequest.name,
    answer: 'V1Predictions',
    answerMediaTypes: JSON_ONLY,
    problems: [],
    cost: 1,
    cacheControl: 'no-store',
  },
  {
    method: 'GET',
    path: '/v1/vehicles',
    operationId: 'getV1Vehicles',
    summary: 'Vehicles in a bounding box (at most 2 degrees per side), or of given journeys.',
    query: v1VehiclesQuery,
    answer: 'V1Vehicles',
    answerMediaTypes: JSON_ONLY,
    problems: [],
    cost: 1,
    cacheControl: 'public, max-age=10',
  },
  {
    method: 'GET',
    path: '/v1/city-transit/metro',
    operationId: 'getV1Metro',
    summary: 'Realtime departures of a metro station of the fixed list.',
    query: v1MetroQuery,
    answer: 'V1Metro',
    answerMediaTypes: JSON_ONLY,
    problems: ['unknown_station', 'source_standby'],
    cost: 1,
    cacheControl: 'public, max-age=15',
  },
  {
    method: 'GET',
    path: '/v1/announcements',
    operationId: 'getV1Announcements',
    summary: 'Notices that apps display without an app update.',
    query: noQuery,
    answer: 'V1Announcements',
    answerMediaTypes: JSON_ONLY,
    problems: [],
    cost: 1,
    cacheControl: 'public, max-age=300',
  },
  {
    method: 'GET',
    path: '/v1/network-maps',
    operationId: 'getV1NetworkMaps',
    summary: 'The directory of network maps.',
    query: noQuery,
    answer: 'V1NetworkMaps',
    answerMediaTypes: JSON_ONLY,
    problems: [],
    cost: 1,
    cacheControl: 'public, max-age=3600',
  },
];

/** All routes: /v2, then /v1, each in the order of the specification. */
export const routes: readonly RouteContract[] = [...v2Routes, ...v1Routes];

/** @throws Error for an unknown id, which is a bug, never a client error */
export function getRoute(operationId: string): RouteContract {
  const route = routes.find((candidate) => candidate.operationId === operationId);
  if (!route) throw new Error(`there is no route "${operationId}"`);
  return route;
}

/** Problems that every route may return. */
const generalProblems: readonly ProblemCode[] = [
  'unknown_parameter',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'not_available_yet',
];

const bodyProblems: readonly ProblemCode[] = ['invalid_body', 'payload_too_large', 'unsupported_media_type'];

/** All problems that a route may return: the general ones, those of its kind of input, and its own. */
export function listProblems(route: RouteContract): ProblemCode[] {
  const hasParameters = Object.keys(route.query.properties).length > 0;
  return [
    ...new Set<ProblemCode>([
      ...generalProblems,
      ...(route.path.startsWith('/v2/') ? (['origin_not_allowed'] as const) : []),
      ...(hasParameters ? (['invalid_parameter'] as const) : []),
      ...(route.body ? bodyProblems : []),
      ...route.problems,
    ]),
  ];
}
