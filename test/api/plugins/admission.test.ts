import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { ProblemCode } from '../../../api/contract/problems.ts';
import { expectProblem, openTestApp } from '../test-app.ts';

describe('the order of refusals', () => {
  const all = { origin: 'https://example.org', 'x-large': 'x'.repeat(17_000) };
  const drained = { unitsPerMinute: 1, burst: 1 };
  const steps: [string, InjectOptions, ProblemCode][] = [
    ['Origin before all', { method: 'PUT', url: '/v2/searches?x=1', headers: all }, 'origin_not_allowed'],
    ['Origin before 404', { url: '/v2/nothing', headers: { origin: 'x' } }, 'origin_not_allowed'],
    ['404 before fair use', { url: '/v2/nothing?x=1' }, 'not_found'],
    ['405 before fair use', { method: 'PUT', url: '/v2/searches?x=1' }, 'method_not_allowed'],
    ['fair use before the query', { url: '/v2/boards/1?x=1' }, 'rate_limited'],
    ['fair use before the body', { method: 'POST', url: '/v2/searches', payload: { no: 1 } }, 'rate_limited'],
    ['fair use before what is not built', { url: '/v2/unbuilt' }, 'rate_limited'],
  ];
  test.each(steps)('%s', async (_name, request, code) => {
    const app = await openTestApp({ fairUse: drained });
    expect((await app.inject({ url: '/v2/boards/1' })).statusCode).toBe(200);
    expectProblem(await app.inject(request), code);
  });
});

describe('Origin', () => {
  const refusedTargets = [
    '/v2/boards/1',
    '/v2/boards/1?limit=3',
    '/v2/nothing',
    '/v2',
    '/v2/',
    '/v2?x=1',
    '/v2#x',
    '/v2//boards/1',
    '//v2/boards/1',
    '/%76%32/boards/1',
    '/v%32/boards/1',
    '/v2%2Fboards/1',
    '/v2/boards/%zz',
    '/%762/%zz',
    '/v2/boards/1/',
    'http://elsewhere.example/v2/boards/1',
  ];
  test.each(refusedTargets)('%s is refused', async (url) => {
    const app = await openTestApp();
    for (const origin of ['https://example.org', 'null', '']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE', 'HEAD'] as const) {
        const answer = await app.inject({ method, url, headers: { origin, 'access-control-request-method': 'GET' } });
        expect(answer.statusCode).toBe(403);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(answer.headers.allow).toBeUndefined();
        if (method !== 'HEAD') expectProblem(answer, 'origin_not_allowed');
      }
    }
  });

  test.each(['/v1/health', '/', '/problems', '/openapi.json', '/docs'])('%s is not', async (url) => {
    const app = await openTestApp();
    expect((await app.inject({ url, headers: { origin: 'https://example.org' } })).statusCode).toBe(200);
  });

  test('a path that only begins like /v2 is unknown', async () => {
    const app = await openTestApp();
    for (const url of ['/v2x', '/v20/boards/1', '/V2/boards/1', '/x/v2/boards/1']) {
      expectProblem(await app.inject({ url, headers: { origin: 'https://example.org' } }), 'not_found');
    }
  });
});

