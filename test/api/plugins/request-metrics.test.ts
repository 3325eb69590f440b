import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import { findValue, parseMetrics } from '../../support/checks/parse-metrics.ts';
import { openTestApp } from '../test-app.ts';

async function open() {
  const metrics = createMetrics();
  const app = await openTestApp({ metrics });
  return {
    send: (request: InjectOptions) => app.inject(request),
    scrape: async () => parseMetrics((await metrics.scrape()).text),
  };
}

test('counts requests by route, method and status, with their duration', async () => {
  const { send, scrape } = await open();
  await send({ url: '/v2/boards/7?limit=3' });
  await send({ url: '/v2/boards/8?limit=1000' });
  await send({ method: 'POST', url: '/v2/searches', payload: { text: 'x' } });
  await send({ url: '/v2/boards/7', headers: { origin: 'https://x.example' } });
  await send({ url: '/v2/%zz' });
  await send({ url: '/nothing/48.2,16.3' });
  const counted = await scrape();
  const requests = (route: string, method: string, status: number) =>
    findValue(counted, 'taktgeber_http_requests_total', { route, method, status: String(status) });
  expect(requests('/v2/boards/:id', 'GET', 200)).toBe(1);
  expect(requests('/v2/boards/:id', 'GET', 400)).toBe(1);
  expect(requests('/v2/boards/:id', 'GET', 403)).toBe(1);
  expect(requests('/v2/searches', 'POST', 200)).toBe(1);
  expect(requests('none', 'GET', 400)).toBe(1);
  expect(requests('none', 'GET', 404)).toBe(1);
  const route = '/v2/boards/:id';
  expect(findValue(counted, 'taktgeber_http_request_duration_seconds_count', { route })).toBe(3);
});

test('counts responses by origin', async () => {
  const { send, scrape } = await open();
  const first = await send({ url: '/v2/boards/7' });
  await send({ url: '/v2/boards/7' });
  await send({ url: '/v2/boards/7', headers: { 'if-none-match': first.headers.etag as string } });
  const counted = await scrape();
  const answers = (from: string) => findValue(counted, 'taktgeber_responses_total', { from });
  expect([answers('engine'), answers('cache'), answers('not_modified')]).toEqual([1, 1, 1]);
  expect(findValue(counted, 'taktgeber_response_cache_bytes')).toBeGreaterThan(0);
});

test('creates no series from client input', async () => {
  const { send, scrape } = await open();
  const label = /^(none|\/|\/v[12]\/[a-z/:]+|\/(docs|problems|openapi|site|sources)\S*|[a-z_]+)$/i;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 4 }),
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PROPFIND'),
      async (parts, method) => {
        const url = `/${parts.map(encodeURIComponent).join('/')}`;
        await send({ method: method as 'GET', url: parts.length % 2 ? url : `/v2/boards${url}` });
      },
    ),
    { numRuns: 150 },
  );
  const { series } = await scrape();
  const requests = series.filter(({ name }) => name === 'taktgeber_http_requests_total');
  const routes = new Set(requests.map(({ labels }) => labels.route!));
  for (const route of routes) expect(route).toMatch(label);
  expect(routes.size).toBeLessThan(8);
  expect(new Set(requests.map(({ labels }) => labels.method))).toEqual(new Set(['GET', 'HEAD', 'POST', 'other']));
});
