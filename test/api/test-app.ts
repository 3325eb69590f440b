import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { type AppOptions, buildApp } from '../../api/app.ts';
import { Type } from '../../api/contract/json-schema.ts';
import { type ProblemCode, problems } from '../../api/contract/problems.ts';
import type { RouteContract } from '../../api/contract/route-contract.ts';
import { closed, defaulted, integer } from '../../api/contract/schema-builders.ts';
import type { RouteHandler } from '../../api/plugins/route-handler.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';

/** Data of the handlers in these tests. */
export interface TestData {
  readonly name: string;
}

export const TEST_TIME = '2025-03-30T12:00:07Z';

const common = { answer: null, answerMediaTypes: ['application/json'], problems: [], cost: 1 } as const;

/** A minimal contract: a board, a search with a body, an open route, and one that is not implemented. */
const testRoutes: readonly RouteContract[] = [
  {
    ...common,
    method: 'GET',
    path: '/v2/boards/{id}',
    operationId: 'getBoard',
    summary: 'A board.',
    params: closed({ id: Type.String() }),
    query: closed({ time: Type.Optional(Type.String()), limit: defaulted(integer(1, 200), 30) }),
    cacheControl: 'public, max-age=15',
  },
  {
    ...common,
    method: 'POST',
    path: '/v2/searches',
    operationId: 'search',
    summary: 'A search.',
    query: closed({}),
    body: closed({ text: Type.String() }),
    bodyType: 'Search',
    cost: 4,
    cacheControl: 'no-store',
  },
  {
    ...common,
    method: 'GET',
    path: '/v1/health',
    operationId: 'getHealth',
    summary: 'Health.',
    query: closed({}),
    cacheControl: 'no-store',
  },
  {
    ...common,
    method: 'GET',
    path: '/v2/unbuilt',
    operationId: 'getUnbuilt',
    summary: 'Not built.',
    query: closed({ limit: Type.Optional(integer(1, 5)) }),
    cacheControl: 'public, max-age=60',
  },
];

export const boardHandler: RouteHandler<TestData> = {
  snapshot: 'required',
  changesWithTime: ({ time }) => time === undefined,
  answer: ({ params, query, snapshot, instant }) => ({
    json: { id: params.id, query, data: snapshot?.value.name, at: query.time ?? instant },
  }),
};

const searchHandler: RouteHandler<TestData> = {
  snapshot: 'required',
  changesWithTime: () => true,
  answer: ({ body, instant, snapshot }) => ({ json: { body, instant, data: snapshot?.value.name } }),
};

const healthHandler: RouteHandler<TestData> = {
  snapshot: 'optional',
  changesWithTime: () => true,
  answer: ({ snapshot }) => ({ json: { status: snapshot ? 'ok' : 'unhealthy' }, status: snapshot ? 200 : 503 }),
};

/** Options of an app on the minimal contract, with a fixed clock and without fair use. */
export function testOptions(overrides: Partial<AppOptions<TestData>> = {}): AppOptions<TestData> {
  return {
    clock: fixedClock(TEST_TIME),
    snapshots: { current: () => ({ value: { name: 'first' }, dataVersion: 'data-1' }) },
    handlers: {
      'GET /v2/boards/{id}': boardHandler,
      'POST /v2/searches': searchHandler,
      'GET /v1/health': healthHandler,
    },
    answersVersion: 'test',
    fairUse: { unitsPerMinute: 0, burst: 0 },
    site: { examples: [] },
    routes: testRoutes,
    ...overrides,
  };
}

/** Builds an app and closes it after the test. */
export async function openTestApp(overrides: Partial<AppOptions<TestData>> = {}): Promise<FastifyInstance> {
  const app = await buildApp(testOptions(overrides));
  onTestFinished(() => app.close());
  return app;
}

/** Expects a response that meets all rules for problems. */
export function expectProblem(answer: LightMyRequestResponse, code: ProblemCode, parameter?: string): void {
  const { status, title } = problems[code];
  expect(answer.json()).toEqual({
    type: `/problems#${code}`,
    title,
    status,
    detail: expect.stringMatching(/^\S.*\.$/),
    code,
    ...(parameter === undefined ? {} : { parameter }),
  });
  expect(answer.statusCode).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers.etag).toBeUndefined();
}
