import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import type { ProblemCode } from '../../../api/contract/problems.ts';
import { serveWatches } from '../../../api/watches/service/watches.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { testWatchSettings } from '../../support/fakes/test-watches.ts';
import { TEST_KEY } from '../../support/worlds/board-world.ts';
import { at } from '../engine/live-town.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { serviceOptions } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';
import { cancelled, subscription, Town, today } from './watched-town.ts';

let town: Town;
beforeEach(async () => {
  town = await Town.open();
});

describe('a watchId', () => {
  test('of another token, no token, another kind or no watch starts a new watch', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() }, 'installation-a');
    const responses = [
      await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-b'),
      await town.watch('trips/watch', { watchId, legs: town.legs() }),
      await town.watch('lines/watch', { watchId, lines: [{ label: '2' }] }, 'installation-a'),
      await town.watch('trips/watch', { watchId: 'never-given-out', legs: town.legs() }, 'installation-a'),
    ];
    const ids = responses.map((state) => state.watchId);
    expect(new Set([watchId, ...ids]).size).toBe(5);
    expect((await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-a')).watchId).toBe(watchId);
  });

  test('ends a watch once, with its kind and token', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() }, 'installation-a');
    const end = async (path: string, token?: string) => (await town.post(path, { watchId }, token)).json();
    expect(await end('trips/unwatch', 'installation-b')).toEqual({ removed: false });
    expect(await end('lines/unwatch', 'installation-a')).toEqual({ removed: false });
    expect(await end('trips/unwatch', 'installation-a')).toEqual({ removed: true });
    expect(await end('trips/unwatch', 'installation-a')).toEqual({ removed: false });
    expect(await town.receive('07:40', { trips: [cancelled('t1')] })).toBe(0);
    expect((await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-a')).watchId).not.toBe(
      watchId,
    );
  });
});