describe('CORS on /v1', () => {
  const exposed = 'ETag, Data-Version, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

  test.each([
    ['GET', '/v1/health', 200],
    ['HEAD', '/v1/health', 200],
    ['OPTIONS', '/v1/health', 204],
    ['GET', '/v1/health?x=1', 400],
    ['GET', '/v1/%zz', 400],
    ['GET', '/v1/nothing', 404],
    ['POST', '/v1/health', 405],
  ] as const)('%s %s', async (method, url, status) => {
    const app = await openTestApp();
    for (const headers of [{}, { origin: 'https://example.org' }]) {
      const answer = await app.inject({ method, url, headers });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-expose-headers']).toBe(exposed);
    }
  });

  test('answers a preflight with everything that is allowed', async () => {
    const app = await openTestApp();
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'GET' };
    const answer = await app.inject({ method: 'OPTIONS', url: '/v1/health', headers });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Content-Type, If-None-Match, X-Installation-Token',
      'access-control-max-age': '86400',
      allow: 'GET, HEAD, OPTIONS',
    });
  });

  test('is absent on other paths', async () => {
    const app = await openTestApp();
    for (const url of ['/', '/nothing', '/v2/boards/1', '/v2/nothing']) {
      const { headers } = await app.inject({ url });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('fair use over HTTP', () => {
  test('reports the remaining units in every response', async () => {
    const app = await openTestApp({ fairUse: { unitsPerMinute: 120, burst: 60 } });
    const send = async (request: InjectOptions) => {
      const { statusCode, headers } = await app.inject(request);
      expect(headers['ratelimit-policy']).toBe('"address";q=60;w=30');
      expect(headers['retry-after']).toBeUndefined();
      return [statusCode, headers.ratelimit];
    };
    expect(await send({ url: '/v2/boards/1' })).toEqual([200, '"address";r=59;t=1']);
    expect(await send({ url: '/v2/boards/1?x=1' })).toEqual([400, '"address";r=58;t=1']);
    expect(await send({ method: 'POST', url: '/v2/searches', payload: { text: 'x' } })).toEqual([
      200,
      '"address";r=54;t=3',
    ]);
    expect(await send({ url: '/v2/unbuilt' })).toEqual([503, '"address";r=53;t=4']);
    for (const [url, status] of [
      ['/', 200],
      ['/nothing', 404],
      ['/v2/%zz', 400],
    ] as const) {
      expect(await send({ url })).toEqual([status, '"address";r=53;t=4']);
    }
    expect(await send({ url: '/v2/boards/1', headers: { origin: 'x' } })).toEqual([403, '"address";r=53;t=4']);
    expect(await send({ method: 'PUT', url: '/v2/boards/1' })).toEqual([405, '"address";r=53;t=4']);
    expect(await send({ method: 'OPTIONS', url: '/v2/boards/1' })).toEqual([204, '"address";r=53;t=4']);
  });

  test('refuses a client without units, with Retry-After', async () => {
    const app = await openTestApp({ fairUse: { unitsPerMinute: 6, burst: 5 } });
    await app.inject({ url: '/v2/boards/1' });
    await app.inject({ method: 'POST', url: '/v2/searches', payload: { text: 'x' } });
    const answer = await app.inject({ url: '/v2/boards/1' });
    expectProblem(answer, 'rate_limited');
    expect(answer.headers).toMatchObject({
      ratelimit: '"address";r=0;t=50',
      'ratelimit-policy': '"address";q=5;w=50',
      'retry-after': '10',
    });
  });

  test('does not raise limits for a token, and ignores malformed ones', async () => {
    const app = await openTestApp({ fairUse: { unitsPerMinute: 1, burst: 2 } });
    const send = async (token: string) =>
      (await app.inject({ url: '/v2/boards/1', headers: { 'x-installation-token': token } })).statusCode;
    expect(await send('device-one')).toBe(200);
    expect(await send('short')).toBe(200);
    expect(await send('device-two')).toBe(429);
    expect(await send(`${'x'.repeat(129)}`)).toBe(429);
  });

  test('counts the forwarded address only behind a trusted proxy', async () => {
    const sendTwice = async (trustProxy: boolean) => {
      const app = await openTestApp({ fairUse: { unitsPerMinute: 1, burst: 1 }, trustProxy });
      const addresses = ['198.51.100.1', '198.51.100.2'];
      const answers = addresses.map((address) =>
        app.inject({ url: '/v2/boards/1', headers: { 'x-forwarded-for': address } }),
      );
      return (await Promise.all(answers)).map((answer) => answer.statusCode);
    };
    expect(await sendTwice(true)).toEqual([200, 200]);
    expect(await sendTwice(false)).toEqual([200, 429]);
  });

  test('sends no headers if disabled', async () => {
    const app = await openTestApp();
    const { headers } = await app.inject({ url: '/v2/boards/1' });
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });
});
