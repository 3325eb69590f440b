import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { V1Health, V1Status } from '../../api/contract/definitions.ts';
import { createReferences } from '../../api/engine/read/references.ts';
import { allHandlers } from '../../api/handlers.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { testWatches } from '../support/fakes/test-watches.ts';
import { openWorld, queryDepartures, TEST_KEY, type World } from '../support/worlds/board-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { withFiles } from '../support/worlds/text-feed.ts';
import { metroSource, NOW, ROUNDED_NOW } from './contract-requests.ts';
import { noHistory, noPredictions, openService, serviceOptions, testPlanning } from './service-app.ts';
import { expectProblem } from './test-app.ts';

let world: World;
let ref: string;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
  ref = (await queryDepartures(world, 'at:a', { time: ROUNDED_NOW })).departures[0]!.journeyRef!;
});

const openAt = (time: string) => openService(world, { clock: fixedClock(time), realtimeSources: [metroSource] });

type Injected = Awaited<ReturnType<FastifyInstance['inject']>>;

describe('the valid days of a timetable', () => {
  const checked = (now: string) => ({ at: now, far: now });
  /** Trips at 08:00 and 23:30 to 24:30, on the days from 2 to 8 March in the zone. */
  const feedIn = (zone: string, feedEndDate: string | null = null) =>
    withFiles(soundFeed, {
      'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\nv,Verkehr,https://example.org,${zone}\n`,
      'stop_times.txt': soundFeed
        .get('stop_times.txt')!
        .replaceAll(/(?<=t2.*)09:/g, '24:')
        .replace('24:00:00,24:00:00', '23:30:00,23:30:00'),
      'feed_info.txt':
        feedEndDate &&
        `feed_publisher_name,feed_publisher_url,feed_lang,feed_end_date\nV,https://example.org,de,${feedEndDate}\n`,
    });

  async function getHealthAt(feeds: Parameters<typeof openWorld>[0], now: string) {
    const app = await openService(await openWorld(feeds), { clock: fixedClock(now), sourceChecks: checked(now) });
    const [health, status] = [await app.inject('/v1/health'), await app.inject('/v1/status')];
    const board = await app.inject('/v2/stops/at:a/departures?durationMinutes=1440');
    await expectValidAnswer('V1Health', health.json());
    const { components } = status.json() as V1Status;
    return {
      code: health.statusCode,
      freshness: (health.json() as V1Health).freshness.map(({ id, status }) => `${id} ${status}`).join(', '),
      departures: components.find(({ id }) => id === 'departures')!.status,
      board: board.statusCode === 200 ? board.json().departures.length : board.json().code,
    };
  }

  test.each<[reason: string, zone: string, feedEndDate: string | null, now: string, expected: unknown[]]>([
    ['up to its stated end', 'Europe/Vienna', '20260304', '2026-03-04T22:59:59Z', [200, 'at fresh', 'operational', 2]],
    ['beyond its stated end', 'Europe/Vienna', '20260304', '2026-03-04T23:00:00Z', [200, 'at stale', 'degraded', 2]],
    [
      'a stated end of another year',
      'Europe/Vienna',
      '20250101',
      '2026-03-03T12:00:00Z',
      [200, 'at stale', 'degraded', 2],
    ],
    ['the last night', 'Europe/Vienna', null, '2026-03-08T23:19:59Z', [200, 'at stale', 'degraded', 0]],
    ['all is over', 'Europe/Vienna', null, '2026-03-08T23:20:00Z', [503, 'at stale', 'outage', 0]],
    [
      'in Auckland, before midnight',
      'Pacific/Auckland',
      null,
      '2026-03-08T10:59:59Z',
      [200, 'at fresh', 'operational', 0],
    ],
    [
      'in Auckland, on the day before',
      'Pacific/Auckland',
      null,
      '2026-03-01T10:59:59Z',
      [503, 'at stale', 'outage', 2],
    ],
    [
      'in Auckland, on the first day',
      'Pacific/Auckland',
      null,
      '2026-03-01T11:00:00Z',
      [200, 'at fresh', 'operational', 2],
    ],
    [
      'in Los Angeles, on the last day',
      'America/Los_Angeles',
      null,
      '2026-03-09T06:59:59Z',
      [200, 'at fresh', 'operational', 0],
    ],
    [
      'in Los Angeles, the day after',
      'America/Los_Angeles',
      null,
      '2026-03-09T07:00:00Z',
      [200, 'at stale', 'degraded', 0],
    ],
  ])('%s (%s)', async (_case, zone, feedEndDate, now, expected) => {
    const { code, freshness, departures, board } = await getHealthAt({ at: feedIn(zone, feedEndDate) }, now);
    expect([code, freshness, departures, board]).toEqual(expected);
  });

  test('uses the time zone of each feed', async () => {
    const feeds = { at: feedIn('Pacific/Auckland'), far: feedIn('America/Los_Angeles') };
    expect(await getHealthAt(feeds, '2026-03-01T12:00:00Z')).toMatchObject({
      code: 200,
      freshness: 'at fresh, far stale',
    });
    expect(await getHealthAt(feeds, '2026-03-05T12:00:00Z')).toMatchObject({
      code: 200,
      freshness: 'at fresh, far fresh',
    });
    expect(await getHealthAt(feeds, '2026-03-08T18:00:00Z')).toMatchObject({
      code: 200,
      freshness: 'at stale, far fresh',
    });
  });
});