describe('a refused request', () => {
  const legs = () => town.legs();
  const lines = [{ label: '1' }];
  const repeat = { weekdays: ['tuesday'], from: '17:00', to: '18:00' };
  const push = (over: object, keys = {}) => ({
    legs: legs(),
    delivery: { kind: 'webPush', subscription: { ...subscription, ...over, keys: { ...subscription.keys, ...keys } } },
  });
  const leg = (over: object) => ({ legs: [{ ...legs()[0]!, ...over }] });

  test.each<[string, string, () => object, ProblemCode, string]>([
    ['an unknown reference', 'trips/watch', () => leg({ journeyRef: 'x' }), 'unknown_journey', '/legs/0/journeyRef'],
    [
      'an altered one',
      'rescue/watch',
      () => leg({ journeyRef: `${legs()[0]!.journeyRef.slice(0, -1)}_` }),
      'unknown_journey',
      '/legs/0/journeyRef',
    ],
    [
      'an expired one',
      'trips/watch',
      () => leg({ journeyRef: town.ref('t1', today - 4) }),
      'journey_expired',
      '/legs/0/journeyRef',
    ],
    [
      'a day without the trip',
      'trips/watch',
      () => leg({ journeyRef: town.ref('t1', today + 300) }),
      'journey_expired',
      '/legs/0/journeyRef',
    ],
    [
      'a stop that is nowhere',
      'trips/watch',
      () => leg({ originId: 'at:nowhere' }),
      'unknown_stop',
      '/legs/0/originId',
    ],
    [
      'legs that do not connect',
      'trips/watch',
      () => ({ legs: [legs()[1]!, legs()[0]!] }),
      'invalid_body',
      '/legs/1/originId',
    ],
    ['no legs', 'trips/watch', () => ({ legs: [] }), 'invalid_body', '/legs'],
    ['too many legs', 'rescue/watch', () => ({ legs: Array(9).fill(legs()[0]) }), 'invalid_body', '/legs'],
    ['a member too many', 'trips/watch', () => ({ legs: legs(), to: { stopId: 'at:z' } }), 'invalid_body', '/to'],
    [
      'a destination that is nowhere',
      'rescue/watch',
      () => ({ legs: legs(), to: { stopId: 'at:nowhere' } }),
      'unknown_stop',
      '/to/stopId',
    ],
    [
      'a stop of lines that is nowhere',
      'lines/watch',
      () => ({ lines: [{ label: '2' }], stopIds: ['at:a', 'at:nowhere'] }),
      'unknown_stop',
      '/stopIds/1',
    ],
    ['a repeated watch without stops', 'lines/watch', () => ({ lines, repeat }), 'invalid_body', '/stopIds'],
    [
      'a window of more than 12 hours',
      'lines/watch',
      () => ({ lines, stopIds: ['at:a'], repeat: { ...repeat, to: '05:01' } }),
      'invalid_body',
      '/repeat/to',
    ],
    [
      'a time that no clock shows',
      'lines/watch',
      () => ({ lines, stopIds: ['at:a'], repeat: { ...repeat, from: '24:00' } }),
      'invalid_body',
      '/repeat/from',
    ],
    [
      'a weekday twice',
      'lines/watch',
      () => ({ lines, stopIds: ['at:a'], repeat: { ...repeat, weekdays: ['monday', 'monday'] } }),
      'invalid_body',
      '/repeat/weekdays',
    ],
    [
      'a delay of lines that are not repeated',
      'lines/watch',
      () => ({ lines, minDelayMinutes: 3 }),
      'invalid_body',
      '/minDelayMinutes',
    ],
    ['too many lines', 'lines/watch', () => ({ lines: Array(21).fill({ label: '2' }) }), 'invalid_body', '/lines'],
    ['an end in the past', 'trips/watch', () => ({ legs: legs(), until: at('07:30') }), 'invalid_body', '/until'],
    [
      'an end in a year',
      'lines/watch',
      () => ({ lines: [{ label: '2' }], until: '2027-01-01T00:00:00Z' }),
      'invalid_body',
      '/until',
    ],
    [
      'a push host off the list',
      'trips/watch',
      () => push({ endpoint: 'https://example.com/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a host that only ends like one',
      'trips/watch',
      () => push({ endpoint: 'https://evilpush.example.org/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'another port',
      'trips/watch',
      () => push({ endpoint: 'https://push.example.org:8443/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a host behind a user',
      'trips/watch',
      () => push({ endpoint: 'https://push.example.org@example.com/' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'plain http',
      'trips/watch',
      () => push({ endpoint: 'http://push.example.org/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a key off the curve',
      'trips/watch',
      () => push({}, { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
      'invalid_body',
      '/delivery/subscription/keys/p256dh',
    ],
    [
      'a secret that is too short',
      'trips/watch',
      () => push({}, { auth: 'AAAA' }),
      'invalid_body',
      '/delivery/subscription/keys/auth',
    ],
  ])('for %s stores nothing', async (_what, path, body, code, parameter) => {
    const answer = await town.post(path, body());
    expectProblem(answer, code, parameter);
    expect(await town.receive('07:40', { trips: [cancelled('t1'), cancelled('t2')] })).toBe(0);
  });

  test('beyond the quota is 409, but extending a watch is not', async () => {
    town = await Town.open({ ...testWatchSettings, maxPerToken: 1 });
    const { watchId } = await town.watch('trips/watch', { legs: legs() }, 'installation-a');
    expectProblem(await town.post('trips/watch', { legs: legs() }, 'installation-a'), 'watch_limit');
    await town.watch('trips/watch', { watchId, legs: legs() }, 'installation-a');
    await town.watch('trips/watch', { legs: legs() }, 'installation-b');
  });

  test('is 503 without internal details if the store fails', async () => {
    const away = async () => {
      throw new ExternalError('watch_store_failed', 'disk /secret/path is full');
    };
    const world = await openTripTown();
    const watches = serveWatches({ watch: away, unwatch: away }, TEST_KEY);
    const app = await buildApp(serviceOptions(world, { clock: town.clock, watches }));
    onTestFinished(() => app.close());
    for (const [path, payload] of [
      ['lines/watch', { lines: [{ label: '2' }] }],
      ['lines/unwatch', { watchId: 'x' }],
    ] as const) {
      const answer = await app.inject({ method: 'POST', url: `/v2/${path}`, payload });
      expectProblem(answer, 'overloaded');
      expect(answer.body).not.toContain('secret');
    }
    expect((await app.inject('/v2/stops/at:a/departures')).statusCode).toBe(200);
  });
});
