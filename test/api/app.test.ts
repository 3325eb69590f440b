import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { ApiProblem, type ProblemCode } from '../../api/contract/problems.ts';
import type { RouteHandler } from '../../api/plugins/route-handler.ts';
import { boardHandler, expectProblem, openTestApp, type TestData, testOptions } from './test-app.ts';

const JSON_BODY = { 'content-type': 'application/json' };

interface Refusal {
  readonly request: InjectOptions;
  readonly code: ProblemCode;
  readonly parameter?: string;
}

const refusals: Record<string, Refusal> = {
  'an unknown path': { request: { url: '/nothing' }, code: 'not_found' },
  'an unknown path of v1': { request: { url: '/v1/nothing' }, code: 'not_found' },
  'an unknown path of v2': { request: { url: '/v2/nothing' }, code: 'not_found' },
  'a trailing slash': { request: { url: '/v2/boards/1/' }, code: 'not_found' },
  'a path in other case': { request: { url: '/V2/boards/1' }, code: 'not_found' },
  'an unknown path with a broken body': {
    request: { method: 'POST', url: '/v2/nothing', headers: JSON_BODY, payload: '{' },
    code: 'not_found',
  },
  'a wrong method': { request: { method: 'DELETE', url: '/v2/boards/1' }, code: 'method_not_allowed' },
  'a wrong method with a broken body': {
    request: { method: 'PUT', url: '/v2/searches', headers: JSON_BODY, payload: '{' },
    code: 'method_not_allowed',
  },
  'a wrong method on a page': { request: { method: 'POST', url: '/problems' }, code: 'method_not_allowed' },
  'a path that is not percent-encoded': { request: { url: '/v2/boards/%zz' }, code: 'invalid_parameter' },
  'a path that is not UTF-8': { request: { url: '/v2/boards/%ff' }, code: 'invalid_parameter' },
  'an unknown parameter': {
    request: { url: '/v2/boards/1?colour=red' },
    code: 'unknown_parameter',
    parameter: 'colour',
  },
  'a parameter out of bounds': {
    request: { url: '/v2/boards/1?limit=0' },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  'a parameter given twice': {
    request: { url: '/v2/boards/1?limit=3&limit=3' },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
  'a member of every object as a parameter': {
    request: { url: '/v2/boards/1?__proto__=1' },
    code: 'unknown_parameter',
    parameter: '__proto__',
  },
  'a query on a POST': {
    request: { method: 'POST', url: '/v2/searches?limit=1', payload: { text: 'x' } },
    code: 'unknown_parameter',
    parameter: 'limit',
  },
  'a body that is not JSON': {
    request: { method: 'POST', url: '/v2/searches', headers: JSON_BODY, payload: '{"text":' },
    code: 'invalid_body',
  },
  'a body that is not UTF-8': {
    request: { method: 'POST', url: '/v2/searches', headers: JSON_BODY, payload: Buffer.from([0x22, 0xff, 0x22]) },
    code: 'invalid_body',
  },
  'an empty body': {
    request: { method: 'POST', url: '/v2/searches', headers: JSON_BODY, payload: '' },
    code: 'invalid_body',
  },
  'no body': { request: { method: 'POST', url: '/v2/searches' }, code: 'invalid_body' },
  'a body that reaches for the prototype': {
    request: { method: 'POST', url: '/v2/searches', headers: JSON_BODY, payload: '{"text":"x","__proto__":{}}' },
    code: 'invalid_body',
  },
  'an unknown member': {
    request: { method: 'POST', url: '/v2/searches', payload: { text: 'x', colour: 'red' } },
    code: 'invalid_body',
    parameter: '/colour',
  },
  'a body of another type': {
    request: { method: 'POST', url: '/v2/searches', headers: { 'content-type': 'text/plain' }, payload: 'x' },
    code: 'unsupported_media_type',
  },
  'a form': {
    request: {
      method: 'POST',
      url: '/v2/searches',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'text=x',
    },
    code: 'unsupported_media_type',
  },
  'a body without a type': {
    request: { method: 'POST', url: '/v2/searches', payload: Buffer.from('{}') },
    code: 'unsupported_media_type',
  },
  'a type that is none': {
    request: { method: 'POST', url: '/v2/searches', headers: { 'content-type': 'json' }, payload: '{}' },
    code: 'unsupported_media_type',
  },
  'a compressed body': {
    request: {
      method: 'POST',
      url: '/v2/searches',
      headers: { ...JSON_BODY, 'content-encoding': 'gzip' },
      payload: '{"text":"x"}',
    },
    code: 'unsupported_media_type',
  },
  'a body over 256 KiB': {
    request: { method: 'POST', url: '/v2/searches', payload: { text: 'x'.repeat(256 * 1024) } },
    code: 'payload_too_large',
  },
  'an address over 24 KiB': { request: { url: `/v2/boards/${'x'.repeat(24 * 1024)}` }, code: 'uri_too_long' },
  'a query over 24 KiB': { request: { url: `/v2/boards/1?time=${'x'.repeat(24 * 1024)}` }, code: 'uri_too_long' },
  'headers over 16 KiB': {
    request: { url: '/v2/boards/1', headers: { 'x-large': 'x'.repeat(16 * 1024) } },
    code: 'headers_too_large',
  },
  'an expectation': {
    request: { url: '/v2/boards/1', headers: { expect: 'a miracle' } },
    code: 'expectation_failed',
  },
  'a route that nobody has built': { request: { url: '/v2/unbuilt' }, code: 'not_available_yet' },
  'bad input on a route that nobody has built': {
    request: { url: '/v2/unbuilt?limit=9' },
    code: 'invalid_parameter',
    parameter: 'limit',
  },
};

describe('refusals', () => {
  test.each(Object.entries(refusals))('%s', async (_name, { request, code, parameter }) => {
    const app = await openTestApp();
    expectProblem(await app.inject(request), code, parameter);
  });

  test.each([
    ['/v2/boards/1', 'GET, HEAD, OPTIONS'],
    ['/v2/searches', 'POST, OPTIONS'],
    ['/problems', 'GET, HEAD, OPTIONS'],
  ])('answers every other method on %s with Allow: %s', async (url, allow) => {
    const app = await openTestApp();
    const methods = [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'M-SEARCH',
    ] as const;
    for (const method of methods.filter((name) => !allow.split(', ').includes(name))) {
      const answer = await app.inject({ method: method as 'GET', url });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, allow]);
    }
    const options = await app.inject({ method: 'OPTIONS', url });
    expect([options.statusCode, options.headers.allow, options.body]).toEqual([204, allow, '']);
  });

  test('accepts requests at the limits', async () => {
    const app = await openTestApp();
    const id = 'x'.repeat(24 * 1024 - '/v2/boards/'.length);
    expect((await app.inject({ url: `/v2/boards/${id}` })).json()).toMatchObject({ id });
    const text = 'x'.repeat(256 * 1024 - '{"text":""}'.length);
    expect((await app.inject({ method: 'POST', url: '/v2/searches', payload: { text } })).statusCode).toBe(200);
    const large = { 'x-large': 'x'.repeat(15 * 1024) };
    expect((await app.inject({ url: '/v2/boards/1', headers: large })).statusCode).toBe(200);
  });

  test('decodes a reference of 400 percent-encoded characters', async () => {
    const app = await openTestApp();
    const id = `${'ä/?#%:'.repeat(66)}abcd`;
    expect((await app.inject({ url: `/v2/boards/${encodeURIComponent(id)}` })).json()).toMatchObject({ id });
  });
});

