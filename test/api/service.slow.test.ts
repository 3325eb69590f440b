import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../api/contract/routes.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { openWorld, queryDepartures, type World } from '../support/worlds/board-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { goodRequest, metroSource, NOW, nameOf, ROUNDED_NOW } from './contract-requests.ts';
import { openService, serviceOptions } from './service-app.ts';
import { expectProblem } from './test-app.ts';

let world: World;
let ref: string;
let built: ReadonlySet<string>;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
  ref = (await queryDepartures(world, 'at:a', { time: ROUNDED_NOW })).departures[0]!.journeyRef!;
  built = new Set(Object.keys(serviceOptions(world, { clock: fixedClock(NOW) }).handlers));
});

const openAt = (time: string) => openService(world, { clock: fixedClock(time), realtimeSources: [metroSource] });

describe('routes of the contract', () => {
  test('are all implemented', () => {
    expect([...built].sort()).toEqual(routes.map(nameOf).sort());
  });

  test('refuse a browser before anything else', async () => {
    const app = await openAt(NOW);
    for (const route of routes.filter(({ path }) => path.startsWith('/v2/'))) {
      const answer = await app.inject({ ...goodRequest(route), headers: { origin: 'https://example.org' } });
      expectProblem(answer, 'origin_not_allowed');
    }
  });
});

// ---- GET routes --------------------------------------------------------------------------------

/** One valid request for every GET route; the others have separate tests. */
const goodUrls = (): readonly (readonly [route: string, url: string, dataVersion: boolean])[] => [
  ['/v2/meta', '/v2/meta', true],
  ['/v2/schema', '/v2/schema', false],
  ['/v2/stops', '/v2/stops?query=anger', true],
  ['/v2/stops/nearby', '/v2/stops/nearby?lat=48&lon=16', true],
  ['/v2/stops/{id}/departures', '/v2/stops/at:a/departures', true],
  ['/v2/stops/{id}/arrivals', '/v2/stops/at:b/arrivals', true],
  ['/v2/stops/{id}/info', '/v2/stops/at:b/info', true],
  ['/v2/journeys/{ref}', `/v2/journeys/${ref}`, true],
  ['/v2/disruptions', '/v2/disruptions', true],
  ['/v2/vehicles', '/v2/vehicles', true],
  ['/v1/vehicles', '/v1/vehicles', true],
  ['/v1/predictions', '/v1/predictions?line=1', true],
  ['/v1/city-transit/metro', '/v1/city-transit/metro?diva=60201095', true],
  ['/v1/health', '/v1/health', true],
  ['/v1/status', '/v1/status', true],
  ['/v1/announcements', '/v1/announcements', false],
  ['/v1/network-maps', '/v1/network-maps', false],
  // The service has no history, so its data has no version.
  ['/v1/history', '/v1/history', false],
  ['/v2/history', '/v2/history', false],
];

describe('GET routes', () => {
  test('match the contract: type, headers, HEAD and 304', async () => {
    const app = await openAt(NOW);
    for (const [path, url, hasData] of goodUrls()) {
      const route = routes.find((each) => each.path === path)!;
      const get = await app.inject({ url });
      expect([path, get.statusCode]).toEqual([path, 200]);
      if (route.answer !== null) await expectValidAnswer(route.answer, get.json());
      expect(get.headers).toMatchObject({
        'content-type': route.answerMediaTypes[0],
        'cache-control': route.cacheControl,
        'content-length': String(get.rawPayload.length),
      });
      expect(get.headers['data-version']).toBe(hasData ? world.timetable.manifest.id : undefined);
      await expectHead(app, url, get);
      await expectNotModified(app, url, get, route.cacheControl !== 'no-store');
    }
  });

  test('are all covered by the requests of this test', () => {
    expect(
      goodUrls()
        .map(([path]) => `GET ${path}`)
        .sort(),
    ).toEqual([...built].filter((route) => route.startsWith('GET ')).sort());
  });
});

type Injected = Awaited<ReturnType<FastifyInstance['inject']>>;