describe('queries reach the engine', () => {
  const get = async (url: string) => (await openAt(NOW)).inject({ url });
  const clocks = (answer: Injected) =>
    answer.json().departures.map((row: { departure: { scheduled: string } }) => row.departure.scheduled.slice(11, 16));

  test.each([
    ['', ['08:00']],
    ['?durationMinutes=120', ['08:00', '09:00']],
    ['?durationMinutes=120&limit=1', ['08:00']],
    ['?time=2026-03-03T08:00:01%2B01:00', ['09:00']],
    ['?time=2026-03-03T08:00:01+01:00', ['09:00']],
    ['?time=2026-03-03T07:00:00.999Z', ['08:00']],
    ['?lines=1', ['08:00']],
    ['?lines=2,1', ['08:00']],
    ['?lines=2%252C1', []],
    ['?products=cityBus', ['08:00']],
    ['?products=tram,ship', []],
    ['?directionStopId=at:c', ['08:00']],
    ['?directionStopId=at%3Aa', []],
  ])('departures%s: %j', async (query, expected) => {
    const answer = await get(`/v2/stops/at:a/departures${query}`);
    await expectValidAnswer('Board', answer.json());
    expect(clocks(answer)).toEqual(expected);
  });

  test('a page token continues a board, and is refused with a time or for arrivals', async () => {
    const app = await openAt(NOW);
    const first = await app.inject({ url: '/v2/stops/at:a/departures?limit=1' });
    const token = first.json().nextPageToken as string;
    const next = await app.inject({ url: `/v2/stops/at:a/departures?limit=1&pageToken=${token}` });
    expect([clocks(first), clocks(next)]).toEqual([['08:00'], ['09:00']]);
    const alone = await app.inject({ url: `/v2/stops/at:a/departures?pageToken=${token}` });
    expect([alone.statusCode, alone.body]).toEqual([200, next.body]);
    const same = await app.inject({ url: `/v2/stops/at:a/departures?pageToken=${token}&durationMinutes=60&limit=9` });
    expect(same.statusCode).toBe(200);
    const other = `/v2/stops/at:a/departures?pageToken=${token}&durationMinutes=61`;
    expectProblem(await app.inject({ url: other }), 'invalid_parameter', 'pageToken');
    const url = `/v2/stops/at:a/departures?time=${ROUNDED_NOW}&pageToken=${token}`;
    expectProblem(await app.inject({ url }), 'invalid_parameter', 'pageToken');
    const arrivals = `/v2/stops/at:a/arrivals?pageToken=${token}`;
    expectProblem(await app.inject({ url: arrivals }), 'unknown_parameter', 'pageToken');
  });

  test('arrivals filter by origin, departures by destination', async () => {
    const arrivals = await get('/v2/stops/at:b/arrivals?originStopId=at:a');
    expect(arrivals.json().arrivals).toHaveLength(1);
    expectProblem(await get('/v2/stops/at:b/arrivals?directionStopId=at:a'), 'unknown_parameter', 'directionStopId');
    expectProblem(await get('/v2/stops/at:b/departures?originStopId=at:a'), 'unknown_parameter', 'originStopId');
  });

  test('a journey marks the requested stop', async () => {
    const journey = await get(`/v2/journeys/${ref}?stopId=at:c`);
    await expectValidAnswer('Journey', journey.json());
    expect(journey.json().stops.map((call: { isCurrent: boolean }) => call.isCurrent)).toEqual([false, false, true]);
  });

  test('an id with special characters arrives unchanged', async () => {
    const id = 'a/b ?#%25;ä,"\u{1f68b}';
    const csvId = id.replaceAll('"', '""');
    const odd = await openWorld({
      at: withFiles(soundFeed, {
        'stops.txt': soundFeed.get('stops.txt')!.replace('\na,', `\n"${csvId}",`),
        'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll(',a,', `,"${csvId}",`),
      }),
    });
    const app = await openService(odd, { clock: fixedClock(NOW) });
    const answer = await app.inject({ url: `/v2/stops/${encodeURIComponent(`at:${id}`)}/departures` });
    expect([answer.statusCode, answer.json().stop.id]).toEqual([200, `at:${id}`]);
  });
});