describe('failing handlers', () => {
  const failing = (fail: () => never): RouteHandler<TestData> => ({ ...boardHandler, answer: fail });

  test('returns their problem, which is not cached', async () => {
    const app = await openTestApp({
      handlers: {
        'GET /v2/boards/{id}': failing(() => {
          throw new ApiProblem('unknown_stop', 'No stop has that id.', 'id');
        }),
      },
    });
    expectProblem(await app.inject({ url: '/v2/boards/1' }), 'unknown_stop', 'id');
  });

  const surprises: [string, () => unknown][] = [
    ['an error', () => new Error('secret of the house')],
    ['an error with a status', () => Object.assign(new Error('secret of the house'), { statusCode: 404 })],
    ['an error with a code', () => Object.assign(new Error('secret of the house'), { code: 'toString' })],
    ['a text', () => 'secret of the house'],
    ['nothing', () => undefined],
  ];
  test.each(surprises)('logs %s and discloses nothing', async (_name, surprise) => {
    const lines: string[] = [];
    const app = await openTestApp({
      logger: { level: 'error', stream: { write: (line) => void lines.push(line) } },
      handlers: {
        'GET /v2/boards/{id}': failing(() => {
          throw surprise();
        }),
      },
    });
    const answer = await app.inject({ url: '/v2/boards/1' });
    expectProblem(answer, 'internal_error');
    expect(answer.body).not.toContain('secret');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ method: 'GET', path: '/v2/boards/1', msg: 'request failed' });
  });

  test('answers with a problem when the time limit has passed', async () => {
    const app = await openTestApp({
      limits: { requestMilliseconds: 20 },
      handlers: { 'GET /v2/boards/{id}': { ...boardHandler, answer: () => new Promise(() => {}) } },
    });
    expectProblem(await app.inject({ url: '/v2/boards/1' }), 'overloaded');
  });

  test('awaits promises and returns their problems', async () => {
    const app = await openTestApp({
      handlers: {
        'GET /v2/boards/{id}': {
          ...boardHandler,
          async answer({ params }) {
            if (params.id === '0') throw new ApiProblem('unknown_stop', 'No stop has that id.');
            return { json: { id: params.id } };
          },
        },
      },
    });
    expect((await app.inject({ url: '/v2/boards/1' })).json()).toEqual({ id: '1' });
    expectProblem(await app.inject({ url: '/v2/boards/0' }), 'unknown_stop');
  });
});

test('throws for a handler without a route in the contract', async () => {
  const handlers = { 'GET /v2/bords/{id}': boardHandler };
  await expect(buildApp(testOptions({ handlers }))).rejects.toThrow('"GET /v2/bords/{id}"');
});

test('without data, routes that need it return a problem, and the others answer', async () => {
  const app = await openTestApp({ snapshots: { current: () => null } });
  expectProblem(await app.inject({ url: '/v2/boards/1' }), 'timetable_unavailable');
  const health = await app.inject({ url: '/v1/health' });
  expect([health.statusCode, health.json()]).toEqual([503, { status: 'unhealthy' }]);
  expect(health.headers['cache-control']).toBe('no-store');
  expect(health.headers['data-version']).toBeUndefined();
});
