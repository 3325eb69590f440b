import type { ProblemCode } from './problems.ts';
import type { RouteContract } from './route-contract.ts';
import { v1Routes } from './routes-v1.ts';
import { v2Routes } from './routes-v2.ts';

/** All routes: /v2 in the order of the specification, then /v1. */
export const routes: readonly RouteContract[] = [...v2Routes, ...v1Routes];

/** @throws Error when no route has that id: a mistake of ours, never of a caller. */
export function getRoute(operationId: string): RouteContract {
  const route = routes.find((candidate) => candidate.operationId === operationId);
  if (!route) throw new Error(`there is no route "${operationId}"`);
  return route;
}

/** Every route may answer these, whatever it does. */
export const generalProblems: readonly ProblemCode[] = [
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

/** Every problem that a route may answer: the general ones, those that its kind of input brings, and its own. */
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