async function expectHead(app: FastifyInstance, url: string, get: Injected): Promise<void> {
  const head = await app.inject({ method: 'HEAD', url });
  expect([head.statusCode, head.body]).toEqual([200, '']);
  const { date: _get, 'x-request-id': _getId, ...expected } = get.headers;
  const { date: _head, 'x-request-id': _headId, ...headers } = head.headers;
  expect(headers).toEqual(expected);
}

async function expectNotModified(app: FastifyInstance, url: string, get: Injected, isTagged: boolean): Promise<void> {
  const { etag } = get.headers;
  expect([url, etag !== undefined]).toEqual([url, isTagged]);
  if (etag === undefined) return;
  for (const condition of [etag, `"another", W/${etag}`, '*']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const again = await app.inject({ method, url, headers: { 'if-none-match': condition } });
      expect([url, condition, method, again.statusCode, again.body]).toEqual([url, condition, method, 304, '']);
      expect(again.headers).toMatchObject({ etag, 'cache-control': get.headers['cache-control'] });
    }
  }
  const other = await app.inject({ url, headers: { 'if-none-match': '"another"' } });
  expect([url, other.statusCode, other.body]).toEqual([url, 200, get.body]);
}

test('routes that need a timetable report that there is none', async () => {
  const app = await openService(world, { overrides: { snapshots: { current: () => null } } });
  for (const url of [
    '/v2/stops?query=a',
    '/v2/stops/nearby?lat=1&lon=1',
    '/v2/stops/at:a/departures',
    '/v2/stops/x/info',
  ]) {
    expectProblem(await app.inject({ url }), 'timetable_unavailable');
  }
  expectProblem(await app.inject({ url: '/v2/stops/at:a/departures?limit=0' }), 'invalid_parameter', 'limit');
  const meta = await app.inject({ url: '/v2/meta' });
  expect([meta.statusCode, meta.json().providers, 'timetable' in meta.json()]).toEqual([200, [], false]);
  const health = await app.inject({ url: '/v1/health' });
  await expectValidAnswer('V1Health', health.json());
  expect([health.statusCode, health.json().status, health.json().timetable]).toEqual([503, 'unhealthy', null]);
  const status = await app.inject({ url: '/v1/status' });
  await expectValidAnswer('V1Status', status.json());
  expect([status.statusCode, status.json().overall]).toEqual([200, 'outage']);
});

describe('health', () => {
  const fresh = { at: '2026-03-03T06:00:00.000Z' };

  test.each<[string, string, Record<string, string>, number, string, string]>([
    ['fresh', NOW, fresh, 200, 'fresh', 'operational'],
    ['never checked again', NOW, {}, 200, 'never', 'degraded'],
    ['a day and a half without an answer', '2026-03-04T18:00:01Z', fresh, 200, 'stale', 'degraded'],
    ['just in time', '2026-03-04T18:00:00Z', fresh, 200, 'fresh', 'operational'],
    ['checked in the future by a clock that was ahead', '2026-03-03T05:00:00Z', fresh, 200, 'never', 'degraded'],
    ['on the last day', '2026-03-08T22:59:59Z', fresh, 200, 'stale', 'degraded'],
    ['before it begins', '2026-03-01T22:59:59Z', {}, 503, 'never', 'outage'],
    ['on the first day', '2026-03-01T23:00:00Z', {}, 200, 'never', 'degraded'],
    ['when it has ended', '2026-03-08T23:00:00Z', fresh, 503, 'stale', 'outage'],
  ])('%s', async (_when, now, sourceChecks, statusCode, freshness, overall) => {
    const app = await openService(world, { clock: fixedClock(now), sourceChecks });
    const health = await app.inject({ url: '/v1/health' });
    await expectValidAnswer('V1Health', health.json());
    expect([health.statusCode, health.json().freshness[0].status]).toEqual([statusCode, freshness]);
    const status = await app.inject({ url: '/v1/status' });
    await expectValidAnswer('V1Status', status.json());
    expect([status.json().overall, status.json().sources[0].status]).toEqual([overall, freshness]);
  });
});