// ---- Tags --------------------------------------------------------------------------------------

test('equal tags mean equal bytes on all replicas with the same key', async () => {
  const clock = fixedClock(NOW);
  const replicas = await Promise.all(
    [0, 1_000_000].map((responseCacheBytes) =>
      // Separate references, so that responses are not equal only because of a shared cache.
      openService({ ...world, references: createReferences(TEST_KEY) }, { clock, overrides: { responseCacheBytes } }),
    ),
  );
  const parameter = fc.constantFrom(
    ...['limit=1', 'limit=30', 'durationMinutes=120', 'lines=1', 'products=cityBus', 'directionStopId=at:c'],
    ...['time=2026-03-04T08:30:00%2B01:00', 'time=2026-03-04T07:30:00Z', 'originStopId=at:a', 'stopId=at:b'],
    ...['query=berg', 'query=BERG', 'lat=48', 'lon=16'],
  );
  const path = fc.constantFrom(
    ...['/v2/meta', '/v2/stops', '/v2/stops/nearby', '/v2/stops/at:a/departures', '/v2/stops/at:b/departures'],
    ...['/v2/stops/at:b/arrivals', '/v2/stops/at:b/info', `/v2/journeys/${ref}`],
  );
  const question = fc.record({
    replica: fc.constantFrom(...replicas),
    seconds: fc.integer({ min: 0, max: 59 }),
    path,
    query: fc.uniqueArray(parameter, { maxLength: 3 }),
  });
  const bytesByTag = new Map<string, string>();
  let seenAgain = 0;
  await fc.assert(
    fc.asyncProperty(question, async ({ replica, seconds, path: boardPath, query }) => {
      clock.set(`2026-03-03T06:30:${String(seconds).padStart(2, '0')}Z`);
      const { statusCode, headers, body } = await replica.inject({ url: `${boardPath}?${query.join('&')}` });
      expect(headers.etag !== undefined).toBe(statusCode === 200);
      if (headers.etag === undefined) return;
      const known = bytesByTag.get(headers.etag);
      if (known !== undefined) seenAgain++;
      expect(body).toBe(known ?? body);
      bytesByTag.set(headers.etag, body);
    }),
    { numRuns: 1500 },
  );
  expect(seenAgain).toBeGreaterThan(100);
});

// ---- Swap --------------------------------------------------------------------------------------

test('a slow response uses the timetable with which it started', async () => {
  const grown = await openWorld({ at: soundFeed, other: soundFeed });
  let current = world.timetable;
  let swap = () => {};
  const swapped = new Promise<void>((resolve) => {
    swap = resolve;
  });
  const clock = fixedClock(NOW);
  const handlers = allHandlers({
    clock,
    references: world.references,
    planning: testPlanning(world.references),
    getSourceChecks: () => {
      // A new timetable is published while the response is being computed.
      current = grown.timetable;
      swap();
      return {};
    },
    getRealtimeSources: () => [],
    awaitedSources: [],
    vehicleDemands: { want: () => {} },
    startedAt: 0 as Instant,
    configuredTimetables: [],
    timetableCredits: new Map(),
    metroStations: new Set(),
    timetableMaxAgeSeconds: 3600,
    history: noHistory,
    predictions: noPredictions,
    watches: testWatches(clock, world),
    isEndpointAllowed: () => false,
    announcements: { current: () => null },
    networkMaps: { current: () => null },
    openLake: null,
    places: { current: () => null },
  });
  const snapshots = {
    current: () => ({ value: { timetable: current, realtime: null }, dataVersion: current.manifest.id }),
  };
  const app = await buildApp({ ...serviceOptions(world, { clock }), handlers, snapshots });
  try {
    const [before] = await Promise.all([app.inject({ url: '/v1/health' }), swapped]);
    expect(before.headers['data-version']).toBe(world.timetable.manifest.id);
    expect(before.json().freshness).toHaveLength(1);
    const after = await app.inject({ url: '/v1/health' });
    expect(after.headers['data-version']).toBe(grown.timetable.manifest.id);
    expect(after.json().freshness).toHaveLength(2);
  } finally {
    await app.close();
  }
});
